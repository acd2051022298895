"""What the page shows of registers: how they were before the run, now and then in it, and after."""

import re
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from tilelab.sim.record import Record, differences
from tilelab.tensix.chips.config_registers import ConfigField, config_fields
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.trace.page.columns import Numbers
from tilelab.trace.page.maps import PICTURES, maps
from tilelab.trace.recorded import Recorded

CHANGES_SHOWN = 200_000
"""Changes of registers in a page, at most: those of the run's end are dropped first."""
SKIPPED = (*PICTURES, *NOT_ARCHITECTURE)
FRONTEND = (".mop_cfg[", ".replay_buffer[", ".mask_hi")
CORE = (".pc", ".x[", ".cfg0", ".running")
GROUPS = {
    "GPR": ("gpr",),
    "LReg": ("lreg",),
    "config": ("config", "thread_config"),
    "counters": ("rwc", "adc"),
    "frontends": ("frontend",),
    "RISC-V": ("riscv",),
}
"""Kinds of registers that one can choose, by how their names begin."""
CONFIG_WORD = re.compile(r"(config|thread_config)\[(\d+), (\d+)\]")
Changes = list[tuple[str, int, int]]


def frames(recording: Recorded) -> tuple[dict[str, Any], dict[str, Numbers]]:
    """Clocks, registers (name, group, whether it holds floats) and heat maps; and columns.

    Columns: registers' first values, their changes as (frame, register, new value), the maps'.
    """
    taken = [*recording.frames]
    taken.append((recording.end, recording.final))
    arch = recording.tile.arch
    pictures, columns = maps(arch, [record for _, record in taken])
    names: dict[str, int] = {}
    first: list[int] = []
    changes: list[tuple[int, int, int]] = []
    for number, ((_, before), (_, after)) in enumerate(pairwise(taken), 1):
        for name, old, new in by_field(_registers(before, after), arch.name):
            if name not in names:
                names[name] = len(names)
                first.append(old)
            changes.append((number, names[name], new))
    dropped = len(changes) - CHANGES_SHOWN
    table = np.array(changes[:CHANGES_SHOWN], np.int64).reshape(-1, 3)
    for i, column in enumerate(("change_frame", "change_register", "change_value")):
        columns[column] = (table[:, i] & 0xFFFFFFFF).astype(np.uint32)
    columns["first"] = (np.array(first, np.int64) & 0xFFFFFFFF).astype(np.uint32)
    about = {
        "clocks": [clock for clock, _ in taken],
        "registers": [[name, _group(name), name.startswith("lreg")] for name in names],
        "groups": list(GROUPS),
        "dropped": max(0, dropped),
        "maps": pictures,
    }
    return about, columns


def _group(name: str) -> int:
    """The number of a register's group, -1 if it is in none."""
    found = (i for i, begins in enumerate(GROUPS.values()) if name.startswith(begins))
    return next(found, -1)


def by_field(changes: Changes, chip: str) -> Changes:
    """Changes of configuration words as changes of the fields in them, by the manual's names.

    Bits that no field has stay under the name of their word.
    """
    found: Changes = []
    for name, old, new in changes:
        word = CONFIG_WORD.fullmatch(name)
        if word is None:
            found.append((name, old, new))
            continue
        rest = 0xFFFFFFFF
        space, bank = word[1], word[2]
        for field in _fields(chip).get(("c" if space == "config" else "t", int(word[3])), ()):
            mask = (2 << (field.hi - field.lo)) - 1
            rest &= ~(mask << field.lo)
            values = old >> field.lo & mask, new >> field.lo & mask
            if values[0] != values[1]:
                found.append((f"{space}[{bank}].{field.name}", *values))
        if (old ^ new) & rest:
            found.append((name, old & rest, new & rest))
    return found


@cache
def _fields(chip: str) -> dict[tuple[str, int], list[ConfigField]]:
    """The fields in each configuration word, by space and word."""
    words: dict[tuple[str, int], list[ConfigField]] = {}
    for field in config_fields(chip).values():
        words.setdefault((field.space, field.word), []).append(field)
    return words


def _registers(before: Record, after: Record) -> Changes:
    """Registers of interest that differ."""
    found: Changes = []
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
