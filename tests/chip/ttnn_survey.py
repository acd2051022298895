"""Run by a Python that has ttnn: every function of one and two operands and every reduction.

``ttnn_survey.py RESULTS.jsonl SEED [PART…]`` tries cases in an order that the seed draws, each
beside NumPy, and appends a line for each; cases that the file has are left out. PART: only cases
whose name has it. ``ttnn_survey.py --list`` prints the names.
"""

import hashlib
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np
import ttnn
import ttnn_goldens as goldens

FLOATS = {"bf16": ttnn.bfloat16, "fp32": ttnn.float32, "bfp8": ttnn.bfloat8_b}
INTEGERS = {
    "int32": (ttnn.int32, np.int32),
    "uint32": (ttnn.uint32, np.uint32),
    "uint16": (ttnn.uint16, np.uint16),
}
ROOM = {"bf16": 0.02, "fp32": 0.01, "bfp8": 0.06}
"""How far from NumPy, as a part of the number or of a twentieth of the largest."""
BLOCK = 16
"""Numbers of a bfp8 tensor that share an exponent."""
STOPPED = "unexpected run_mailbox value"
"""What the wheel says of a chip that has stopped, and from then on of every program."""
SIZE = (32, 64)
BESIDE = {"row": (1, 64), "column": (32, 1), "one": (1, 1)}
FOLDED = (2, 3, 40, 70)
DIMENSIONS: tuple[tuple[int, ...] | None, ...] = (
    *((-1,), (-2,), (1,), (0,), (1, 2), (2, 3), (0, 1), (0, 2), (1, 3), (1, 2, 3)),
    *((0, 1, 2), None),
)
Array = np.ndarray
Results = ttnn.Tensor | list[ttnn.Tensor] | tuple[ttnn.Tensor, ...]


@dataclass(frozen=True)
class Case:
    """What is called with what, and what NumPy gives."""

    call: Callable[..., Results]
    operands: Callable[[], list[Array]]
    kind: str
    golden: Callable[..., Array]
    layout: ttnn.Layout = ttnn.TILE_LAYOUT
    some: bool = False
    """NumPy gives some numbers only: where it gives NaN, anything is right."""


def drawn(shape: tuple[int, ...], kind: str, domain: str, seed: int) -> Array:
    """Numbers that a function takes and that the kind has (a block's exponent apart)."""
    rng = np.random.default_rng(seed)
    if kind in INTEGERS:
        least = 0 if kind[0] == "u" else -1000
        return rng.integers(1 if domain == "divisor" else least, 1000, shape).astype(
            INTEGERS[kind][1]
        )
    x = rng.standard_normal(shape)
    x = {
        goldens.ANY: lambda: 2 * x,
        goldens.POSITIVE: lambda: np.abs(x) + 0.25,
        goldens.SMALL: lambda: np.tanh(x) * 0.9,
        goldens.ABOVE_ONE: lambda: np.abs(x) + 1.25,
        goldens.WITHIN: lambda: 0.05 + 0.9 / (1 + np.exp(-x)),
        "above two": lambda: np.abs(x) + 2.25,
        "near one": lambda: 1 + x / 16,
    }[domain]()
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def operands(kind: str, *about: tuple[tuple[int, ...], str]) -> Callable[[], list[Array]]:
    return lambda: [drawn(shape, kind, domain, 7 + i) for i, (shape, domain) in enumerate(about)]


def of_one() -> Iterator[tuple[str, Case]]:
    for name, (golden, domain) in goldens.UNARY.items():
        for kind in FLOATS:
            yield (
                f"{name} {kind}",
                Case(getattr(ttnn, name), operands(kind, (SIZE, domain)), kind, golden),
            )
    for name, (numbers, golden, domain) in goldens.WITH_NUMBERS.items():
        for kind in FLOATS:
            yield f"{name} {kind} numbers", Case(
                lambda x, name=name, numbers=numbers: getattr(ttnn, name)(x, *numbers),
                operands(kind, (SIZE, domain)), kind, golden,
            )  # fmt: skip
    for kind in INTEGERS:
        for name, golden in goldens.INTEGER_UNARY.items():
            yield (
                f"{name} {kind}",
                Case(getattr(ttnn, name), operands(kind, (SIZE, "")), kind, golden),
            )
        for name, (numbers, golden) in goldens.INTEGER_WITH_NUMBERS.items():
            yield f"{name} {kind} numbers", Case(
                lambda x, name=name, numbers=numbers: getattr(ttnn, name)(x, *numbers),
                operands(kind, (SIZE, "")), kind, golden,
            )  # fmt: skip


EXTRA = {"addalpha": {"alpha": 0.5}, "subalpha": {"alpha": 0.5}, "lerp": {"weight": 0.25}}


