"""What goes wrong in a game, by chance, in both games of a pair (`twins`): for the tests of non-interference."""

import random
from collections import Counter
from collections.abc import Callable, Iterator

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from referee.engine import events as ev
from referee.engine.cards import SKIP, full_deck
from referee.engine.moves import Draw, Hit, Meld, Move, Play, Seat
from referee.engine.view import View
from referee.wire import coarse
from referee.wire.moves import write_decision
from tests.players import random_player
from tests.service.client import RULES, quick_terms
from tests.service.twins import Room, Twins

Mix = dict[str, float]  # how often what happens
HASTY = quick_terms(bank=4_000, increment=150, cap=1_000, max_deals=3, max_turns_per_deal=40, max_faults=4)
SESSIONS: Mix = {"leaves": 4, "comes back": 3, "says nothing": 1, "answers": 8}
ANSWERS: Mix = {"errs": 3, "babbles": 2, "speaks unasked": 3, "answers": 8}
CLOCK: Mix = {"says nothing": 3, "answers late": 3, "gives up": 0.3, "answers": 8}
EVERYTHING: Mix = SESSIONS | ANSWERS | CLOCK | {"answers": 30}

GARBLED = [
    b"",  # neither a Draw nor a Play
    coarse.Answer(draw=b"\xff").SerializeToString(),
    coarse.Answer(play=b"\xff").SerializeToString(),
    pb.Answer(play=game_pb2.Play(discard=99)).SerializeToString(),  # type: ignore[arg-type]  # no card
    pb.Answer(play=game_pb2.Play(lay=[game_pb2.Meld(cards=[1, 99])])).SerializeToString(),  # type: ignore[list-item]  # nor this
    pb.Answer(play=game_pb2.Play(hits=[game_pb2.Hit(owner=70)])).SerializeToString(),
]


def wrong_move(view: View, dice: random.Random) -> Move:
    """A wish of one of many kinds, hardly one of which is legal."""
    me, seats = view.seat, len(view.table.seats)
    hand = dice.sample(view.hand, len(view.hand))
    held, last, other = hand[0], hand[-1], Seat((me + 1) % seats)
    absent = dice.choice([card for card in full_deck() if card not in hand])
    moves: list[Move] = [
        Draw(),
        Draw(from_discard=True),
        Play(),
        Play(discard=absent),
        Play(discard=held, skip_target=other),
        Play(discard=SKIP, skip_target=me),
        Play(discard=SKIP, skip_target=Seat(9)),
        Play(lay=(Meld(tuple(hand[:3])),), discard=last),
        Play(lay=(Meld(tuple(hand[:3])), Meld((absent,) * 3)), discard=last),
        Play(hits=(Hit(other, 0, held),), discard=last),
        Play(discard=held, phase=3),
    ]
    if view.drawn is not None and dice.random() < 0.4:
        # Most of the hand: whether it is no phase or these cards are not there is for the seat alone to know.
        return Play(lay=(Meld(tuple(hand[:4])), Meld(tuple(hand[4:8]))), discard=last)
    return dice.choice(moves)


def kinds(frame: bytes) -> Iterator[str]:
    """What a seat is told with a frame."""
    for message in pb.ConnectResponse.FromString(frame).messages:
        kind = str(message.WhichOneof("kind"))
        match kind:
            case "rejected":
                yield f"rejected, {game_pb2.RejectReason.Name(message.rejected.reason)}"
            case "resync":
                game = message.resync.games[0]
                yield f"resync, {'asked' if game.HasField('question') else 'begun' if game.HasField('start') else 'invited'}"
            case _:
                yield kind


