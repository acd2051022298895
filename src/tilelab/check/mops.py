"""What the checker does when a thread's MOP is programmed, and when it begins."""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import blame, report, report_of, report_with
from tilelab.check.knowledge import note
from tilelab.check.shadow import ACT
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError, UnpredictableValueUsedError
from tilelab.sim.fifo import peek, peek_origin, slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG
from tilelab.tensix.frontend import mop_expander
from tilelab.tensix.frontend.fifo import mop_pending
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.words.mop import INNER_COUNT, OUTER_COUNT
from tilelab.tensix.words.origin import pusher

WATCH = Watch("MOPs")
MASK_BITS: Final = 16
"""Iterations of template 0 that a MOP's own mask covers."""

WATCH.field("mask_user", "<u8", (THREADS,))  # the MOP that used MaskHi last, 0 if it is fresh
WATCH.field("mask_user_word", "<u4", (THREADS,))
WATCH.field("mop_programmed", "u1", (THREADS,))
WATCH.field("inner_writer", ACT, (THREADS,))  # who wrote InnerCount last

MOPCFG_BUSY: Final = WATCH.rule(
    "mop-cfg-busy",
    NonContractualBehaviorError,
    "writes {where} while a MOP of its thread is queued or expanding",
    "is the MOP",
    "MOPExpander.md",
    "call mop_sync() before programming the MOP",
    place=places.number("MopCfg[{}]"),
    instead="mop-cfg-during-expansion",
)
MOP_EMPTY: Final = WATCH.rule(
    "mop-not-programmed",
    UnpredictableValueUsedError,
    "runs a MOP, and nothing has programmed {where} since the start",
    "",
    "MOPExpander.md",
    "program the MOP first (an operation's init): it runs what the kernel before has left",
    place=places.number("MopCfg of thread {}"),
    unwritten=True,
)
STALE_MASK: Final = WATCH.rule(
    "mop-mask-stale",
    NonContractualBehaviorError,
    "a MOP of more than 16 iterations takes {where} that was set for an earlier MOP",
    "is the MOP that it was set for",
    "MOP_CFG.md",
    "issue MOP_CFG before each MOP whose mask has more than 16 bits",
    place=places.number("a MaskHi of {:#06x}"),
)
RUNS_129: Final = WATCH.rule(
    "mop-runs-129-times",
    NonContractualBehaviorError,
    "expands a MOP of OuterCount 1, InnerCount 0, no StartOp but an EndOp0, {where}",
    "wrote InnerCount",
    "MOPExpander.md",
    "make the end op the loop op, with InnerCount 1, or issue it without a MOP",
    place=places.number("which the hardware runs {} times"),
    instead="mop-outer-count-bug",
)


@WATCH.at(mop_expander.write_mop_cfg)
@kernel
def programs_mop(s: Checking, t: int, index: int, value: int) -> int:
    """A TRISC writes one of its thread's MopCfg registers."""
    f = s.frontend[t]
    s.shadow.mop_programmed[t] = 1
    if index == INNER_COUNT:
        note(s, s.shadow.inner_writer[t])
    if not mop_pending(s, t) or f.mop_cfg[index] == value:
        return OK
    if f.mop_active:
        return report_with(s, MOPCFG_BUSY, index, 1, f.mop_word, f.mop_origin)
    for i in range(f.input_fifo.count):
        at = slot(f.input_fifo, i)
        word = f.input_fifo.data[at]
        if word >> 24 == MOP:
            return report_with(s, MOPCFG_BUSY, index, 1, word, f.input_fifo.origin[at])
    return OK


@WATCH.at(mop_expander.step_mop_expander)
@kernel
def steps_mop(s: Checking, t: int) -> None:
    """A thread's MOP expander takes its turn: a MOP_CFG gives it a fresh mask."""
    f = s.frontend[t]
    if not f.mop_active and f.input_fifo.count:
        if f.input_fifo.data[slot(f.input_fifo, 0)] >> 24 == MOP_CFG:
            s.shadow.mask_user[t] = 0


@WATCH.at(mop_expander.start_mop)
@kernel
def starts_mop(s: Checking, t: int, word: int, origin: int) -> None:
    """A thread's MOP expander takes in a MOP."""
    c = s.shadow
    f = s.frontend[t]
    if not c.mop_programmed[t] and pusher(origin) < s.arch.cores:
        blame(s, t, word, origin)
        report(s, MOP_EMPTY, t, 0)
    if MOP.mop_type(word):
        return
    if MOP.loop_count(word) >= MASK_BITS and f.mask_hi and c.mask_user[t]:
        blame(s, t, word, origin)
        report_with(s, STALE_MASK, f.mask_hi, 1, c.mask_user_word[t], c.mask_user[t])
    c.mask_user[t] = origin
    c.mask_user_word[t] = word


@WATCH.at(mop_expander.check_counts)
@kernel
def takes_counts(s: Checking, t: int) -> None:
    """A MOP of template 1 begins, whose counts the hardware may take wrongly."""
    fifo = s.frontend[t].input_fifo
    times = mop_expander.outer_iterations(s, t)
    counted = mop_expander.mop_cfg_word(s, t, OUTER_COUNT) & mop_expander.count_mask(s)
    if times != counted:
        blame(s, t, peek(fifo), peek_origin(fifo))
        report_of(s, RUNS_129, times, s.shadow.inner_writer[t])
