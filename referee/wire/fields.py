"""Fields of messages as bytes, for what is written or read at every decision.

Filling a message from Python costs several times as much as joining the bytes of its fields, since most of these were
written before. What is joined here is, byte for byte, what protobuf itself writes: fields in the order of their numbers,
and none where the value is the default.
"""

from typing import Any, Final

_VARINT: Final = 0
_LENGTH_DELIMITED: Final = 2
_SMALL: Final = 128  # values that are written beforehand
_REMEMBERED: Final = 16_384  # values below this one are remembered once they were written
_BITS: Final = 32


def varint(value: int) -> bytes:
    """A whole number as it stands on the wire. Raises ValueError below 0 and beyond 32 bits, TypeError for anything else."""
    if not 0 <= value < 1 << _BITS:
        raise ValueError(f"{value} does not fit a field")
    if value < 1 << 7:
        return bytes((value,))
    if value < 1 << 14:
        return bytes((value & 127 | 128, value >> 7))
    if value < 1 << 21:
        return bytes((value & 127 | 128, value >> 7 & 127 | 128, value >> 14))
    return bytes((value & 127 | 128, value >> 7 & 127 | 128)) + varint(value >> 14)


class IntField(dict[int | None, bytes]):
    """A field of whole numbers: maps a value, or None for none, to the field's bytes, which may be no bytes at all.

    Made from a message class and the field's name. `offset` is added to a value before it is written. A value that cannot
    be written raises what `varint` does.
    """

    __slots__ = ("_offset", "_tag")

    def __init__(self, message: Any, name: str, offset: int = 0) -> None:
        field = message.DESCRIPTOR.fields_by_name[name]
        self._offset = offset
        self._tag = varint(field.number << 3 | _VARINT)
        super().__init__({value: self._tag + varint(value + offset) for value in range(_SMALL)})
        self[None] = b""
        if not field.has_presence and not offset:
            self[0] = b""  # the default is not written

    def __missing__(self, value: int) -> bytes:
        written = self._tag + varint(value + self._offset)
        if value < _REMEMBERED:
            self[value] = written
        return written


class Heading(dict[int, bytes]):
    """What stands before a message, a text or a packed list: maps a length in bytes to the field's tag and that length."""

    __slots__ = ("_tag",)

    def __init__(self, message: Any, name: str) -> None:
        self._tag = varint(message.DESCRIPTOR.fields_by_name[name].number << 3 | _LENGTH_DELIMITED)
        super().__init__({length: self._tag + varint(length) for length in range(_SMALL)})

    def __missing__(self, length: int) -> bytes:
        written = self._tag + varint(length)
        if length < _REMEMBERED:
            self[length] = written
        return written

    def wrap(self, content: bytes) -> bytes:
        """The field with this content."""
        return self[len(content)] + content

    def optional(self, content: bytes) -> bytes:
        """The field with this content, or nothing if there is none."""
        return self[len(content)] + content if content else b""
