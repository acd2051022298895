"""Published figures of PTO's instructions: which one a row means, and what PTO's clock gives."""

import re
from math import prod

from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.rows import Row
from tilelab.pto.cycles.costs import cycles, known
from tilelab.pto.cycles.figures import figures
from tilelab.pto.trace import Work
from tilelab.tensix.tables.mechanisms import Mechanism

PATTERN = r"(?P<probe>T\w+) (?P<case>[\w.]+): profiled cycles of one PTO instruction"
MECHANISM = Mechanism("PTO instruction", 100, 57)
_TYPES = {
    "float": ("f", 4), "half": ("f", 2), "bf16": ("f", 2), "bfloat16": ("f", 2), "fp16": ("f", 2),
    "fp32": ("f", 4), "int32": ("i", 4), "int16": ("i", 2), "int8": ("i", 1), "uint32": ("u", 4),
    "uint16": ("u", 2), "uint8": ("u", 1),
}  # fmt: skip
_BLOCK = 32  # bytes of C0, the innermost part of a convolution's layouts


def instruction(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """Cycles of the instruction that a row names."""
    if "A2/A3" not in row.chip:
        raise NotRunError(f"no figure of PTO's instructions is of {row.chip}")
    return cycles(work_of(found["probe"].upper(), found["case"], row.quote), figures("a2a3"))


def work_of(op: str, case: str, quote: str) -> Work:
    """What a case of the vendor's tests runs, by its name; ``quote`` may tell outer dimensions."""
    words = case.split("_")
    kind, size = next((_TYPES[word] for word in words if word in _TYPES), ("", 0))
    shape = next((word for word in words if re.fullmatch(r"\d+x\d+", word)), "")
    if not size or not (shape or op == "TLOADCONV"):
        raise NotRunError(f"{case}: no element type and shape are named")
    if op == "TLOADCONV":
        elements = prod(int(word) for word in words if word.isdigit())
        return Work("TLOAD", "MTE2", ("GM", "L1"), (1, elements * _BLOCK // size), size, kind)
    rows, cols = map(int, shape.split("x"))
    if op in ("TLOAD", "TSTORE"):
        route = ("GM", "UB") if op == "TLOAD" else ("UB", "GM")
        copies = _outer(quote)
        if "dn" in words:
            rows, cols = cols, rows
        pipe = "MTE2" if op == "TLOAD" else "MTE3"
        return Work(op, pipe, route, (max(rows // copies, 1), cols), size, kind, copies=copies)
    work = Work(op, "V", ("UB", "UB"), (rows, cols), size, kind, halves="binary" in words)
    if not known(op, figures("a2a3")):
        raise NotRunError(f"{op} has no figure of its own")
    return work


def _outer(quote: str) -> int:
    """The product of the three outer dimensions of a vendor test's shape; 1 where none is told."""
    found = re.search(r"<\w+, (\d+), (\d+), (\d+), \d+, \d+, \d+, \d+,", quote)
    return prod(map(int, found.groups())) if found else 1
