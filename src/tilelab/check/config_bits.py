"""What the checker does when configuration is read or written, by bits.

A write that changes no bit that the other party reads is no race. Instructions read configuration
when they issue; packers read it until they are through (PACR.md), but for the destination address.
Unpackers, and the units that compute, are said to do the one or the other (decision 17): three
rules, of which the one about addresses is off unless it is asked for.
"""

from typing import Final

from tilelab.check.accesses import conflict, issue_mark, report, unknown
from tilelab.check.knowledge import note
from tilelab.check.rules import ADDRESS_BUSY, MATH_BUSY, UNPACKER_BUSY, WRCFG_NEXT
from tilelab.check.shadow import (
    ACTOR_MASK,
    CHANGES,
    CONFIG,
    CORE_PIPE,
    ISSUE_ACTOR,
    THREAD_CONFIG,
    THREAD_WORDS,
)
from tilelab.check.view import Checking, epoch_of, field_bits
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import RMWCIB0, RMWCIB3
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import (
    MATRIX_PIPE,
    PACK_PIPE,
    UNPACK_PIPE,
    VECTOR_PIPE,
)

ALL_BITS: Final = 0xFFFFFFFF
CONTEXTS, OFFSETS = 8, 4
"""Words of base addresses of an unpacker; words whose low half is an offset to one."""


@kernel
def reads_bits(s: Checking, cell: int, bits: int) -> int:
    """Bits of a configuration word are read: by packers at any time until they are through."""
    c = s.shadow
    read = c.reader_bits[cell, c.group]
    if c.reader[cell, c.group] != c.until:
        c.reader[cell, c.group] = c.until
        read = 0
    if bits & ~read == 0:
        return OK  # this word has read them already
    c.reader_bits[cell, c.group] = read | bits
    c.used[cell] |= bits
    mark = c.writer[cell]
    if c.writer_bits[cell] & bits:
        if mark == c.fresh and mark:
            report(s, WRCFG_NEXT, cell, mark)
        if mark & ACTOR_MASK != c.actor and unknown(s, mark):
            conflict(s, cell, mark, 0)
    return OK


@kernel
def reads_bank(s: Checking, t: int) -> None:
    """A word asks which Config bank its thread selects."""
    cell = THREAD_CONFIG + t * THREAD_WORDS
    if s.shadow.reader[cell, s.shadow.group] != s.shadow.until:
        reads_bits(s, cell, ALL_BITS)


@kernel
def reads_config_word(s: Checking, cell: int) -> int:
    """A configuration word is read as a whole; what RMWCIB does to its byte is one act.

    Which of its bits a core needs is not known, unless it stores the word again: then all.
    """
    c = s.shadow
    if RMWCIB0 <= c.word >> 24 <= RMWCIB3:
        return OK
    if c.pipe != CORE_PIPE:
        return reads_bits(s, cell, ALL_BITS)
    mark = c.writer[cell]
    c.loaded_cell[c.row - THREADS] = cell
    c.loaded_origin[c.row - THREADS] = c.origin
    c.loaded_over[c.row - THREADS] = mark if unknown(s, mark) else 0
    return OK


@kernel
def reads_config(s: Checking, t: int, place: int) -> None:
    """A Config field is read from the bank that the thread selects."""
    c = s.shadow
    until = c.until
    if place in (s.f.THCON_SEC0_REG1_L1_Dest_addr, s.f.THCON_SEC0_REG8_L1_Dest_addr):
        c.until = issue_mark(s)  # read as PACR starts (Packers/OutputAddressGenerator.md)
    bank = s.thread_config[t, 0] & 1
    reads_bits(s, CONFIG + bank * 256 + (place >> 16), field_bits(place))
    c.until = until


@kernel
def reads_thread_config(s: Checking, t: int, place: int) -> int:
    """A ThreadConfig field is read."""
    return reads_bits(s, THREAD_CONFIG + t * THREAD_WORDS + (place >> 16), field_bits(place))


