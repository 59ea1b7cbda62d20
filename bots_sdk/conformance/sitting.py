"""Games at one session: begun, asked about, and judged."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from phaseten.v1 import game_pb2

from bots_sdk.conformance.findings import Finding, Wrong
from bots_sdk.conformance.report import Failed, Gone
from bots_sdk.conformance.stage import Stage
from bots_sdk.conformance.table import NONCE_BYTES, Table, say
from bots_sdk.conformance.visit import Told, Visit
from referee.engine.shuffle import NO_NONCE
from referee.wire.moves import encode_rejected

SHOWN: Final = 3  # wrong answers that are told in full
COMMITMENT_BYTES: Final = 64

ADVICE: Final = {
    Wrong.ILLEGAL: "Invite.ruleset holds every option of the rules as data: compare it with what your bot assumes",
    Wrong.MALFORMED: "answer stage DRAW with Answer.draw and stage PLAY with Answer.play, made of values of the schema",
    Wrong.UNKNOWN_GAME: "answer with the number `game` of the question, which belongs to the session and not to the game",
    Wrong.WRONG_ID: "copy Question.id into Answer.id; ids do not count up by one",
    Wrong.REPEATED: "send one answer for each question",
    Wrong.CHANGED: "send one answer for each question; if the question is told again, send the same answer or none",
    Wrong.UNASKED: "send answers only to questions that are open in this session",
    Wrong.RESIGNED: "resign only if your bot cannot play on; a message that it does not understand is no reason",
}


class Sitting:
    """Some games at a session. What scenarios do not look for is only noted: they look at `stage.heard.findings`."""

    def __init__(self, stage: Stage, visit: Visit, tables: Iterable[Table]) -> None:
        self.stage = stage
        self.visit = visit
        self.tables = stage.seat(tables)

    @property
    def running(self) -> list[Table]:
        return [table for table in self.tables if not table.over]

    async def begin(self) -> None:
        """Invite and start, with shares from a bot that gives them; how well it does so is another scenario's business."""
        await self.visit.say(*[say(invite=table.invite()) for table in self.tables])
        within = 0.0 if self.stage.unshared else self.stage.patience.share / 4
        for table in self.tables:
            told = await self.visit.hear("nonce_commit", table.handle, within)
            if told is None:
                self.stage.unshared, within = self.stage.unshared or "the bot gives no shares", 0.0
            elif len(told.message.nonce_commit.commitment) == COMMITMENT_BYTES:
                table.shuffle.commitments[table.seat] = told.message.nonce_commit.commitment
        await self.visit.say(*[say(nonce_commits=table.commitments()) for table in self.tables])
        for table in self.tables:
            if table.shuffle.commitments[table.seat]:
                told = await self.visit.hear("nonce_reveal", table.handle, self.stage.patience.share / 4)
                nonce = b"" if told is None else told.message.nonce_reveal.nonce
                table.shuffle.nonces[table.seat] = nonce if len(nonce) == NONCE_BYTES else NO_NONCE
        await self.visit.say(*[say(start=table.start()) for table in self.tables])

    async def play(self, rounds: int | None = None, wrap: Callable[[bytes], bytes] | None = None) -> None:
        """Ask all running games, in one frame, and take their answers: to the end, or so many times."""
        pending = b""
        while self.running and rounds != 0:
            frame = pending + b"".join(table.question() for table in self.running)
            await self.visit.say(wrap(frame) if wrap else frame)
            pending = await self.answered(self.running)
            rounds = None if rounds is None else rounds - 1
        await self.visit.say(pending)

    async def answered(self, tables: Sequence[Table], within: float | None = None) -> bytes:
        """Take answers until all of these games have theirs; what there is to say about them, as a frame.

        Raises Failed for a bot that does not answer, Gone if the stream ends.
        """
        limit = self.stage.patience.answer if within is None else within
        said = [self.taken()]
        while any(table.asked for table in tables):
            if not await self.visit.until(lambda: bool(self.visit.inbox), limit):
                self._no_answer([table for table in tables if table.asked], limit)
            said.append(self.taken())
        return b"".join(said)

    def taken(self) -> bytes:
        """Judge what has come; what the bot is told about it, as a frame."""
        said = []
        while self.visit.inbox:
            said.append(self._take(self.visit.inbox.popleft()))
        return b"".join(said)

    def _take(self, told: Told) -> bytes:
        if told.kind == "resign":
            self.stage.found(Finding(Wrong.RESIGNED, f"game {told.message.resign.game} was resigned"))
        if told.kind != "answer":
            return b""  # shares, which other scenarios look at
        answer = told.message.answer
        table = next((table for table in self.tables if table.handle == answer.game), None)
        if table is None or not table.begun:
            self.stage.found(Finding(Wrong.UNKNOWN_GAME, f"an answer for game {answer.game}, which this session has not"))
            reason = game_pb2.REJECT_REASON_UNKNOWN_GAME
            return say(rejected=encode_rejected(answer.game, answer.id, reason, "the session has no such game", None))
        frame, finding = table.take(answer, told.at)
        self.stage.found(finding)
        return frame

    def _no_answer(self, silent: Sequence[Table], limit: float) -> None:
        table = silent[0]
        if self.visit.gone:
            raise Gone("while it is asked", self.visit.garbled)
        assert table.asked is not None
        question = table.asked.message
        stage = game_pb2.Stage.Name(question.view.table.stage).removeprefix("STAGE_")
        raise Failed(
            f"an answer to question {question.id} of game {table.handle} within {limit:g} s",
            f"none came ({len(silent)} of {len(self.tables)} games wait); stage {stage}, rule set {table.ruleset.name}",
            "answer every Question with a Draw or a Play, also if the bot's own code fails; see its log for an error",
        )

    async def quiet(self) -> bytes:
        """Watch for a while what comes that was not asked for."""
        await self.visit.until(lambda: False, self.stage.patience.quiet)
        return self.taken()

    async def close(self) -> None:
        """Call the games off that still run."""
        await self.visit.say(*[table.voided() for table in self.running])

    def expect_none(self, *wrong: Wrong) -> None:
        """Raises Failed if the bot gave answers that are wrong in one of these ways."""
        check(self.stage, wrong)


def check(stage: Stage, wrong: Collection[Wrong]) -> None:
    """Raises Failed if the bot gave answers that are wrong in one of these ways."""
    found = [finding for finding in stage.heard.findings if finding.wrong in wrong]
    if not found:
        return
    kind = found[0].wrong
    texts = list(dict.fromkeys(finding.text for finding in found))
    more = f" (and {len(found) - SHOWN} more)" if len(found) > SHOWN else ""
    raise Failed(f"never {kind.value}", "; ".join(texts[:SHOWN]) + more, ADVICE[kind])
