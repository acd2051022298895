"""The scalar unit's loads, stores and atomics: L1, tile registers, and SrcA and SrcB.

An address in L1 is a GPR times 16, plus half a GPR in bytes (LOADIND, STOREIND) or a number of
words (ATINCGET, ATCAS). Results reach the GPR some time later in hardware; here at once, which a
program that waits as the manual asks cannot tell.

Manual: LOADIND.md, STOREIND.md, LOADREG.md, STOREREG.md, ATINCGET.md, ATINCGETPTR.md, ATSWAP.md,
ATCAS.md. Those pages are Wormhole's; the newest versions hold for both chips. Not modelled: forms
of the atomics and of STOREIND that no page describes (``mem_hier_sel``).
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import MissingSpecificationError, UndefinedBehaviorError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.backend.l1_access import l1_check
from tilelab.tensix.backend.register_map import read_shared, write_shared
from tilelab.tensix.backend.scalar_unit.arithmetic import set_half
from tilelab.tensix.backend.semantics import BOTH, semantics, thread_config
from tilelab.tensix.backend.src_registers import SRC_A, SRC_B, SRC_ROWS, given
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import LOCAL_RAM, TDMA_REGISTERS
from tilelab.tensix.words.waits import WAIT_L1, WAIT_SRC_UNPACK

BYTES_OF_INCREMENT: Final = (0, 2, 4, 16)
FACE_ROWS: Final = 16

HIERARCHY = check(
    "scalar-memory-hierarchy",
    MissingSpecificationError,
    "no document says what this form (mem_hier_sel {value}) does",
    page="ScalarUnit.md",
    cure="use the form that addresses L1",
)
NO_REGISTER = check(
    "scalar-register-address",
    UndefinedBehaviorError,
    "the coprocessor reaches no register at {value:#010x}",
    page="STOREREG.md",
    cure="use an address from 0xffb11000 on",
)
SRC_ADDRESS = check(
    "storeind-src-address",
    UndefinedBehaviorError,
    "STOREIND's place {value} in SrcA or SrcB does not exist",
    page="STOREIND_Src.md",
)


@kernel
def half(s: State, t: int, index: int) -> int:
    """Half a GPR, counted from the low half of GPR 0."""
    value = s.gpr[t, index >> 1]
    return (value >> (16 * (index & 1))) & 0xFFFF


@kernel
def step_offset(s: State, t: int, index: int, increment: int) -> int:
    """Increment the half of a GPR that held an offset; returns OK."""
    return set_half(s, t, index, (half(s, t, index) + BYTES_OF_INCREMENT[increment]) & 0xFFFF)


@kernel
def indirect(s: State, t: int, address_register: int, offset_half: int) -> int:
    """The L1 address of LOADIND and STOREIND."""
    return (s.gpr[t, address_register] * 16 + half(s, t, offset_half)) & WORD


@semantics("LOADIND", BOTH)
def loadind(
    s: State,
    t: int,
    size_sel: int,
    offset_index: int,
    auto_inc_spec: int,
    data_reg_index: int,
    addr_reg_index: int,
) -> int:
    """Load 128, 32, 16 or 8 bits from L1 into GPRs; narrow loads keep the GPR's upper bits."""
    address = indirect(s, t, addr_reg_index, offset_index)
    code = l1_check(s, address, address + 1)
    if code != OK:
        return code
    step_offset(s, t, offset_index, auto_inc_spec)
    if size_sel == 0:
        for i in range(4):
            s.gpr[t, (data_reg_index & ~3) + i] = s.l1_32[(address >> 4) * 4 + i]
    elif size_sel == 1:
        s.gpr[t, data_reg_index] = s.l1_32[address >> 2]
    elif size_sel == 2:
        set_half(s, t, 2 * data_reg_index, s.l1_16[address >> 1])
    else:
        s.gpr[t, data_reg_index] = (s.gpr[t, data_reg_index] & 0xFFFFFF00) | s.l1[address]
    return OK