@kernel
def changes_bits(s: Checking, cell: int, changed: int) -> None:
    """Bits of a configuration word change."""
    c = s.shadow
    if changed == 0:
        return  # who reads it cannot tell
    mark = c.writer[cell]
    if c.writer_bits[cell] & changed and mark & ACTOR_MASK != c.actor and unknown(s, mark):
        conflict(s, cell, mark, 1)
    for group in range(4):
        mark = c.reader[cell, group]
        if c.reader_bits[cell, group] & changed and mark & ACTOR_MASK != c.actor:
            if unknown(s, mark):
                outdates(s, cell, mark, c.reader_bits[cell, group] & changed)
    c.writer[cell] = c.mark
    c.writer_bits[cell] = changed
    c.used[cell] &= ~changed
    if c.pipe >= CORE_PIPE:
        c.now += 1  # a word that waits reads it anew when it tries again


@kernel
def outdates(s: Checking, cell: int, mark: int, changed: int) -> int:
    """Bits change that a word has read which may not be through: report it, by when it reads."""
    c = s.shadow
    pipe = (mark & ACTOR_MASK) >> 2
    epoch = epoch_of(mark)
    issued = c.known[c.row].of[ISSUE_ACTOR | mark & 3] >= epoch
    computes = pipe in (MATRIX_PIPE, VECTOR_PIPE)
    if not (computes or UNPACK_PIPE <= pipe < PACK_PIPE) or not issued:
        return conflict(s, cell, mark, 1)
    if cell >= THREAD_CONFIG:
        return OK  # SETC16 changes contexts behind every UNPACR of the vendor's
    if computes:
        return report(s, MATH_BUSY, cell, mark)
    return report(s, ADDRESS_BUSY if of_address(s, cell, changed) else UNPACKER_BUSY, cell, mark)


@kernel
def of_address(s: Checking, cell: int, changed: int) -> int:
    """Whether bits of Config say where an unpacker reads."""
    word = cell - CONFIG & 255
    for u in range(2):
        base = word - (s.f.THCON_SEC_REG3_Base_address[u] >> 16)
        offset = word - (s.f.THCON_SEC_REG7_Offset_address[u] >> 16)
        if 0 <= base < CONTEXTS:
            return 1
        if 0 <= offset < OFFSETS and changed < 1 << 16:
            return 1
    return 0


@kernel
def writes_config(s: Checking, cell: int, value: int) -> None:
    """A word of Config is written."""
    at = cell - CONFIG
    before = s.config[at >> 8, at & 255]
    c = s.shadow
    if c.pipe == CORE_PIPE and c.loaded_cell[c.row - THREADS] == cell:
        over = c.loaded_over[c.row - THREADS]
        if over and before != value:
            here = c.origin
            c.origin = c.loaded_origin[c.row - THREADS]
            conflict(s, cell, over, 0)
            c.origin = here
        c.loaded_over[c.row - THREADS] = 0
    notes_change(s, cell, before, value)
    changes_bits(s, cell, before ^ value)


@kernel
def writes_thread_config(s: Checking, cell: int, value: int) -> None:
    """A word of ThreadConfig is written."""
    at = cell - THREAD_CONFIG
    c = s.shadow
    c.thread_config_set[at] = 1
    before = s.thread_config[at // THREAD_WORDS, at % THREAD_WORDS]
    if before != value:
        c.thread_setter_before[at] = c.thread_setter[at]
        c.thread_setter[at] = c.origin
    notes_change(s, cell, before, value)
    changes_bits(s, cell, before ^ value)


@kernel
def notes_change(s: Checking, cell: int, before: int, after: int) -> None:
    """Remember a write of a configuration word, for :mod:`.contract`."""
    c = s.shadow
    if c.changes == CHANGES:
        return
    new = c.change[c.changes]
    new.cell = cell
    new.before = before
    new.after = after
    note(s, new)
    new.now = c.now
    for group in range(4):
        new.reader[group] = c.reader[cell, group]
        new.reader_bits[group] = c.reader_bits[cell, group]
    new.used = c.used[cell]
    c.changes += 1
