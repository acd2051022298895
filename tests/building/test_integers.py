"""Integers in circular buffers, and what copy_tile unpacks into Dst itself."""

from pathlib import Path

import numpy as np
import pytest
from test_compute_api import kernel

from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.sim.errors import BadInputError

CHIPS = ("blackhole", "wormhole")
WIDE = "fp32_dest_acc_en = true"
RANGES = {
    "int8": (-127, 128),
    "uint8": (0, 256),
    "int16": (-(2**15), 2**15),
    "uint16": (0, 2**16),
    "int32": (-(2**31), 2**31),
    "uint32": (0, 2**32),
    "int32sm": (-(2**31) + 1, 2**31),
}


ADD = kernel("add_tiles_init(a, b, out);", "add_tiles(a, b, 0, 0, 0);")


def numbers(name: str, shape: tuple[int, int] = (64, 64)) -> np.ndarray:
    values = np.random.default_rng(4).integers(*RANGES[name], shape)
    values[0, :2] = RANGES[name][0], RANGES[name][1] - 1
    return values


def copy(tiles: str = "1") -> str:
    """Copies tiles, so many at a time."""
    op = f"for (uint32_t t = 0; t < {tiles}; ++t) copy_tile(a, t, t);"
    source = kernel("copy_tile_init(a, out);", op)
    source = source.replace("cb_wait_front(b, 1);", "").replace("cb_pop_front(b, 1);", "")
    source = source.replace(
        "pack_tile(0, out);", f"for (uint32_t t = 0; t < {tiles}; ++t) pack_tile(t, out);"
    )
    for call in (
        "cb_wait_front(a, ",
        "cb_pop_front(a, ",
        "cb_reserve_back(out, ",
        "cb_push_back(out, ",
    ):
        source = source.replace(f"{call}1)", f"{call}{tiles})")
    return source


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", RANGES)
def test_integers_are_copied_exactly(name: str, full: bool, arch: str, tmp_path: Path) -> None:
    a = numbers(name)
    build = "" if "16" in name else WIDE + "\n"
    build += f"dst_full_sync_en = {str(full).lower()}"
    buffers = [Buffer(0, a, name)], [Buffer(16, a, name)]
    write_kernel(tmp_path, copy("2"), *buffers, arch, {"num_tiles": 2}, build)
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


@pytest.mark.parametrize("arch", CHIPS)
def test_fp32_keeps_every_bit_by_way_of_dst(arch: str, tmp_path: Path) -> None:
    a = np.random.default_rng(4).normal(size=(64, 64)).astype(np.float32)
    build = WIDE + '\nunpack_to_dest_mode = ["c_0"]'
    buffers = [Buffer(0, a, "fp32")], [Buffer(16, a, "fp32")]
    write_kernel(tmp_path, copy(), *buffers, arch, {"num_tiles": 4}, build)
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("operation", ["add", "sub"])
def test_sums_of_bytes(operation: str, arch: str, tmp_path: Path) -> None:
    a, b = numbers("int8"), numbers("int8")[::-1]
    source = kernel(f"{operation}_tiles_init(a, b, out);", f"{operation}_tiles(a, b, 0, 0, 0);")
    wanted = a + b if operation == "add" else a - b
    buffers = [Buffer(0, a, "int8"), Buffer(1, b, "int8")], [Buffer(16, wanted, "int32sm")]
    write_kernel(tmp_path, source, *buffers, arch, {"num_tiles": 4}, WIDE)
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("arch", CHIPS)
def test_products_of_bytes(arch: str, tmp_path: Path) -> None:
    a, b = numbers("int8", (32, 32)), numbers("int8", (32, 32))[::-1]
    source = kernel("mm_init(a, b, out);", "matmul_tiles(a, b, 0, 0, 0);")
    buffers = [Buffer(0, a, "int8"), Buffer(1, b, "int8")], [Buffer(16, a @ b, "int32sm")]
    write_kernel(tmp_path, source, *buffers, arch, {"num_tiles": 1}, WIDE)
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize(
    ("name", "build", "source", "says"),
    [
        ("int8", "", copy(), "integers of 8 bits need a Dst of 32 bits"),
        ("int32", "", copy(), "integers of 16 bits need a Dst of 16 bits, others one of 32"),
        ("uint16", WIDE, copy(), "integers of 16 bits need a Dst of 16 bits, others one of 32"),
        ("int32", WIDE, ADD, "SrcA and SrcB hold no integers of this format"),
        ("bf16", 'unpack_to_dest_mode = ["c_0"]', copy(), "it is for fp32 and a Dst of 32 bits"),
        ("bf16", 'unpack_to_dest_mode = ["c_33"]', copy(), "'c_33' is none of c_0 to c_31"),
    ],
)  # fmt: skip
def test_what_does_not_go_is_said(
    name: str, build: str, source: str, says: str, tmp_path: Path
) -> None:
    a = np.zeros((32, 32))
    inputs = [Buffer(0, a, name), Buffer(1, a, name)]
    write_kernel(
        tmp_path, source, inputs, [Buffer(16, a, name)], "blackhole", {"num_tiles": 1}, build
    )
    with pytest.raises(BadInputError, match=says):
        build_and_run(tmp_path)


