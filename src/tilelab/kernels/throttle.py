"""Matmul throttling: NOPs recorded between the MVMULs of a 32x32 tile, to limit power.

Levels 1 to 5 are what tt-llk's ``THROTTLE_LEVEL`` makes on Blackhole (llk_math_matmul.h): a
recording, and a MOP that alternates between playing it back and single MVMULs. :func:`program`
builds them, :func:`recognise` finds the level of what a kernel issued.

Throttling can be switched on at run time: firmware flags it in the L1 word at
:data:`FIRMWARE_SCRATCH`, which ``matmul_block`` reads (tt-metal, compute_kernel_api/matmul.h;
Blackhole only). :func:`set_flag` stands in for the firmware.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tilelab.kernels.ckernel import NOP_WORD, ckernel_template, lltt
from tilelab.sim.errors import BadInputError
from tilelab.tensix.ops import BLACKHOLE
from tilelab.tensix.tile.junk import FIRMWARE_SCRATCH
from tilelab.tensix.tile.tile import Tile

REPLAY_START = 16
MVMULS = 16
CLR_A = 1
SET_ABD_F = 15

SEQUENCES = (
    "0 1 0 2 0 1 0 4 0 1 0 2 0 1 0 5",
    "N 0 1 0 N 2 0 1 N 0",
    "N 0 1 N 0 2 N 0 1 N 0",
    "N 0 N 1 N 0 N 2 N 0 N 1 N 0 N",
    "N 0 N N 1 N 0 N N",
    "N N 0 N N 1 N N 0 N N",
)
"""What each level records: address modes of MVMULs, N for a NOP (llk_math_matmul.h)."""
FIRMWARE_LEVEL = 5
"""The level that firmware's flag makes (tt-metal, MM_THROTTLE_MAX)."""
NOPS = (0, 6, 8, 16, 24, 32)
"""NOPs among the 16 MVMULs of a tile and phase, by level."""


@dataclass(frozen=True)
class ThrottledMatmul:
    """What a math thread records and programs for one tile."""

    level: int
    recording: tuple[int, ...]
    template: ckernel_template
    runs: int
    """MOPs per tile."""


def mvmul(addr_mode: int, clear: int = 0) -> int:
    """An MVMUL word."""
    word: int = BLACKHOLE.TT_OP_MVMUL(clear, 0, addr_mode, 0)
    return word


def efficiency(level: int) -> Fraction:
    """The share of issued words that multiply."""
    return Fraction(MVMULS, MVMULS + NOPS[level])


def program(level: int, phases: int = 1) -> ThrottledMatmul:
    """Return what tt-llk sets up for a level and a number of fidelity phases (1 to 4).

    BadInputError for a level outside 0 to 5 or phases outside 1 to 4.
    """
    if not 0 <= level <= 5:
        raise BadInputError(f"throttle level {level}: choose 0 to 5")
    if not 1 <= phases <= 4:
        raise BadInputError(f"{phases} fidelity phases: choose 1 to 4")
    names = SEQUENCES[level].split()
    recording = [NOP_WORD if name == "N" else mvmul(int(name)) for name in names]
    replay = lltt.replay_insn(REPLAY_START, len(recording))
    if level == 0:
        template = ckernel_template(1, phases, replay)
        if phases == 1:
            recording[-1] = mvmul(5, CLR_A)
        else:
            template.set_end_op(BLACKHOLE.TT_OP_SETRWC(CLR_A, 0, 0, 0, 0, SET_ABD_F))
        return ThrottledMatmul(level, tuple(recording), template, 1)
    return ThrottledMatmul(level, tuple(recording), *_alternating(level, phases, replay))


def _alternating(level: int, phases: int, replay: int) -> tuple[ckernel_template, int]:
    """The MOP of levels 1 to 5, and how often a tile runs it."""
    deep = level > 3
    outer = 2 if deep else phases
    template = ckernel_template(outer, 2, replay, mvmul(2 if deep else 4))
    if phases == 1:
        if deep:
            template.set_last_inner_loop_instr(mvmul(4))
        template.set_last_outer_loop_instr(mvmul(5, CLR_A))
        return template, 1
    if deep:
        template.set_last_inner_loop_instr(mvmul(4))
        template.set_last_outer_loop_instr(mvmul(5))
        return template, phases
    template.set_last_inner_loop_instr(mvmul(5))
    template.set_last_outer_loop_instr(mvmul(6, CLR_A))
    return template, 1


def recognise(opcodes: Mapping[str, int]) -> int | None:
    """The level of a MOP that issued these instructions; None if it is no throttled matmul.

    ``opcodes``: how many of each name. A level is the ratio of NOPs to MVMULs, exactly.
    """
    multiplies, nops = opcodes.get("MVMUL", 0), opcodes.get("NOP", 0)
    if not multiplies or not nops:
        return None
    for level in range(1, 6):
        if nops * MVMULS == multiplies * NOPS[level]:
            return level
    return None


def set_flag(tile: Tile, value: int = 1) -> str:
    """Set (or clear) firmware's throttle flag in L1, before the kernel starts; names the change.

    BadInputError for a chip whose kernels do not look at it.
    """
    if tile.arch.name != "blackhole":
        raise BadInputError(f"firmware's throttle flag: there is none on {tile.arch.name}")
    before = int.from_bytes(tile.read(FIRMWARE_SCRATCH, 4), "little")
    tile.write(FIRMWARE_SCRATCH, value.to_bytes(4, "little"))
    return (
        f"L1 {FIRMWARE_SCRATCH:#x} (MEM_L1_ARC_FW_SCRATCH): {before:#x} -> {value:#x}; "
        "a matmul_block that reads it runs throttled while it is odd"
    )


def explain(level: int, *, firmware: bool = False) -> str:
    """One line for a report: what was throttled, and by whom.

    ``firmware``: whether firmware's flag was set. It makes ``matmul_block`` take the last level.
    """
    flag = f"firmware's flag, L1 {FIRMWARE_SCRATCH:#x}, is"
    if not firmware:
        cause = f"by THROTTLE_LEVEL at compile time: {flag} clear"
    elif level < FIRMWARE_LEVEL:
        cause = f"by THROTTLE_LEVEL at compile time: {flag} set, but makes level {FIRMWARE_LEVEL}"
    else:
        cause = f"by firmware: {flag} set; THROTTLE_LEVEL {level} at compile time does the same"
    share = float(efficiency(level))
    return (
        f"throttled: level {level} of 5, {NOPS[level]} NOPs for 16 MVMULs, "
        f"so at most {share:.1%} of peak ({cause})"
    )
