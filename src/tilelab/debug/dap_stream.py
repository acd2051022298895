"""The Debug Adapter Protocol's messages as they come over a stream: a header, then JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

Message = dict[str, Any]

LONGEST: Final = 1 << 24
"""Bytes of a message."""
MOST_DIGITS: Final = 19
LINE: Final = 1000
"""Bytes of a header's line."""


@dataclass(frozen=True)
class Damaged:
    """What came instead of a message, and whether another can follow it."""

    problem: str
    last: bool = False


def messages(stream: IO[bytes]) -> Iterator[Message | Damaged]:
    """Messages, and what is none, as they come; until the stream ends or cannot be followed."""
    while (length := _length(stream)) is not None:
        if length > LONGEST:
            yield Damaged(f"a message of {length} bytes: {LONGEST} at most", last=True)
            return
        if not length:
            yield Damaged("a header without a Content-Length of its message")
            continue
        data = b""
        while len(data) < length:
            more = stream.read(length - len(data))
            if not more:
                yield Damaged(f"{len(data)} of {length} bytes of a message", last=True)
                return
            data += more
        yield _message(data)


def _length(stream: IO[bytes]) -> int | None:
    """The length that the next header gives, 0 if it gives none; None at the end of the stream."""
    length, begun = 0, False
    while line := stream.readline(LINE):
        text = line.strip()
        if not text:
            if begun:
                return length
            continue  # blank lines before a header
        begun = True
        name, _, value = text.partition(b":")
        value = value.strip()
        if name.lower() == b"content-length" and value.isdigit():
            length = int(value[:MOST_DIGITS])
    return None


def _message(data: bytes) -> Message | Damaged:
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        return Damaged(f"a message that is no JSON: {error}")
    if not isinstance(message, dict):
        return Damaged("a message that is no JSON object")
    return message
