"""As much of protocol buffers' wire format as a writer needs (protobuf.dev, Encoding)."""

BYTES = [bytes([value]) for value in range(256)]


def varint(value: int) -> bytes:
    """An unsigned number, 7 bits a byte, the lowest first."""
    if value < 0x80:
        return BYTES[value]
    return BYTES[value & 0x7F | 0x80] + varint(value >> 7)


def number(field: int, value: int) -> bytes:
    """A field that holds an unsigned or a boolean."""
    return varint(field << 3) + varint(value)


def chunk(field: int, data: bytes | str) -> bytes:
    """A field that holds a string, bytes or a message."""
    raw = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def fixed(field: int, value: int) -> bytes:
    """A field that holds an unsigned of eight bytes."""
    return varint(field << 3 | 1) + value.to_bytes(8, "little")
