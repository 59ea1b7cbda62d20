"""The SDK's own session, with one bend in what goes in or comes out of it."""

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.unknown_fields import UnknownFieldSet
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from bots_sdk.session import Session

PADDING = pb.BotMessage.FromString(b"\xfa\x3e\xd0\x0f" + bytes(2000))  # a field that nobody knows


class Bent(Session):
    """Shows every message to `hears` before the session does, and to `says` before the referee does."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.more: list[pb.BotMessage] = []  # to be sent with the next frame
        super().__init__(*args, **options)

    def accept(self, frame: bytes) -> None:
        kept = [message for message in pb.ConnectResponse.FromString(frame).messages if self.hears(message)]
        super().accept(pb.ConnectResponse(messages=kept).SerializeToString())

    def take_frame(self) -> bytes | None:
        frame, more, self.more = super().take_frame(), self.more, []
        said = [] if frame is None else list(pb.ConnectRequest.FromString(frame).messages)
        bent = [told for message in said for told in self.says(message)] + more
        if not bent:
            return frame if frame is None else b""
        return pb.ConnectRequest(messages=bent).SerializeToString()

    def hears(self, message: pb.RefereeMessage) -> bool:
        """Whether the session hears it, too."""
        return True

    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        """What the referee hears instead."""
        return (message,)


class ProtocolTwo(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("hello"):
            message.hello.protocol = 2
        return (message,)


class Nameless(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("hello"):
            message.hello.sdk = ""
        return (message,)


class SaysNoHello(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        return () if message.HasField("hello") else (message,)


class PingsFirst(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        return (pb.BotMessage(ping=pb.Ping(id=5)), message) if message.HasField("hello") else (message,)


class RevealsEarly(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        yield message
        if message.HasField("nonce_commit"):
            game = self._handles[message.nonce_commit.game]
            yield pb.BotMessage(nonce_reveal=pb.NonceReveal(game=game.handle, nonce=game.share.nonce))


class CommitsInHex(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("nonce_commit"):
            message.nonce_commit.commitment = message.nonce_commit.commitment.hex().encode()
        return (message,)


class RevealsAnother(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("nonce_reveal"):
            message.nonce_reveal.nonce = b"x" * 32
        return (message,)


class SameNonce(Bent):
    """Cannot be bent from outside: a commitment belongs to a nonce."""

    def _commit(self, game: Any) -> None:
        game.share.nonce = b"always the same 32 bytes are here"[:32]
        super()._commit(game)


class CommitsNever(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        return () if message.HasField("nonce_commit") else (message,)


class ForgetsNonces(Bent):
    """Takes a new nonce when it comes back."""

    def hears(self, message: pb.RefereeMessage) -> bool:
        known = {game.info.game_id.bytes: game for game in self.games.by_id.values()}
        for entry in message.resync.games:
            share = known[entry.invite.game_id].share
            share.nonce = b"!" + share.nonce[1:]
        return True


class NeedsCommitments(Bent):
    """Answers only in games whose commitments it has seen."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.shown: set[int] = set()

    def hears(self, message: pb.RefereeMessage) -> bool:
        if message.HasField("nonce_commits"):
            self.shown.add(message.nonce_commits.game)
        self.shown.update(entry.invite.game for entry in message.resync.games)
        return not message.HasField("question") or message.question.game in self.shown


