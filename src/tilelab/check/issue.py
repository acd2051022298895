"""What the checker does when a thread issues a word, and when its expanders move one."""

from typing import Final

from tilelab.check.accesses import issue_mark, report, report_of
from tilelab.check.counters import counts
from tilelab.check.knowledge import acquire, acquire_bank, acts, forget, join, learn_core
from tilelab.check.l1 import COUNTERS
from tilelab.check.rules import BANK_EARLY, BANK_UNWAITED, WRONG_THREAD
from tilelab.check.shadow import (
    CORE_ACTOR,
    EPOCH_SHIFT,
    ISSUE_ACTOR,
    LOG,
    TO_MATRIX,
    TO_UNPACKERS,
)
from tilelab.check.stores import TRISC_STORES, waits_for_stores
from tilelab.check.view import Checking
from tilelab.check.windows import ends_packed
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.src_registers import SRCS
from tilelab.tensix.chips.opcodes import (
    DOTPV,
    ELWADD,
    ELWMUL,
    ELWSUB,
    FLUSHDMA,
    GAPOOL,
    GMPOOL,
    MOP_CFG,
    MOVA2D,
    MOVB2A,
    MOVB2D,
    MOVD2A,
    MOVD2B,
    MVMUL,
    PACR,
    SEMWAIT,
    STALLWAIT,
    TRNSPSRCB,
    UNPACR,
    UNPACR_NOP,
    WRCFG,
)
from tilelab.tensix.tables.figures import (
    MATRIX_PIPE,
    MOVER_PIPE,
    PACK_PIPE,
    SCALAR_PIPE,
    SEMAPHORES,
    UNPACK_PIPE,
    VECTOR_PIPE,
)
from tilelab.tensix.words.origin import pusher

ENDS_TILE: Final = PACR.word(flush=1, last=1) & 0xFF
"""PACR's ``flush`` and ``last``."""
ANY: Final = 3
MATH: Final = (
    *(MVMUL, DOTPV, ELWADD, ELWSUB, ELWMUL, GMPOOL, GAPOOL),
    *(MOVA2D, MOVB2D, MOVD2A, MOVD2B, MOVB2A, TRNSPSRCB),
)
HOME: Final[dict[int, int]] = {UNPACR: 0, PACR: 2, **dict.fromkeys(MATH, 1)}
HOME_THREAD: Final = tuple(HOME.get(opcode, ANY) for opcode in range(256))
"""Which thread an instruction belongs to, by the convention of the vendor's libraries."""


@kernel
def begin(s: Checking, t: int, word: int) -> None:
    """A thread's word is about to be executed, or tries to be."""
    c = s.shadow
    f = s.frontend[t]
    opcode = word >> 24
    c.now += 1
    pipe = s.arch.timing.pipe[opcode]
    if opcode in (UNPACR, UNPACR_NOP):  # which have the unpacker at the same place
        pipe = UNPACK_PIPE + UNPACR.unpack_block_selection(word)
    acts(s, t, pipe, c.now << EPOCH_SHIFT | pipe * 4 + t, word, f.gate_origin)
    late = UNPACK_PIPE <= pipe <= PACK_PIPE or MATRIX_PIPE <= pipe <= VECTOR_PIPE
    c.until = c.mark if late else issue_mark(s)
    c.fresh = c.wrcfg[t]
    c.counting = 0
    if pipe == MOVER_PIPE:
        c.began[pipe] = 0
    c.log_word[c.now & (LOG - 1)] = word
    c.log_origin[c.now & (LOG - 1)] = c.origin
    c.log_issue[c.now & (LOG - 1)] = c.issued[t] + 1
    learn_pusher(s, t)
    if c.waiting_blocks[t] & s.block_mask[opcode]:
        end_wait(s, t)
    if HOME_THREAD[opcode] != t and HOME_THREAD[opcode] != ANY:
        report(s, WRONG_THREAD, t, 0)
    if opcode == MOVD2A:
        writes_turned(s, t, 0)
    elif opcode == MOVD2B:
        writes_turned(s, t, 1)


@kernel
def writes_turned(s: Checking, t: int, which: int) -> None:
    """A word writes a Src bank without waiting for it: the one before may still be turning."""
    c = s.shadow
    mark = c.turned_mark[which]
    behind = c.issued[t] - c.turned_issue[which]
    turning = c.log_word[mark >> EPOCH_SHIFT & (LOG - 1)] >> 24
    reach = max(s.arch.timing.latency[turning], s.arch.timing.bank_turned)
    if mark and mark & 3 == t and behind < reach and c.turned_issue[which] >= c.drained[t]:
        report(s, BANK_EARLY, which, mark)
    bank = s.src[which].matrix_bank
    if c.bank[TO_MATRIX][which][bank].fresh:
        report_of(s, BANK_UNWAITED, which, c.given[which][bank])


@kernel
def end(s: Checking, t: int, word: int, code: int) -> int:
    """A thread's word was executed, or has to wait; returns its code."""
    c = s.shadow
    if code != OK:
        c.now -= 1
        return code
    before = c.last[c.actor]
    c.last[c.actor] = c.now
    c.known[t].of[ISSUE_ACTOR + t] = c.now
    c.issued[t] += 1
    opcode = word >> 24
    # a word of one cycle may be through before those that went into a pipelined unit earlier
    alone = c.pipe not in (MATRIX_PIPE, VECTOR_PIPE) or c.known[t].of[c.actor] >= before
    if s.arch.timing.over[opcode] and alone:
        c.known[t].of[c.actor] = c.now
    c.wrcfg[t] = c.mark if opcode == WRCFG else 0
    if c.counting:
        counts(s, t, c.counting - 1, s.l1_32[(COUNTERS >> 2) + c.counting - 1])
    if opcode == PACR:
        c.packed_by[t] |= max(1, word >> 8 & 15)
        if word & ENDS_TILE:
            c.began[PACK_PIPE] = 0
            ends_packed(s)
    if opcode == STALLWAIT:
        latch_stall(s, t)
    elif opcode == FLUSHDMA:
        c.loads_over[t] = c.now
    elif opcode == SEMWAIT:
        c.waiting_blocks[t] = s.frontend[t].wait.block_mask
        c.waiting_semaphores[t] = s.frontend[t].wait.semaphore_mask
        if s.frontend[t].wait.condition_mask & 2:
            c.limited |= s.frontend[t].wait.semaphore_mask
        c.waiting_banks[t] = 0
        forget(c.waiting[t])
    return code


@kernel
def learn_pusher(s: Checking, t: int) -> int:
    """A thread learns what the core that pushed its word knew then."""
    c = s.shadow
    core = pusher(c.origin)
    if core >= s.arch.cores:
        return OK
    if c.seen_version[t, core] != c.version[core]:
        c.seen_version[t, core] = c.version[core]
        return learn_core(s, t, core, c.gate_epoch[t])
    actor = CORE_ACTOR + core
    c.known[t].of[actor] = max(c.known[t].of[actor], c.gate_epoch[t])
    return OK


@kernel
def latch_stall(s: Checking, t: int) -> None:
    """Note what a STALLWAIT waits for: what its thread has in the pipelines now."""
    c = s.shadow
    wait = s.frontend[t].wait
    c.waiting_blocks[t] = wait.block_mask
    c.waiting_semaphores[t] = 0
    c.waiting_banks[t] = wait.condition_mask >> s.arch.condition_src_a_cleared & 15
    forget(c.waiting[t])
    for bit in range(s.arch.condition_bits):
        pipe = s.arch.timing.conditions[bit]
        if pipe == TRISC_STORES and wait.condition_mask >> bit & 1:
            waits_for_stores(s, t)
        if pipe == PACK_PIPE and s.arch.packers > 1:  # each has a condition, one actor is all
            if c.packed_by[t] & ~(wait.condition_mask >> bit):
                continue
            c.packed_by[t] = 0
        if wait.condition_mask >> bit & 1 and pipe >= 0:
            c.waiting[t].of[pipe * 4 + t] = c.last[pipe * 4 + t]
            if pipe == MATRIX_PIPE:
                c.drained[t] = c.issued[t]


@kernel
def end_wait(s: Checking, t: int) -> None:
    """The first word that a latched wait blocks is issued: what it waited for is over."""
    c = s.shadow
    join(c.known[t], c.waiting[t])
    c.loads_over[t] = max(c.loads_over[t], c.waiting[t].of[SCALAR_PIPE * 4 + t])
    for i in range(SEMAPHORES):
        if c.waiting_semaphores[t] >> i & 1:
            acquire(s, t, i)
    banks = c.waiting_banks[t]
    for which in SRCS:
        if banks >> which & 1:
            acquire_bank(s, t, TO_UNPACKERS, which, s.src[which].unpack_bank)
        if banks >> which & 4:
            acquire_bank(s, t, TO_MATRIX, which, s.src[which].matrix_bank)
    c.waiting_blocks[t] = 0


# ------------------------------------------------------------------ expanders


@kernel
def pushed(s: Checking, t: int, word: int, origin: int) -> None:
    """A core pushes a word into a thread's input FIFO (or finds it full)."""
    c = s.shadow
    f = s.frontend[t]
    core = pusher(origin)
    if core < s.arch.cores:
        c.input_epoch[t, slot(f.input_fifo, f.input_fifo.count)] = c.core_now[core]
        c.core_now[core] += 1  # what the core does next the word does not know of


@kernel
def pushed_late(s: Checking, t: int, word: int, origin: int) -> None:
    """BRISC pushes a word behind a thread's MOP expander."""
    c = s.shadow
    f = s.frontend[t]
    c.late_epoch[t, slot(f.late_fifo, f.late_fifo.count)] = c.core_now[pusher(origin)]
    c.core_now[pusher(origin)] += 1


@kernel
def steps_mop(s: Checking, t: int) -> None:
    """A thread's MOP expander takes its turn."""
    c = s.shadow
    f = s.frontend[t]
    if not f.mop_active and f.input_fifo.count:
        first = slot(f.input_fifo, 0)
        c.front_epoch[t] = c.input_epoch[t, first]
        if f.input_fifo.data[first] >> 24 == MOP_CFG:
            c.mask_user[t] = 0  # it brings a fresh mask
    # if it moves a word on, that goes there
    c.late_epoch[t, slot(f.late_fifo, f.late_fifo.count)] = c.front_epoch[t]
