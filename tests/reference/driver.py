"""What the seats wish for in comparisons: sensible moves made from the plain table, and nonsense made from those."""

import random
from collections.abc import Callable

from tests.reference import melds as rules_of_melds
from tests.reference.cards import COLOUR, FACES, NUMBER, PHASES, Draw, Hit, Laid, Meld, Play, Refused
from tests.reference.table import Table


class Driver:
    """Proposes moves for whoever is to move at `table`; `nonsense` is the share of them that is spoilt."""

    def __init__(self, table: Table, rng: random.Random, nonsense: float) -> None:
        self._table = table
        self._chance = rng.random
        self._nonsense = nonsense
        self._sensible: Draw | Play | None = None  # kept while only spoilt ones of it were refused
        self._spoilt = False

    def below(self, number: int) -> int:
        return int(self._chance() * number)

    def refused(self) -> None:
        if not self._spoilt:
            self._sensible = None

    def table_changed(self) -> None:
        self._sensible = None

    def wish(self) -> tuple[int, Draw | Play]:
        """A seat and its move."""
        seat = self._table.to_move
        if seat < 0:
            return self.below(self._table.seats), Draw("stock")
        if self._sensible is None:
            self._sensible = self._draw() if self._table.drawn is None else self._play(seat)
        move = self._sensible
        self._spoilt = False
        if self._chance() >= self._nonsense:
            return seat, move
        self._spoilt = True
        if self._chance() < 0.06:
            return self.below(self._table.seats + 1), move
        if self._chance() < 0.06:
            return seat, Draw("discard") if isinstance(move, Play) else Play([], [], FACES[self.below(50)])
        return seat, self._spoil(seat, move)

    def _draw(self) -> Draw:
        table = self._table
        top = table.discard[-1] if table.discard else "S"
        takes = top == "W" or (top != "S" and self._chance() < 0.35)
        takes = takes or (top == "S" and bool(table.discard) and table.options["take_skip_from_discard"])
        return Draw("discard" if takes else "stock")

    # Sensible plays

    def _play(self, seat: int) -> Play:
        table, options = self._table, self._table.options
        hand = list(table.hands[seat])
        phase, lay = (0, []) if table.laid[seat] else self._find_lay(seat, hand)
        keep = options["going_out"] == "discard_only" and self._chance() < 0.85
        hits: list[Hit] = []
        if lay or table.laid[seat]:
            lying = self._lying(seat, phase or table.phase_of(seat), lay)
            hits = self._find_hits(lying, hand, keep=keep)
        name = phase or None if self._chooses() else None
        if not hand:
            return Play(lay, hits, None, None, name)
        card = self._to_throw(seat, hand)
        target = None
        if card == "S" and len(hand) > 1 and options["skip_target"] == "chosen" and (targets := table.skip_targets(seat)):
            target = targets[self.below(len(targets))]
        return Play(lay, hits, card, target, name)

    def _lying(self, seat: int, phase: int, lay: list[Meld]) -> list[tuple[int, int, Laid]]:
        """What can be hit: owner, place, meld. Now and then more than the rules allow."""
        table, when = self._table, self._table.options["hit_on_lay_turn"]
        melds = [(owner, place, meld) for owner in table.players for place, meld in enumerate(table.melds[owner])]
        if not lay or self._chance() < 0.03:
            return melds
        if when == "none":
            return []
        cards = [card for meld in lay for card in meld.cards]
        try:
            own = [
                (seat, place, meld)
                for place, meld in enumerate(rules_of_melds.lay(cards, PHASES[phase], lay, table.options))
            ]
        except Refused:
            own = []
        return own if when == "own_only" else own + melds

    def _to_throw(self, seat: int, hand: list[str]) -> str:
        """A Skip at once, else a card of which there are few alike."""
        if hand[-1] == "S" and self._chance() < 0.6:
            return "S"
        if self._table.laid[seat]:
            return hand[self.below(len(hand))]
        few = [hand[self.below(len(hand))] for _ in range(4)]
        numbers = [NUMBER.get(card, 0) for card in hand]
        return min(few, key=lambda card: 9 if card == "W" else numbers.count(NUMBER.get(card, 0)))

    def _chooses(self) -> bool:
        return self._table.options["advance"] == "free_choice" and not self._table.tie_break

    def _find_lay(self, seat: int, hand: list[str]) -> tuple[int, list[Meld]]:
        """A phase and melds for it, taken from `hand`; 0 and no melds if none are found."""
        table, phases = self._table, self._table.options["phases"]
        if self._chooses():
            wanted = [phase for phase in phases if phase not in table.done[seat]]
            wanted = wanted[self.below(len(wanted)) :] if wanted else []
        else:
            wanted = [table.phase_of(seat)]
        for phase in wanted:
            melds = _melds_for(PHASES[phase], hand, self.below) if phase else None
            if melds is None:
                continue
            spare = len(hand) - sum(len(meld.cards) for meld in melds)
            if spare <= 0 and table.options["going_out"] == "discard_only" and self._chance() < 0.95:
                continue
            for meld in melds:
                for card in meld.cards:
                    hand.remove(card)
            return phase, melds
        return 0, []

    def _find_hits(self, lying: list[tuple[int, int, Laid]], hand: list[str], *, keep: bool) -> list[Hit]:
        """One hit at most on each meld, their cards taken from `hand`."""
        hits: list[Hit] = []
        lying = lying[self.below(len(lying)) :] if lying and self._chance() < 0.3 else lying
        for owner, place, meld in lying:
            for card in list(hand):
                if len(hand) == 1 and keep:
                    return hits
                if card == "S" or self._chance() < 0.2:
                    continue
                hit = self._fit(owner, place, meld, card)
                if hit:
                    hits.append(hit)
                    hand.remove(card)
                    if hit.for_wild:
                        hand.append("W")
                    break  # the meld is another one now
        return hits

    def _fit(self, owner: int, place: int, meld: Laid, card: str) -> Hit | None:
        kind, cards, value = meld
        replaceable = self._table.options["wild_replaceable"] and card != "W" and "W" in cards
        if kind == "run":
            if card == "W":
                ends: list[str | None] = [
                    end for end, fine in (("low", value > 1), ("high", value + len(cards) <= 12)) if fine
                ]
                ends += [None] if len(ends) == 1 or self._chance() < 0.05 else []
                return Hit(owner, place, card, ends[self.below(len(ends))]) if ends else None
            at = NUMBER[card] - value
            if replaceable and 0 <= at < len(cards) and cards[at] == "W":
                return Hit(owner, place, card, None, for_wild=True)
            return Hit(owner, place, card) if at in {-1, len(cards)} else None
        if card == "W" or (NUMBER[card] if kind == "set" else COLOUR[card]) == value:
            return Hit(owner, place, card, None, bool(replaceable and self._chance() < 0.7))
        return None

    # Nonsense

    def _spoil(self, seat: int, move: Draw | Play) -> Draw | Play:
        if isinstance(move, Draw):
            return Draw("discard" if move.pile == "stock" else "stock")
        hand = self._table.hands[seat]
        if move.lay and self._chance() < 0.6:
            return move._replace(lay=self._spoil_lay(hand, move.lay))
        if move.hits and self._chance() < 0.4:
            return _other_hit(self, move, hand)
        return _SPOILS[self.below(len(_SPOILS))](self, move, hand)

    def phases_done(self) -> list[int]:
        return self._table.done[self._table.to_move]

    def any_card(self, hand: list[str]) -> str:
        return FACES[self.below(50)] if self._chance() < 0.3 else hand[self.below(len(hand))]

    def any_seat(self) -> int:
        """One that waits for a Skip, or any number near."""
        waiting = [seat for seat, skips in enumerate(self._table.waiting) if skips]
        if waiting and self._chance() < 0.4:
            return waiting[0]
        return self.below(self._table.seats + 2) - 1

    def any_hit(self, hand: list[str]) -> Hit:
        end = (None, None, "low", "high")[self.below(4)]
        owner, place = self.any_seat(), self.below(4) - 1
        lying = [owner for owner, melds in enumerate(self._table.melds) if melds]
        if lying and self._chance() < 0.9:
            owner = lying[self.below(len(lying))]
            place = self.below(len(self._table.melds[owner]))
        return Hit(owner, place, self.any_card(hand), end, self._chance() < 0.3)

    def any_melds(self, hand: list[str]) -> list[Meld]:
        """Melds of wild wishes: cards of the hand in the deck's order, cut anywhere."""
        cards = [card for card in hand if self._chance() < 0.8]
        if self._chance() < 0.5:
            cards.sort(key=lambda card: NUMBER.get(card, 0))
        cut = self.below(len(cards) + 1)
        parts = [cards[:cut], cards[cut:]] if self._chance() < 0.8 else [cards]
        return [self.with_meaning(Meld(part)) for part in parts]

    def with_meaning(self, meld: Meld) -> Meld:
        return Meld(meld.cards, self.below(15) - 1) if self._chance() < 0.3 else meld

    def _spoil_lay(self, hand: list[str], lay: list[Meld]) -> list[Meld]:
        at = self.below(len(lay))
        cards, meaning = list(lay[at].cards), lay[at].meaning
        what = self.below(9)
        if what == 0:
            return lay[::-1]
        if what == 1:
            return [*lay[:at], *lay[at + 1 :]]
        if what == 2:
            return [*lay, lay[at]]
        if what == 3:
            cards.pop(self.below(len(cards)))
        elif what == 4:
            cards[self.below(len(cards))] = self.any_card(hand)
        elif what == 5:
            cards.insert(self.below(len(cards) + 1), self.any_card(hand))
        elif what == 6:
            cards.reverse()
        elif what == 7:
            meaning = None if meaning is not None else self.below(15) - 1
        else:
            cards = ["W"] * len(cards)
        return [*lay[:at], Meld(cards, meaning), *lay[at + 1 :]]