TWICE_AND_THREE = """vector_tile(0, [] {
    sfpi::vInt x = sfpi::dst_reg[0];
    v_if(x < 0) { x = x + x; }
    v_endif;
    sfpi::dst_reg[0] = x + 3;
});"""


def by_vectors(folder: Path, name: str, out: str, arch: str) -> bool:
    """Whether TWICE_AND_THREE computes what it says of a buffer of small integers."""
    a = np.random.default_rng(8).integers(-50, 50, (32, 64))
    source = copy().replace(
        "copy_tile(a, t, t);", "{ copy_tile(a, t, t); " + TWICE_AND_THREE + " }"
    )
    source = "#include <tilelab/vector.h>\n" + source
    buffers = [Buffer(0, a, name)], [Buffer(16, np.where(a < 0, 2 * a, a) + 3, out)]
    write_kernel(folder, source, *buffers, arch, {"num_tiles": 2}, WIDE)
    return build_and_run(folder).passed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("name", ["int32", "int32sm", "int8"])
def test_a_vint_is_what_the_buffer_holds(name: str, arch: str, tmp_path: Path) -> None:
    """Negative numbers too: the plain form knows two's complement from sign and magnitude."""
    assert by_vectors(tmp_path, name, name, arch)


@pytest.mark.parametrize("arch", CHIPS)
def test_a_vint_of_one_of_both_kinds_has_to_be_named(arch: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"kernel\.cpp:\d+: .*two's complement and in sign"):
        by_vectors(tmp_path, "int8", "int32", arch)


WORDS = {
    "add_int_tile": np.add,
    "sub_int_tile": np.subtract,
    "rsub_int_tile": lambda a, b: b - a,
    "mul_int_tile": np.multiply,
    "bitwise_and_binary_tile": np.bitwise_and,
    "bitwise_or_binary_tile": np.bitwise_or,
    "bitwise_xor_binary_tile": np.bitwise_xor,
}


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("kind", ["int32", "uint32", "uint16"])
def test_integers_are_combined_in_dst(kind: str, arch: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    wide = kind != "uint16"
    a, b = (rng.integers(-(2**30), 2**30, (32, 32)).astype(kind) for _ in "ab")
    format_name = {"int32": "Int32", "uint32": "UInt32", "uint16": "UInt16"}[kind]
    cases = "".join(
        f"case {i}: {name}<DataFormat::{format_name}>(0, 1, 0); break;\n"
        for i, name in enumerate(WORDS)
    )
    source = f"""
        #include <cstdint>
        #include "api/compute/add_int_sfpu.h"
        #include "api/compute/binary_bitwise_sfpu.h"
        #include "api/compute/mul_int_sfpu.h"
        #include "api/compute/sub_int_sfpu.h"
        void kernel_main() {{
            constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
            copy_tile_init(a, out);
            cb_wait_front(a, 1);
            cb_wait_front(b, 1);
            for (uint32_t i = 0; i < {len(WORDS)}; ++i) {{
                tile_regs_acquire();
                copy_tile_to_dst_init_short(a);
                copy_tile(a, 0, 0);
                copy_tile_to_dst_init_short(b);
                copy_tile(b, 0, 1);
                switch (i) {{ {cases} }}
                tile_regs_commit();
                tile_regs_wait();
                cb_reserve_back(out, 1);
                pack_tile(0, out);
                cb_push_back(out, 1);
                tile_regs_release();
            }}
        }}
    """
    wanted = np.concatenate([of(a, b) for of in WORDS.values()])
    buffers = [Buffer(0, a, kind), Buffer(1, b, kind)], [Buffer(16, wanted, kind)]
    write_kernel(tmp_path, source, *buffers, arch, build=WIDE if wide else "")
    assert build_and_run(tmp_path).passed
