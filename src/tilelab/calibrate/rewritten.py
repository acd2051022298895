"""Kernels that have been rewritten since figures of them were published.

A figure is of one version of a kernel. Where a checkout has a later one, what it takes is no
prediction of that figure, so an earlier release among the checkouts is asked; if there is none, the
row is not run, and says why. A later version is known by a text that only it has.
"""

import re
from dataclasses import dataclass

from tilelab.build.standin.foreign import LONG_NAMES
from tilelab.calibrate.compute_api import API
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench

KERNELS = "hw/ckernels/{chip}/metal/llk_api/llk_sfpu/ckernel_sfpu_{name}.h"
SHARED = "tt-llk/tt_llk_{chip}/common/inc/sfpu/ckernel_sfpu_{name}.h"
"""Where earlier releases have a kernel."""
RECIPROCAL = "bfloat16's takes 7 words a vector, and no longer 3"


@dataclass(frozen=True)
class Rewritten:
    """An operation's kernel, of exact mode; a text of the later one; whose figures are older."""

    operation: str
    text: str
    sources: str
    """A pattern of the sources whose figures are of the earlier kernel."""
    why: str
    file: str = KERNELS


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
        RECIPROCAL,
    ),
    Rewritten("recip", "imm16*/ 0x8000", r"834", RECIPROCAL, SHARED),
)


CHANGES = (
    (
        r"48925",
        "tt-llk/tt_llk_{chip}/common/inc/sfpu/ckernel_sfpu_rounding_ops.h",
        "GCC unroll 4",
    ),
)
"""Sources whose figures are of before and after a change; a file, and a text that it has since."""


def as_published(bench: Perfbench, arch: str, operation: str, source: str) -> Perfbench:
    """The first release whose kernel is not a later one than a source's figure is of.

    NotRunError if there is none.
    """
    plain = operation.replace("_", "").lower()
    releases = bench.releases
    for one in REWRITTEN:
        if one.operation == plain and re.search(one.sources, source):
            path = one.file.format(chip=LONG_NAMES[arch], name=plain)
            releases = [release for release in releases if not _has(release, path, one.text)]
            if not releases:
                raise NotRunError(f"the kernel has been rewritten: {one.why}")
    return releases[0]


def around(bench: Perfbench, arch: str, source: str) -> tuple[Perfbench, Perfbench] | None:
    """The last release before a source's change, and the first after it; None: not both there."""
    for sources, file, text in CHANGES:
        if re.search(sources, source):
            path = file.format(chip=LONG_NAMES[arch])
            changed = [_has(release, path, text) for release in bench.releases]
            if True in changed and False in changed[changed.index(True) :]:
                before = changed.index(False, changed.index(True))
                return bench.releases[before], bench.releases[before - 1]
    return None


def having(bench: Perfbench, name: str, kind: str) -> Perfbench:
    """The first release whose ``NAME_tile`` is of a kind unless asked for another; NotRunError."""
    default = re.compile(rf"template <bool \w*{kind}\w* = true>\s*ALWI void {name}_tile\(")
    for release in bench.releases:
        for header in (release.llk.metal / API).rglob("*.h"):
            if default.search(header.read_text("utf-8")):
                return release
    raise NotRunError(f"the compute API has no {kind} {name}_tile")


def _has(bench: Perfbench, path: str, text: str) -> bool:
    file = bench.llk.metal / path
    return file.is_file() and text in file.read_text("utf-8")
