"""The vector unit (SFPU): its rows, bound to their lane-by-lane semantics.

Here: loads, stores, flags, moves, rounding; :mod:`vector_unit_arithmetic` has the others. Every
instruction goes through :func:`issue` first, which lets pass the time for what SFPLOADMACRO
scheduled, and records the instruction as a template where VD says so. Results for the constant
registers (VD 8 and above) are dropped, as on hardware; modes that ttsim refuses and the manual
defines do what the manual says.

Not modelled: LaneConfig (but for EXCHANGE_SRCB_SRCC) and LoadMacroConfig that differ between
columns of lanes; what the modules that this one binds list.
"""

from typing import Any

from tilelab.sim.kernel import OK
from tilelab.tensix.backend import vector_unit_arithmetic  # noqa: F401  binds the other rows
from tilelab.tensix.backend.load_macro import GO, elapse, issue, load_macro
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import semantics
from tilelab.tensix.backend.vector_condition_codes import (
    complement_flags,
    enable_flags,
    pop_flags,
    push_flags,
    set_flags,
)
from tilelab.tensix.backend.vector_configuration import configure
from tilelab.tensix.backend.vector_lanes import move, shift_or_shuffle, swap, transpose
from tilelab.tensix.backend.vector_load_store import (
    check_addressing,
    dst_address,
    load,
    load_immediate,
    resolved_format,
    store,
)
from tilelab.tensix.backend.vector_round import stochastic_round


@semantics("SFPLOAD")
def sfpload(
    s: Any, t: int, lreg_ind: int, instr_mod0: int, sfpu_addr_mode: int, dest_reg_addr: int
) -> int:
    """VD = 32 datums of Dst (SFPLOAD.md)."""
    mod0 = resolved_format(s, t, instr_mod0)
    code = check_addressing(s, t, mod0)
    if code == OK:
        code = check_addr_mod(s, t)
    if code != OK:
        return code
    # the address mode's place differs between the chips: 13 on Blackhole, 14 on Wormhole
    modes = sfpu_addr_mode << (16 - s.arch.addr_mode_bits)
    word = 0x70000000 | lreg_ind << 20 | instr_mod0 << 16 | modes | dest_reg_addr
    code = issue(s, t, word)
    if code != GO:
        return code
    load(s, lreg_ind, mod0, dst_address(s, t, dest_reg_addr, mod0))
    return apply_addr_mod(s, t, sfpu_addr_mode, 0)


@semantics("SFPSTORE")
def sfpstore(
    s: Any, t: int, lreg_ind: int, instr_mod0: int, sfpu_addr_mode: int, dest_reg_addr: int
) -> int:
    """32 datums of Dst = VD (SFPSTORE.md)."""
    mod0 = resolved_format(s, t, instr_mod0)
    code = check_addressing(s, t, mod0)
    if code == OK:
        code = check_addr_mod(s, t)
    if code != OK:
        return code
    modes = sfpu_addr_mode << (16 - s.arch.addr_mode_bits)
    word = 0x72000000 | lreg_ind << 20 | instr_mod0 << 16 | modes | dest_reg_addr
    code = issue(s, t, word)
    if code != GO:
        return code
    store(s, lreg_ind, mod0, dst_address(s, t, dest_reg_addr, mod0))
    return apply_addr_mod(s, t, sfpu_addr_mode, 0)


@semantics("SFPLOADMACRO")
def sfploadmacro(
    s: Any, t: int, lreg_ind: int, instr_mod0: int, sfpu_addr_mode: int, dest_reg_addr: int
) -> int:
    """VD = 32 datums of Dst, then up to four scheduled instructions (SFPLOADMACRO.md)."""
    vd = (dest_reg_addr & 1) << 2 | (lreg_ind & 3)
    return load_macro(s, t, lreg_ind >> 2, vd, instr_mod0, sfpu_addr_mode, dest_reg_addr)


@semantics("SFPNOP")
def sfpnop(s: Any, t: int) -> int:
    """Occupy the vector unit for a cycle (SFPNOP.md)."""
    return elapse(s, 1) if s.load_macro_busy else OK


