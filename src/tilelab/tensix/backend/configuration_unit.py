"""Configuration unit: WRCFG, RDCFG, RMWCIB, SETC16, CFGSHIFTMASK, and what RISC-V stores reach.

Manual: ConfigurationUnit.md, BackendConfiguration.md. Not modelled: STREAMWRCFG (it reads NoC
streams); clock-gating side effects (they have no functional result).
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import (
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.backend.semantics import BLACKHOLE, BOTH, config_bank, semantics
from tilelab.tensix.backend.vector_unit.lreg import seed_prng
from tilelab.tensix.chips.opcodes import RMWCIB0
from tilelab.tensix.state.records import State

CONFIG_OUT_OF_BOUNDS = check(
    "config-out-of-bounds",
    UndefinedBehaviorError,
    "configuration register {value} does not exist",
    "BackendConfiguration.md",
)
THREAD_CONFIG_OUT_OF_BOUNDS = check(
    "thread-config-out-of-bounds",
    UndefinedBehaviorError,
    "thread configuration register {value} does not exist",
    "SETC16.md",
)
WRCFG_UNALIGNED = check(
    "wrcfg-unaligned",
    NonContractualBehaviorError,
    "a 128-bit WRCFG names configuration register {value} or a GPR that is no multiple of 4",
    "WRCFG.md",
    policy=Policy.ERROR,
)
STREAMWRCFG_NOT_MODELLED = check(
    "streamwrcfg",
    UnsupportedFunctionalityError,
    "STREAMWRCFG reads a NoC stream, which is not modelled",
    "STREAMWRCFG.md",
)


@kernel
def write_config(s: State, bank: int, word: int, value: int) -> int:
    """Write one Config word, with the immediate effects that some words have.

    Words from ``global_config`` on are the same in both banks.
    """
    if word >= s.arch.config_words:
        return fault(s, CONFIG_OUT_OF_BOUNDS, word)
    if word == s.f.STATE_RESET_EN >> 16:
        for i in range(s.arch.global_config):
            s.config[bank, i] = 0
        return OK
    value &= s.config_mask[word]
    s.config[bank, word] = value
    if word >= s.arch.global_config:
        s.config[1 - bank, word] = value
        if word == s.f.PRNG_SEED_Seed_Val >> 16:
            seed_prng(s, value)
    return OK


@semantics("WRCFG", BOTH)
def wrcfg(s: State, t: int, gpr_address: int, wr128b: int, cfg_reg: int) -> int:
    """Copy one GPR, or an aligned group of four, to Config."""
    if cfg_reg >= s.arch.config_words:
        return fault(s, CONFIG_OUT_OF_BOUNDS, cfg_reg)
    bank = config_bank(s, t)
    if not wr128b:
        return write_config(s, bank, cfg_reg, s.gpr[t, gpr_address])
    if (cfg_reg | gpr_address) & 3 and refuse(s, WRCFG_UNALIGNED, cfg_reg):
        return WRCFG_UNALIGNED
    for i in range(4):
        write_config(s, bank, (cfg_reg & ~3) + i, s.gpr[t, (gpr_address & ~3) + i])
    return OK


@semantics("RDCFG", BOTH)
def rdcfg(s: State, t: int, gpr_address: int, cfg_reg: int) -> int:
    """Copy one Config word to a GPR."""
    if cfg_reg >= s.arch.config_words:
        return fault(s, CONFIG_OUT_OF_BOUNDS, cfg_reg)
    s.gpr[t, gpr_address] = s.config[config_bank(s, t), cfg_reg]
    return OK


@semantics("RMWCIB3", BOTH)
@semantics("RMWCIB2", BOTH)
@semantics("RMWCIB1", BOTH)
@semantics("RMWCIB0", BOTH)
def rmwcib(s: State, t: int, mask: int, data: int, cfg_reg_addr: int, word: int) -> int:
    """Replace the masked bits of a byte of a Config word; the opcode says of which."""
    if cfg_reg_addr >= s.arch.config_words:
        return fault(s, CONFIG_OUT_OF_BOUNDS, cfg_reg_addr)
    bank = config_bank(s, t)
    shift = 8 * ((word >> 24) - RMWCIB0)
    kept = s.config[bank, cfg_reg_addr] & ~(mask << shift) & WORD
    return write_config(s, bank, cfg_reg_addr, kept | (data & mask) << shift)


@semantics("SETC16", BOTH)
def setc16(s: State, t: int, setc16_reg: int, setc16_value: int) -> int:
    """Set one register of the thread's ThreadConfig."""
    if setc16_reg >= s.arch.thread_config_words:
        return fault(s, THREAD_CONFIG_OUT_OF_BOUNDS, setc16_reg)
    s.thread_config[t, setc16_reg] = setc16_value
    if setc16_reg == s.f.UNPACK_MISC_CFG_CfgContextCntReset_0 >> 16:
        # whatever is written: both unpackers' fields are in this register (BackendConfiguration.md)
        for u in range(2):
            s.unpack_context[u, t] = 0
    return OK


@kernel
def rotate_right(value: int, amount: int) -> int:
    """Rotate a 32-bit word right."""
    return ((value >> amount) | (value << (32 - amount))) & WORD


@semantics("CFGSHIFTMASK", BLACKHOLE)
def cfgshiftmask(
    s: State,
    t: int,
    disable_mask_on_old_val: int,
    operation: int,
    mask_width: int,
    right_cshift_amt: int,
    scratch_sel: int,
    cfg_reg: int,
) -> int:
    """Combine a Config word with a SCRATCH_SEC value, masked and rotated."""
    if cfg_reg >= s.arch.config_words:
        return fault(s, CONFIG_OUT_OF_BOUNDS, cfg_reg)
    bank = config_bank(s, t)
    scratch_word = s.f.SCRATCH_SEC_val[scratch_sel if scratch_sel < 3 else t] >> 16
    mask = (2 << mask_width) - 1
    operand = rotate_right(s.config[bank, scratch_word] & mask, right_cshift_amt)
    value = s.config[bank, cfg_reg]
    if not disable_mask_on_old_val:
        value &= ~rotate_right(mask, right_cshift_amt) & WORD
    if operation == 0:
        value |= operand
    elif operation == 1:
        value &= operand
    elif operation == 2:
        value ^= operand
    elif operation == 3:
        value += operand
    elif operation == 4:
        value |= ~operand & WORD
    elif operation == 5:
        value &= ~operand & WORD
    elif operation == 6:
        value ^= ~operand & WORD
    else:
        value -= operand
    return write_config(s, bank, cfg_reg, value & WORD)


@semantics("STREAMWRCFG", BLACKHOLE)
def streamwrcfg(s: State, t: int, stream_id_sel: int, stream_reg_addr: int, cfg_reg: int) -> int:
    """Copy a NoC stream's register to Config (STREAMWRCFG.md): refused."""
    return fault(s, STREAMWRCFG_NOT_MODELLED, stream_reg_addr)
