"""Writes a recording as text: one line for each issued word and for each change of state."""

from typing import IO

from tilelab.tensix.cycle import events
from tilelab.trace.recorded import CORE_NAMES, Places, Recorded, origin, place_text


def write_text(recording: Recorded, file: IO[str]) -> None:
    """Write issued words and the reasons for bubbles, in order: cycle, part, what."""
    places = Places(recording)
    for i, (clock, kind, part, value, length, extra) in enumerate(recording.rows()):
        line = ""
        if kind == events.ISSUE:
            where = origin(extra)
            at = places.source(extra)
            steps = [at] if at else []
            steps.append(f"{where.core_name} {where.pc:#x}")
            if where.mop_step is not None:
                place = place_text(recording.links.place(i))
                steps.append(f"MOP word {where.mop_step}" + (f" ({place})" if place else ""))
            if where.replay_slot is not None:
                steps.append(f"slot {where.replay_slot}")
            line = f"T{part}      {recording.assembly(value):40} {length:4}  {', '.join(steps)}"
        elif kind == events.GATE and value:
            line = f"T{part}      -- {recording.gate_cause(value, extra)}"
        elif kind == events.CORE and value:
            line = f"{CORE_NAMES[part]:7} -- {recording.core_cause(value)}"
        elif kind == events.SEMAPHORE:
            values = " ".join(f"{value >> 4 * i & 15}" for i in range(8))
            line = f"sync    semaphores {values}"
        elif kind == events.BUFFER:
            line = f"c_{part:<5} {value} tiles"
        if line:
            file.write(f"{clock:8} {line}\n")