@semantics("SFPCONFIG")
def sfpconfig(s: Any, t: int, imm16_math: int, config_dest: int, instr_mod1: int) -> int:
    """Write constants, LaneConfig or LoadMacroConfig (SFPCONFIG.md)."""
    # VD 12..15 are targets here, not templates, so the word that is issued leaves VD out
    code = issue(s, t, 0x91000000)
    if code != GO:
        return code
    return configure(s, imm16_math, config_dest, instr_mod1)


@semantics("SFPLOADI")
def sfploadi(s: Any, t: int, lreg_ind: int, instr_mod0: int, imm16: int) -> int:
    """VD = a 16-bit immediate, converted or in one half (SFPLOADI.md)."""
    code = issue(s, t, 0x71000000 | lreg_ind << 20 | instr_mod0 << 16 | imm16)
    if code != GO:
        return code
    return load_immediate(s, imm16, lreg_ind, instr_mod0)


@semantics("SFPSETCC")
def sfpsetcc(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """Lane flags = VC compared with zero (SFPSETCC.md)."""
    code = issue(s, t, 0x7B000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return set_flags(s, imm12_math, lreg_c, instr_mod1)


@semantics("SFPMOV")
def sfpmov(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC, -VC or what is no LReg (SFPMOV.md)."""
    code = issue(s, t, 0x7C000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return move(s, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPPUSHC")
def sfppushc(s: Any, t: int, lreg_dest: int, instr_mod1: int) -> int:
    """Push the lane flags (SFPPUSHC.md)."""
    code = issue(s, t, 0x87000000 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return push_flags(s, instr_mod1)


@semantics("SFPPOPC")
def sfppopc(s: Any, t: int, lreg_dest: int, instr_mod1: int) -> int:
    """Pop the lane flags, or combine them with the stack's top (SFPPOPC.md)."""
    code = issue(s, t, 0x88000000 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return pop_flags(s, instr_mod1)


@semantics("SFPENCC")
def sfpencc(s: Any, t: int, imm12_math: int, lreg_dest: int, instr_mod1: int) -> int:
    """Enable or disable conditional execution (SFPENCC.md)."""
    code = issue(s, t, 0x8A000000 | imm12_math << 12 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return enable_flags(s, imm12_math, instr_mod1)


@semantics("SFPCOMPC")
def sfpcompc(s: Any, t: int, lreg_dest: int) -> int:
    """The lane flags of an "else" (SFPCOMPC.md)."""
    code = issue(s, t, 0x8B000000 | lreg_dest << 4)
    if code != GO:
        return code
    return complement_flags(s)


@semantics("SFPTRANSP")
def sfptransp(s: Any, t: int, lreg_dest: int) -> int:
    """Transpose rows of LReg[0..3] and of LReg[4..7] (SFPTRANSP.md)."""
    code = issue(s, t, 0x8C000000 | lreg_dest << 4)
    if code != GO:
        return code
    return transpose(s)


@semantics("SFP_STOCH_RND")
def sfp_stoch_rnd(
    s: Any,
    t: int,
    rnd_mode: int,
    imm8_math: int,
    lreg_src_b: int,
    lreg_src_c: int,
    lreg_dest: int,
    instr_mod1: int,
) -> int:
    """VD = VC in less precision or range (SFPSTOCHRND.md)."""
    code = issue(
        s,
        t,
        0x8E000000
        | rnd_mode << 21
        | imm8_math << 16
        | lreg_src_b << 12
        | lreg_src_c << 8
        | lreg_dest << 4
        | instr_mod1,
    )
    if code != GO:
        return code
    return stochastic_round(s, rnd_mode, imm8_math, lreg_src_b, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPSWAP")
def sfpswap(s: Any, t: int, lreg_src_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """Exchange or order VC and VD (SFPSWAP.md)."""
    code = issue(s, t, 0x92000000 | lreg_src_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return swap(s, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPSHFT2")
def sfpshft2(
    s: Any, t: int, imm12_math: int, lreg_src_c: int, lreg_dest: int, instr_mod1: int
) -> int:
    """Shuffle lanes or registers, or shift (SFPSHFT2.md)."""
    code = issue(
        s, t, 0x94000000 | imm12_math << 12 | lreg_src_c << 8 | lreg_dest << 4 | instr_mod1
    )
    if code != GO:
        return code
    return shift_or_shuffle(s, imm12_math, imm12_math & 15, lreg_src_c, lreg_dest, instr_mod1)
