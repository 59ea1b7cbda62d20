"""The conversation with a referee, without a network: frames go in, frames come out.

One Session is one stream. `Games` holds what outlives it, so after a lost connection a new Session goes on with the same
games. Nothing here waits, reads a clock or touches a socket.
"""

import logging
import platform
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from google.protobuf.message import DecodeError
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from bots_sdk.asking import MAX_MESSAGE_BYTES
from bots_sdk.games import Asked, Games, RunningGame, read_question
from bots_sdk.info import Ending, GameResult, NotARule, Rejection
from referee.engine.errors import Reason
from referee.wire.coarse import ConnectResponse, Question
from referee.wire.enums import REASONS
from referee.wire.errors import MalformedMessage
from referee.wire.fields import Heading
from referee.wire.moves import decode_instead, write_answer
from referee.wire.replay import decode_result, decode_uuid

log = logging.getLogger("phaseten")

PROTOCOL: Final = 1
SDK: Final = "phaseten-python/0.1.0"
LANGUAGE: Final = f"Python {platform.python_version()}"
# Until Welcome says more, and where it says nothing.
MAX_FRAME_BYTES: Final = 64 * 1024

_ANSWER: Final = Heading(pb.BotMessage, "answer", Heading(pb.ConnectRequest, "messages"))

_NOT_RULES: Final[dict[int, NotARule]] = {
    game_pb2.REJECT_REASON_MALFORMED: NotARule.MALFORMED,
    game_pb2.REJECT_REASON_STALE: NotARule.STALE,
    game_pb2.REJECT_REASON_LATE: NotARule.LATE,
    game_pb2.REJECT_REASON_UNKNOWN_GAME: NotARule.UNKNOWN_GAME,
}