@kernel
def store_l1(s: State, t: int, size: int, address: int, register: int) -> int:
    """Store 128, 32, 16 or 8 bits of GPRs to L1; returns OK."""
    value = s.gpr[t, register]
    if size == 0:
        for i in range(4):
            s.l1_32[(address >> 4) * 4 + i] = s.gpr[t, (register & ~3) + i]
    elif size == 1:
        s.l1_32[address >> 2] = value
    elif size == 2:
        s.l1_16[address >> 1] = value & 0xFFFF
    else:
        s.l1[address] = value & 0xFF
    return OK


@kernel
def src_datum(bits: int, upper: int) -> int:
    """A bf16 datum for SrcA or SrcB out of a GPR.

    The upper half has its exponent above the mantissa, the lower half below it.
    """
    if upper:
        return bits & 0xFFFF0000
    return (bits & 0x8000) << 16 | (bits & 0xFF) << 23 | (bits & 0x7F00) << 8


@kernel
def store_src(s: State, t: int, which: int, place: int, register: int) -> int:
    """Store four bf16 data of two GPRs to SrcA or SrcB, a quarter row at ``place``."""
    if place >> 16:
        return fault(s, SRC_ADDRESS, place)
    src = s.src[which]
    if given(s, which, src.unpack_bank):
        return WAIT_SRC_UNPACK[which]
    row = place >> 2
    if which == SRC_B:
        if row >= FACE_ROWS:
            return fault(s, SRC_ADDRESS, place)
        row += s.unpack_src_row[SRC_B, t]
    else:
        row -= 4
        if row < 0:
            return OK
        limit = SRC_ROWS if thread_config(s, t, s.f.SRCA_SET_SetOvrdWithAddr) else FACE_ROWS
        if row >= limit:
            return fault(s, SRC_ADDRESS, place)
        if limit == FACE_ROWS:
            row += s.unpack_src_row[SRC_A, t]
    for i in range(4):
        datum = src_datum(s.gpr[t, (register & ~3) + (i >> 1)], i & 1)
        src.data[src.unpack_bank, row & 63, (place & 3) * 4 + i] = datum
    return OK


@semantics("STOREIND", BOTH)
def storeind(
    s: State,
    t: int,
    mem_hier_sel: int,
    size_sel: int,
    reg_size_sel: int,
    offset_index: int,
    auto_inc_spec: int,
    data_reg_index: int,
    addr_reg_index: int,
) -> int:
    """Store GPRs to L1 (``mem_hier_sel`` 1), a tile register (``size_sel`` 1), SrcA or SrcB."""
    if mem_hier_sel:
        address = indirect(s, t, addr_reg_index, offset_index)
        code = l1_check(s, address, address + 1)
        if code != OK:
            return code
        # the offset moves first: the data may be the same GPR
        step_offset(s, t, offset_index, auto_inc_spec)
        return store_l1(s, t, size_sel << 1 | reg_size_sel, address, data_reg_index)
    place = (s.gpr[t, addr_reg_index] + (half(s, t, offset_index) >> 4)) & 0xFFFFF
    if not size_sel:
        code = store_src(s, t, reg_size_sel, place, data_reg_index)
    elif reg_size_sel:
        return fault(s, HIERARCHY, mem_hier_sel)
    else:
        code = store_register(s, t, LOCAL_RAM + (place & ~3), data_reg_index)
    if code == OK:
        step_offset(s, t, offset_index, auto_inc_spec)
    return code


@kernel
def store_register(s: State, t: int, address: int, register: int) -> int:
    """Store a GPR to a tile register."""
    if address < TDMA_REGISTERS:
        return fault(s, NO_REGISTER, address)
    return write_shared(s, address, s.gpr[t, register])


@semantics("STOREREG", BOTH)
def storereg(s: State, t: int, tdma_data_reg_index: int, reg_addr: int) -> int:
    """Store a GPR to a tile register."""
    return store_register(s, t, LOCAL_RAM + (reg_addr << 2), tdma_data_reg_index)


