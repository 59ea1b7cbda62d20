"""Why a call ends, and whose doing it was. Nothing here knows gRPC: `interceptor.py` turns these into status codes."""

from enum import Enum


class CallReason(Enum):
    """Every reason for which the referee ends a call: the status code's name, and a sentence for people."""

    TICKET_MISSING = ("UNAUTHENTICATED", "the metadata holds no `authorization: Bearer ...`")
    TICKET_INVALID = ("UNAUTHENTICATED", "the ticket is not one of this site")
    TICKET_EXPIRED = ("UNAUTHENTICATED", "the ticket has expired; get a new one")
    TICKET_WRONG_AUDIENCE = ("UNAUTHENTICATED", "the ticket is meant for something else")
    TICKET_WITHOUT_SCOPE = ("UNAUTHENTICATED", "the token lacks the scope `control`")
    SESSION_CLOSED = ("UNAUTHENTICATED", "the site closed this session; a new ticket is needed")
    HELLO_TOO_LATE = ("DEADLINE_EXCEEDED", "no Hello came in time")
    HELLO_MISSING = ("INVALID_ARGUMENT", "the first message must be a Hello")
    PROTOCOL_UNSUPPORTED = ("FAILED_PRECONDITION", "this protocol version is not spoken here")
    FRAME_MALFORMED = ("INVALID_ARGUMENT", "the frame cannot be decoded")
    FRAME_TOO_LARGE = ("INVALID_ARGUMENT", "the frame is larger than allowed")
    MESSAGE_TOO_LARGE = ("INVALID_ARGUMENT", "a message is larger than allowed")
    FLOODING = ("RESOURCE_EXHAUSTED", "too many messages that nobody asked for")
    SLOW_READER = ("RESOURCE_EXHAUSTED", "the stream is not read fast enough")
    SILENT = ("UNAVAILABLE", "nothing was heard for too long")
    SUPERSEDED = ("ABORTED", "a newer session took over")
    SHUTTING_DOWN = ("UNAVAILABLE", "the referee is going away")
    REQUEST_MALFORMED = ("INVALID_ARGUMENT", "the request cannot be decoded")
    INTERNAL = ("INTERNAL", "the referee made a mistake")

    @property
    def status(self) -> str:
        """The name of a gRPC status code."""
        return self.value[0]

    @property
    def text(self) -> str:
        return self.value[1]


class CallRefused(Exception):
    """The call ends now, for this reason. `detail` says more, for people; it never holds a secret."""

    def __init__(self, reason: CallReason, detail: str = "") -> None:
        super().__init__(f"{reason.text}: {detail}" if detail else reason.text)
        self.reason = reason


class InvalidOrder(Exception):
    """An order to play a match that makes no sense; the text says why."""
