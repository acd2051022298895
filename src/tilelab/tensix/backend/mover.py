"""The mover: copies or zeroes L1, and loads Config from L1, in units of 16 bytes.

Here a move is complete when XMOV is. Manual: XMOV.md, Mover.md.

Not modelled: the second block of XMOV's operands.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import (
    MissingSpecificationError,
    UndefinedBehaviorError,
)
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.backend.l1_access import l1_check
from tilelab.tensix.backend.register_map import config_store_code, store_config
from tilelab.tensix.backend.semantics import BOTH, config, semantics
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import TENSIX_CFG

ZERO_L1, LOAD_REGISTERS, ZERO_REGISTERS, COPY_L1 = 0, 1, 2, 3
"""Directions; the manual's names say L0 for what is no L0."""
REGION: Final = 0x10000
"""Bytes of each region that is not L1."""
INSTRUCTION_RAM: Final = 0x40000

XMOV_FORM = check(
    "xmov-form",
    MissingSpecificationError,
    "no document says what XMOV with block {value} does",
    page="XMOV.md",
    cure="use block 0 and last 0",
)
XMOV_INSTRUCTION_RAM = check(
    "xmov-instruction-ram",
    UndefinedBehaviorError,
    "the mover writes behind NCRISC's instruction RAM, at {value:#x}",
    page="Mover.md",
)
XMOV_REGION = check(
    "xmov-region",
    UndefinedBehaviorError,
    "a move to {value:#x} runs over the end of its 64 KiB region",
    page="Mover.md",
)
XMOV_OVERLAP = check(
    "xmov-overlap",
    UndefinedBehaviorError,
    "a move to {value:#x} overlaps where it comes from",
    page="Mover.md",
)


@kernel
def check_l1(s: State, target: int, source: int, count: int, direction: int) -> int:
    """Check the addresses in L1 of a move."""
    code = OK
    if direction in (LOAD_REGISTERS, COPY_L1):
        code = l1_check(s, source, source + count)
    if code == OK and direction in (ZERO_L1, COPY_L1):
        code = l1_check(s, target, target + count)
    if code == OK and direction == COPY_L1:
        if target < source + count and source < target + count:
            return fault(s, XMOV_OVERLAP, target)
    return code


@kernel
def check_registers(s: State, target: int, count: int) -> int:
    """Check the registers that a move goes to; those of no region are nowhere."""
    if target % REGION + count > REGION:
        return fault(s, XMOV_REGION, target)
    if INSTRUCTION_RAM <= target < INSTRUCTION_RAM + REGION:
        if target + count > INSTRUCTION_RAM + s.arch.iram:
            return fault(s, XMOV_INSTRUCTION_RAM, target)
    if target < REGION:
        for offset in range(0, count, 4):
            code = config_store_code(s, TENSIX_CFG + target + offset)
            if code != OK:
                return fault(s, code, TENSIX_CFG + target + offset)
    return OK


@semantics("XMOV", BOTH)
def xmov(s: State, t: int, mov_block_selection: int, last: int) -> int:
    """Move what THCON_SEC0_REG6 describes."""
    if mov_block_selection or last:
        return fault(s, XMOV_FORM, mov_block_selection)
    source = (config(s, t, s.f.THCON_SEC0_REG6_Source_address) << 4) & WORD
    target = (config(s, t, s.f.THCON_SEC0_REG6_Destination_address) << 4) & WORD
    count = (config(s, t, s.f.THCON_SEC0_REG6_Buffer_size) & 0xFFFF) << 4
    direction = config(s, t, s.f.THCON_SEC0_REG6_Transfer_direction)
    return move(s, target, source, count, direction)


@kernel
def move(s: State, target: int, source: int, count: int, direction: int) -> int:
    """Copy or zero ``count`` bytes, after checking that all of it may be."""
    code = check_l1(s, target, source, count, direction)
    if code == OK and direction in (LOAD_REGISTERS, ZERO_REGISTERS):
        code = check_registers(s, target, count)
    if code != OK:
        return code
    s.cycle.work = count
    for offset in range(0, count, 4):
        value = s.l1_32[(source + offset) >> 2] if direction in (LOAD_REGISTERS, COPY_L1) else 0
        if direction in (ZERO_L1, COPY_L1):
            s.l1_32[(target + offset) >> 2] = value
        elif target < REGION:
            store_config(s, TENSIX_CFG + target + offset, value)
        elif INSTRUCTION_RAM <= target < INSTRUCTION_RAM + s.arch.iram:
            s.l1_32[(s.arch.l1_size + target - INSTRUCTION_RAM + offset) >> 2] = value
    return OK