class Session:
    """One stream's worth of conversation. Frames are bytes: serialised ConnectResponses come in, ConnectRequests go out.

    Feed what arrives to `receive`, send what `take_frame` gives until it gives None. Where a bot may think long, use
    `accept` and `decide` instead of `receive`: one takes a frame in, the other answers one question.
    """

    def __init__(self, games: Games, capacity: int = 1, *, sdk: str = SDK, language: str = LANGUAGE) -> None:
        self.games = games
        self.superseded: str | None = None
        self.draining = False
        self.welcome: pb.Welcome | None = None
        self._max_frame = MAX_FRAME_BYTES
        self._max_message = MAX_MESSAGE_BYTES
        self._pings = 0
        self._handles: dict[int, RunningGame] = {}
        self._unread: list[tuple[RunningGame, Any]] = []  # coarse questions, while a frame is taken in
        self._asked: deque[RunningGame] = deque()
        self._decided: RunningGame | None = None  # whose question was answered last
        self._confirmed = not games.by_id  # whether the referee has said which of our games still run
        self._out: list[bytes] = []  # frames of one message each; joined they are a frame of many
        hello = pb.Hello(protocol=PROTOCOL, sdk=sdk, language=language, capacity=capacity)
        self._say(pb.BotMessage(hello=hello))
        for game in games.by_id.values():
            game.question = None
        self._receivers: dict[str | None, Callable[[Any], None]] = {
            "question": self._on_question,
            "events": self._on_events,
            "rejected": self._on_rejected,
            "fault": self._on_fault,
            "game_over": self._on_game_over,
            "invite": self._on_invite,
            "nonce_commits": self._on_nonce_commits,
            "start": self._on_start,
            "resync": self._on_resync,
            "ping": self._on_ping,
            "welcome": self._on_welcome,
            "drain": self._on_drain,
            "superseded": self._on_superseded,
        }

    def receive(self, frame: bytes) -> None:
        """Take a frame in and answer all its questions. Raises MalformedMessage for bytes that are no frame."""
        self.accept(frame)
        while self.decide():
            pass

    def accept(self, frame: bytes) -> None:
        """Take a frame in; its questions wait for `decide`. Messages that cannot be understood are logged and left out.

        Raises MalformedMessage for bytes that are no frame.
        """
        try:
            messages = ConnectResponse.FromString(frame).messages[:]  # a list, which is gone through in half the time
        except DecodeError:
            raise MalformedMessage("what the referee sent is no frame") from None
        for message in messages:
            kind = message.WhichOneof("kind")
            receiver = self._receivers.get(kind)
            if receiver is None:  # Pong, or a message of a newer protocol
                continue
            try:
                receiver(getattr(message, kind))
            except MalformedMessage as error:
                log.error("the referee's %s cannot be understood, is the SDK too old? %s", kind, error)  # noqa: TRY400 - no bug of ours
        self._read_questions()

    def _read_questions(self) -> None:
        """All of a frame at once: with the processor's caches full of just this, each costs a third less."""
        for game, question in self._unread:
            if game.handle not in self._handles:  # its end came in the same frame
                continue
            try:
                asked = read_question(question)
            except MalformedMessage as error:
                text = "a question of game %s cannot be understood, is the SDK too old? %s"
                log.error(text, game.info.game_id, error)  # noqa: TRY400 - no bug of ours
                continue
            if asked.id > game.last_id and (game.question is None or asked.id > game.question.id):
                game.question = asked
                self._asked.append(game)
        self._unread.clear()

    def decide(self) -> bool:
        """Answer the question that has waited longest. False if there was none."""
        while self._asked:
            game = self._asked.popleft()
            question, game.question = game.question, None
            if question is not None:
                self._decided = game
                self._answer(game, question)
                return True
        return False

    def thought_long(self, seconds: float) -> None:
        """The last decision took so long that its author should hear of it."""
        if self._decided is not None:
            self.games.thought_long(self._decided, seconds)

    @property
    def has_questions(self) -> bool:
        return bool(self._asked)

    def take_frame(self) -> bytes | None:
        """Everything that is ready to be sent, as far as it fits one frame; None if there is nothing."""
        out = self._out
        if not out:
            return None
        count, size = len(out), sum(map(len, out))
        while size > self._max_frame and count > 1:
            count -= 1
            size -= len(out[count])
        frame = b"".join(out[:count])
        del out[:count]
        return frame

    @property
    def rests(self) -> bool:
        """Whether the session is open and no game runs."""
        return self.welcome is not None and not self.games.by_id

    def ping(self) -> None:
        """Ask the referee for a sign of life."""
        self._pings += 1
        self._say(pb.BotMessage(ping=pb.Ping(id=self._pings)))

    def _say(self, message: pb.BotMessage) -> None:
        self._out.append(pb.ConnectRequest(messages=[message]).SerializeToString())

    def _answer(self, game: RunningGame, question: Asked) -> None:
        had_resigned = game.resigned
        self._send(game, self.games.answer(game, question, self._max_message))
        if game.resigned and not had_resigned:
            self._resign(game)

    def _send(self, game: RunningGame, decision: bytes) -> None:
        self._out.append(_ANSWER.wrap(write_answer(game.handle, game.last_id, decision)))

    def _resign(self, game: RunningGame) -> None:
        self._say(pb.BotMessage(resign=pb.Resign(game=game.handle)))

    def _on_welcome(self, welcome: pb.Welcome) -> None:
        self.welcome = welcome
        self._max_frame = welcome.max_frame_bytes or MAX_FRAME_BYTES
        self._max_message = min(welcome.max_message_bytes or MAX_MESSAGE_BYTES, self._max_frame)
        self.games.watcher.connected(welcome.referee, welcome.capacity)

    def _on_invite(self, invite: pb.Invite) -> None:
        self._confirm(set())
        self._commit(self._opened(invite))

    def _opened(self, invite: pb.Invite) -> RunningGame:
        game = self.games.open(invite)
        self._handles[invite.game] = game
        if game.resigned:
            self._resign(game)
        return game

    def _commit(self, game: RunningGame) -> None:
        """Take part in the shuffle; the same share again after a reconnect."""
        if not game.resigned:
            share = pb.NonceCommit(game=game.handle, commitment=game.share.commitment)
            self._say(pb.BotMessage(nonce_commit=share))

    def _on_nonce_commits(self, told: pb.NonceCommits) -> None:
        game = self._handles.get(told.game)
        nonce = None if game is None else game.share.reveal(told.commitments)
        if nonce is not None:
            self._say(pb.BotMessage(nonce_reveal=pb.NonceReveal(game=told.game, nonce=nonce)))

    def _on_start(self, start: pb.Start) -> None:
        game = self._handles.get(start.game)
        if game is not None:
            self.games.start(game, start.nonces)

    def _on_question(self, question: Any) -> None:
        game = self._handles.get(question.game)
        if game is None:
            log.warning("the referee asks about a game it never named (number %d)", question.game)
        else:
            self._unread.append((game, question))

    def _on_events(self, events: Any) -> None:
        game = self._handles.get(events.game)
        if game is not None:
            self.games.events(game, events)

    def _on_rejected(self, rejected: pb.Rejected) -> None:
        game = self._handles.get(rejected.game)
        rejection = Rejection(_reason(rejected.reason), rejected.text, decode_instead(rejected))
        if game is None or rejection.reason is NotARule.STALE:
            log.debug("an answer came too late to count: %s", rejected.text)
            return
        log.warning("game %s: answer not accepted: %s", game.info.game_id, rejected.text or rejection.reason.value)
        self.games.rejected(game, rejection)

    def _on_fault(self, fault: pb.Fault) -> None:
        game = self._handles.get(fault.game)
        if game is not None:
            known = game_pb2.FaultKind.DESCRIPTOR.values_by_number.get(fault.kind)
            kind = known.name.removeprefix("FAULT_KIND_").lower() if known is not None else "unknown"
            log.warning("game %s: fault %d of %d (%s)", game.info.game_id, fault.count, fault.limit, kind)

    def _on_game_over(self, over: pb.GameOver) -> None:
        game = self._handles.pop(over.game, None)
        if game is not None:
            self._close(game, over)

    def _close(self, game: RunningGame, over: pb.GameOver) -> None:
        game.question = None
        self.games.close(game, _ending(over))

    def _on_resync(self, resync: pb.Resync) -> None:
        for over in resync.ended:
            ended = self.games.by_id.get(decode_uuid(over.game_id))
            if ended is not None:
                self._close(ended, over)
        known = set()
        for entry in resync.games:
            game = self._opened(entry.invite)
            known.add(game.info.game_id)
            if entry.HasField("start"):
                self.games.start(game, entry.start.nonces)
                self.games.resume(game, entry.events)
            else:
                self._commit(game)
            if entry.HasField("question"):
                self._ask_again(game, Question.FromString(entry.question.SerializeToString()))
        self._confirm(known)

    def _ask_again(self, game: RunningGame, question: Any) -> None:
        """An open question after a reconnect: send the answer again if it was given already, else ask the bot."""
        if game.decision and question.id == game.last_id:
            self._send(game, game.decision)
        else:
            self._on_question(question)

    def _confirm(self, known: "set[Any]") -> None:
        """The referee has named the games that still run. It does so right after Welcome; if it did not, none do."""
        if not self._confirmed:
            self._confirmed = True
            self.games.keep_only(known)

    def _on_ping(self, ping: pb.Ping) -> None:
        self._confirm(set())
        self._say(pb.BotMessage(pong=pb.Pong(id=ping.id)))

    def _on_drain(self, drain: pb.Drain) -> None:
        self.draining = True
        log.info("the referee is going away; running games have %.0f s left", drain.grace_ms / 1000)

    def _on_superseded(self, superseded: pb.Superseded) -> None:
        self.superseded = superseded.text or "a newer session of this bot took over"


def _ending(over: pb.GameOver) -> GameResult:
    """How a game ended. It has, also where a referee that is newer than the SDK says it in a way that is not known here."""
    if over.kind != pb.GAME_OVER_KIND_FINISHED:
        return GameResult(Ending.VOID, None, over.server_seed, over.text)
    try:
        result = decode_result(over.result)
    except MalformedMessage as error:
        log.error("a game's result cannot be understood, is the SDK too old? %s", error)  # noqa: TRY400 - no bug of ours
        return GameResult(Ending.UNKNOWN, None, over.server_seed, f"its result cannot be understood: {error}")
    return GameResult(Ending.FINISHED, result, over.server_seed, over.text)


def _reason(value: int) -> Reason | NotARule:
    known = _NOT_RULES.get(value)
    if known is not None:
        return known
    try:
        rule: Reason = REASONS.decode(value)
    except MalformedMessage:
        return NotARule.OTHER
    return rule
