"""Kernels that have been rewritten since figures of them were published.

A figure is of one version of a kernel. Where a checkout has a later one, what it takes is no
prediction of that figure, so the row is not run, and says why; ``--before`` with the old file asks
it. A later version is known by a text that only it has.
"""

import re
from dataclasses import dataclass

from tilelab.calibrate.compute_api import CHIPS
from tilelab.calibrate.llk import Llk
from tilelab.calibrate.machine import NotRunError

KERNELS = "hw/ckernels/{chip}/metal/llk_api/llk_sfpu/ckernel_sfpu_{name}.h"


@dataclass(frozen=True)
class Rewritten:
    """An operation's kernel, of exact mode; a text of the later one; whose figures are older."""

    operation: str
    text: str
    sources: str
    """A pattern of the sources whose figures are of the earlier kernel."""
    why: str


REWRITTEN = (
    Rewritten(
        "tanh",
        "_sfpu_tanh_polynomial_x2_",
        r"48925|49926|57292",
        "two vectors at once since tt-metal#52732: 14.75 words a vector, not 20 to 24",
    ),
    Rewritten(
        "softshrink",
        "sfpi::clamp(v",
        r"48696",
        "x - clamp(x), 11 words a vector, not 20",
    ),
    Rewritten(
        "heaviside",
        "copysgn(vFloat(0.5f), v)",
        r"48696|48925",
        "copysgn in place of two branches",
    ),
    Rewritten(
        "erfinv",
        "calculate_log_body",
        r"48925",
        "tt-metal#48925's last table has 3164.2 cycles a tile for it, before and after",
    ),
    Rewritten(
        "sqrt",
        "_bits_without_sign_",
        r"57292",
        "signed zeros have branches of their own, which tt-metal v0.76.0 had not",
    ),
    Rewritten(
        "recip",
        "Newton correction on the BF16 LSB",
        r"834",
        "bfloat16's takes 7 words a vector, and no longer 3",
    ),
)


def as_published(llk: Llk, arch: str, operation: str, source: str) -> None:
    """NotRunError if the checkout's kernel is a later one than a source's figure is of."""
    plain = operation.replace("_", "").lower()
    for one in REWRITTEN:
        if one.operation != plain or not re.search(one.sources, source):
            continue
        file = llk.metal / KERNELS.format(chip=CHIPS[arch][1], name=plain)
        if file.is_file() and one.text in file.read_text("utf-8"):
            raise NotRunError(f"the kernel has been rewritten: {one.why}")