def _no_lay(driver: Driver, move: Play, hand: list[str]) -> Play:
    return move._replace(lay=[])


def _any_lay(driver: Driver, move: Play, hand: list[str]) -> Play:
    return move._replace(lay=driver.any_melds(hand))


def _any_phase(driver: Driver, move: Play, hand: list[str]) -> Play:
    if move.phase and driver.below(2):
        return move._replace(phase=None)
    done = driver.phases_done()
    return move._replace(phase=done[driver.below(len(done))] if done and driver.below(2) else driver.below(13) - 1)


def _more_hits(driver: Driver, move: Play, hand: list[str]) -> Play:
    hits = [*move.hits, driver.any_hit(hand)]
    at = driver.below(len(hits))
    return move._replace(hits=hits[at:] + hits[:at])


def _other_hit(driver: Driver, move: Play, hand: list[str]) -> Play:
    if not move.hits:
        return move._replace(hits=[driver.any_hit(hand)])
    at = driver.below(len(move.hits))
    other = driver.any_hit(hand)
    what = driver.below(4)
    old = move.hits[at]
    new = (
        old._replace(end=other.end),
        old._replace(for_wild=not old.for_wild),
        old._replace(card=other.card),
        old._replace(owner=other.owner, meld=other.meld),
    )[what]
    return move._replace(hits=[*move.hits[:at], new, *move.hits[at + 1 :]])