@semantics("LOADREG", BOTH)
def loadreg(s: State, t: int, tdma_data_reg_index: int, reg_addr: int) -> int:
    """Load a tile register into a GPR."""
    address = LOCAL_RAM + (reg_addr << 2)
    if address < TDMA_REGISTERS:
        return fault(s, NO_REGISTER, address)
    status, value = read_shared(s, address)
    if status == OK:
        s.gpr[t, tdma_data_reg_index] = value
    return status


@kernel
def atomic_address(
    s: State, t: int, mem_hier_sel: int, register: int, word: int
) -> tuple[int, int]:
    """Check an atomic's address: the code, and the index of its 32-bit word in L1."""
    if mem_hier_sel:
        return fault(s, HIERARCHY, mem_hier_sel), 0
    address = (s.gpr[t, register] * 16 + 4 * word) & WORD
    return l1_check(s, address, address + 1), address >> 2


@semantics("ATINCGET", BOTH)
def atincget(
    s: State,
    t: int,
    mem_hier_sel: int,
    wrap_val: int,
    sel_32b: int,
    data_reg_index: int,
    addr_reg_index: int,
) -> int:
    """Add a GPR to the low ``wrap_val`` + 1 bits of a word of L1; the GPR gets the old word."""
    code, index = atomic_address(s, t, mem_hier_sel, addr_reg_index, sel_32b)
    if code != OK:
        return code
    old = s.l1_32[index]
    mask = ((2 << wrap_val) - 1) & WORD
    s.l1_32[index] = ((old + s.gpr[t, data_reg_index]) & mask) | (old & ~mask & WORD)
    s.gpr[t, data_reg_index] = old
    return OK


@semantics("ATINCGETPTR", BOTH)
def atincgetptr(
    s: State,
    t: int,
    mem_hier_sel: int,
    no_incr: int,
    incr_val: int,
    wrap_val: int,
    sel_32b: int,
    data_reg_index: int,
    addr_reg_index: int,
) -> int:
    """Wait until a FIFO in L1 has room (odd ``sel_32b``) or data (even), then move its pointer.

    The read and write counters are the first two of four words; the GPR gets the old counter.
    """
    code, index = atomic_address(s, t, mem_hier_sel, addr_reg_index, 0)
    if code != OK:
        return code
    size = (s.l1_32[index + 1] - s.l1_32[index]) & WORD
    if sel_32b & 1:
        capacity = 1 << (wrap_val - 1) if wrap_val else 0x8000
        if size and size % capacity == 0:
            return WAIT_L1
    elif size == 0:
        return WAIT_L1
    old = s.l1_32[index + sel_32b]
    mask = (1 << wrap_val) - 1
    step = 0 if no_incr else 1 << incr_val
    s.l1_32[index + sel_32b] = ((old + step) & mask) | (old & ~mask & WORD)
    s.gpr[t, data_reg_index] = old
    return OK


@semantics("ATSWAP", BOTH)
def atswap(
    s: State,
    t: int,
    mem_hier_sel: int,
    single_data_reg: int,
    swap_mask: int,
    data_reg_index: int,
    addr_reg_index: int,
) -> int:
    """Store the halves of four GPRs that the mask names to L1; or of one GPR, the others zero."""
    code, index = atomic_address(s, t, mem_hier_sel, addr_reg_index, 0)
    if code != OK:
        return code
    for i in range(8):
        register = (data_reg_index & ~3) + (i >> 1)
        if (swap_mask >> i) & 1:
            value = half(s, t, 2 * register + (i & 1))
            if single_data_reg and register != data_reg_index:
                value = 0
            s.l1_16[2 * index + i] = value
    return OK


@semantics("ATCAS", BOTH)
def atcas(
    s: State,
    t: int,
    mem_hier_sel: int,
    swap_val: int,
    cmp_val: int,
    sel_32b: int,
    addr_reg_index: int,
) -> int:
    """Wait until a word of L1 has one 4-bit value, then set it to another."""
    code, index = atomic_address(s, t, mem_hier_sel, addr_reg_index, sel_32b)
    if code != OK:
        return code
    if s.l1_32[index] != cmp_val:
        return WAIT_L1
    s.l1_32[index] = swap_val
    return OK
