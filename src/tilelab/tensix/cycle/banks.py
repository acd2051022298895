"""Src banks that change hands, cycle by cycle.

What UNPACR gives arrives late. The matrix unit turns to the other bank, and gives the one before
back, some cycles after the word that says so was issued (tt-metal#52256, tt-metal#55106): its own
words know at once, but who asks whether the bank *that the matrix unit is at* is valid (STALLWAIT,
and UNPACR_NOP that clears) sees the one before until then, which is valid. CLEARDVALID turns at
once. For how long an unpacker waits for a bank the least is charged: it sees in the next cycle that
it was given back.

SETRWC does not ask whether the banks that it clears are valid, but it clears them as late as it
turns: an UNPACR_NOP that waited for the turn before gives its bank meanwhile. So such a SETRWC is
held at its gate for the cycles that its effect is late by, and turns when it would have turned.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.src_registers import SRCS, valid_bits
from tilelab.tensix.chips.opcodes import CLEARDVALID, SETRWC, UNPACR, UNPACR_NOP
from tilelab.tensix.state.cycle_record import BECOMES_VALID, GIVEN_BACK
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import MATRIX_PIPE

TURNS: Final = 4
"""Where :func:`bank_bits` has the bank that the matrix unit is at, behind the valid bits."""


@kernel
def later(s: State, time: int) -> int:
    """Something is under way until ``time``, so the tile is not stuck before that."""
    s.cycle.active_until = max(s.cycle.active_until, time)
    return OK


@kernel
def bank_bits(s: State) -> int:
    """Who owns each bank, as in ``valid_bits``; bits 4, 5: where the matrix unit is, SrcA, SrcB."""
    return valid_bits(s) | s.src[0].matrix_bank << TURNS | s.src[1].matrix_bank << TURNS + 1


@kernel
def set_pending(s: State, which: int, bank: int, kind: int, time: int) -> int:
    """Hide a change of a Src bank's owner until ``time``."""
    s.cycle.pending[which, bank] = kind
    s.cycle.pending_at[which, bank] = time
    s.cycle.pending_any = 1
    return later(s, time)


@kernel
def gives(s: State, which: int) -> int:
    """Whether an UNPACR_NOP of that unpacker is at a gate, or what one gave is on its way."""
    if s.cycle.pending[which, s.src[which].matrix_bank] == BECOMES_VALID:
        return 1
    for t in range(s.arch.threads):
        f = s.frontend[t]
        if f.gate_full and f.gate_word >> 24 == UNPACR_NOP:
            if UNPACR.unpack_block_selection(f.gate_word) == which:
                return 1
    return 0


@kernel
def before_gift(s: State, t: int, word: int) -> int:
    """Whether a SETRWC is earlier than a gift that its late effect on the banks is not.

    Wormhole's copies of tiles live on that (tt-llk, llk_unpack_A.h): after a wait for Dst a face
    is copied in three cycles, and only its turn lets the UNPACR_NOP clear SrcB's next bank.
    """
    if word >> 24 != SETRWC:
        return 0
    clear = SETRWC.clear_ab_vld(word)
    for which in SRCS:
        # one UNPACR_NOP clears the bank, a second one gives it, and then it is valid
        until = s.cycle.turned_at[which] + s.arch.timing.interval[UNPACR_NOP] + 1
        if clear >> which & 1 == 0 or s.clock >= until:
            continue
        src = s.src[which]
        if src.valid[src.matrix_bank] == 0 and gives(s, which):
            if s.cycle.bank_since[t] == 0:
                s.cycle.bank_since[t] = s.clock
            later(s, until)
            return 1
    return 0


@kernel
def arrives_with(s: State, which: int, bank: int) -> int:
    """What an unpacker reads last makes a bank valid when it arrives."""
    cycle = s.cycle
    if cycle.read_left[which, 0]:
        slot = 1 if cycle.read_left[which, 1] else 0
        cycle.read_banks[which, slot] = cycle.read_banks[which, slot] | 1 << bank
    return OK


@kernel
def hide_bank_changes(s: State, t: int, before: int, arrival: int) -> int:
    """Show later what a thread's instruction did to the banks: gifts on arrival, returns at once.

    ``before``: :func:`bank_bits` before it. A turn holds the matrix unit's pipeline that long.
    """
    at_once = s.frontend[t].gate_word >> 24 == CLEARDVALID
    turned = s.clock + (s.arch.timing.bank_cleared if at_once else s.arch.timing.bank_turned)
    if s.cycle.bank_since[t]:
        turned = max(s.clock + 1, s.cycle.bank_since[t] + s.arch.timing.bank_turned)
    for which in SRCS:
        src = s.src[which]
        for bank in range(2):
            was = before >> 2 * which + bank & 1
            if src.valid[bank] != was:
                src.valid[bank] = was
                kind = GIVEN_BACK if was else BECOMES_VALID
                set_pending(s, which, bank, kind, s.clock + 1 if was else arrival)
                if kind == BECOMES_VALID and arrival == s.cycle.read_end[which]:
                    arrives_with(s, which, bank)
        bank = before >> TURNS + which & 1
        if src.matrix_bank != bank and before >> 2 * which + bank & 1:
            s.cycle.turned_at[which] = turned
            s.cycle.pipe_busy[t, MATRIX_PIPE] = max(s.cycle.pipe_busy[t, MATRIX_PIPE], turned)
            later(s, turned)
    return OK


@kernel
def show_pending(s: State) -> int:
    """Begin a cycle: show the changes of bank owners that are due."""
    cycle = s.cycle
    left = 0
    for which in SRCS:
        for bank in range(2):
            if cycle.pending[which, bank] == 0:
                continue
            if cycle.pending_at[which, bank] > s.clock:
                left = 1
                continue
            kind = cycle.pending[which, bank]
            s.src[which].valid[bank] = 1 if kind == BECOMES_VALID else 0
            cycle.pending[which, bank] = 0
            s.engine.moved = 1
    cycle.pending_any = left
    return OK
