"""What is known of figures that the model misses by more than a tenth."""

import re

FAR = 10
"""Percent of silicon's figure from which on a reason is given."""
KNOWN = (
    (
        r"Dst block unreadable",
        "cards contradict the document: a word on one block every 6 cycles (mesham/tt-sim)",
    ),
    (
        r"Signbit MATH_ISOLATE",
        "another kernel: 5 cycles a vector on the card; in every release from 0.72.0 on it is one "
        "word of SFPLOADMACRO",
    ),
    (
        r"Addcmul \(main",
        "another kernel: the figure is of a state whose loss its author then mended; of what "
        "releases have, pairs of rows, tt-metal#48925's last table has 276.9",
    ),
    (
        r"(Gelu|recip \(compat\)).* MATH_ISOLATE",
        "another compiler: the vendor's makes more words of these conditions",
    ),
    (r".*MATH_ISOLATE|.* MATH_ISOLATE$", "another compiler, or another version of the kernel"),
    (
        r"perf_\w+ (L1_TO_L1|L1_CONGESTION): ",
        "the mean is of 22 variants of some 9,800, and which is not said; on a Blackhole card, "
        "whose runs of this test are up to 25 % apart (tt-metal#44910)",
    ),
    (r"pack_dest_bank .*accumulate", "additions to L1 have two rhythms: --placement 4, 6"),
    (
        r"perf_|unpack_|pack_",
        "banks and ports of L1 that units share are not modelled, or the kernel is another version",
    ),
    (r"rv_(load|store)", "cores at work share L1's ports in another order"),
)
"""Patterns of rows, and why; the first counts."""


def reason(what: str, error: float | None) -> str:
    """Why a row is so far off; "" if it is not, or if nothing is known."""
    if error is None or abs(error) <= FAR:
        return ""
    return next((why for pattern, why in KNOWN if re.match(pattern, what)), "not known")
