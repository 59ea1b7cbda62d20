"""Before the first card: each seat commits to its share of the shuffle, then all are shown, then all reveal.

The referee has committed to its seed in the invitation, so nobody can choose a share after seeing what it would do to the
deck. Whoever stays silent takes no part in the shuffle and has forfeited the game before it begins: a second try would be a
choice. Nothing here is awaited; messages and one timer drive it.
"""

import asyncio
import hmac
from collections.abc import Sequence
from typing import Final, Protocol

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2, replay_pb2

from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit, server_commit
from referee.service import messages
from referee.service.batch import Batch
from referee.service.containment import contained
from referee.service.house import House
from referee.service.order import Order
from referee.service.seats import Link, TableSeat
from referee.service.telling import Telling
from referee.wire.replay import SeatNonce

SHARE_SECONDS: Final = 10.0  # for committing, and again for revealing
COMMITMENT_BYTES: Final = 64


class GatheringOwner(Protocol):
    """Who wants to know when a game can begin."""

    def gathered(self, gathering: "Gathering") -> None:
        """Every share is known; the first card may be dealt."""

    def nobody_came(self) -> None:
        """No seat has completed the handshake."""

    def game_failed(self, error: Exception) -> None:
        """The game cannot begin, by a mistake of ours."""


class Gathering:
    """An announced game. `shares` and `absent` (the seats that stayed silent) are complete once it is gathered."""

    __slots__ = (
        "_commitments",
        "_deadline",
        "_house",
        "_nonces",
        "_owner",
        "_revealing",
        "_timer",
        "absent",
        "commitment",
        "context",
        "index",
        "order",
        "over",
        "seats",
        "seed",
        "telling",
    )

    def __init__(self, order: Order, index: int, seed: bytes, house: House, owner: GatheringOwner) -> None:
        """Game `index` of the match. `seed` is 64 bytes that nobody could foresee."""
        count = len(order.bots)
        named = order.attempt.match if order.mirrored else order.games[index]
        self.order = order
        self.index = index
        self.seed = seed
        self.context = game_context(named.bytes, order.attempt.number, count)
        self.commitment = server_commit(self.context, seed)
        self.seats = tuple(TableSeat(self, seat, info, order.terms.clock) for seat, info in enumerate(order.table(index)))
        self.telling = Telling(order, index, self.commitment, self.seats)
        self.absent: tuple[TableSeat, ...] = ()
        self.over = False
        self._house = house
        self._owner = owner
        self._commitments: list[bytes | None] = [None] * count
        self._nonces: list[bytes | None] = [None] * count
        self._revealing = False
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def shares(self) -> tuple[SeatNonce, ...]:
        """By seat; a seat that has not committed, or not revealed, has the nonce of zeros."""
        return tuple(
            SeatNonce(commitment or b"", nonce or NO_NONCE)
            for commitment, nonce in zip(self._commitments, self._nonces, strict=True)
        )

    @property
    def revealed_seed(self) -> bytes:
        """The seed, unless other games are still played from it."""
        return b"" if self.order.mirrored else self.seed

    def shuffle(self) -> referee_pb2.VoidGame:
        """What makes the cards, for the public: to be told when the game has come to nothing, and not before."""
        return referee_pb2.VoidGame(
            game_id=self.order.games[self.index].bytes,
            server_seed=self.seed,
            nonces=[replay_pb2.SeatNonce(commitment=share.commitment, nonce=share.nonce) for share in self.shares],
            commitment=self.commitment,
        )

    # What is done to it, each step contained as those of a running game.

    def begin(self, links: Sequence[Link | None]) -> None:
        """Invite the sessions, by seat."""
        contained(self._owner.game_failed, self._begin, links)

    def commit(self, seat: TableSeat, commitment: bytes) -> bool:
        """A seat commits: 64 bytes, or none to take no part. False if that makes no sense (any more)."""
        return contained(self._owner.game_failed, self._commit, seat, commitment)

    def reveal(self, seat: TableSeat, nonce: bytes) -> bool:
        """A seat shows its 32 bytes. False if they are not what it has committed to."""
        return contained(self._owner.game_failed, self._reveal, seat, nonce)

    def answer(self, seat: TableSeat, message: pb.Answer, batch: Batch) -> bool:  # noqa: ARG002  as in seats.Table
        """Nothing has been asked yet."""
        return False

    def resign(self, seat: TableSeat) -> None:
        """The seat gives up before the first card: as if it had stayed silent, only sooner."""
        contained(self._owner.game_failed, self._resign, seat)

    def waits_for(self, seat: TableSeat) -> bool:  # noqa: ARG002  as in seats.Table
        """Shares are made by machines: nobody is thinking."""
        return False

    def resume(self, seat: TableSeat, link: Link, told: pb.Resync) -> None:
        """A new session takes a seat. It commits again, and then hears where the others are."""
        seat.link, seat.handle = link, link.seat(seat)
        told.games.append(pb.ResyncGame(invite=self.telling.invite(seat)))

    def abandon(self, text: str) -> None:
        """End without a game. It relies on nothing that can be broken."""
        self._stop()
        self._house.feed.withdrawn(self)
        for seat in self.seats:
            self.telling.abandon(seat, self.revealed_seed, text)

    def _begin(self, links: Sequence[Link | None]) -> None:
        for seat, link in zip(self.seats, links, strict=True):
            if link is not None:
                seat.link, seat.handle = link, link.seat(seat)
                seat.say(messages.framed(pb.RefereeMessage(invite=self.telling.invite(seat))))
        self._house.feed.announced(self)
        if self.order.mirrored:
            # The games of a mirrored match have one deck between them, so shares of its seats in each are not asked for.
            self._gathered()
        else:
            self._wait()

    def _commit(self, seat: TableSeat, commitment: bytes) -> bool:
        known = self._commitments[seat.index]
        if known is None and len(commitment) in {0, COMMITMENT_BYTES} and not self._revealing:
            self._commitments[seat.index] = commitment
            self._go_on()
            return True
        if known == commitment and self._revealing:
            seat.say(self._all_commitments(seat))  # it has come back, and does not know yet
            return True
        return known == commitment

    def _reveal(self, seat: TableSeat, nonce: bytes) -> bool:
        commitment = self._commitments[seat.index]
        if not self._revealing or not commitment:
            return False
        if not hmac.compare_digest(nonce_commit(self.context, seat.index, nonce), commitment):
            return False
        self._nonces[seat.index] = nonce
        self._go_on()
        return True

    def _resign(self, seat: TableSeat) -> None:
        if seat not in self.absent:
            self.absent += (seat,)
            self._go_on()

    def _go_on(self) -> None:
        """Go to the next step once nobody is waited for."""
        if self.over or self._missing():
            return
        if self._revealing:
            self._gathered()
            return
        self._commitments = [commitment or b"" for commitment in self._commitments]
        self._revealing = True
        if not self._missing():
            self._gathered()
            return
        for seat in self.seats:
            seat.say(self._all_commitments(seat))
        self._wait()

    def _missing(self) -> list[TableSeat]:
        """Those who are waited for."""
        if self._revealing:
            missing = [seat for seat in self.seats if self._commitments[seat.index] and self._nonces[seat.index] is None]
        else:
            missing = [seat for seat in self.seats if self._commitments[seat.index] is None]
        return [seat for seat in missing if seat not in self.absent]

    def _all_commitments(self, seat: TableSeat) -> bytes:
        told = pb.NonceCommits(game=seat.handle, commitments=[commitment or b"" for commitment in self._commitments])
        return messages.framed(pb.RefereeMessage(nonce_commits=told))

    def _wait(self) -> None:
        self._deadline = self._house.time.now() + SHARE_SECONDS * 1000.0
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        left = max(0.0, self._deadline - self._house.time.now())
        self._timer = self._house.loop.call_later(left / 1000.0, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._house.time.now() < self._deadline:
            self._arm()  # what this process stood still is nobody's silence
        else:
            contained(self._owner.game_failed, self._lose_patience)

    def _lose_patience(self) -> None:
        self.absent += tuple(self._missing())
        self._go_on()

    def _gathered(self) -> None:
        self._stop()
        if len(self.absent) == len(self.seats):
            self._owner.nobody_came()  # there is nobody who could win
        else:
            self._owner.gathered(self)

    def _stop(self) -> None:
        self.over = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # What watchers see.

    def opening(self) -> referee_pb2.GameOpened:
        return self.telling.opening()
