"""kernel.toml: what a good one gives, and one clear line for every mistake."""
# ruff: noqa: E501 (a mistake and its message read best on one line)

from pathlib import Path

import numpy as np
import pytest

from tilelab.formats.l1 import FORMATS
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.sim.errors import BadInputError

GOOD = """
description = "a kernel"
arch = "blackhole"
elfs = { brisc = "b.elf", trisc1 = "m.elf" }
inputs = [
  { file = "a.npy", address = 0x21000, format = "bf16", layout = "tile", tiles = [1, 0, 1], buffer = "c_3" },
  { file = "v.npy", address = 0x30000, format = "int32", layout = "row_major" },
]
outputs = [
  { address = 0x25000, shape = [32, 64], format = "fp32", layout = "tile", expect = "a.npy", tolerance = { relative = 0.5 }, exact = "x.npy" },
]
[done]
mailboxes = { trisc1 = 0x1FFBC }
[build]
source = "kernel.cpp"
constants = { num_tiles = 4 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.elf", "m.elf", "kernel.cpp", "text.npy"):
        (tmp_path / name).write_text("x")
    np.save(tmp_path / "a.npy", np.zeros((32, 64), np.float32))
    np.save(tmp_path / "v.npy", np.arange(5))
    np.save(tmp_path / "x.npy", np.zeros(8192, np.uint8))
    np.save(tmp_path / "words.npy", np.array(["a"]))
    np.savez(tmp_path / "z.npz", np.zeros(3))
    return tmp_path


def read(folder: Path, text: str) -> KernelFile:
    (folder / "kernel.toml").write_text(text, encoding="utf-8")
    return read_kernel_file(folder)


def test_a_good_file(folder: Path) -> None:
    kernel = read(folder, GOOD)
    assert kernel.path == folder / "kernel.toml"
    assert (kernel.description, kernel.arch) == ("a kernel", "blackhole")
    assert dict(kernel.elfs) == {"brisc": folder / "b.elf", "trisc1": folder / "m.elf"}
    a, v = kernel.inputs
    assert (a.file, a.address, a.format, a.layout) == (folder / "a.npy", 0x21000, "bf16", "tile")
    assert (a.shape, a.tiles, a.buffer, a.size) == ((32, 64), (1, 0, 1), 3, 3 * 2048)
    assert (v.layout, v.tiles, v.buffer) == ("row_major", (), None)
    assert v.extent == range(0x30000, 0x30014)
    (out,) = kernel.outputs
    assert (out.expect, out.exact) == (folder / "a.npy", folder / "x.npy")
    assert (out.absolute, out.relative) == (0.0, 0.5)
    assert (out.tiles, out.size) == ((0, 1), 8192)
    assert dict(kernel.done.mailboxes) == {"trisc1": 0x1FFBC}
    assert kernel.done.value == 0xFF
    assert kernel.build
    assert kernel.build.source == folder / "kernel.cpp"
    assert dict(kernel.build.constants) == {"num_tiles": 4}


def test_the_least_file(folder: Path) -> None:
    kernel = read(folder, 'elfs.trisc0 = "m.elf"\ndone.mailboxes.trisc0 = 0x1FFB8\n')
    assert (kernel.arch, kernel.inputs, kernel.outputs) == ("blackhole", (), ())
    assert kernel.build is None


def test_the_file_may_be_named_itself(folder: Path) -> None:
    expected = read(folder, GOOD)
    assert read_kernel_file(str(folder / "kernel.toml")) == expected


def test_a_byte_order_mark_is_no_part_of_it(folder: Path) -> None:
    assert read(folder, "\ufeff" + GOOD).description == "a kernel"


def test_it_is_frozen(folder: Path) -> None:
    kernel = read(folder, GOOD)
    with pytest.raises(AttributeError):
        kernel.inputs[0].address = 0  # type: ignore[misc]
    with pytest.raises(TypeError):
        kernel.elfs["trisc0"] = folder  # type: ignore[index]


@pytest.mark.parametrize(
    ("number_format", "size"),
    [("bf16", 2048), ("fp32", 4096), ("bfp8", 1088), ("bfp4", 576), ("bfp2a", 320), ("int8", 1024)],
)
def test_bytes_of_a_tile(folder: Path, number_format: str, size: int) -> None:
    kernel = read(folder, GOOD.replace('"bf16"', f'"{number_format}"').replace("[1, 0, 1]", "[0]"))
    assert kernel.inputs[0].size == size


def test_a_plain_tolerance_is_absolute(folder: Path) -> None:
    (out,) = read(folder, GOOD.replace("{ relative = 0.5 }", "0.25")).outputs
    assert (out.absolute, out.relative) == (0.25, 0.0)


def test_an_output_may_lie_on_an_input(folder: Path) -> None:
    assert read(folder, GOOD.replace("0x25000", "0x21000")).outputs[0].address == 0x21000


def test_elfs_may_be_still_to_build(folder: Path) -> None:
    (folder / "m.elf").unlink()
    (folder / "kernel.toml").write_text(GOOD)
    assert read_kernel_file(folder, elfs_exist=False).elfs["trisc1"] == folder / "m.elf"
    with pytest.raises(BadInputError):
        read_kernel_file(folder)


MISTAKES = [
    ("description", "descripton", "descripton: unknown key: did you mean description?"),
    ('"a kernel"', "3", "description: 3 is not a string"),
    ('"blackhole"', '"grayskull"', "arch: 'grayskull' is unknown: choose from blackhole, wormhole"),
    ("brisc =", "erisc =", "elfs.erisc: unknown key: did you mean brisc?"),
    ("b.elf", "c.elf", "elfs.brisc: c.elf: no such file: it is not built yet (tilelab build, or tilelab run --build)"),
    ('{ brisc = "b.elf", trisc1 = "m.elf" }', "{}", "elfs: no core has an ELF: name at least one "
     "of brisc, ncrisc, trisc0, trisc1, trisc2"),
    ('{ brisc = "b.elf", trisc1 = "m.elf" }', "[]", "elfs: [] is not a table"),
    ('file = "a.npy"', 'file = "q.npy"', "inputs[0].file: q.npy: no such file"),
    ('file = "a.npy"', 'file = "z.npz"', "inputs[0].file: z.npz is not a NumPy array (.npy)"),
    ('file = "a.npy"', 'file = "words.npy"', "inputs[0].file: words.npy holds <U1 elements, not numbers"),
    ('file = "a.npy"', 'file = "v.npy"', "inputs[0].layout: shape (5,) is not made of 32x32 tiles"),
    ('file = "a.npy", ', "", "inputs[0].file: missing"),
    ('file = "a.npy", ', 'fiel = "a.npy", ', "inputs[0].file: missing, but there is fiel"),
    ("0x21000", "0x21008", "inputs[0].address: 0x21008 is not a multiple of 16"),
    ("0x21000", "-16", "inputs[0].address: -16 is negative"),
    ("0x21000", "true", "inputs[0].address: True is not an integer"),
    ("0x21000", "0x17F000", "inputs[0]: [0x17f000, 0x180800) is outside L1, which ends at 0x180000"),
    ('"bf16"', '"bf17"', "inputs[0].format: 'bf17' is unknown: choose from " + ", ".join(FORMATS)),
    ('"int32", layout = "row_major"', '"bfp8", layout = "row_major"',
     'inputs[1].layout: bfp8 needs a multiple of 16 data, not 5'),
    ('"row_major"', '"rows"', "inputs[1].layout: 'rows' is unknown: choose from tile, row_major"),
    ('"row_major"', '"row_major", tiles = [0]', 'inputs[1].tiles: only for layout = "tile"'),
    ('"row_major"', '"row_major", buffer = "c_0"', "inputs[1].buffer: of rows: the last two dimensions of (5,) are no multiples of 32"),
    ("[1, 0, 1]", "[1, 2]", "inputs[0].tiles: 2 is not an integer from 0 to 1"),
    ("[1, 0, 1]", "[]", "inputs[0].tiles: empty"),
    ("[32, 64]", "[32, 60]", "outputs[0].layout: shape (32, 60) is not made of 32x32 tiles"),
    ("[32, 64]", "[32, 0]", "outputs[0].shape: [32, 0] is not a list of positive integers"),
    ("[32, 64]", "[3200000, 3200000]", "outputs[0]: 40,960,000,000,000 bytes do not fit in L1"),
    ("[32, 64]", "[999999999968, 999999999968]", "outputs[0]: 3,999,999,999,744,000,000,004,096 bytes do not fit in L1"),
    ("[32, 64]", "[64, 32]", "outputs[0].expect: a.npy has shape (32, 64), not (64, 32)"),
    ("relative = 0.5", "relativ = 0.5", "outputs[0].tolerance.relativ: unknown key: did you mean relative?"),
    ("relative = 0.5", "relative = -1", "outputs[0].tolerance.relative: -1.0 is not a finite number of at least 0"),
    ("{ relative = 0.5 }", "nan", "outputs[0].tolerance: nan is not a finite number of at least 0"),
    ("x.npy", "v.npy", "outputs[0].exact: v.npy is not an array of 8192 bytes (uint8)"),
    ("outputs = [", "outputs = [ 3,", "outputs[0]: 3 is not a table"),
    ("0x25000", "0x1FFB0", "outputs[0]: [0x1ffb0, 0x21fb0) overlaps done.mailboxes.trisc1 [0x1ffbc, 0x1ffc0)"),
    ("0x30000", "0x21010", "inputs[0]: [0x21000, 0x22800) overlaps inputs[1] [0x21010, 0x21024)"),
    ("0x21000", "0x1F000", "inputs[0]: [0x1f000, 0x20800) overlaps the counters of circular buffers [0x1fe00, 0x1ff00)"),
    ('"c_3"', '"c_32"', "inputs[0].buffer: 'c_32' is unknown: choose from " + ", ".join(f"c_{i}" for i in range(32))),
    ('expect = "a.npy"', 'buffer = "c_3"', "circular buffer c_3 is placed twice"),
    ("[done]", "[finish]", "done: missing"),
    ("trisc1 = 0x1FFBC", "trisc2 = 0x1FFC0", "done.mailboxes.trisc2: elfs names no trisc2"),
    ("trisc1 = 0x1FFBC", "trisc1 = 0x1FFBE", "done.mailboxes.trisc1: 0x1ffbe is not a multiple of 4"),
    ("trisc1 = 0x1FFBC", "", "done.mailboxes: no core has a mailbox: nothing would tell when the kernel is done"),
    ("[build]", "value = 0\n[build]", "done.value: 0x0 is not a 32-bit number other than 0"),
    ("kernel.cpp", "other.cpp", "build.source: other.cpp: no such file"),
    ("num_tiles = 4", "num-tiles = 4", "build.constants.num-tiles: not a C++ name with a 32-bit value"),
    ("num_tiles = 4", "num_tiles = 0x100000000", "build.constants.num_tiles: not a C++ name with a 32-bit value"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[m[2][:40] for m in MISTAKES])
def test_a_mistake_is_one_clear_line(folder: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(BadInputError) as error:
        read(folder, GOOD.replace(old, new, 1))
    assert str(error.value) == f"{folder / 'kernel.toml'}: {message}"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("elfs = [", "not valid TOML: "),
        ("a=" + "[" * 100_000, "nested too deeply"),
        (GOOD.replace('file = "a.npy"', 'file = "text.npy"'), "inputs[0].file: text.npy is not a "),
    ],
)
def test_a_mistake_that_a_library_words(folder: Path, text: str, start: str) -> None:
    with pytest.raises(BadInputError) as error:
        read(folder, text)
    assert str(error.value).startswith(f"{folder / 'kernel.toml'}: {start}")
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"^.*kernel\.toml: no such file$"):
        read_kernel_file(tmp_path)
    (tmp_path / "kernel.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match=r"^.*kernel\.toml: not UTF-8 text"):
        read_kernel_file(tmp_path)
