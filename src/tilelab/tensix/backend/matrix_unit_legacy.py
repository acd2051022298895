"""Matrix instructions of earlier chips, which no document defines well enough to model.

Source: tt-isa-documentation, MatrixUnit.md, "Legacy instructions": the convolution and average
pooling steps add zero to Dst rows that the page does not name, and the max pooling steps compare
with zero. Of the rest only the encoding is public. None occurs in the vendor's kernels.

Not modelled: everything here; each instruction faults with its reason.
"""

from typing import Any

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import (
    MissingSpecificationError,
    NonContractualBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.tensix.backend.semantics import semantics

LEGACY = check(
    "matrix-legacy",
    NonContractualBehaviorError,
    "opcode {value:#04x} is a convolution or pooling step of an earlier chip",
    page="MatrixUnit.md",
    cure="use MVMUL, GAPOOL or GMPOOL",
)
UNDOCUMENTED = check(
    "matrix-undocumented",
    MissingSpecificationError,
    "no document says what opcode {value:#04x} does",
    page="MatrixUnit.md",
    cure="remove the instruction",
)
HISTOGRAM = check(
    "matrix-histogram",
    UnsupportedFunctionalityError,
    "opcode {value:#04x} resets the packers' exponent histograms, which are not modelled",
    page="CLREXPHIST.md",
    cure="remove the instruction",
)


@semantics("CONV3S1")
def conv3s1(
    s: Any, t: int, clear_dvalid: int, rotate_weights: int, addr_mode: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x22)


@semantics("CONV3S2")
def conv3s2(
    s: Any, t: int, clear_dvalid: int, rotate_weights: int, addr_mode: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x23)


@semantics("MFCONV3S1")
def mfconv3s1(
    s: Any, t: int, clear_dvalid: int, rotate_weights: int, addr_mode: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x3A)


@semantics("MPOOL3S1", chip="blackhole")
def mpool3s1_blackhole(
    s: Any, t: int, clear_dvalid: int, pool_addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x24)


@semantics("MPOOL3S1", chip="wormhole")
def mpool3s1_wormhole(
    s: Any, t: int, clear_dvalid: int, addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x24)


@semantics("APOOL3S1", chip="blackhole")
def apool3s1_blackhole(
    s: Any, t: int, clear_dvalid: int, pool_addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x25)


@semantics("APOOL3S1", chip="wormhole")
def apool3s1_wormhole(
    s: Any, t: int, clear_dvalid: int, addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x25)


@semantics("MPOOL3S2", chip="blackhole")
def mpool3s2_blackhole(
    s: Any, t: int, clear_dvalid: int, pool_addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x31)


@semantics("MPOOL3S2", chip="wormhole")
def mpool3s2_wormhole(
    s: Any, t: int, clear_dvalid: int, addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x31)


@semantics("APOOL3S2", chip="blackhole")
def apool3s2_blackhole(
    s: Any, t: int, clear_dvalid: int, pool_addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x32)


@semantics("APOOL3S2", chip="wormhole")
def apool3s2_wormhole(
    s: Any, t: int, clear_dvalid: int, addr_mode: int, index_en: int, dst: int
) -> int:
    """A step of an earlier chip: not modelled."""
    return fault(s, LEGACY, 0x32)


@semantics("MOVDBGB2D")
def movdbgb2d(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, movb2d_instr_mod: int, dst: int
) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x0C)


@semantics("TRNSPSRCA")
def trnspsrca(s: Any, t: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x14)


@semantics("RAREB")
def rareb(s: Any, t: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x15)


@semantics("SETASHRMH0")
def setashrmh0(s: Any, t: int, reg_mask: int, halo_mask: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x1A)


@semantics("SETASHRMH1")
def setashrmh1(s: Any, t: int, reg_mask: int, halo_mask: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x1B)


@semantics("SETASHRMV")
def setashrmv(s: Any, t: int, reg_mask2: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x1C)


@semantics("SETPKEDGOF")
def setpkedgof(s: Any, t: int, y_end: int, y_start: int, x_end: int, x_start: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x1D)


@semantics("SETASHRMH")
def setashrmh(s: Any, t: int, reg_mask: int, halo_mask: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x1E)


@semantics("SETIBRWC")
def setibrwc(s: Any, t: int, rwc_cr: int, rwc_bias: int, set_inc_ctrl: int) -> int:
    """Undocumented: not modelled."""
    return fault(s, UNDOCUMENTED, 0x39)


@semantics("CLREXPHIST")
def clrexphist(s: Any, t: int) -> int:
    """Reset the exponent histograms (CLREXPHIST.md): not modelled."""
    return fault(s, HISTOGRAM, 0x21)
