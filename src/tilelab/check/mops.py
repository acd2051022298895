"""What the checker does when a thread's MOP is programmed, and when it begins; who did both."""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import blame, report, report_with
from tilelab.check.knowledge import note_take
from tilelab.check.shadow import TAKEN, TAKES
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError, UnpredictableValueUsedError
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP
from tilelab.tensix.frontend import mop_expander
from tilelab.tensix.frontend.fifo import mop_pending
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.words.origin import origin_of, pusher

WATCH = Watch("MOPs")
MASK_BITS: Final = 16
"""Iterations of template 0 that a MOP's own mask covers."""
PLACES: Final = 256
"""Places that program a thread's MOP that are remembered."""

WATCH.field("mask_user", "<u8", (THREADS,))  # the MOP that used MaskHi last, 0 if it is fresh
WATCH.field("mask_user_word", "<u4", (THREADS,))
WATCH.field("mop_written", "<u8", (THREADS,))  # when a register of MopCfg was last written
WATCH.field("mop_changed", "<u8", (THREADS,))  # when one last changed its value
WATCH.field("mop_cfg_epoch", "<u8", (THREADS,))  # of the core that last wrote one
WATCH.field("mop_programmer", "<u4", (THREADS,))  # the counter of the store that did it last
WATCH.field("mop_programmers", "<u4", (THREADS, PLACES))
WATCH.field("mop_taken", TAKES, (TAKEN,))  # places that ran what which place had programmed

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
INIT_MISSING: Final = WATCH.rule(
    "llk-init-missing",
    NonContractualBehaviorError,
    "runs {where}",
    "programmed the MOP",
    "tt-metal: an operation is called after its own init",
    "call the operation's init again before it, behind the other one's",
)


@WATCH.at(mop_expander.write_mop_cfg)
@kernel
def programs_mop(s: Checking, t: int, index: int, value: int) -> int:
    """A TRISC writes one of its thread's MopCfg registers."""
    c = s.shadow
    f = s.frontend[t]
    c.expander_time += 1
    c.mop_written[t] = c.expander_time
    c.mop_cfg_epoch[t] = c.core_now[t]
    if f.mop_cfg[index] != value:
        c.mop_changed[t] = c.expander_time
    programmed_by(s, t, s.riscv[t].pc)
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


@kernel
def programmed_by(s: Checking, t: int, pc: int) -> None:
    """Note where a thread's core programs its MOP (``inits.py`` looks at the end)."""
    c = s.shadow
    if c.row != THREADS + t or pc == c.mop_programmer[t]:
        return
    c.mop_programmer[t] = pc
    c.mop_programmers[t, pc >> 2 & (PLACES - 1)] = pc


@WATCH.at(mop_expander.start_mop)
@kernel
def starts_mop(s: Checking, t: int, word: int, origin: int) -> None:
    """A thread's MOP expander takes in a MOP."""
    c = s.shadow
    f = s.frontend[t]
    if not c.mop_written[t] and pusher(origin) < s.arch.cores:
        blame(s, t, word, origin)
        report(s, MOP_EMPTY, t, 0)
    if c.mop_programmer[t]:
        blame(s, t, word, origin)
        note_take(s, c.mop_taken, t, origin_of(t, c.mop_programmer[t]), 0)
    if MOP.mop_type(word):
        return
    if MOP.loop_count(word) >= MASK_BITS and f.mask_hi and c.mask_user[t]:
        blame(s, t, word, origin)
        report_with(s, STALE_MASK, f.mask_hi, 1, c.mask_user_word[t], c.mask_user[t])
    c.mask_user[t] = origin
    c.mask_user_word[t] = word
