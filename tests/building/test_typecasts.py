"""typecast_tile against NumPy, on both chips."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from test_integers import copy

from kernel_maker import Array, Buffer, build_and_run, write_kernel

CHIPS = ("blackhole", "wormhole")
NAMES = {
    **{"fp32": "Float32", "bf16": "Float16_b", "int32": "Int32", "uint32": "UInt32"},
    **{"uint16": "UInt16", "int8": "Int8", "uint8": "UInt8"},
}
LIMITS = {
    **{"int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1), "uint16": (0, 2**16 - 1)},
    **{"int8": (-127, 127), "uint8": (0, 255)},
}
LARGE = [2.0**23, 2.0**30, 2.0**31, 3e9, 1e10]
SPECIAL = [0.0, 0.5, 1.0, 1.5, 2.5, 100.75, 254.5, 255.5, 65535.0, *LARGE]
BETWEEN = [("int8", "int32"), ("uint8", "uint32"), *(("int32", name) for name in ("int8", "uint8"))]
WIDE = [
    *(("fp32", name) for name in ("int32", "uint32", "int8", "uint8", "bf16")),
    *((name, "fp32") for name in ("int32", "uint32", "int8", "uint8", "bf16")),
    *BETWEEN,
    ("int32", "uint32"),
]
NARROW = [("bf16", "uint16"), ("uint16", "bf16")]


def numbers(name: str) -> Array:
    rng = np.random.default_rng(8)
    if name in LIMITS:
        low, high = LIMITS[name]
        made = rng.integers(low, high + 1, (32, 32))
        small = rng.integers(-200 if low else 0, 300, (8, 32))
        made[:8] = np.clip(small, low, high)
        made[8, :2] = low, high
        return made
    signs = rng.choice([-1.0, 1.0], (32, 32))
    made = signs * np.exp(rng.uniform(-3, 23, (32, 32)))
    made[0, : len(SPECIAL)], made[1, : len(SPECIAL)] = SPECIAL, np.negative(SPECIAL)
    floats = made.astype(np.float32)
    return floats.astype(ml_dtypes.bfloat16).astype(np.float32) if name == "bf16" else floats


def cast(values: Array, to: str) -> Array:
    """As the documentation says."""
    if to == "fp32":
        return values.astype(np.float32)
    if to == "bf16":
        return values.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)
    whole = values.astype(np.float64)
    if "32" in to:
        whole = np.trunc(whole)
    elif values.dtype.kind == "f":
        whole = np.copysign(np.floor(np.abs(whole) + 0.5), whole)  # halves away from zero
    return np.clip(whole, *LIMITS[to]).astype(np.int64)


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(("given", "to"), [*WIDE, *NARROW])
def test_casts(given: str, to: str, arch: str, tmp_path: Path) -> None:
    wide = (given, to) in WIDE
    build = "fp32_dest_acc_en = true" if wide else ""
    if given == "fp32":
        build += '\nunpack_to_dest_mode = ["c_0"]'
    template = f"<uint32_t(DataFormat::{NAMES[given]}), uint32_t(DataFormat::{NAMES[to]})>"
    source = '#include "compute_kernel_api/eltwise_unary/typecast.h"\n' + copy()
    source = source.replace(
        "copy_tile(a, t, t);", f"{{ copy_tile(a, t, t); typecast_tile{template}(t); }}"
    )
    a = numbers(given)
    wanted = cast(a, to)
    if (given, to) == ("int32", "uint32"):
        wanted = a & 0xFFFFFFFF
    write_kernel(
        tmp_path,
        source,
        [Buffer(0, a, given)],
        [Buffer(16, wanted, to)],
        arch,
        {"num_tiles": 1},
        build,
    )
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs
