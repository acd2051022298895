"""What the checker does when the state is read or written: kernels that the compiler calls.

An access conflicts with another one that it does not know of (see :mod:`.shadow`), by another
actor, if one of them writes. Instructions of one pipeline do not overlap: those of one thread never
conflict, and those of two do not if they are issued in order. But the configuration unit takes one
word of each thread in a cycle, so that only those of one thread are in order there. Configuration,
which is compared by bits, and L1 have their own files.
"""

from tilelab.check.knowledge import note
from tilelab.check.rules import (
    DST_EARLY,
    OVERTAKEN,
    RACE_CONFIG,
    RACE_DST,
    RACE_GPR,
    SRC_NOT_VALID,
    STALE_CONFIG,
    STORE_OVERTAKEN,
    UNINIT_DST,
    UNINIT_GPR,
    UNINIT_SRC,
)
from tilelab.check.shadow import (
    ACTOR_MASK,
    CONFIG,
    CORE_ACTOR,
    CORE_PIPE,
    DST,
    EPOCH_SHIFT,
    FOUND,
    GPR,
    ISSUE_ACTOR,
    LOG,
    NOC_LAND_PIPE,
    NOC_LOG,
    NOC_READ_PIPE,
    NOC_WRITE_PIPE,
    OTHER_PIPE,
    PC_SHIFT,
    READERS,
    SRC,
    SRC_SHIFT,
    STORE_ACTOR,
    STORE_PIPE,
)
from tilelab.check.stores import under_way
from tilelab.check.view import Act, Checking, epoch_of
from tilelab.sim.checks import POLICY_OFF
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import (
    ATINCGET,
    ATINCGETPTR,
    LOADIND,
    LOADREG,
    SETDMAREG,
    STOREIND,
    WRCFG,
    ZEROACC,
)
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.figures import CONFIG_PIPE, MATRIX_PIPE, SCALAR_PIPE, VECTOR_PIPE
from tilelab.tensix.words.origin import origin_of, push_site, pusher

# ------------------------------------------------------------------ findings


@kernel
def report(s: Checking, rule: int, value: int, other: int) -> int:
    """Note a finding about what acts now; ``other`` is the mark of the other party, or 0."""
    c = s.shadow
    actor = other & ACTOR_MASK
    epoch = epoch_of(other)
    at = logged(s, other)
    word = 0
    origin = 0
    if at >= 0:
        word = c.log_word[at]
        origin = c.log_origin[at]
    elif other and CORE_ACTOR <= actor < CORE_ACTOR + s.arch.cores:
        origin = origin_of(actor - CORE_ACTOR, other >> PC_SHIFT)
    elif actor >> 2 == STORE_PIPE:
        origin = origin_of(actor - STORE_ACTOR, other >> PC_SHIFT)
    elif actor >> 2 in (NOC_READ_PIPE, NOC_WRITE_PIPE, NOC_LAND_PIPE):
        if c.noc_now - epoch < NOC_LOG:
            origin = c.noc_origin[epoch & (NOC_LOG - 1)]
    return report_with(s, rule, value, other, word, origin)


@kernel
def logged(s: Checking, mark: int) -> int:
    """Where the log has a thread's word, by its mark; -1 if it is none's, or too long ago."""
    epoch = epoch_of(mark)
    if mark & ACTOR_MASK >= CORE_ACTOR or epoch == 0 or s.shadow.now - epoch >= LOG:
        return -1
    return epoch & (LOG - 1)


@kernel
def issue_of(s: Checking, mark: int) -> int:
    """1 + which word of its thread a mark is of; 0 if that is not known."""
    at = logged(s, mark)
    return s.shadow.log_issue[at] if at >= 0 else 0


@kernel
def report_with(s: Checking, rule: int, value: int, other: int, word: int, origin: int) -> int:
    """As :func:`report`, with the other party's word and origin."""
    c = s.shadow
    if s.fault.policy[rule] == POLICY_OFF:
        return OK
    for i in range(c.found):
        f = c.finding[i]
        if f.rule == rule and push_site(f.origin) == push_site(c.origin):
            if push_site(f.other_origin) == push_site(origin):
                f.count += 1
                return OK
    if c.found == FOUND:
        c.lost += 1
        return OK
    new = c.finding[c.found]
    new.rule = rule
    new.count = 1
    new.value = value
    new.clock = s.clock
    note(s, new)
    new.other_mark = other
    new.other_word = word
    new.other_origin = origin
    new.issue = issue_of(s, c.mark)
    new.other_issue = issue_of(s, other)
    new.let_on_mark = 0
    note_let_on(s, other, origin)
    c.found += 1
    return OK


@kernel
def note_let_on(s: Checking, other: int, origin: int) -> None:
    """Note what let the one that acts now go on: the other party's last act that did, since its."""
    c = s.shadow
    new = c.finding[c.found]
    pipe = other & ACTOR_MASK < CORE_ACTOR
    who = other & 3 if pipe else pusher(origin)
    if other == 0 or who >= CORES or (origin == 0 and not pipe):
        return  # nobody's, the host's or another tile's
    since = epoch_of(other) if pipe else 0
    for i in range(4):  # a thread is told by its core, too, and tells by it
        to = c.row + THREADS if i & 1 and c.row < THREADS else c.row
        by = who + THREADS if i & 2 or who >= THREADS else who
        last = c.let_on[to][by]
        if last.mark and last.now >= since and to != by:
            since = last.now
            new.let_on_mark = last.mark
            new.let_on_word = last.word
            new.let_on_origin = last.origin


@kernel
def report_of(s: Checking, rule: int, value: int, act: Act) -> int:
    """As :func:`report`, with the other party's act."""
    return report_with(s, rule, value, act.mark, act.word, act.origin)


@kernel
def blame(s: Checking, t: int, word: int, origin: int) -> None:
    """It is a word of a thread's expanders that acts now."""
    c = s.shadow
    c.origin = origin
    c.word = word
    c.mark = c.now << EPOCH_SHIFT | ISSUE_ACTOR | t


# ------------------------------------------------------------------ who knows whom


@kernel
def unknown(s: Checking, mark: int) -> int:
    """Whether nothing orders what acts now behind an earlier act of somebody else."""
    c = s.shadow
    actor = mark & ACTOR_MASK
    epoch = epoch_of(mark)
    if epoch <= c.known[c.row].of[actor]:
        return 0
    if actor == c.actor or actor >> 2 == OTHER_PIPE:
        return 0  # what comes from elsewhere is told of there, and is not followed
    if actor >> 2 == c.pipe and c.pipe != CONFIG_PIPE:
        if actor >= CORE_ACTOR or actor == c.actor:
            return 0
        actor = ISSUE_ACTOR | actor & 3  # the pipeline keeps the order in which words are issued
    if c.pipe == CORE_PIPE and actor >> 2 == STORE_PIPE:
        return 0  # stores of cores to one region are in order
    if epoch == c.now and actor < CORE_ACTOR:
        return 0  # it is the same act
    return 1 if epoch > c.known[c.row].of[actor] else 0


@kernel
def unordered(s: Checking, mark: int) -> int:
    """Whether nothing orders what acts now behind an earlier act, of a core among cores as well."""
    c = s.shadow
    actor = mark & ACTOR_MASK
    if mark == 0 or actor == c.actor:
        return 0
    return 1 if epoch_of(mark) > c.known[c.row].of[actor] else 0


@kernel
def conflict(s: Checking, cell: int, other: int, writes: int) -> int:
    """Report an access to a cell that nothing orders behind the other one."""
    if cell < SRC:
        return dst_conflict(s, cell, other)
    if cell < GPR:
        return OK  # who owns a bank is handed over by hardware
    stored = under_way(s, cell, other)
    if stored:
        return report(s, STORE_OVERTAKEN, cell, other) if stored == 2 else OK
    if cell < CONFIG:
        return report(s, OVERTAKEN if overtaken(s, other) else RACE_GPR, cell, other)
    return report(s, RACE_CONFIG if writes else STALE_CONFIG, cell, other)


@kernel
def overtaken(s: Checking, other: int) -> int:
    """Whether the other one is a SETDMAREG of the same thread, which takes but one cycle."""
    if other & ACTOR_MASK != SCALAR_PIPE * 4 + (s.shadow.actor & 3):
        return 0
    return is_word(s, other, SETDMAREG)


@kernel
def word_of(s: Checking, mark: int) -> int:
    """A thread's word, by its mark, as far back as that is known; else 0."""
    at = logged(s, mark)
    return s.shadow.log_word[at] if at >= 0 else 0


@kernel
def is_word(s: Checking, mark: int, opcode: int) -> int:
    """Whether a thread's mark is of a word with this opcode, as far back as that is known."""
    return 1 if word_of(s, mark) >> 24 == opcode else 0


@kernel
def dst_conflict(s: Checking, row: int, other: int) -> int:
    """As :func:`conflict` of a row of Dst.

    Matrix and vector unit execute one thread's words in the order in which it issues them; what
    can go wrong there is that the vector unit reads too early. Whoever clears last, it is the same.
    """
    c = s.shadow
    there = (other & ACTOR_MASK) >> 2
    if c.word >> 24 == ZEROACC and there == MATRIX_PIPE and is_word(s, other, ZEROACC):
        return OK
    if c.pipe in (MATRIX_PIPE, VECTOR_PIPE) and there in (MATRIX_PIPE, VECTOR_PIPE):
        if (other & 3) == (c.actor & 3):
            return OK
    return report(s, RACE_DST, row, other)


# ------------------------------------------------------------------ Dst, Src, GPRs


@kernel
def reads_until(s: Checking, cell: int, over: int) -> int:
    """A cell is read; ``over`` is the mark of what is over once it has been read."""
    c = s.shadow
    mark = c.writer[cell]
    if mark & ACTOR_MASK != c.actor and unknown(s, mark):
        conflict(s, cell, mark, 0)
    c.reader[cell, c.group] = over
    return OK


