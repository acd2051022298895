"""A whole kernel, from C through GCC: right in every type, and wrong without any of its waits."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from tilelab.sim.errors import TilelabError
from tilelab.tilext import assemble_text
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.objdump import elf_code
from tilelab.tilext.program import load_machine

FOLDER = Path(__file__).parents[2] / "examples" / "tilext" / "gemm"
COMPILERS = [
    ["riscv64-unknown-elf-gcc"],
    ["riscv64-linux-gnu-gcc", "-fno-pic", "-fno-stack-protector"],
    ["clang", "--target=riscv64", "-fuse-ld=lld"],
]
NOP = (0x13).to_bytes(4, "little")


def example():
    spec = importlib.util.spec_from_file_location("gemm_example", FOLDER / "gemm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def gemm():
    return example()


@pytest.fixture(scope="module")
def machine():
    return load_machine(FOLDER / "machine.toml")


def built(gemm, machine, name, compiler=("riscv64-unknown-elf-gcc",)):
    if not shutil.which(compiler[0]):
        pytest.skip(f"{compiler[0]} is not installed")
    return gemm.build(machine, name, list(compiler))


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda c: c[0])
@pytest.mark.parametrize("name", ["int8", "fp16", "bf16"])
def test_the_looped_gemm_gives_numpys_result(gemm, machine, name, compiler, capsys):
    elf = built(gemm, machine, name, compiler)
    for seed in (2, 3):
        a, b = gemm.operands(name, seed)
        found = gemm.multiply(machine, elf, a, b, gemm.TYPES[name])
        wanted = a.astype(found.dtype) @ b.astype(found.dtype)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", ["fp16", "bf16"])
def test_other_shapes_and_values_that_round_stay_close(gemm, machine, name, capsys):
    elf, rng, deep = built(gemm, machine, name), np.random.default_rng(8), gemm.TYPES[name]
    for rows, columns, depth in ((1, 1, 2), (3, 1, 6), (2, 2, 2)):
        kind = gemm.dtype_of(name)
        a = rng.normal(size=(16 * rows, deep * depth)).astype(kind)
        b = rng.normal(size=(deep * depth, 16 * columns)).astype(kind)
        found = gemm.multiply(machine, elf, a, b, deep)
        wanted = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def waits(machine, elf):
    """Yield name and file offset of every wait in the kernel."""
    for line in elf_code(elf, "gemm.elf", Disassembler(machine.profile)):
        if line.text.startswith(("t_wait", "mbar.wait")):
            word = machine_word(machine, line.text)
            at = -1
            while (at := elf.find(word, at + 1)) >= 0:
                yield line.text, at


def machine_word(machine, text):
    (word,) = assemble_text(text, machine.profile)
    return word.to_bytes(4, "little")


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda c: c[0])
def test_every_wait_that_is_left_out_is_reported(gemm, machine, compiler, capsys):
    elf = built(gemm, machine, "int8", compiler)
    a, b = gemm.operands("int8")
    places = dict(sorted((at, text) for text, at in waits(machine, elf)))
    assert {text.split()[0] for text in places.values()} == {
        "t_wait.mem",
        "t_wait.mma",
        "mbar.wait",
    }
    assert len(places) >= 7
    for at, text in places.items():
        mutant = elf[:at] + NOP + elf[at + 4 :]
        with pytest.raises(TilelabError) as raised:
            gemm.multiply(machine, mutant, a, b, 64)
        assert "outstanding" in raised.value.summary, text
        assert "\n" not in raised.value.summary
    print(f"{len(places)} waits left out, each reported")


def test_a_wait_for_the_wrong_thing_is_reported_too(gemm, machine, capsys):
    elf = built(gemm, machine, "int8")
    a, b = gemm.operands("int8")
    other = machine_word(machine, "t_wait.alu")
    for _, at in waits(machine, elf):
        mutant = elf[:at] + other + elf[at + 4 :]
        with pytest.raises(TilelabError, match="outstanding"):
            gemm.multiply(machine, mutant, a, b, 64)
