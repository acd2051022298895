"""Instruction words by the names that LLK authors know: ``TT_OP_MVMUL(clear_dvalid, …)``.

    from tilelab.tensix.ops import TT_OP_MVMUL, TT_OP_SETRWC
    TT_OP_MVMUL(0, 0, 3, 16)                 # as the C macro: high bits first
    TT_OP_MVMUL(addr_mode=3, dst=16)         # the same; what is not given is 0

The parameters are those of the C macros in the chip's ``ckernel_ops.h`` (column ``macro`` of the
instruction table), including the ones that the hardware does not read. The module's own names are
Blackhole's; ``WORMHOLE.TT_OP_x`` are Wormhole's. Instructions without operands are called too:
``TT_OP_NOP()``.

``TT_x(stream, …)`` and ``TTI_x(stream, …)`` push the word into a stream (see
:mod:`tilelab.kernels.ckernel`). In C++ the first stores a word made at run time and the second is
an instruction in the program; here they do the same, and ``TTI_x`` refuses a word that no RISC-V
program can contain (opcodes from 0xC0 on).
"""

from typing import Any

from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE_ROWS
from tilelab.tensix.chips.wormhole.rows import INSTRUCTIONS as WORMHOLE_ROWS
from tilelab.tensix.words.macros import PUSH, PUSH_IMMEDIATE, Ops

PUSHED = (PUSH, PUSH_IMMEDIATE)
BLACKHOLE = Ops(BLACKHOLE_ROWS)
WORMHOLE = Ops(WORMHOLE_ROWS)


def __getattr__(name: str) -> Any:
    if not name.startswith(PUSHED):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return BLACKHOLE.__getattr__(name)


def __dir__() -> list[str]:
    return [*globals(), *dir(BLACKHOLE)]
