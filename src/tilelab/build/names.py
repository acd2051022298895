"""The vendor's names of headers that kernels include, and which of ours stands for each."""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

COMPUTE_API: Final = Path(__file__).with_name("compute_names.json")
"""Each name of the vendor's compute API, its header, and whether our headers have it."""

_COMPUTE: Final = (
    "bcast", "cb_api", "common", "common_globals", "compute_kernel_hw_startup", "eltwise_binary",
    "layernorm", "matmul", "pack", "pack_untilize", "reconfig_data_format", "reduce", "reg_api",
    "softmax", "tile_move_copy", "tilize", "transpose", "transpose_wh", "untilize",
)  # fmt: skip
_ACTIVATIONS: Final = (
    "eltwise_unary", "exp", "negative", "recip", "relu", "rsqrt", "sqrt",
    "trigonometry", "where",
)  # fmt: skip
_FUNCTIONS: Final = (
    "activations", "clamp", "elu", "erf_erfc", "hardtanh", "identity", "isinf_isnan", "log1p",
    "mish", "prelu", "rounding", "selu", "softplus", "threshold",
)  # fmt: skip
_TILES: Final = (
    "binop_with_scalar", "comp", "fill", "sfpu_split_includes",
)  # fmt: skip
_SEVERAL: Final = (
    "add_int_sfpu", "binary_bitwise_sfpu", "eltwise_binary_sfpu", "eltwise_unary/addcdiv",
    "eltwise_unary/addcmul", "eltwise_unary/lerp", "eltwise_unary/mac", "mask", "sub_int_sfpu",
)  # fmt: skip
_SPECIAL: Final = (
    "eltwise_unary/dropout", "eltwise_unary/gelu", "eltwise_unary/lgamma", "eltwise_unary/rand",
    "eltwise_unary/tanh_derivative", "logsigmoid", "mul_int_sfpu",
)  # fmt: skip
_OURS: Final = {
    "compute_kernel": (
        "compute_kernel_api",
        *("llk_defs", "llk_math_eltwise_binary"),
        "api/compute/experimental/fast_untilize",
        *(f"compute_kernel_api/{name}" for name in _COMPUTE),
    ),
    "activations": (
        "compute_kernel_api/binary_max_min",
        *(f"compute_kernel_api/eltwise_unary/{name}" for name in _ACTIVATIONS),
    ),
    "functions": (
        "compute_kernel_api/compute_kernel_api",
        *(f"compute_kernel_api/eltwise_unary/{name}" for name in _FUNCTIONS),
    ),
    "special": tuple(f"compute_kernel_api/{name}" for name in _SPECIAL),
    "several_tiles": tuple(f"compute_kernel_api/{name}" for name in _SEVERAL),
    "columns": tuple(f"compute_kernel_api/{name}" for name in ("cumsum", "ema", "reshuffle")),
    "constants": ("tt-metalium/constants.hpp",),
    "example_sfpu": tuple(
        f"experimental/llk_sfpu/ckernel_sfpu_{name}" for name in ("custom_add", "smoothstep")
    ),
    "no_profiler": ("api/debug/kernel_profiler.hpp", "tools/profiler/kernel_profiler.hpp"),
    "dst_tiles": (
        "ckernel_sfpu_copy_dest_values",
        "compute_kernel_api/copy_dest_values",
        *(f"compute_kernel_api/eltwise_unary/{name}" for name in _TILES),
    ),
    "asserts": (
        *("api/dataflow/circular_buffer", "api/dataflow/dataflow_buffer"),
        *("api/dataflow/dfb_access", "internal/circular_buffer_interface"),
    ),
    "build": ("internal/risc_attribs",),
    "divide": ("internal/mod_div_lib",),
    "typecast": ("compute_kernel_api/eltwise_unary/typecast",),
    "print": (
        *("debug/assert", "debug/dprint", "debug/dprint_pages", "debug/dprint_tensix"),
        *("debug/dprint_tile", "hostdevcommon/dprint_common"),
    ),
    "sfpu_calls": tuple(f"llk_math_eltwise_{of}_sfpu_macros" for of in ("unary", "binary")),
    "data_movement": ("dataflow_api",),
    "arguments": ("experimental/kernel_args", "api/compile_time_args"),
    "circular_buffers": ("hostdevcommon/kernel_structs",),
    "templates": ("ckernel", "ckernel_addrmod", "ckernel_template", "lltt"),
    "tensix": ("ckernel_defs", "ckernel_globals", "ckernel_include", "ckernel_ops"),
    "parameters": ("ckernel_instr_params", "ckernel_structs"),
    "math": ("cmath_common",),
    "pack": ("cpack_common",),
    "unpack": ("cunpack_common",),
    "vector": ("ckernel_sfpu_converter", "sfpu/ckernel_sfpu_converter"),
}
"""By our headers, without folder and ending."""
_VECTORS_UNNAMED: Final = ("eltwise_unary/eltwise_unary", "eltwise_binary_sfpu")
"""In older kernels these headers bring the vector unit's types without their namespace."""
_NEWER: Final = {"compute_kernel_api": "compute", "debug": "debug", "dataflow_api": "dataflow"}
"""Under ``api`` newer kernels have what lies in these, or is called so."""


def _newer(name: str) -> str | None:
    folder = _NEWER.get(name.partition("/")[0])
    if folder is None:
        return None
    if name.startswith("api/"):
        return None
    return f"api/{folder}/{name.partition('/')[2] or name}"


def _absent() -> dict[str, str]:
    """By header of the compute API, a text whose functions say when called that we lack them."""
    texts: defaultdict[str, str] = defaultdict(str)
    rows = json.loads(COMPUTE_API.read_text(encoding="utf-8"))["names"]
    for name, (header, ours) in rows.items():
        texts[f"api/compute/{header}"] += "" if ours else f"TILELAB_ABSENT({name})\n"
    return texts


@cache
def forwarding() -> Mapping[str, str]:
    """The text of each header by its name: it includes ours, and says what those lack."""
    absent = _absent()
    found = dict.fromkeys(absent, "#pragma once\n#include <tilelab/compute_kernel.h>\n")
    for ours, names in _OURS.items():
        needed = ("compute_kernel", "print") if ours == "print" else (ours,)
        text = "#pragma once\n" + "".join(f"#include <tilelab/{one}.h>\n" for one in needed)
        for name in names:
            for each in (name, _newer(name)):
                if each is not None:
                    found[each if each.endswith(".hpp") else f"{each}.h"] = text
    for name in _VECTORS_UNNAMED:
        found[f"compute_kernel_api/{name}.h"] += "#include <tilelab/older.h>\n"
    for name, functions in absent.items():
        found[name] += f"#include <tilelab/absent.h>\n{functions}" if functions else ""
    return MappingProxyType(found)
