"""What a tile holds before anything is written: junk, as silicon does after other work.

Registers and L1 have no defined contents at power-on. A fresh tile of tilelab holds zeros, which
makes a kernel that reads what nothing has written look right; with junk it gives other results.
Where a number has an exponent it is an ordinary one, so that a sum or a product shows it.
"""

from __future__ import annotations  # numpy.random is imported when it is asked

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.sim.errors import BadInputError
from tilelab.tensix.backend.vector_unit.lreg import EXTRA
from tilelab.tensix.state import TensixState
from tilelab.tensix.tile.arguments import integer

GENERAL_LREGS: Final = (*range(8), EXTRA)
"""LRegs that no document gives a value to begin with."""

FIRMWARE_SCRATCH, FIRMWARE_SCRATCH_BYTES = 0x10, 16
"""What of L1 the chip's firmware has written before any kernel runs (MEM_L1_ARC_FW_SCRATCH)."""


def fill(state: TensixState, seed: int) -> None:
    """Fill Dst, SrcA, SrcB, the general LRegs, GPRs, L1 and the cores' own RAM with junk.

    The same seed gives the same.
    """
    if not 0 <= integer("junk", seed) < 1 << 64:
        raise BadInputError(f"junk={seed}: choose a seed from 0 to {(1 << 64) - 1:#x}")
    rng = np.random.default_rng(seed)
    record: Any = state.record
    record["dst"] = _as_in_dst(_numbers(rng, record["dst"].shape))
    for name in ("src_a", "src_b"):
        record[name] = _numbers(rng, record[name].shape) & 0xFFFFE000
    for register in GENERAL_LREGS:
        record["lreg"][register] = _numbers(rng, (32,))
    for part in (record["gpr"], record["riscv"]["local_ram"]):
        part[...] = rng.integers(0, 1 << 32, part.shape, np.uint32)
    state.l1[...] = np.frombuffer(rng.bytes(state.l1.size), np.uint8)
    state.l1[FIRMWARE_SCRATCH:][:FIRMWARE_SCRATCH_BYTES] = 0


def _numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.uint32]:
    """Floats of any sign and mantissa, between 2**-12 and 2**12, as their bits."""
    bits = rng.integers(0, 1 << 32, shape, np.uint32)
    exponent = rng.integers(127 - 12, 127 + 12, shape, np.uint32)
    return bits & np.uint32(0x807FFFFF) | exponent << np.uint32(23)


def _as_in_dst(x: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Floats as bf16 in Dst's order of bits (:func:`tilelab.tensix.backend.dst.bf16_to_dst`)."""
    sign, mantissa, exponent = x >> 16 & 0x8000, x >> 16 & 0x7F, x >> 23 & 0xFF
    return (sign | mantissa << 8 | exponent).astype(np.uint32)
