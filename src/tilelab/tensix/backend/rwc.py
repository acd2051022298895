"""RWCs: the register-window counters that say which rows an instruction works on.

Each thread has counters for SrcA and SrcB (6 bits) and Dst (10 bits), each with a copy that
"carriage return" steps and restores, a fidelity phase (2 bits), and on Wormhole one extra bit
that selects the upper four address modes (``bias``).

Source: tt-isa-documentation, RWCs.md. Where ttsim refuses a combination (clear together with
C-to-CR, a bias step of more than one) the page's order of precedence is what happens here.

Not modelled: a set bias on Blackhole, whose three-bit address mode leaves it without a meaning.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.src_registers import SRCS
from tilelab.tensix.state.records import State

SRC_MASK: Final = 63
DST_MASK: Final = 1023

BIAS_WITHOUT_MEANING = check(
    "rwc-bias",
    UnsupportedFunctionalityError,
    "the bias counter is {value}, which has no documented meaning on this chip",
    page="RWCs.md",
    cure="keep ADDR_MOD_BIAS_SECi_BiasIncr at 0; an instruction's address mode reaches all 8 modes",
)


@kernel
def check_addr_mod(s: State, t: int) -> int:
    """Return OK if :func:`apply_addr_mod` is modelled in the thread's present state."""
    if s.arch.addr_mode_bits == 3 and s.rwc[t].bias:
        return fault(s, BIAS_WITHOUT_MEANING, s.rwc[t].bias)
    return OK


@kernel
def addr_mod_section(s: State, t: int, addr_mode: int) -> int:
    """Which of the 8 address modes an instruction's field selects."""
    if s.arch.addr_mode_bits == 3:
        return addr_mode
    place = s.f.ADDR_MOD_SET_Base
    base = (s.thread_config[t, place >> 16] >> ((place >> 8) & 31)) & 1
    if base or s.rwc[t].bias:
        return addr_mode + 4
    return addr_mode


@kernel
def step_src(s: State, t: int, which: int, increment: int, cr: int) -> None:
    """Step a thread's counter of SrcA or SrcB, or its copy, to which it returns."""
    rwc = s.rwc[t]
    if cr:
        rwc.src_cr[which] = (rwc.src_cr[which] + increment) & SRC_MASK
        rwc.src[which] = rwc.src_cr[which]
    else:
        rwc.src[which] = (rwc.src[which] + increment) & SRC_MASK


@kernel
def step_dst(s: State, t: int, increment: int, cr: int) -> int:
    """Step a thread's counter of Dst likewise; returns OK."""
    rwc = s.rwc[t]
    if cr:
        rwc.dst_cr = (rwc.dst_cr + increment) & DST_MASK
        rwc.dst = rwc.dst_cr
    else:
        rwc.dst = (rwc.dst + increment) & DST_MASK
    return OK


@kernel
def apply_addr_mod(s: State, t: int, addr_mode: int, update_fidelity: int) -> int:
    """``ApplyAddrMod`` of RWCs.md: step the thread's counters after an instruction; returns OK.

    Reads each of the section's three words once; their layout is the same on both chips.
    """
    section = addr_mod_section(s, t, addr_mode)
    ab = s.thread_config[t, s.f.ADDR_MOD_AB_SEC_SrcAIncr[section] >> 16]
    d = s.thread_config[t, s.f.ADDR_MOD_DST_SEC_DestIncr[section] >> 16]
    bias = s.thread_config[t, s.f.ADDR_MOD_BIAS_SEC_BiasIncr[section] >> 16]

    for which in SRCS:
        step = ab >> 8 * which
        if step & 0x80:  # SrcAClear, SrcBClear
            s.rwc[t].src[which] = 0
            s.rwc[t].src_cr[which] = 0
        else:
            step_src(s, t, which, step & 63, step & 0x40)  # SrcACR, SrcBCR

    if d & 0x800:  # DestClear
        s.rwc[t].dst = 0
        s.rwc[t].dst_cr = 0
    elif d & 0x1000:  # DestCToCR
        s.rwc[t].dst = (s.rwc[t].dst + (d & 1023)) & DST_MASK
        s.rwc[t].dst_cr = s.rwc[t].dst
    else:
        step_dst(s, t, d & 1023, d & 0x400)  # DestCR

    if update_fidelity:
        if d & 0x8000:  # FidelityClear
            s.rwc[t].fidelity = 0
        else:
            s.rwc[t].fidelity = (s.rwc[t].fidelity + ((d >> 13) & 3)) & 3

    if bias & 0x10:  # BiasClear
        s.rwc[t].bias = 0
    elif bias & 3:
        s.rwc[t].bias = s.rwc[t].bias ^ 1
    return OK