def of_two() -> Iterator[tuple[str, Case]]:
    for name, (golden, domain) in goldens.BINARY.items():
        if golden is None:
            continue

        def call(a, b, name=name):  # type: ignore[no-untyped-def]
            if name == "lerp":
                return ttnn.lerp(a, b, 0.25)
            return getattr(ttnn, name)(a, b, *EXTRA.get(name, {}).values())

        for kind in FLOATS:
            yield (
                f"{name} {kind}",
                Case(call, operands(kind, (SIZE, domain), (SIZE, domain)), kind, golden),
            )
        for place, shape in BESIDE.items():
            yield (
                f"{name} bf16 {place}",
                Case(call, operands("bf16", (SIZE, domain), (shape, domain)), "bf16", golden),
            )
    for kind in INTEGERS:
        for name, golden in goldens.INTEGER_BINARY.items():
            about = (SIZE, ""), (SIZE, "divisor")
            yield f"{name} {kind}", Case(getattr(ttnn, name), operands(kind, *about), kind, golden)


def folds() -> Iterator[tuple[str, Case]]:
    for name, golden in goldens.FOLDS.items():
        domain = "near one" if name == "prod" else goldens.ANY
        for kind, dims in itertools.product((*FLOATS, *INTEGERS), DIMENSIONS):
            kept = name != "prod"

            def call(x, name=name, dims=dims, kept=kept):  # type: ignore[no-untyped-def]
                dim = dims[0] if dims and len(dims) == 1 else [*dims] if dims else None
                about = {} if dim is None else {"dim": dim}
                return getattr(ttnn, name)(x, **about, **({"keepdim": True} if kept else {}))

            yield f"{name} {kind} {dims or 'all'}", Case(
                call, operands(kind, (FOLDED, domain)), kind,
                lambda x, golden=golden, dims=dims: golden(x, axis=dims),
            )  # fmt: skip
        for dims in ((1, 2), (2, 3)):
            yield f"{name} bf16 {dims} large", Case(
                lambda x, name=name, dims=dims: getattr(ttnn, name)(x, dim=[*dims]),
                operands("bf16", ((1, 3, 256, 160), domain)), "bf16",
                lambda x, golden=golden, dims=dims: golden(x, axis=dims),
            )  # fmt: skip
    for name, golden in goldens.RUNNING.items():
        domain = "near one" if name == "cumprod" else goldens.ANY
        for kind, dim in itertools.product((*FLOATS, *INTEGERS), range(4)):
            yield f"{name} {kind} {dim}", Case(
                lambda x, name=name, dim=dim: getattr(ttnn, name)(x, dim=dim),
                operands(kind, (FOLDED, domain)), kind,
                lambda x, golden=golden, dim=dim: golden(x, axis=dim),
            )  # fmt: skip
    for kind, dim in itertools.product((*FLOATS, *INTEGERS), (-1, None)):
        about = {} if dim is None else {"dim": dim}
        yield f"argmax {kind} {dim or 'all'}", Case(
            lambda x, about=about: ttnn.argmax(x, **about), operands(kind, (SIZE, "any")), kind,
            lambda x, dim=dim: np.argmax(x, axis=dim), ttnn.ROW_MAJOR_LAYOUT,
        )  # fmt: skip


BACKWARD_NUMBERS = {
    "clamp": (-0.5, 0.75), "clip": (-0.5, 0.75), "elu": (1.5,), "leaky_relu": (0.25,),
    "polygamma": (1,), "pow": (3.0,), "rdiv": (2.0,), "rpow": (2.0,), "threshold": (0.25, 9.0),
}  # fmt: skip


def backward() -> Iterator[tuple[str, Case]]:
    """Of a gradient and an operand."""
    for name, (golden, domain) in goldens.UNARY.items():
        f = getattr(ttnn, f"{name}_bw", None)
        if f is not None:
            yield f"{name}_bw bf16", Case(
                f, operands("bf16", (SIZE, goldens.ANY), (SIZE, domain)), "bf16",
                lambda g, x, golden=golden: g * goldens.slope(golden)(x), some=True,
            )  # fmt: skip
    for name, numbers in BACKWARD_NUMBERS.items():
        golden, domain = goldens.WITH_NUMBERS[name][1:] if name != "polygamma" else (None, "")
        if golden is not None:
            yield f"{name}_bw bf16 numbers", Case(
                lambda g, x, name=name, numbers=numbers: getattr(ttnn, f"{name}_bw")(
                    g, x, *numbers
                ),
                operands("bf16", (SIZE, goldens.ANY), (SIZE, domain)), "bf16",
                lambda g, x, golden=golden: g * goldens.slope(golden)(x), some=True,
            )  # fmt: skip


