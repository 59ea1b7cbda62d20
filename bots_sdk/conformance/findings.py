"""What a bot said that was not right. Every scenario sees it, and fails for what it is about."""

from dataclasses import dataclass, field
from enum import Enum

from phaseten.v1 import bot_pb2 as pb


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

    Sizes in bytes. `findings` are those of the current scenario.
    """

    frames: int = 0
    biggest_frame: int = 0
    biggest_message: int = 0
    longest_note: int = 0
    hellos: int = 0
    pings: int = 0
    findings: list[Finding] = field(default_factory=list)

    def frame(self, data: bytes, frame: pb.ConnectRequest) -> None:
        self.frames += 1
        self.biggest_frame = max(self.biggest_frame, len(data))
        for message in frame.messages:
            self.biggest_message = max(self.biggest_message, message.ByteSize())
            match message.WhichOneof("kind"):
                case "answer":
                    self.longest_note = max(self.longest_note, len(message.answer.note.encode()))
                case "hello":
                    self.hellos += 1
                case "ping":
                    self.pings += 1
                case _:
                    pass
