"""What the checker notes of who programmed each MOP that ran (``inits.py`` looks at the end)."""

from typing import Final

from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.frontend import mop_expander
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.words.origin import push_site

WATCH = Watch("who programs MOPs")
PAIRS: Final = 64
"""Places that ran a MOP with places that programmed it, which are remembered of each thread."""

WATCH.field("mop_programmer", "<u4", (THREADS,))  # the counter of the store that did it last
WATCH.field("mop_programmers", "<u4", (THREADS, PAIRS))
WATCH.field("mop_pair_pc", "<u4", (THREADS, PAIRS))
WATCH.field("mop_pair_runner", "<u8", (THREADS, PAIRS))
WATCH.field("mop_pair_word", "<u4", (THREADS, PAIRS))

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
def programs(s: Checking, t: int, index: int, value: int) -> None:
    """A TRISC writes one of its thread's MopCfg registers."""
    c = s.shadow
    pc = s.riscv[t].pc
    if c.row != THREADS + t or pc == c.mop_programmer[t]:
        return
    c.mop_programmer[t] = pc
    for i in range(PAIRS):
        if c.mop_programmers[t, i] == 0:
            c.mop_programmers[t, i] = pc
        if c.mop_programmers[t, i] == pc:
            return


@WATCH.at(mop_expander.start_mop)
@kernel
def starts(s: Checking, t: int, word: int, origin: int) -> int:
    """A thread's MOP expander takes in a MOP."""
    c = s.shadow
    pc = c.mop_programmer[t]
    if pc == 0:
        return OK
    for i in range(PAIRS):
        if c.mop_pair_runner[t, i] == 0:
            c.mop_pair_runner[t, i] = origin
            c.mop_pair_pc[t, i] = pc
            c.mop_pair_word[t, i] = word
            return OK
        if c.mop_pair_pc[t, i] == pc and push_site(c.mop_pair_runner[t, i]) == push_site(origin):
            return OK
    return OK
