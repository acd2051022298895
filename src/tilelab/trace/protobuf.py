"""As much of protocol buffers' wire format as a writer needs (protobuf.dev, Encoding)."""


def varint(value: int) -> bytes:
    """An unsigned number, 7 bits a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A field that holds an unsigned or a boolean."""
    return varint(field << 3) + varint(value)


def chunk(field: int, data: bytes | str) -> bytes:
    """A field that holds a string, bytes or a message."""
    raw = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(raw)) + raw