class AnswersTwice(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        return (message, message) if message.HasField("answer") else (message,)


class CountsIds(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("answer"):
            message.answer.id += 1
        return (message,)


class PongsNever(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        return () if message.HasField("pong") else (message,)


class PongsInDoubles(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("pong"):
            message.pong.id = int(float(message.pong.id)) % 2**64
        return (message,)


class DiesOfNewMessages(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        assert message.WhichOneof("kind") is not None
        return True


class DiesOfNewFields(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        assert not UnknownFieldSet(message.question.view)
        return True


class DiesOfNewValues(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        assert game_pb2.FaultKind.Name(message.fault.kind)
        return True


class Sulks(Bent):
    """Gives a game up when an answer was late."""

    def hears(self, message: pb.RefereeMessage) -> bool:
        if message.rejected.reason == game_pb2.REJECT_REASON_STALE:
            self.more.append(pb.BotMessage(resign=pb.Resign(game=message.rejected.game)))
        return True


class ChangesItsMind(Bent):
    """Answers a question that is told again with another pile."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.answered: dict[tuple[int, int], pb.Answer] = {}

    def hears(self, message: pb.RefereeMessage) -> bool:
        question = message.question
        known = self.answered.get((question.game, question.id))
        if known is not None:
            other = pb.Answer(game=question.game, id=question.id)
            other.draw.from_discard = not known.draw.from_discard
            self.more.append(pb.BotMessage(answer=other))
        return True

    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("answer"):
            self.answered[message.answer.game, message.answer.id] = message.answer
        return (message,)


class DiesOfGaps(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        game = self._handles.get(message.events.game)
        assert game is None or message.events.first <= game.next_event
        return True


class DiesOfVoid(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        assert message.game_over.kind != pb.GAME_OVER_KIND_VOID
        return True


class LeavesAfterAPause(Bent):
    """Leaves when nothing but eight pings in a row has come."""

    pings = 0

    def hears(self, message: pb.RefereeMessage) -> bool:
        if not message.HasField("pong"):
            self.pings = self.pings + 1 if message.HasField("ping") else 0
        assert self.pings < 8
        return True


class KeepsHandles(Bent):
    """Goes on calling its games as the last session did."""

    renamed: dict[int, int] = {}

    def hears(self, message: pb.RefereeMessage) -> bool:
        new = {entry.invite.game: known for entry in message.resync.games if (known := self._known(entry))}
        self.renamed = self.renamed | new
        return True

    def _known(self, entry: pb.ResyncGame) -> int:
        games = (game for game in self.games.by_id.values() if game.info.game_id.bytes == entry.invite.game_id)
        return next((game.handle for game in games), 0)

    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        kind = message.WhichOneof("kind")
        if kind in {"answer", "nonce_commit", "nonce_reveal"}:
            told = getattr(message, str(kind))
            told.game = self.renamed.get(told.game, told.game)
        return (message,)


class OverlooksOpenQuestions(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        for entry in message.resync.games:
            entry.ClearField("question")
        return True


class RepeatsItself(Bent):
    """Sends its last answer again when it comes back, whatever it is told."""

    def hears(self, message: pb.RefereeMessage) -> bool:
        known = {game.info.game_id.bytes: game.last_id for game in self.games.by_id.values()}
        for entry in message.resync.games:
            last = known.get(entry.invite.game_id, -1)
            if last > 0 and not entry.HasField("question"):
                answer = pb.Answer(game=entry.invite.game, id=last, draw=game_pb2.Draw())
                self.more.append(pb.BotMessage(answer=answer))
        return True


class KeepsDeadGames(Bent):
    """Takes an invitation for an old game if its number is one."""

    dead: set[int] = set()

    def __init__(self, games: Any, *args: Any, **options: Any) -> None:
        super().__init__(games, *args, **options)
        self.dead = {game.handle for game in games.by_id.values() if game.started}

    def hears(self, message: pb.RefereeMessage) -> bool:
        if message.HasField("resync"):
            self.dead = set()
        return message.invite.game not in self.dead if message.HasField("invite") else True


class Garbles(Bent):
    """Sends what is no message where it should answer."""

    def take_frame(self) -> bytes | None:
        frame = super().take_frame()
        garbled = frame is not None and any(said.HasField("answer") for said in pb.ConnectRequest.FromString(frame).messages)
        return b"\xff\xfe" if garbled else frame


class DiesOfStrangers(Bent):
    """Believes that it knows every game of which it is told how it ended."""

    def hears(self, message: pb.RefereeMessage) -> bool:
        known = {game.info.game_id.bytes for game in self.games.by_id.values()}
        assert all(over.game_id in known for over in message.resync.ended)
        return True


class LeavesAtDrain(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        assert not message.HasField("drain")
        return True


class NeverGivesIn(Bent):
    def hears(self, message: pb.RefereeMessage) -> bool:
        return not message.HasField("superseded")


class Declines(Bent):
    """Takes no part in shuffles, as a bot may."""

    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("nonce_commit"):
            message.nonce_commit.commitment = b""
        return () if message.HasField("nonce_reveal") else (message,)


class WritesNovels(Bent):
    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if message.HasField("answer"):
            message.answer.note = "na" * 300
        return (message,)


class Floods(Bent):
    flooded = False  # once a stream is enough: a busy machine would take ever more pings for slowness

    def says(self, message: pb.BotMessage) -> Iterable[pb.BotMessage]:
        if self.flooded or not message.HasField("ping"):
            return (message,)
        self.flooded = True
        return (message,) * 60


class SendsGiants(Bent):
    def says(self, message: pb.BotMessage) -> Iterator[pb.BotMessage]:
        yield message
        if message.HasField("ping"):
            for _ in range(3):
                message.MergeFrom(PADDING)
            yield message
