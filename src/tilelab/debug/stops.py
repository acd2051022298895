"""What a debugger can wait for, as data, and how it is put before the engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tilelab.debug.places import Place
from tilelab.sim.errors import BadInputError
from tilelab.tensix.state import TensixState
from tilelab.tensix.state import stop_notes as kinds
from tilelab.tensix.state.stop_notes import MAX_STOPS, MAX_WORDS, STOPS_WANTED

ALL_ONES: Final = 0xFFFFFFFF
LARGEST_NUMBER: Final = 8


@dataclass(frozen=True)
class Stop:
    """One thing to wait for; the functions below make them."""

    kind: int
    core: int = 0
    low: int = 0
    high: int = 0
    place: Place | None = None
    value: int = 0
    bits: int = -1
    """Of a number: which of its bits are looked at."""


def arrive(core: int, low: int, high: int | None = None) -> Stop:
    """Wait until a core is about to execute an instruction in [low, high), by default at low."""
    return Stop(kinds.ARRIVE, core, low, low + 4 if high is None else high)


def leave(core: int, low: int, high: int) -> Stop:
    """Wait until a core is about to execute one elsewhere."""
    return Stop(kinds.LEAVE, core, low, high)


def changed(place: Place) -> Stop:
    """Wait until what is at a place changes."""
    return Stop(kinds.CHANGED, place=place)


def reached(place: Place, value: int) -> Stop:
    """Wait until a number of up to 8 bytes is no less than a value."""
    return Stop(kinds.REACHED, place=_number_at(place), value=value)


def becomes(place: Place, value: int, bits: int = -1) -> Stop:
    """Wait until a number changes to a value; ``bits`` says which of its bits are looked at."""
    return Stop(kinds.BECOMES, place=_number_at(place), value=value, bits=bits)


def _number_at(place: Place) -> Place:
    if place.size > LARGEST_NUMBER or place.kind.subdtype or place.kind.fields:
        raise BadInputError(f"{place.name} is not one number")
    return place


def put(state: TensixState, wanted: Sequence[Stop]) -> None:
    """Have the engine look for these after each round, or for nothing; BadInputError if too many.

    :func:`tensix.run.stops.arm` says from when on.
    """
    if len(wanted) > MAX_STOPS:
        raise BadInputError(f"at most {MAX_STOPS} stops at once")
    rows = state.record["stops"]
    seen = 0
    for row, stop in zip(rows["stop"], wanted, strict=False):
        for name in row.dtype.names:
            row[name] = 0
        row["kind"], row["core"] = stop.kind, stop.core
        row["low"], row["high"], row["value"] = stop.low, stop.high, stop.value
        if stop.place is not None:
            seen = _put_words(row, stop, stop.place, seen)
    rows["count"] = len(wanted)
    engine = state.s.engine
    engine.attention = engine.attention & ~STOPS_WANTED | (STOPS_WANTED if wanted else 0)


def _put_words(row: Any, stop: Stop, place: Place, seen: int) -> int:
    """Fill in the words that a stop looks at; returns where the next one's may be kept."""
    first, last = place.start // 4, (place.start + place.size - 1) // 4
    words = last - first + 1
    if seen + words > MAX_WORDS:
        raise BadInputError(f"all stops together look at more than {4 * MAX_WORDS} bytes")
    shift = 8 * (place.start % 4)
    mask = ALL_ONES << shift & ALL_ONES
    last_mask = ALL_ONES >> 8 * (4 * (last + 1) - (place.start + place.size))
    if stop.bits >= 0:
        shift += (stop.bits & -stop.bits).bit_length() - 1
        wide = stop.bits << 8 * (place.start % 4)
        mask &= wide
        if words > 1:
            last_mask &= wide >> 32
    if words > 2 and stop.kind != kinds.CHANGED:
        raise BadInputError(f"{place.name} is not one number")
    values = {
        "space": place.space,
        "low": first,
        "high": words,
        "mask": mask,
        "last_mask": last_mask,
        "shift": shift,
        "seen": seen,
    }
    for name, value in values.items():
        row[name] = value
    return seen + words