CASES: dict[str, Case] = dict(itertools.chain(of_one(), of_two(), folds(), backward()))


def back(tensor: ttnn.Tensor) -> Array:
    """A tensor's numbers."""
    host = tensor.cpu()
    host = host if host.layout == ttnn.ROW_MAJOR_LAYOUT else host.to(ttnn.ROW_MAJOR_LAYOUT)
    if host.dtype in (ttnn.bfloat16, ttnn.bfloat8_b, ttnn.bfloat4_b):
        host = ttnn.to_dtype(host, ttnn.float32)
    return np.ascontiguousarray(host.to_numpy())


def apart(found: Array, wanted: Array, room: float, part: int = 20) -> float:
    """The largest difference, in parts of what is allowed (0: integers, bit for bit)."""
    if room == 0:
        return float(np.abs(found.astype(np.int64) - wanted.astype(np.int64)).max())
    found, wanted = found.astype(np.float64), np.asarray(wanted, np.float64)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    finite = np.abs(wanted[np.isfinite(wanted)])
    least = finite.max() / part if finite.size else 1.0
    off = np.abs(found - wanted) / (room * np.maximum(np.abs(wanted), max(least, 1e-30)))
    return float(np.where(same, 0, np.nan_to_num(off, nan=1e9, posinf=1e9)).max())


def tried(case: Case, device: ttnn.Device) -> dict[str, object]:
    """A case's verdict: right or wrong, with how far; refused or not built, with the words."""
    given = case.operands()
    kind = INTEGERS[case.kind][0] if case.kind in INTEGERS else FLOATS[case.kind]
    place = ttnn.DRAM_MEMORY_CONFIG
    try:
        tensors = [
            ttnn.Tensor(np.ascontiguousarray(x), kind, device, case.layout, place) for x in given
        ]
        made = case.call(*tensors)
        first = made[0] if isinstance(made, list | tuple) else made
        found = back(first)
    except Exception as e:  # whatever the wheel raises is a verdict
        words = str(e)
        built = "build failed" not in words and "riscv-tt-elf" not in words
        return {"verdict": "refused" if built else "not built", "words": words[:3000]}
    exact = case.kind in INTEGERS
    read = [back(t) for t in tensors] if case.kind == "bfp8" else given
    with np.errstate(all="ignore"):
        wanted = case.golden(*[x if exact else x.astype(np.float64) for x in read])
    wanted = np.asarray(wanted)
    wanted = wanted.astype(np.float64) if wanted.dtype == object else wanted
    if wanted.size != found.size:
        return {"verdict": "wrong", "words": f"shape {found.shape}, not {wanted.shape}"}
    wanted = wanted.reshape(found.shape)
    if exact and wanted.dtype.kind == "f":
        exact = False
    if exact:
        wanted = wanted.astype(found.dtype if found.dtype.kind in "iu" else np.float64)
    if case.some:
        wanted = np.where(np.isnan(wanted), found, wanted)
    part = 4 if case.kind == "bfp8" else 20  # a block's numbers share an exponent
    if case.kind == "bfp8" and wanted.shape[-1:] and wanted.shape[-1] % BLOCK == 0:
        blocks = wanted.reshape(-1, BLOCK)  # beside an infinity there is no other number
        whole = np.isfinite(blocks).all(axis=1, keepdims=True)
        wanted = np.where(whole, blocks, found.reshape(-1, BLOCK)).reshape(found.shape)
    off = apart(found, wanted, 0 if exact else ROOM.get(case.kind, 0.02), part)
    return {"verdict": "right" if off <= (0 if exact else 1) else "wrong", "apart": off}


def order(names: list[str], seed: str) -> list[str]:
    """The same for the same seed; each function once, then each a second time, and so on."""
    drawn = sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    times: Counter[str] = Counter()
    turn = {}
    for name in drawn:
        function = name.split()[0]
        turn[name] = times[function]
        times[function] += 1
    return sorted(drawn, key=turn.__getitem__)


def survey(results: Path, seed: str, parts: list[str]) -> None:
    done = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            done[item["case"]] = item
    wanted = {n for n in CASES if n not in done and all(p in n for p in parts)}
    device = ttnn.open_device(device_id=0)
    with results.open("a", encoding="utf-8") as out:
        for name in (n for n in order([*CASES], seed) if n in wanted):
            print(json.dumps({"case": name, "verdict": "ended the program"}), file=out, flush=True)
            begun = time.time()
            item = {"case": name, **tried(CASES[name], device), "seconds": time.time() - begun}
            print(json.dumps(item), file=out, flush=True)
            if STOPPED in str(item.get("words", "")):
                sys.exit(f"{name}: the chip has stopped: start again for the other cases")
    ttnn.close_device(device)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
    else:
        survey(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
