"""The Debug Adapter Protocol's messages as they come over a stream: a header, then JSON."""

import json
from collections.abc import Iterator
from typing import IO, Any, Final

Message = dict[str, Any]

LONGEST: Final = 1 << 24
"""Bytes of a message."""


def messages(stream: IO[bytes]) -> Iterator[Message]:
    """Messages as they come, until the stream ends or is damaged."""
    while True:
        length = 0
        while line := stream.readline(1000).strip():
            name, _, text = line.partition(b":")
            if name.lower() == b"content-length" and text.strip().isdigit():
                length = int(text)
        if not 0 < length <= LONGEST:
            return
        data = b""
        while len(data) < length:
            more = stream.read(length - len(data))
            if not more:
                return
            data += more
        try:
            message = json.loads(data)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        yield message
