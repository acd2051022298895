"""What the page shows of registers: how they were before the run, now and then in it, and after."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.sim.record import Record, differences
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.trace.recording import Recording

Numbers = npt.NDArray[Any]
PICTURES = ("dst", "dst_valid", "src_a", "src_b")
"""Shown as heat maps; every other register by name."""
CHANGES_SHOWN = 200_000
"""Changes of registers in a page, at most: those of the run's end are dropped first."""
SKIPPED = (*PICTURES, *NOT_ARCHITECTURE, "effects", "private_effects")
FRONTEND = (".mop_cfg[", ".replay_buffer[", ".mask_hi")
CORE = (".pc", ".x[", ".cfg0", ".running")


def frames(recording: Recording) -> tuple[dict[str, Any], dict[str, Numbers]]:
    """Clocks and registers' names and first values; and columns: pictures and changes.

    Each frame's pictures are given as the exclusive or with those of the frame before, changes as
    (frame, register, new value).
    """
    taken = [*recording.frames]
    taken.append((recording.end, recording.tile.state.record))
    columns: dict[str, Numbers] = {}
    for name in PICTURES:
        rows = np.stack([np.asarray(record[name]).reshape(-1) for _, record in taken])
        rows[1:] ^= rows[:-1].copy()
        columns[name] = rows.reshape(-1)
    names: dict[str, int] = {}
    first: list[int] = []
    changes: list[tuple[int, int, int]] = []
    for number, ((_, before), (_, after)) in enumerate(pairwise(taken), 1):
        for name, old, new in _registers(before, after):
            if name not in names:
                names[name] = len(names)
                first.append(old)
            changes.append((number, names[name], new))
    dropped = len(changes) - CHANGES_SHOWN
    table = np.array(changes[:CHANGES_SHOWN], np.int64).reshape(-1, 3)
    for i, column in enumerate(("change_frame", "change_register", "change_value")):
        columns[column] = (table[:, i] & 0xFFFFFFFF).astype(np.uint32)
    about = {
        "clocks": [clock for clock, _ in taken],
        "registers": list(names),
        "first": [value & 0xFFFFFFFF for value in first],
        "dropped": max(0, dropped),
    }
    return about, columns


def _registers(before: Record, after: Record) -> list[tuple[str, int, int]]:
    """Registers of interest that differ."""
    found: list[tuple[str, int, int]] = []
    for name in before.dtype.names or ():
        if name.startswith(SKIPPED):
            continue
        inner = differences(before[[name]], after[[name]])
        if name == "frontend":
            inner = [change for change in inner if any(part in change[0] for part in FRONTEND)]
        elif name == "riscv":
            inner = [change for change in inner if any(part in change[0] for part in CORE)]
        found += inner
    return found
