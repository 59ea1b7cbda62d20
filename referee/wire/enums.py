"""Enums of the engine and of the schema, matched by name: `ForfeitCause.CLOCK` is `FORFEIT_CAUSE_CLOCK`."""

import re
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from phaseten.v1 import game_pb2

from referee.engine.errors import Reason
from referee.engine.events import DealEnd, FaultKind, ForfeitCause, GameEnd
from referee.engine.moves import End
from referee.engine.ruleset import GoalKind
from referee.engine.view import Stage
from referee.wire.errors import MalformedMessage

E = TypeVar("E", bound=Enum)


class EnumCodec(Generic[E]):
    """Both directions of one enum. Every member must have its value in the schema; extra values there are refused."""

    __slots__ = ("_decode", "_encode", "_what")

    def __init__(self, members: type[E], schema: Any) -> None:
        name = schema.DESCRIPTOR.name
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
        self._what = name
        self._encode: dict[E, Any] = {member: schema.Value(f"{prefix}_{member.name}") for member in members}
        self._decode: dict[int, E] = {value: member for member, value in self._encode.items()}

    def encode(self, member: E) -> Any:
        """The schema's value, an int."""
        return self._encode[member]

    def encode_optional(self, member: E | None) -> Any:
        """The schema's value, unspecified for None."""
        return 0 if member is None else self._encode[member]

    def decode(self, value: int) -> E:
        """The member. Raises MalformedMessage."""
        try:
            return self._decode[value]
        except KeyError:
            raise MalformedMessage(f"{value} is no {self._what}") from None

    def decode_optional(self, value: int) -> E | None:
        """The member, or None for the unspecified value. Raises MalformedMessage for unknown ones."""
        return self.decode(value) if value else None


ENDS: Final = EnumCodec(End, game_pb2.End)
MELD_KINDS: Final = EnumCodec(GoalKind, game_pb2.MeldKind)
STAGES: Final = EnumCodec(Stage, game_pb2.Stage)
FAULTS: Final = EnumCodec(FaultKind, game_pb2.FaultKind)
FORFEITS: Final = EnumCodec(ForfeitCause, game_pb2.ForfeitCause)
DEAL_ENDS: Final = EnumCodec(DealEnd, game_pb2.DealEnd)
GAME_ENDS: Final = EnumCodec(GameEnd, game_pb2.GameEnd)
REASONS: Final = EnumCodec(Reason, game_pb2.RejectReason)  # the schema has four more, for what no rule is about