def _other_discard(driver: Driver, move: Play, hand: list[str]) -> Play:
    return move._replace(discard=driver.any_card(hand))


def _no_discard(driver: Driver, move: Play, hand: list[str]) -> Play:
    return move._replace(discard=None if move.discard else hand[0])


def _other_target(driver: Driver, move: Play, hand: list[str]) -> Play:
    return move._replace(target=driver.any_seat() if move.target is None or driver.below(2) else None)


def _skip(driver: Driver, move: Play, hand: list[str]) -> Play:
    if hand[-1] != "S" and driver.below(4):
        return move._replace(target=driver.any_seat())
    return move._replace(discard="S", target=driver.any_seat() if driver.below(6) else None)


def _both(driver: Driver, move: Play, hand: list[str]) -> Play:
    first, second = (_SPOILS[driver.below(len(_SPOILS) - 1)] for _ in range(2))
    return second(driver, first(driver, move, hand), hand)


_SPOILS: list[Callable[[Driver, Play, list[str]], Play]] = [
    _no_lay,
    _any_lay,
    _any_phase,
    _more_hits,
    _other_hit,
    _other_discard,
    _no_discard,
    _other_target,
    _skip,
    _both,
]


# Melds found by looking at what there is most of: quick and good enough, not every lay that exists.


def _melds_for(goals: list[tuple[str, int]], hand: list[str], below: Callable[[int], int]) -> list[Meld] | None:
    numbers = [card for card in hand if card in NUMBER]
    wilds = hand.count("W")
    if wilds >= sum(size for _, size in goals) and below(3):
        return [Meld(["W"] * size, below(4) if below(6) else None) for _, size in goals]
    melds = []
    for kind, size in sorted(goals, key=lambda goal: goal[0]):  # runs before sets: they have less choice
        found = _one_meld(kind, size, numbers, wilds, below)
        if found is None:
            return None
        melds.append(found)
        wilds -= found.cards.count("W")
        for card in found.cards:
            if card != "W":
                numbers.remove(card)
    return melds


def _one_meld(kind: str, size: int, numbers: list[str], wilds: int, below: Callable[[int], int]) -> Meld | None:
    if wilds >= size and below(4) == 0:
        return Meld(["W"] * size, below(4) if below(6) else None)
    if kind == "run":
        return _run(size, numbers, wilds, below)
    word = NUMBER if kind == "set" else COLOUR
    groups: dict[int, list[str]] = {}
    for card in numbers:
        groups.setdefault(word[card], []).append(card)
    most = max(groups.values(), key=len, default=[])
    if size - len(most) > wilds:
        return None
    cards = most[: size + below(3)]
    missing = max(0, size - len(cards))
    more = below(2) if wilds > missing and not below(5) else 0
    cards += ["W"] * (missing + more)
    value = word[most[0]] if most else below(3) + 1
    return Meld(cards, value if not most or not below(6) else None)


def _run(size: int, numbers: list[str], wilds: int, below: Callable[[int], int]) -> Meld | None:
    by_number = {NUMBER[card]: card for card in numbers}
    starts = [start for start in range(1, 14 - size) if sum(n not in by_number for n in range(start, start + size)) <= wilds]
    if not starts:
        return None
    start = starts[below(len(starts))]
    cards = [by_number.get(number, "W") for number in range(start, start + size)]
    while start + len(cards) in by_number and below(2):
        cards.append(by_number[start + len(cards)])
    return Meld(cards, start if cards.count("W") == len(cards) or not below(6) else None)
