"""On which hardware pipe an instruction runs, by its name and the places of its operands.

Source: pto-isa ``include/pto/common/event.hpp``; a Vector core moves UB to L1 on MTE3.
"""

import re

from tilelab.pto.order import PIPES

PLACES = ("GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "MX_A", "MX_B", "REG")
# ``pipe_t`` of pto-isa's CPU stub, in its order.
PIPE_T = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "ALL", "FIX")
_FIXED = {"TPREFETCH": "MTE2", "TLOAD": "MTE2", "TCI": "S", "MSCATTER": "V"}
_NOTHING = {
    "TASSIGN", "TRESHAPE", "TSUBVIEW", "TSYNC", "TPUSH", "TPOP", "TFREE", "TALLOC", "TPRINT",
}  # fmt: skip
_MOVES = {
    ("L1", "L0A"): "MTE1", ("L1", "L0B"): "MTE1", ("L1", "BT"): "MTE1", ("L1", "MX_A"): "MTE1",
    ("L1", "MX_B"): "MTE1", ("L1", "FB"): "FIX", ("L0C", "L1"): "FIX", ("L0C", "UB"): "FIX",
    ("L0C", "GM"): "FIX", ("UB", "UB"): "V", ("UB", "L1"): "MTE3", ("UB", "GM"): "MTE3",
    ("L1", "GM"): "MTE3", ("GM", "UB"): "MTE2", ("GM", "L1"): "MTE2",
}  # fmt: skip
_TARGET = {"UB": "V", "L1": "MTE2", "L0A": "MTE1", "L0B": "MTE1", "L0C": "M", "GM": "MTE3"}
_PHASE = re.compile(r"(?:STPhase|AccPhase)\b(?:[^=;\]]*=\s*\(?pto::\w+\)?)?(?:::)?(\w+)")


def pipe_of(op: str, sources: list[str], target: str) -> str | None:
    """The pipe's name, None for what moves no byte."""
    if op in _NOTHING:
        return None
    if op in _FIXED:
        return _FIXED[op]
    if op.startswith(("TMATMUL", "TGEMV")):
        return "M"
    if op == "MGATHER" and target == "UB":
        return "V"
    return _MOVES.get((sources[0] if sources else "", target)) or _TARGET.get(target, "V")


def unit_flag(function: str) -> bool:
    """Whether template arguments ask for the unit flag, which orders M and FIX by itself."""
    return any(found not in ("Unspecified", "0") for found in _PHASE.findall(function))


def adds(function: str) -> bool:
    """Whether a store's template arguments make it an atomic addition."""
    return "AtomicType::AtomicAdd" in function


# Instructions of PIPE_V that do not take their operands element by element, each at the same place
# as the next does.
_GATHERING = (
    "TROW", "TCOL", "TTRANS", "TGATHER", "TSCATTER", "TSORT", "TMRGSORT", "TCI", "TTRI", "TCONCAT",
    "TPART", "TINTERLEAVE", "TDEINTERLEAVE", "THISTOGRAM", "TPAIR", "TEXTRACT", "TINSERT",
    "MGATHER", "MSCATTER",
)  # fmt: skip


def streaming(op: str, operands: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The operands that an instruction takes in the order of their elements.

    On A2/A3 pto-isa's kernels put no ``pipe_barrier(PIPE_V)`` between two such instructions on one
    extent; before and after reductions, expansions and the like they do.
    """
    if op.startswith(("TROWEXPAND", "TCOLEXPAND")):
        return operands[:2] if len(operands) > 2 else operands[:1]
    return [] if op.startswith(_GATHERING) else operands


PIPE_NUMBER = [PIPES.index(name) if name in PIPES else -1 for name in PIPE_T]
