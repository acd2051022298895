"""The call stack of a core, from the call frame information of its program (.debug_frame).

Not modelled: rules that are DWARF expressions, which compilers for these cores do not make; the
stack ends where one, or no information at all, is met.
"""

import io
from functools import lru_cache
from typing import Any, Final, NamedTuple

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile

from tilelab.debug.debugger import Debugger
from tilelab.debug.memory import read_bytes
from tilelab.elf.dwarf import debugging_data
from tilelab.elf.program import Program
from tilelab.sim.kernel import WORD

RA, SP = 1, 2
DEEPEST: Final = 256
CALL_BYTES: Final = 4


SAVED: Final = (SP, 8, 9, *range(18, 28))
"""Registers that a function leaves as it found them: s0 to s11, and sp."""


class Call(NamedTuple):
    """One call: where it is, its canonical frame address (0: not known), its registers.

    ``lookup`` is an address within what is being executed: behind a call stands what comes next.
    """

    pc: int
    frame: int
    registers: dict[int, int]
    """Those whose value in this call is known."""
    lookup: int


@lru_cache(maxsize=64)
def _tables(image: bytes) -> tuple[tuple[int, int, Any], ...]:
    """The frame descriptions of a program: (start, end, description)."""
    if not image:
        return ()
    try:
        dwarf = debugging_data(ELFFile(io.BytesIO(image)))
        entries = dwarf.CFI_entries() if dwarf.has_CFI() else ()
        found = [entry for entry in entries if isinstance(entry, FDE)]
        return tuple(
            (fde["initial_location"], fde["initial_location"] + fde["address_range"], fde)
            for fde in found
        )
    except Exception:  # whatever the parser makes of damaged tables: no calls are known
        return ()


def unwind(made: Debugger, core: int) -> list[Call]:
    """The calls that a core is in, the innermost first."""
    program = made.tile.programs.get(core)
    hart = made.state.record["riscv"][core]
    registers = {i: int(hart["x"][i]) for i in range(32)}
    calls: list[Call] = []
    pc = int(hart["pc"])
    while len(calls) < DEEPEST:
        # a return address is behind its call, perhaps in what comes after the function
        lookup = pc - CALL_BYTES if calls else pc
        row = _row(program, lookup) if program else None
        frame = (registers.get(row["cfa"].reg, 0) + row["cfa"].offset) & WORD if row else 0
        known = {n: v for n, v in registers.items() if not calls or n in SAVED}
        calls.append(Call(pc, frame, known, lookup))
        if row is None or (len(calls) > 1 and frame <= calls[-2].frame):
            return calls
        caller = dict(registers)
        for number, rule in row.items():
            if isinstance(number, int) and rule.type == "OFFSET":
                saved = read_bytes(made, core, (frame + rule.arg) & WORD, 4)
                caller[number] = int.from_bytes(saved, "little")
        caller[SP] = frame
        pc = caller[RA]
        if not pc or not program or not program.function(pc - CALL_BYTES):
            return calls
        registers = caller
    return calls


def _row(program: Program, pc: int) -> dict[Any, Any] | None:
    """How to find the caller's registers at an address; None if nobody says."""
    for start, end, fde in _tables(program.image):
        if start <= pc < end:
            rows = [row for row in fde.get_decoded().table if row["pc"] <= pc]
            usable = rows and rows[-1]["cfa"].expr is None
            return dict(rows[-1]) if usable else None
    return None
