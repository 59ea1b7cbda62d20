"""What is hidden changes no byte of a game with real shares in the shuffle, its handshake included.

Two such games cannot differ in hidden cards alone: other cards come from another key, that from another seed or share, and
everybody is told what was committed to. So this is done in three parts, each of which sees what the others cannot.

- The key is the same and real, and the deck that is made of it is changed in one game, at the source, as in the games beside
  this. No byte may differ, but nothing of the seed, the shares and the key would be noticed.
- The seeds and the shares differ, and the decks of both games are made of the same key. Nothing may differ but the
  commitments, the shares once all are known, and the seed once the game is over; never the seed of a mirrored game.
- The seeds differ and nothing else is changed. To the public all decks with the same first dealer and the same first card of
  the discard pile look alike; games with such are played, with answers that are legal in both.
"""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.cards import full_deck
from referee.engine.game import Game
from referee.engine.legal import draws, skip_targets
from referee.engine.moves import Move, Play
from referee.engine.shuffle import SeededDecks, match_key
from referee.engine.view import View
from referee.service.game import RunningGame
from referee.service.gathering import SHARE_SECONDS, Gathering
from referee.service.seats import Link, TableSeat
from referee.service.telling import Telling
from referee.wire.moves import write_decision
from tests.service.client import RULES
from tests.service.troubles import EVERYTHING, GARBLED, HASTY, Trouble
from tests.service.twins import CALM, Hours, Room, Twins, twins

PAIRS, NIGHTLY_PAIRS = 60, 1_500
STEPS = 60
FRAME = b"\n-- frame --\n"
SHARES: tuple[Callable[..., None], ...] = (Room.commit, Room.reveal)


def shake_hands(pair: Twins, dice: random.Random) -> None:
    """Commit and reveal, in any order; sessions are lost and come back, shares are wrong, a seat declines or is silent."""
    seats = list(range(len(pair.first.nonces)))
    declines = dice.choice((None, None, *seats))
    silent, since = dice.choice((None, None, *seats)), dice.choice(SHARES)
    for say in SHARES:
        for seat in dice.sample(seats, len(seats)):
            if seat == silent and (say, since) != (Room.commit, Room.reveal):
                continue
            pair.both(partial(Room.decline if say is Room.commit and seat == declines else say, seat=seat))
            come_back(pair, dice.choice(seats))
            pair.both(partial(Room.reveal, seat=seat, nonce=bytes(32)))
        if silent is not None and say is since and not pair.first.begun:
            pair.first.hours.pass_by(SHARE_SECONDS * 1000 + 1)
            pair.both(Room.ring)
    assert pair.first.begun


def come_back(pair: Twins, seat: int) -> None:
    """A session that has come back commits again, for it cannot know what was heard."""
    again = pair.first.gathering._commitments[seat] is not None
    for step in (Room.lose, Room.resume, Room.commit) if again else (Room.lose, Room.resume):
        pair.both(partial(step, seat=seat))


def without_shares(room: Room, onlooker: int | None) -> bytes:
    """What was sent, less what may differ by now where seeds and shares do."""
    gathering, mirrored = room.gathering, room.gathering.order.mirrored
    known = [gathering.commitment]
    if gathering._revealing:
        known += [commitment for commitment in gathering._commitments if commitment]
    if room.begun:
        known += [nonce for nonce in gathering._nonces if nonce]
    if room.over and not mirrored:
        known.append(gathering.seed)
    sent = FRAME.join(room.sent(onlooker))
    for number, share in enumerate(known):
        sent = sent.replace(share, bytes([number]) * len(share))
    return sent


def with_the_same_key(pairs: int) -> Counter[str]:
    """The first part; what was compared of interest."""
    heard: Counter[str] = Counter()
    for seed in range(pairs):
        dice = random.Random(f"same key {seed}")
        seats = dice.choice((2, 3, 4))
        onlooker = dice.choice((None, *range(seats), *range(seats)))
        with closing(twins(seats, onlooker, dice, HASTY, mirrored=False)) as pair:
            shake_hands(pair, dice)
            trouble = Trouble(pair, dice)
            if pair.onlooker in pair.unaware:
                trouble.play(EVERYTHING, STEPS)
            heard += trouble.heard
    return heard


