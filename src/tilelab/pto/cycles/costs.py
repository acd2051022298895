"""Cycles of one instruction, by its name, the places of its operands, shape and element type.

Not modelled: bank conflicts, other clusters' traffic, quantisation in the fixpipe.
"""

from math import ceil

from tilelab.pto.cycles.figures import Figures
from tilelab.pto.trace import Work

REPEAT = 256  # bytes that PIPE_V takes at a time
_MOST_ROWS = 255  # of one repeating instruction
# Single floats of these shapes are reduced by groups (pto-isa npu/a2a3/TRowReduceOps.hpp): repeats
# of the group reductions, and of the instructions between them.
_BY_GROUPS = {
    (64, 128): ((128, 8), (8,)), (32, 256): ((128, 4), (8, 4)), (16, 512): ((128, 16, 2), ()),
    (8, 1024): ((128, 16, 1), (1,)),
}  # fmt: skip
_COLUMNS = ("TCOLMAX", "TCOLMIN", "TCOLSUM", "TCOLPROD")


def cycles(work: Work, figures: Figures) -> float:
    """How long an instruction holds its pipe."""
    if work.pipe == "M":
        return _matmul(work, figures)
    if work.pipe == "V":
        return _vector(work, figures)
    if work.pipe == "S":
        return figures["control"]
    return _move(work, figures)


def held(work: Work, figures: Figures) -> float:
    """How long its pipe takes no other; global memory is asked again before it has answered."""
    total = cycles(work, figures)
    if work.pipe not in ("MTE2", "MTE3"):
        return total
    fixed = figures[f"{_gm(work.route, figures)}_fixed"]
    return total - work.copies * max(fixed - figures["transfer"], 0)


def shared(work: Work, figures: Figures) -> float:
    """What an instruction of PIPE_V spares that follows another without a barrier: the pipe is
    filled once for all of them (pto-isa, costmodel/trace.hpp and cce_costmodel_core.hpp).
    """
    op = work.op.removeprefix("TROWEXPAND")
    if work.pipe != "V" or not op or op in (*_COLUMNS, "TSEL"):
        return 0
    return figures[f"{_group(work)}.fixed"] if _group(work) else _fixed(op, work, figures)


def known(op: str, figures: Figures) -> bool:
    """Whether an instruction of PIPE_V has a figure of its own."""
    own = (*_COLUMNS, "TROWEXPAND", "TSEL")
    op = f"T{op.removeprefix('TROWEXPAND')}" if op.startswith("TROWEXPAND") else op
    return op in own or op == "T" or f"{op}.slope" in figures


def _matmul(work: Work, figures: Figures) -> float:
    """``mad_head`` and a pass for each fractal of 16 x 32 bytes x 16; fp32 takes several."""
    rows, cols = work.shape
    size = max(work.size, 1)
    passes = figures["mad_fp32"] if work.kind == "f" and size == 4 else 1
    fractals = ceil(rows / 16) * ceil(work.depth * size / 32) * ceil(cols / 16)
    return figures["mad_head"] + passes * fractals


def _move(work: Work, figures: Figures) -> float:
    """A transfer between two memories; ``copies`` of them in one instruction."""
    source, target = work.route
    rows, cols = work.shape
    line = cols * work.size
    if source == "L0C":
        drained = rows * max(line / figures["drain"], figures["drain_row"])
        return figures["drain_fixed"] + drained
    if target == "L0A":
        return rows * line / figures["l1_l0a"]
    if target in ("L0B", "BT", "FB", "MX_A", "MX_B"):
        return rows * line / figures["l1_l0b"]
    name = _gm(work.route, figures)
    sent = max(line, figures[name]) if source == "GM" else line
    return work.copies * (figures[f"{name}_fixed"] + rows * sent / figures[name])


def _gm(route: tuple[str, str], figures: Figures) -> str:
    """The figure of a transfer from or to global memory, or between UB and L1."""
    if route[0] == "GM":
        return "gm_ub" if route[1] == "UB" else "gm_l1"
    return "ub_l1" if route[1] == "L1" and "ub_l1" in figures else "ub_gm"


def _vector(work: Work, figures: Figures) -> float:
    op = work.op
    rows, cols = work.shape
    line = ceil(cols * work.size / REPEAT)
    if op in _COLUMNS:
        return _columns(work, figures)
    if op == "TSEL":
        return 3 + rows * line * figures["row_select"]
    if op == "TROWEXPAND":
        return 5 + rows * (figures["row_scalar"] + line - 1)
    if op.startswith("TROWEXPAND"):  # broadcast, then the operation
        broadcast = ceil(rows / 8) + figures["other.fixed"]
        return broadcast + _linear(op.removeprefix("TROWEXPAND"), work, figures)
    if op in ("TROWSUM", "TROWMAX", "TROWMIN"):
        if _group(work):
            return _by_groups(work, figures)
        folds = (line - 1) * (2 * rows + figures["other.fixed"]) if line > 1 else 0
        return folds + figures[f"{op}.slope"] * rows + figures[f"{op}.fixed"]
    return _linear(op, work, figures)


def _group(work: Work) -> str:
    """Whose figures a row reduction by groups has; "" for what is none."""
    if (work.kind, work.size) != ("f", 4) or work.shape not in _BY_GROUPS:
        return ""
    return {"TROWSUM": "group_sum", "TROWMAX": "group_max", "TROWMIN": "group_max"}.get(work.op, "")


def _by_groups(work: Work, figures: Figures) -> float:
    groups, between = _BY_GROUPS[work.shape]
    name = _group(work)
    other = "TADD" if work.op == "TROWSUM" else "TMAX"
    total = sum(figures[f"{name}.slope"] * n + figures[f"{name}.fixed"] for n in groups)
    return total + sum(figures[f"{other}.slope"] * n + figures[f"{other}.fixed"] for n in between)


def _name(op: str, figures: Figures) -> str:
    """Whose figures an instruction has."""
    return next((one for one in (op, f"T{op}") if f"{one}.slope" in figures), "other")


def _fixed(op: str, work: Work, figures: Figures) -> float:
    """What an instruction takes whatever its repeats."""
    whole = work.kind in "iu" and op.endswith("S")
    return figures["whole_fixed" if whole else f"{_name(op, figures)}.fixed"]


def _linear(op: str, work: Work, figures: Figures) -> float:
    """``fixed``, and ``slope`` for each repeat."""
    slope, fixed = figures[f"{_name(op, figures)}.slope"], _fixed(op, work, figures)
    rows, cols = work.shape
    whole = work.kind in "iu"
    # pto-isa's kernels take whole numbers, and tiles of many rows, row by row.
    by_row = rows > _MOST_ROWS or (whole and work.size == 2)
    nbytes = cols * work.size
    repeats = rows * ceil(nbytes / REPEAT) if by_row else ceil(rows * nbytes / REPEAT)
    if op in ("TDIV", "TDIVS") and work.size == 2 and not by_row:
        slope += 4  # half floats divide in two steps
    return fixed + slope * repeats


def _columns(work: Work, figures: Figures) -> float:
    """The first row is copied; each other is folded into it, one after another or by halves."""
    rows, cols = work.shape
    nbytes = cols * work.size
    copy = figures["ub_ub_fixed"] + nbytes / figures["ub_ub"]
    if rows == 1:
        return copy
    repeats = ceil(nbytes / REPEAT)
    if work.halves:
        levels = (rows - 1).bit_length()
        apart = (rows - 1) * (2 * repeats + figures["row_apart"])
        return copy + apart + levels * figures["level"]
    return copy + (rows - 1) * (2 * repeats + figures["row_step"])
