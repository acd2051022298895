"""What a MOP means: MopCfg's registers, and which of them is emitted at each place of its loops.

Source: tt-isa-documentation, MOPExpander.md, MOP.md. Numbers only, no state: the expander of a
running thread, the functional model, arrays of words and traces all ask here. A *stage* is a place
within one outer iteration; template 0 counts the words of a mask bit, template 1 has five.
"""

from typing import Final, NamedTuple

from tilelab.sim.kernel import kernel
from tilelab.tensix.chips.opcodes import NOP

REGISTERS: Final = 9
"""Registers of MopCfg."""
TEMPLATE0_NAMES = (
    *("unused", "Flags", "InsnB", "InsnA0", "InsnA1", "InsnA2", "InsnA3", "SkipA0", "SkipB"),
)
TEMPLATE1_NAMES = (
    *("OuterCount", "InnerCount", "StartOp", "EndOp0", "EndOp1", "LoopOp", "LoopOp1"),
    *("Loop0Last", "Loop1Last"),
)
"""What the manual calls MopCfg's registers, by template."""
ROLES = tuple(("", "", *names[2:]) for names in (TEMPLATE0_NAMES, TEMPLATE1_NAMES))
"""The same for the registers that hold words."""

FLAGS: Final = 1
HAS_B, HAS_A123 = 1, 2
INSN_B, INSN_A0, SKIP_A0, SKIP_B = 2, 3, 7, 8

OUTER_COUNT, INNER_COUNT, START_OP, END_OP0, END_OP1 = 0, 1, 2, 3, 4
LOOP_OP, LOOP_OP1, LOOP0_LAST, LOOP1_LAST = 5, 6, 7, 8
START, LOOP, END0, END1, NEXT_OUTER = 0, 1, 2, 3, 4
"""Template 1's stages in their order; the last emits nothing."""
OUTER_BUG: Final = 128
"""Outer iterations that template 1 adds by a mistake of the hardware's."""


@kernel
def is_nop(word: int) -> int:
    """1 for plain NOP only, whatever its operand bits; not DMANOP, not SFPNOP."""
    return 1 if word >> 24 == NOP else 0


@kernel
def last_stage0(flags: int, skipped: int) -> int:
    """Template 0: the last stage of a mask bit, which is ``skipped`` or not."""
    last = flags & HAS_B
    if not skipped and flags & HAS_A123:
        last += 3
    return last


@kernel
def register0(flags: int, skipped: int, stage: int) -> int:
    """Template 0: the register whose word a stage emits."""
    if skipped:
        return SKIP_B if stage else SKIP_A0
    last_a = 3 if flags & HAS_A123 else 0
    return INSN_A0 + stage if stage <= last_a else INSN_B


@kernel
def inner_iterations(inner_count: int, loop_op1: int) -> int:
    """Template 1: words of the inner loop, which is run twice as often if two words alternate."""
    return inner_count if is_nop(loop_op1) else 2 * inner_count


@kernel
def has_outer_bug(outer_count: int, inner: int, start_op: int, end_op0: int) -> int:
    """1 where the hardware runs 128 outer iterations too many; kernels may depend on it."""
    if outer_count != 1 or inner:
        return 0
    return 1 if is_nop(start_op) and not is_nop(end_op0) else 0


@kernel
def settled1(stage: int, inner_left: int, start_op: int, end_op0: int, end_op1: int) -> int:
    """Template 1: the first stage from this one on that emits a word, or NEXT_OUTER."""
    if stage == START and is_nop(start_op):
        stage = LOOP
    if stage == LOOP and not inner_left:
        stage = END0
    if stage == END0 and is_nop(end_op0):
        stage = NEXT_OUTER
    if stage == END1 and is_nop(end_op1):
        stage = NEXT_OUTER
    return stage


@kernel
def register1(stage: int, inner: int, is_last_inner: int, is_last_outer: int, loop_op1: int) -> int:
    """Template 1: the register whose word a stage emits, in iteration ``inner`` of the loop."""
    if stage != LOOP:
        return START_OP if stage == START else END_OP0 if stage == END0 else END_OP1
    if is_last_inner:
        return LOOP0_LAST if is_last_outer else LOOP1_LAST
    alternate = inner & 1 and not is_nop(loop_op1)
    return LOOP_OP1 if alternate else LOOP_OP


@kernel
def place(template: int, outer: int, inner: int, register: int) -> int:
    """A place in the loops as one number, for traces; :func:`unpack_place` reads it."""
    return template << 20 | inner << 12 | outer << 4 | register


class MopStep(NamedTuple):
    """Which part of a MOP's loops emitted a word; ``register`` is its MopCfg index."""

    template: int
    outer: int
    inner: int
    role: str
    register: int


def unpack_place(place: int) -> MopStep:
    """Unpack a place: bits 3..0 register, 11..4 outer, 19..12 inner iteration, 20 template."""
    template, register = place >> 20 & 1, place & 15
    return MopStep(
        template, place >> 4 & 0xFF, place >> 12 & 0xFF, ROLES[template][register], register
    )