def other_seeds(dice: random.Random, *, mirrored: bool) -> Twins:
    """Two games with the same cards, for whatever reason: all other dice of the referee and of the seats fell otherwise."""
    seats, hours, key = dice.choice((2, 3, 4)), Hours(), dice.randbytes(64)
    first, second = (
        Room(seats, lambda _: SeededDecks(key), hours, HASTY, mirrored, seed)
        for seed in (dice.randbytes(64), dice.randbytes(64))
    )
    onlooker = dice.choice((None, *range(seats), *range(seats)))
    second.nonces = [mine if seat == onlooker else dice.randbytes(32) for seat, mine in enumerate(first.nonces)]
    return Twins(first, second, onlooker, without_shares)


def with_other_seeds(pairs: int, *, mirrored: bool) -> Counter[str]:
    """The second part."""
    heard: Counter[str] = Counter()
    for seed in range(pairs):
        dice = random.Random(f"other seeds {seed}")
        with closing(other_seeds(dice, mirrored=mirrored)) as pair:
            if not mirrored:
                shake_hands(pair, dice)
            trouble = Trouble(pair, dice)
            assert trouble.play(EVERYTHING, 3 * STEPS)
            assert pair.unaware == {None, *range(len(pair.first.nonces))}
            heard += trouble.heard
            heard["over"] += pair.first.over
    return heard


def strangers(seats: int, dice: random.Random) -> Twins:
    """Two games with other seeds, and what comes of them, in which the public sees the same of the first deal."""
    hours, terms = Hours(), replace(CALM, first_dealer="seeded")
    first = Room(seats, SeededDecks, hours, terms, mirrored=False, seed=dice.randbytes(64))
    context, nonces, start = first.gathering.context, tuple(first.nonces), seats * RULES.hand_size

    def face(seed: bytes) -> tuple[int, int]:
        decks = SeededDecks(match_key(context, seed, nonces))
        return decks.first_dealer(seats), decks(0, full_deck())[start]

    wanted = face(first.gathering.seed)
    other = next(seed for seed in iter(lambda: dice.randbytes(64), b"") if face(seed) == wanted)
    second = Room(seats, SeededDecks, hours, terms, mirrored=False, seed=other)
    pair = Twins(first, second, None, without_shares)
    for step in SHARES:
        for seat in range(seats):
            assert pair.both(partial(step, seat=seat))
    assert pair.unaware == {None}, "each seat has other cards"
    return pair


def common_move(one: View, two: View, dice: random.Random) -> Move | None:
    """A move that is legal in both games, if there is a simple one."""
    if one.drawn is None:
        return dice.choice(draws(one, RULES))
    cards = sorted(set(one.hand) & set(two.hand))
    if not cards:
        return None
    card = dice.choice(cards)
    targets = skip_targets(one, RULES) if card.is_skip else ()
    return Play(discard=card, skip_target=dice.choice(targets) if targets else None)


def before_the_public(pairs: int) -> Counter[str]:
    """The third part."""
    heard: Counter[str] = Counter()
    for seed in range(pairs):
        dice = random.Random(f"public {seed}")
        with closing(strangers(dice.choice((2, 3, 4)), dice)) as pair:
            while (what := step_of_strangers(pair, dice)) is not None:
                heard[what] += 1
    return heard


def step_of_strangers(pair: Twins, dice: random.Random) -> str | None:
    """What was done, and looked alike; None at the end."""
    first, asked = pair.first, pair.first.game.to_move
    if asked is None:
        return None
    one, two = (room.game.view(asked) for room in (first, pair.second))
    come_back(pair, asked)
    if one.drawn is None and dice.random() < 0.1:  # the default move is to draw, whatever the hand
        decision = dice.choice([*GARBLED, write_decision(Play(discard=one.hand[0]))])
        return "fault" if pair.both(lambda room: room.answer(decision)) else None
    if one.drawn is None and dice.random() < 0.1:
        first.hours.pass_by(first.deadline - first.hours.time.now() + 1)
        return "late" if pair.both(Room.ring) else None
    move = common_move(one, two, dice)
    if move is None or not pair.both(lambda room: room.answer(write_decision(move))):
        return None
    return type(move).__name__


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_of_one_key_hidden_cards_change_no_byte(nightly: bool) -> None:
    heard = with_the_same_key(NIGHTLY_PAIRS if nightly else PAIRS)
    assert {"nonce_commits", "start", "resync, invited", "resync, begun", "resync, asked"} <= set(heard)
    assert {"own forfeit, no_show", "other's forfeit, no_show", "own fault, gone", "own fault, late"} <= set(heard)
    assert {"own fault, illegal", "own fault, malformed", "own forfeit, faults", "game_over"} <= set(heard)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_the_seed_shows_in_nothing_but_its_commitment(nightly: bool) -> None:
    pairs = NIGHTLY_PAIRS if nightly else PAIRS
    heard = with_other_seeds(pairs, mirrored=False)
    assert heard["over"] == pairs, "every game is compared to its end"
    assert {"nonce_commits", "resync, invited", "resync, begun", "resync, asked", "own forfeit, no_show"} <= set(heard)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_the_seed_of_a_mirrored_game_is_not_even_shown_at_its_end(nightly: bool) -> None:
    pairs = NIGHTLY_PAIRS if nightly else PAIRS
    assert with_other_seeds(pairs, mirrored=True)["over"] == pairs


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_the_public_sees_nothing_of_hands_that_are_all_different(nightly: bool) -> None:
    pairs = (NIGHTLY_PAIRS if nightly else PAIRS) // 2
    heard = before_the_public(pairs)
    assert heard["Draw"] + heard["Play"] > 5 * pairs
    assert {"fault", "late"} <= set(heard)


