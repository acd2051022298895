"""Arrays in L1, registers as numbers; what type checkers know of the names."""

import copy
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilelab
from ops_stub import STUB, stub
from tilelab.formats import FORMATS
from tilelab.tensix import Tile, assemble, expand, run_kernel
from tilelab.tensix.ops import TT_OP_NOP


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("layout", ["tile", "row_major"])
def test_arrays_come_back(name: str, layout: str) -> None:
    tile = Tile()
    values = np.tile([0.0, 1.0], 512).reshape(32, 32)
    end = tile.write_array(0x21000, values, name, layout)  # type: ignore[arg-type]
    assert np.array_equal(tile.read_array(0x21000, (32, 32), name, layout), values)  # type: ignore[arg-type]
    tile.write(end, b"\xff")
    assert np.array_equal(tile.read_array(0x21000, (32, 32), name, layout), values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t: t.write_array(0x21000, [[1.0]]), "is not made of 32x32 tiles"),
        (lambda t: t.write_array(0x21000, np.zeros((32, 32)), "bf61"), "unknown format 'bf61'"),
        (lambda t: t.write_array(0x21000, np.zeros((32, 32)), "bf16", "tiles"), "unknown layout"),
        (lambda t: t.write_array(-16, np.zeros((32, 32))), "not all within L1"),
        (lambda t: t.write_array(0x180000, np.zeros((32, 32))), "not all within L1"),
        (lambda t: t.read_array(0x17FFFF, (32, 32)), "not all within L1"),
        (lambda t: t.dst("bf8"), "Dst is not read as 'bf8': choose bf16"),
        (lambda t: t.src_a(2), "there is no bank 2"),
        (lambda t: t.src_b(0, "fp32"), "not read as 'fp32'"),
        (lambda t: t.lreg(17), "there is no LReg 17"),
        (lambda t: t.lreg(0, "bf16"), "not read as 'bf16'"),
    ],
)
def test_what_cannot_be_is_bad_input(call: object, said: str) -> None:
    with pytest.raises(tilelab.BadInputError, match=said):
        call(Tile())  # type: ignore[operator]


def test_dst_in_its_formats() -> None:
    tile = Tile()
    tile.state.dst[0, 0] = 0x4 << 8 | 0x80  # bf16's bits: sign, mantissa, exponent
    bits = int(tile.dst("raw16")[0, 0, 0])
    assert bits == 0x480
    assert tile.dst("bf16")[0, 0, 0] == 2 * (1 + 4 / 128)
    tile.state.dst[8, 0] = 1  # the lower half of Dst32b[0]
    assert int(tile.dst("fp32").view(np.uint32)[0, 0, 0]) == 0x40040001
    tile.state.dst_valid[0] = 0
    assert tile.dst("bf16")[0, 0, 0] == 0
    assert tile.dst("bf16", undefined=True)[0, 0, 0] == 2 * (1 + 4 / 128)


def test_a_kernels_last_tile_and_operands() -> None:
    tile = Tile()
    result = run_kernel(tilelab.examples()["matmul"], tile)
    last = result.outputs[0].values[32:, 32:]
    assert any(np.array_equal(found, last) for found in tile.dst(undefined=True))
    a = np.load(tilelab.examples()["matmul"] / "a.npy")
    b = np.load(tilelab.examples()["matmul"] / "b.npy")
    banks = [tile.src_a(bank) for bank in (0, 1)] + [tile.src_b(bank) for bank in (0, 1)]
    operands = [
        array[row : row + 16, column : column + 16]
        for array in (a, b)
        for row in range(0, array.shape[0], 16)
        for column in range(0, array.shape[1], 16)
    ]
    found = sum(any(np.array_equal(bank[:16], face) for face in operands) for bank in banks)
    assert found == 4


def test_lregs() -> None:
    tile = Tile()
    assert (tile.lreg(10) == 1.0).all()
    assert tile.lreg(15, "uint32").tolist() == list(range(0, 64, 2))
    tile.lreg(0)[:] = 7
    assert (tile.lreg(0) == 0).all()