class Trouble:
    """Twins, and what happens to them by chance. Each step says whether they still look alike to the onlooker."""

    def __init__(self, pair: Twins, dice: random.Random) -> None:
        self.pair = pair
        self.dice = dice
        self.heard: Counter[str] = Counter()
        self._events = self._frames = 0  # that were counted
        self._policy = random_player(dice.randrange)
        self._steps: dict[str, Callable[[Seat], bool]] = {
            "answers": self._answers,
            "errs": self._errs,
            "babbles": self._babbles,
            "speaks unasked": self._speaks_unasked,
            "says nothing": self._says_nothing,
            "answers late": self._answers_late,
            "gives up": self._gives_up,
            "leaves": self._leaves,
            "comes back": self._comes_back,
        }

    def play(self, mix: Mix, steps: int) -> bool:
        """Let things happen until the game is over. False if the rules showed the onlooker a difference before."""
        for _ in range(steps):
            asked = self.pair.first.game.to_move
            if asked is None:
                break
            self.pair.first.hours.pass_by(self.dice.choice((0, 0, 100, 130, 300)))
            what = self.dice.choices(list(mix), list(mix.values()))[0]
            if not self._steps[what](asked):
                return False
            self._listen()
        return True

    def _listen(self) -> None:
        """Count what was compared and found to be the same."""
        onlooker, room = self.pair.onlooker, self.pair.first
        for event in room.log[self._events :]:
            whose = "own" if onlooker == getattr(event, "seat", None) else "other's"
            match event:
                case ev.SeatFaulted():
                    self.heard[f"{whose} fault, {event.kind.value}"] += 1
                case ev.SeatForfeited():
                    self.heard[f"{whose} forfeit, {event.cause.value}"] += 1
                case _:
                    pass
        self._events = len(room.log)
        if onlooker is not None:
            frames = room.sent(onlooker)
            self.heard.update(name for frame in frames[self._frames :] for name in kinds(frame))
            self._frames = len(frames)

    def _some_seat(self) -> Seat:
        """The onlooker more often than another: it is about its bytes."""
        onlooker = self.pair.onlooker
        if onlooker is not None and self.dice.random() < 0.4:
            return Seat(onlooker)
        return Seat(self.dice.randrange(self.pair.first.game.state.seats))

    def _says(self, seat: Seat, decision: bytes, ahead: int = 0) -> bool:
        """A seat answers, to the open question or to one before or after it; if nobody plays it, all wait in vain."""
        if not self.pair.first.is_here(seat):
            return self._says_nothing(seat)
        return self.pair.both(lambda room: room.answer(decision, seat, ahead))

    def _answers(self, asked: Seat) -> bool:
        return self._says(asked, write_decision(self._policy(self.pair.first.game.view(asked), RULES)))

    def _errs(self, asked: Seat) -> bool:
        return self._says(asked, write_decision(wrong_move(self.pair.first.game.view(asked), self.dice)))

    def _babbles(self, asked: Seat) -> bool:
        return self._says(asked, self.dice.choice(GARBLED))

    def _speaks_unasked(self, _: Seat) -> bool:
        """Somebody answers what is not asked any more, or not yet."""
        ahead = self.dice.choice((-1, -1, 0, 1, 5))
        return self._says(self._some_seat(), write_decision(Draw()), ahead)

    def _let_time_run_out(self) -> None:
        hours = self.pair.first.hours
        hours.pass_by(self.pair.first.deadline - hours.time.now() + 1)

    def _says_nothing(self, _: Seat) -> bool:
        self._let_time_run_out()
        return self.pair.both(Room.ring)

    def _answers_late(self, asked: Seat) -> bool:
        """The answer comes before the timer has rung. It is stale then, or one to the question that follows."""
        decision = write_decision(self._policy(self.pair.first.game.view(asked), RULES))
        self._let_time_run_out()
        return self._says(asked, decision, self.dice.choice((0, 0, 1)))

    def _gives_up(self, _: Seat) -> bool:
        seat = self._some_seat()
        return self.pair.both(lambda room: room.resign(seat))

    def _leaves(self, _: Seat) -> bool:
        seat = self._some_seat()
        return self.pair.both(lambda room: room.lose(seat))

    def _comes_back(self, _: Seat) -> bool:
        """Also a seat whose session is still there: another one takes over."""
        seat = self._some_seat()
        return self.pair.both(lambda room: room.resume(seat))
