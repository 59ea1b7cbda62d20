"""Tables of the reference that stand where a test wants them, in card notation."""

from typing import Any

from referee.engine import PRESETS, Terms
from tests.reference.cards import PHASES, Draw, Hit, Laid, Meld, Play, whole_deck
from tests.reference.compare import plain_options
from tests.reference.table import Table

DRAW, TAKE = Draw("stock"), Draw("discard")


def ascending(number: int, cards: list[str]) -> list[str]:
    return cards


def options(preset: str = "official", **changes: Any) -> dict[str, Any]:
    """The options of a published rule set, some of them changed; no caps unless asked for."""
    found = plain_options(PRESETS[preset], Terms(max_turns_per_deal=None, max_deals=None))
    assert set(changes) <= set(found)
    return {**found, **changes}


def begin(hands: list[str], then: str = "", dealer: int = -1, **changes: Any) -> Table:
    """A game whose first deal gives these hands to the seats 0, 1, ..., then has the cards `then`: start card first.

    The last seat deals unless said otherwise, so that seat 0 is first. Hands are filled up, later decks are ascending.
    """
    dealer %= len(hands)
    rules = options(**changes)
    rest = whole_deck(rules["wilds"], rules["skips"])
    wanted = [hand.split() for hand in hands]
    for card in [card for hand in wanted for card in hand] + then.split():
        rest.remove(card)
    for hand in wanted:
        hand += [rest.pop(0) for _ in range(rules["hand_size"] - len(hand))]
    order = [wanted[(dealer + 1 + place) % len(wanted)] for place in range(len(wanted))]
    deck = [card for row in zip(*order, strict=True) for card in row] + then.split() + rest
    return Table(rules, len(hands), dealer, lambda number, cards: deck if number == 0 else cards)


def at(
    *hands: str,
    melds: dict[int, str] | None = None,
    phases: list[int] | None = None,
    order: list[int] | None = None,
    **changes: Any,
) -> Table:
    """A table in the middle of a deal: seat 0 has drawn and plays, nobody else has anything unless said.

    `melds` as in `set 7: R7 B7 W / run 3: R3 R4`; `phases` are those the seats work on or have laid, `order` all of them.
    """
    rules = options(**changes)
    order = rules["phases"] = order or rules["phases"]
    table = Table(rules, len(hands), len(hands) - 1, ascending)
    table.hands = [hand.split() for hand in hands]
    table.drawn = table.hands[0][-1]
    table.stock, table.discard = whole_deck(8, 4)[:40], ["Y1", "Y2"]
    for seat, phase in enumerate(phases or [order[0]] * len(hands)):
        done = order.index(phase)
        table.done[seat], table.completed[seat] = order[:done], done
        if melds and seat in melds:
            table.melds[seat] = [_laid(text) for text in melds[seat].split("/")]
            table.laid[seat] = phase
            table.done[seat], table.completed[seat] = order[: done + 1], done + 1
    return table


def _laid(text: str) -> Laid:
    head, _, cards = text.partition(":")
    kind, value = head.split()
    return Laid(kind, cards.split(), int(value))


def lay(text: str) -> list[Meld]:
    """`R7 B7 W / W W W =4`."""
    melds = []
    for part in text.split("/") if text else []:
        cards, _, meaning = part.partition("=")
        melds.append(Meld(cards.split(), int(meaning) if meaning else None))
    return melds


def hit(text: str) -> Hit:
    """`R7 on 1.0`, `W on 1.0 low`, `R7 for W on 1.0`: the owner and the number of the meld."""
    words = text.replace(" for W on ", " replacing ").split()
    owner, meld = words[2].split(".")
    return Hit(int(owner), int(meld), words[0], words[3] if len(words) > 3 else None, words[1] == "replacing")


def play(
    melds: str = "", *hits: str, discard: str | None = None, target: int | None = None, phase: int | None = None
) -> Play:
    return Play(lay(melds), [hit(text) for text in hits], discard, target, phase)


def judge_lay(phase: int, melds: str, hand: str | None = None, **changes: Any) -> str | None:
    """What a table says to a lay out of a hand of just these cards and one more, which is thrown."""
    cards = hand if hand is not None else melds.replace("/", "").split("=")[0]
    if hand is None:
        cards = " ".join(card for meld in lay(melds) for card in meld.cards)
    table = at(f"{cards} G1", "R1", phases=[phase, phase], **changes)
    assert phase in PHASES
    return table.submit(0, play(melds, discard="G1"))