def test_run_kernel_makes_its_own_tile() -> None:
    result = run_kernel(str(tilelab.examples()["datacopy"]))
    assert repr(result).startswith("<PASS datacopy")
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again.outputs[0].values, result.outputs[0].values)


def test_a_program_expands() -> None:
    text = (
        ".mopcfg 0, 1\n.mopcfg 1, 2\n"
        + "\n".join(f".mopcfg {i}, {{ ttnop }}" for i in (2, 3, 4, 6, 8))
        + "\n.mopcfg 5, { ttincrwc 0,1,0,0 }\n.mopcfg 7, { ttincrwc 1,1,0,0 }\nttmop 1,0,0\n"
    )
    whole = expand(assemble(text))
    changed = expand(assemble(text + ".mopcfg 1, 1\nttmop 1,0,0\n.thread 2\nttnop\n"), thread=1)
    assert len(whole) == 2
    assert changed.tolist() == [*whole.tolist(), whole[1]]
    assert expand([TT_OP_NOP()]).tolist() == [TT_OP_NOP()]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("ttnop\n.thread 2\nttnop", {}, "is for threads 1, 2: name one"),
        ("ttnop", {"thread": 0}, "has nothing for thread 0"),
        ("ttnop", {"arch": "wormhole"}, "the program is for blackhole"),
    ],
)
def test_a_program_that_cannot_be_expanded(text: str, options: dict[str, int], said: str) -> None:
    with pytest.raises(tilelab.BadInputError, match=said):
        expand(assemble(text), **options)  # type: ignore[arg-type]


def test_tiles_are_copied() -> None:
    tile = Tile()
    other = copy.deepcopy(tile)
    other.write_array(0x21000, np.ones((32, 32)))
    assert not tile.read_array(0x21000, (32, 32)).any()


def test_the_stub_is_current() -> None:
    assert STUB.read_text(encoding="utf-8") == stub(), "run python tools/ops_stub.py --write"


GOOD = """\
import tilelab
from tilelab.tensix import Tile, expand, assemble, run_kernel
from tilelab.tensix.ops import TT_OP_MVMUL, TTI_NOP, WORMHOLE
word: int = TT_OP_MVMUL(0, 0, 3, dst=16)
other: int = WORMHOLE.TT_OP_MVMUL(addr_mode=3)
tile = Tile()
tile.read_array(0x21000, (32, 32), "bfp8", "row_major")
tile.dst("fp32")
first: int = int(tile.state.dst[0, 0]) + int(tile.state.rwc["dst"][1])
tile.state.soft_reset = 0
run_kernel(tilelab.examples()["matmul"]).outputs[0].values
expand(assemble("ttnop"), thread=1)
"""
BAD = [
    "from tilelab.tensix.ops import TT_OP_MVMULL",
    "TT_OP_MVMUL(dest=16)",
    "WORMHOLE.TT_OP_SFPGT(0)",
    'tile.read_array(0x21000, (32, 32), "bf61")',
    'tile.write_array(0x21000, [[0]], "bf16", "tiles")',
    'tile.dst("bf8")',
    'tile.src_a(0, "bf8")',
    "tile.sorce_a()",
    "tile.state.dest",
    "tile.state.soft_resets = 1",
]


@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_type_checkers_refuse_misspelt_names(checker: str, tmp_path: Path) -> None:
    command = shutil.which(checker, path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip(f"needs {checker}: pip install {checker}")
    (tmp_path / "good.py").write_text(GOOD)
    lines = GOOD.count("\n")
    (tmp_path / "bad.py").write_text(GOOD + "\n".join(BAD) + "\n")
    options = (
        ["--strict", "--cache-dir", str(tmp_path)]
        if checker == "mypy"
        else ["--level", "error", "--pythonpath", sys.executable]
    )
    done = {
        name: subprocess.run(
            [command, *options, str(tmp_path / name)],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )
        for name in ("good.py", "bad.py")
    }  # fmt: skip
    assert done["good.py"].returncode == 0, done["good.py"].stdout
    for number, text in enumerate(BAD, lines + 1):
        assert f"bad.py:{number}:" in done["bad.py"].stdout, (text, done["bad.py"].stdout)
