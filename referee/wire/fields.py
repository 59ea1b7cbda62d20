"""Fields of messages as bytes, for what is written or read at every decision.

Filling a message from Python costs several times as much as joining the bytes of its fields, since most of these were
written before. What is joined here is, byte for byte, what protobuf itself writes: fields in the order of their numbers,
and none where the value is the default.
"""

from typing import Any, Final

_VARINT: Final = 0
_LENGTH_DELIMITED: Final = 2
_SMALL: Final = 1 << 7  # values that are written beforehand
_REMEMBERED: Final = 1 << 14  # values below this one are remembered once they were written
_BITS: Final = 32


def varint(value: int) -> bytes:
    """A whole number as it stands on the wire: seven bits a byte, the lowest first.

    Raises ValueError below 0 and beyond 32 bits, TypeError for anything else.
    """
    if not 0 <= value < 1 << _BITS:
        raise ValueError(f"{value} does not fit a field")
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


# The lowest 14 bits of a greater number: clocks count tens of thousands of milliseconds, and hardly ever the same twice.
_CONTINUED: Final = tuple([bytes((value & 0x7F | 0x80, value >> 7 | 0x80)) for value in range(_REMEMBERED)])
_ONE_BYTE: Final = tuple([bytes((value,)) for value in range(_SMALL)])


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
        number = value + self._offset
        high = number >> 14
        if 0 < high < _SMALL:
            return self._tag + _CONTINUED[number & 0x3FFF] + _ONE_BYTE[high]
        written = self._tag + varint(number)
        if high == 0:
            self[value] = written
        return written


class Heading(dict[int, bytes]):
    """What stands before a message, a text or a packed list: maps a length in bytes to the field's tag and that length.

    `around` is the heading of the message that holds this field and nothing else, and is written before it.
    """

    __slots__ = ("_around", "_tag")

    def __init__(self, message: Any, name: str, around: "Heading | None" = None) -> None:
        self._around = around
        self._tag = varint(message.DESCRIPTOR.fields_by_name[name].number << 3 | _LENGTH_DELIMITED)
        super().__init__()

    def __missing__(self, length: int) -> bytes:
        written = self._tag + varint(length)
        if self._around is not None:
            written = self._around[len(written) + length] + written
        if length < _REMEMBERED:
            self[length] = written
        return written

    def wrap(self, content: bytes) -> bytes:
        """The field with this content."""
        return self[len(content)] + content

    def optional(self, content: bytes) -> bytes:
        """The field with this content, or nothing if there is none."""
        return self[len(content)] + content if content else b""
