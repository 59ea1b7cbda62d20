"""Frames read coarsely: the schema's messages, in which some parts are left as bytes.

Reading a message from Python costs most where messages hold messages. Many of those are alike to the last bit: a seat that
nothing happened to, the same card thrown again. Left as bytes they can be looked up among what was read before, or passed
over where nobody wants them. On the wire a part of a message and its bytes are the same thing, so these classes read and
write exactly what those of the schema do; but a packed list must come packed, in one piece, as everybody sends it.
"""

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from phaseten.v1 import bot_pb2, cards_pb2, game_pb2

#: The fields that stay bytes: each item of a list by itself, or all numbers of a packed one together.
PARTS: Final = frozenset({"Answer.draw", "Answer.play", "Events.events", "Table.seats"})
PACKED: Final = frozenset({"View.hand"})
_MESSAGES: Final = (
    bot_pb2.ConnectRequest,
    bot_pb2.BotMessage,
    bot_pb2.Answer,
    bot_pb2.ConnectResponse,
    bot_pb2.RefereeMessage,
    bot_pb2.Question,
    bot_pb2.Events,
    game_pb2.View,
    game_pb2.Table,
)
_PACKAGE: Final = "phaseten.v1.coarse"


def _schema() -> descriptor_pb2.FileDescriptorProto:
    """The messages above under the same names in a package of their own."""
    imported = [file.DESCRIPTOR.name for file in (bot_pb2, cards_pb2, game_pb2)]
    schema = descriptor_pb2.FileDescriptorProto(
        name="phaseten/v1/coarse.proto", package=_PACKAGE, syntax="proto3", dependency=imported
    )
    replaced = {f".{message.DESCRIPTOR.full_name}" for message in _MESSAGES}
    for original in _MESSAGES:
        message = schema.message_type.add()
        original.DESCRIPTOR.CopyToProto(message)
        for field in message.field:
            full_name = f"{message.name}.{field.name}"
            if full_name in PACKED:
                field.label = descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL
            if full_name in PARTS | PACKED:
                field.type = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES
                field.ClearField("type_name")
            elif field.type_name in replaced:
                field.type_name = f".{_PACKAGE}.{field.type_name.rpartition('.')[2]}"
    return schema


_POOL: Final = descriptor_pool.Default()
_POOL.AddSerializedFile(_schema().SerializeToString())


def _class(name: str) -> Any:
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


ConnectRequest: Final = _class("ConnectRequest")
ConnectResponse: Final = _class("ConnectResponse")
Answer: Final = _class("Answer")
Question: Final = _class("Question")
Table: Final = _class("Table")
View: Final = _class("View")
