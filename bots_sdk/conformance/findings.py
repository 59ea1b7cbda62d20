"""What a bot said that was not right. Every scenario sees it, and fails for what it is about."""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from phaseten.v1 import bot_pb2 as pb

ASKED_FOR: Final = frozenset({"answer", "pong", "nonce_commit", "nonce_reveal"})


class Wrong(Enum):
    """Kinds of wrong answers."""

    ILLEGAL = "a move against the rules"
    MALFORMED = "an answer that cannot be understood"
    UNKNOWN_GAME = "an answer for a game that this session does not play"
    WRONG_ID = "an answer to a question that was never asked"
    REPEATED = "the same answer again"
    CHANGED = "another answer to a question that was answered already"
    UNASKED = "an answer to a question that is not open any more"
    RESIGNED = "a game given up"


@dataclass(frozen=True, slots=True)
class Finding:
    """A wrong answer, in words that an author understands; `reason` names the broken rule of an illegal move."""

    wrong: Wrong
    text: str
    reason: str = ""


@dataclass(slots=True)
class Heard:
    """What was counted of all that a bot sent, over the whole run.

    Sizes in bytes. `busiest` is the most messages that nobody had asked for within one second. `findings` are those of the
    current scenario.
    """

    biggest_frame: int = 0
    biggest_message: int = 0
    longest_note: int = 0
    busiest: int = 0
    findings: list[Finding] = field(default_factory=list)
    _unasked: deque[float] = field(default_factory=deque)

    def frame(self, data: bytes, frame: pb.ConnectRequest, now: float) -> None:
        """A frame came; `now` in seconds."""
        self.biggest_frame = max(self.biggest_frame, len(data))
        for message in frame.messages:
            self.biggest_message = max(self.biggest_message, message.ByteSize())
            kind = message.WhichOneof("kind")
            if kind == "answer":
                self.longest_note = max(self.longest_note, len(message.answer.note.encode()))
            elif kind not in ASKED_FOR:
                self._unasked.append(now)
        while self._unasked and now - self._unasked[0] > 1.0:
            self._unasked.popleft()
        self.busiest = max(self.busiest, len(self._unasked))
