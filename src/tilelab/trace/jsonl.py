"""Writes JSON Lines: one object a line, stable keys (docs/trace.md)."""

import json
from typing import IO, Any

from tilelab.tensix.cycle import events
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import unpack_origin
from tilelab.trace.recorded import CORE_NAMES, Places, Recorded


class JsonLinesWriter:
    """An observer of a tile that writes every issued instruction to a text file."""

    def __init__(self, file: IO[str], arch: str) -> None:
        self.file = file
        self.arch = arch

    def __call__(self, clock: int, thread: int, word: int, origin: int) -> None:
        """Write one issued instruction."""
        event = {
            "cycle": clock,
            "thread": thread,
            "word": f"{word:#010x}",
            "assembly": disassemble(word, self.arch),
            **unpack_origin(origin).as_dict(),
        }
        self.file.write(json.dumps(event) + "\n")


def write_json_lines(recording: Recorded, file: IO[str]) -> None:
    """Write a recording: issued instructions with the functional clock's keys and more, and changes
    of state; every line has ``event``.
    """
    places = Places(recording)
    for i, (clock, kind, part, value, length, extra) in enumerate(recording.rows()):
        rest = _rest(recording, places, kind, part, value, length, extra)
        if kind in WORDS:
            rest |= _chain(recording, i)
        file.write(json.dumps({"cycle": clock, **rest}) + "\n")


STAGES = {events.MOP_OUT: "mop", events.REPLAY_OUT: "replay"}
WORDS = (*STAGES, events.RECORD_SLOT, events.ISSUE)


def _chain(recording: Recorded, i: int) -> dict[str, Any]:
    """Where in a MOP's loops a word was emitted; when it was pushed, and its slot recorded."""
    chain = recording.links
    step = chain.place(i)
    push, out = chain.origin(i, events.PUSH), chain.origin(i, events.REPLAY_OUT)
    slot = int(chain.recorded[out]) if out >= 0 else -1
    clock = chain.events["clock"]
    return {
        "mop_role": step.role if step else None,
        "mop_outer": step.outer if step else None,
        "mop_inner": step.inner if step else None,
        "pushed": int(clock[push]) if push >= 0 else None,
        "recorded": int(clock[slot]) if slot >= 0 else None,
    }


def _rest(
    recording: Recorded, places: Places, kind: int, part: int, value: int, length: int, extra: int
) -> dict[str, Any]:
    """An event's keys besides its cycle."""
    if kind == events.GATE:
        return {"event": "gate", "thread": part, "cause": recording.gate_cause(value, extra)}
    if kind == events.CORE:
        return {
            "event": "core",
            "core": CORE_NAMES[part],
            "cause": recording.core_cause(value),
            "pc": extra,
            "source": recording.source(part, extra) or None,
            "line": recording.line(part, extra) or None,
        }
    if kind == events.DEPTH:
        depths = {"input": value & 0xFF, "late": value >> 8 & 0xFF, "gate": value >> 16}
        return {"event": "depth", "thread": part, **depths}
    if kind == events.SEMAPHORE:
        return {"event": "semaphores", "values": [value >> 4 * i & 15 for i in range(8)]}
    if kind == events.BANKS:
        return {
            "event": "banks",
            "src_a": [value & 1, value >> 1 & 1],
            "src_b": [value >> 2 & 1, value >> 3 & 1],
        }
    if kind == events.BUFFER:
        return {"event": "buffer", "buffer": f"c_{part}", "tiles": value, "received": extra}
    if kind == events.PUSH:
        return {"event": "push", "core": CORE_NAMES[part], "word": f"{value:#010x}", "pc": extra}
    word = {"thread": part, "word": f"{value:#010x}"}
    where = {
        **unpack_origin(extra).as_dict(),
        "source": places.source(extra) or None,
        "line": places.line(extra) or None,
    }
    if kind == events.RECORD_SLOT:
        return {"event": "record", **word, "slot": length, **where}
    if kind == events.ISSUE:
        more = {"unit": recording.unit_of(value), "length": length}
        return {"event": "issue", **word, "assembly": recording.assembly(value), **where, **more}
    return {"event": STAGES[kind], **word, **where}