# The comparison would notice: what follows are leaks, each planted where the product could have it.

HONEST_RESYNC, HONEST_UPDATE, HONEST_OPENING = Telling.resync, Telling.update, Gathering.opening
HONEST_GATHERING_RESUME, HONEST_GAME_RESUME, HONEST_ALL = Gathering.resume, RunningGame._resume, Gathering._all_commitments


def resync_with_the_next_card(
    self: Telling, seat: TableSeat, question: int | None, gone: float, game: Game
) -> pb.ResyncGame:
    told = HONEST_RESYNC(self, seat, question, gone, game)
    told.events += game.state.stock[-1]
    return told


def update_with_the_next_card(self: Telling, game: Game) -> bytes:
    return HONEST_UPDATE(self, game) + referee_pb2.GameUpdate(first=game.state.stock[-1]).SerializeToString()


def opening_with_the_seed(self: Gathering) -> referee_pb2.GameOpened:
    opened = HONEST_OPENING(self)
    opened.commitment += self.seed
    return opened


def all_commitments_with_the_seed(self: Gathering, seat: TableSeat) -> bytes:
    told = pb.NonceCommits(game=seat.handle, commitments=[self.seed])
    return HONEST_ALL(self, seat) + pb.ConnectResponse(messages=[pb.RefereeMessage(nonce_commits=told)]).SerializeToString()


def resume_with_the_seed(self: Gathering, seat: TableSeat, link: Link, told: pb.Resync) -> None:
    """In the handshake."""
    HONEST_GATHERING_RESUME(self, seat, link, told)
    told.games[-1].start.nonces.append(self.seed)


def resume_with_a_trace_of_the_seed(self: RunningGame, seat: TableSeat, link: Link, told: pb.Resync) -> None:
    """In the game."""
    HONEST_GAME_RESUME(self, seat, link, told)
    told.games[-1].start.nonces.append(self._gathering.seed[:2])


Part = Callable[[int], Counter[str]]


def real(pairs: int) -> Counter[str]:
    return with_other_seeds(pairs, mirrored=False)


def mirrored(pairs: int) -> Counter[str]:
    return with_other_seeds(pairs, mirrored=True)


LEAKS: list[tuple[Part, object, str, object]] = [
    (with_the_same_key, Telling, "resync", resync_with_the_next_card),
    (with_the_same_key, Telling, "update", update_with_the_next_card),
    (real, Gathering, "opening", opening_with_the_seed),
    (real, Gathering, "resume", resume_with_the_seed),
    (real, Gathering, "_all_commitments", all_commitments_with_the_seed),
    (real, RunningGame, "_resume", resume_with_a_trace_of_the_seed),
    (mirrored, RunningGame, "_resume", resume_with_a_trace_of_the_seed),
    (mirrored, Gathering, "revealed_seed", property(lambda self: self.seed)),
    (before_the_public, Gathering, "opening", opening_with_the_seed),
    (before_the_public, Telling, "update", update_with_the_next_card),
]


@pytest.mark.parametrize(("part", "where", "name", "leak"), LEAKS)
async def test_the_comparison_would_notice_a_leak(
    part: Part, where: object, name: str, leak: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, name, leak)
    with pytest.raises(AssertionError, match="onlooker"):
        part(PAIRS)
