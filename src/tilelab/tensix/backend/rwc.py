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
def apply_addr_mod(s: State, t: int, addr_mode: int, update_fidelity: int) -> int:
    """``ApplyAddrMod`` of RWCs.md: step the thread's counters after an instruction; returns OK.

    Reads each of the section's three words once; their layout is the same on both chips.
    """
    section = addr_mod_section(s, t, addr_mode)
    ab = s.thread_config[t, s.f.ADDR_MOD_AB_SEC_SrcAIncr[section] >> 16]
    d = s.thread_config[t, s.f.ADDR_MOD_DST_SEC_DestIncr[section] >> 16]
    bias = s.thread_config[t, s.f.ADDR_MOD_BIAS_SEC_BiasIncr[section] >> 16]

    if ab & 0x80:  # SrcAClear
        s.rwc[t].src_a = 0
        s.rwc[t].src_a_cr = 0
    elif ab & 0x40:  # SrcACR
        s.rwc[t].src_a_cr = (s.rwc[t].src_a_cr + (ab & 63)) & SRC_MASK
        s.rwc[t].src_a = s.rwc[t].src_a_cr
    else:
        s.rwc[t].src_a = (s.rwc[t].src_a + (ab & 63)) & SRC_MASK

    if ab & 0x8000:  # SrcBClear
        s.rwc[t].src_b = 0
        s.rwc[t].src_b_cr = 0
    elif ab & 0x4000:  # SrcBCR
        s.rwc[t].src_b_cr = (s.rwc[t].src_b_cr + ((ab >> 8) & 63)) & SRC_MASK
        s.rwc[t].src_b = s.rwc[t].src_b_cr
    else:
        s.rwc[t].src_b = (s.rwc[t].src_b + ((ab >> 8) & 63)) & SRC_MASK

    if d & 0x800:  # DestClear
        s.rwc[t].dst = 0
        s.rwc[t].dst_cr = 0
    elif d & 0x1000:  # DestCToCR
        s.rwc[t].dst = (s.rwc[t].dst + (d & 1023)) & DST_MASK
        s.rwc[t].dst_cr = s.rwc[t].dst
    elif d & 0x400:  # DestCR
        s.rwc[t].dst_cr = (s.rwc[t].dst_cr + (d & 1023)) & DST_MASK
        s.rwc[t].dst = s.rwc[t].dst_cr
    else:
        s.rwc[t].dst = (s.rwc[t].dst + (d & 1023)) & DST_MASK

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