@kernel
def writes_cell(s: Checking, cell: int) -> None:
    """A cell is written."""
    c = s.shadow
    mark = c.writer[cell]
    if mark == c.mark:
        return
    if mark & ACTOR_MASK != c.actor and unknown(s, mark):
        conflict(s, cell, mark, 1)
    c.writer[cell] = c.mark
    for group in range(READERS):
        mark = c.reader[cell, group]
        if mark & ACTOR_MASK != c.actor and unknown(s, mark):
            conflict(s, cell, mark, 1)


@kernel
def reads_dst(s: Checking, row: int) -> int:
    """A row of Dst is read."""
    c = s.shadow
    if c.reader[DST + row, c.group] == c.mark:
        return OK
    mark = c.writer[DST + row]
    if mark == 0:
        report(s, UNINIT_DST, DST + row, 0)
    elif c.pipe == VECTOR_PIPE and mark & ACTOR_MASK == MATRIX_PIPE * 4 + (c.actor & 3):
        t = c.actor & 3
        behind = c.issued[t] - c.dst_issue[row]
        if behind <= s.arch.timing.dst_read_gap and c.dst_issue[row] >= c.drained[t]:
            report(s, DST_EARLY, DST + row, mark)
    return reads_until(s, DST + row, c.mark)


@kernel
def writes_dst(s: Checking, row: int) -> None:
    """A row of Dst is written, or cleared."""
    c = s.shadow
    writes_cell(s, DST + row)
    if c.pipe == MATRIX_PIPE:
        c.dst_issue[row] = c.issued[c.actor & 3]


@kernel
def reads_src(s: Checking, cell: int) -> None:
    """A row of SrcA or SrcB is read."""
    c = s.shadow
    if c.writer[cell] == 0:
        report(s, UNINIT_SRC, cell, 0)
    if c.pipe == MATRIX_PIPE:
        row = cell - SRC
        if not s.src[row >> SRC_SHIFT].valid[row >> 6 & 1]:
            report(s, SRC_NOT_VALID, cell, 0)


@kernel
def reads_gpr(s: Checking, cell: int) -> int:
    """A GPR is read: instructions take it when they are issued."""
    c = s.shadow
    mark = c.writer[cell]
    if c.word >> 24 == SETDMAREG:
        return sets_half(s, cell - GPR, mark)  # it keeps a half of what it writes
    if mark == 0 and pusher(c.origin) < s.arch.cores:
        report(s, UNINIT_GPR, cell, 0)  # a fragment in assembly leaves that to others
    if c.half_set[cell - GPR] and c.word >> 24 not in (LOADIND, STOREIND):  # which take a half
        taken = pusher(c.origin) < s.arch.cores or c.word >> 24 == WRCFG
        if is_word(s, mark, SETDMAREG) and taken:
            report(s, UNINIT_GPR, cell, mark)
    if c.row < THREADS and mark & ACTOR_MASK == SCALAR_PIPE * 4 + c.row:
        if loads_still(s, cell - GPR & 63, mark):
            return report(s, RACE_GPR, cell, mark)
    return reads_until(s, cell, issue_mark(s))


@kernel
def sets_half(s: Checking, register: int, mark: int) -> int:
    """A SETDMAREG sets a half of a register, which ``mark`` has written last."""
    c = s.shadow
    half = 1 + (SETDMAREG.reg_index_16b(c.word) & 1)
    if mark == 0 and not SETDMAREG.set_signals_mode(c.word):
        c.half_set[register] = half
    elif c.half_set[register] != half or not is_word(s, mark, SETDMAREG):
        c.half_set[register] = 0
    return OK


@kernel
def loads_still(s: Checking, register: int, mark: int) -> int:
    """Whether who acts takes a register that its thread's scalar unit may still have to load."""
    c = s.shadow
    if epoch_of(mark) <= c.loads_over[c.row] or epoch_of(mark) == c.now:
        return 0
    if c.word >> 24 == LOADIND and loaded_by(c.word, register):
        return 0  # it keeps a part of what it loads to
    return loaded_by(word_of(s, mark), register)


@kernel
def loaded_by(word: int, register: int) -> int:
    """Whether a word loads a register: when it is through, the register is not there yet."""
    opcode = word >> 24
    if opcode == LOADREG:
        return 1 if LOADREG.tdma_data_reg_index(word) == register else 0
    if opcode not in (LOADIND, ATINCGET, ATINCGETPTR):
        return 0
    first = LOADIND.data_reg_index(word)  # which all three have in the same place
    if opcode == LOADIND and LOADIND.size_sel(word) == 0:
        return 1 if first >> 2 == register >> 2 else 0
    return 1 if first == register else 0


@kernel
def issue_mark(s: Checking) -> int:
    """The mark of what is over once an instruction is issued; a core's is its own."""
    c = s.shadow
    if c.pipe >= CORE_PIPE:
        mark: int = c.mark
        return mark
    mark = c.now << EPOCH_SHIFT | ISSUE_ACTOR | c.actor & 3
    return mark
