"""Annotating objdump's output and reading ELF sections."""

import shutil
import subprocess

import pytest

from tilelab.sim.errors import BadInputError
from tilelab.tilext import assemble_text, format_words
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.objdump import annotate, elf_code
from tilelab.tilext.profile import load_profile

PROGRAM = ["tgld.unit tr8, (a0), offset=a2, tilesize=4", "t_wait.all", "tmv.x.t a0, tr3, func6=s16"]
needs_binutils = pytest.mark.skipif(
    not (shutil.which("riscv64-unknown-elf-as") and shutil.which("riscv64-unknown-elf-objdump")),
    reason="riscv64-unknown-elf-as is not installed (Debian: binutils-riscv64-unknown-elf)",
)


@pytest.fixture(scope="module")
def disassembler():
    return Disassembler(load_profile())


@pytest.fixture(scope="module")
def elf(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elf")
    code = "\n".join(format_words(assemble_text("\n".join(PROGRAM)), "insn"))
    text = f".globl _start\n_start:\n\tadd a0, a1, a2\n\tc.nop\n{code}\n\tret\n.data\n{code}\n"
    (folder / "a.s").write_text(text)
    command = ["riscv64-unknown-elf-as", "-march=rv64gc", "a.s", "-o", "a.o"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "a.o"


@needs_binutils
def test_objdump_lines_say_what_they_are(elf, disassembler):
    command = ["riscv64-unknown-elf-objdump", "-d", str(elf)]
    before = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    after = list(annotate(before, disassembler))
    assert len(after) == len(before)
    assert all(new.startswith(old) for new, old in zip(after, before, strict=True))
    notes = [line.split("\t# ")[1] for line in after if "\t# " in line]
    assert notes == [PROGRAM[0], "…", PROGRAM[1], PROGRAM[2], "…"]


@needs_binutils
def test_an_elf_is_read_past_compressed_code(elf, disassembler):
    found = elf_code(elf.read_bytes(), "a.o", disassembler)
    assert [line.text for line in found] == PROGRAM
    assert [line.address for line in found] == [6, 14, 18]
    assert {line.section for line in found} == {".text"}


@needs_binutils
def test_any_truncation_of_an_elf_is_one_clear_error_or_fewer_lines(elf, disassembler, tmp_path):
    data = elf.read_bytes()
    for length in range(0, len(data), 13):
        cut = tmp_path / "cut.o"
        cut.write_bytes(data[:length])
        problem = ""
        try:
            found = elf_code(cut.read_bytes(), "cut.o", disassembler)
        except BadInputError as error:
            found, problem = [], error.summary
        assert len(found) <= len(PROGRAM)
        assert "\n" not in problem


def test_foreign_files_are_refused(disassembler):
    with pytest.raises(BadInputError, match="cannot be read as an ELF"):
        elf_code(b"hello", "text", disassembler)


def test_words_apart_are_not_put_together(disassembler):
    one, zero = assemble_text(PROGRAM[0])
    lines = [f"  0:\t{one:08x} \t.insn", "  4:\t00008067 \tret", f"  8:\t{zero:08x} \t.insn"]
    first, middle, last = annotate(lines, disassembler)
    assert "without its companions" in first
    assert middle == lines[1]
    assert "without its companions" in last


def test_ambiguous_and_illegal_words_are_said_to_be(disassembler):
    profile = load_profile("repaired", {"fields": {"talu.3op": {"1": "_=7=0"}}})
    words = assemble_text("talu.1op tr1, tr2, vecuop2=4, vecuop1=1", profile)
    lines = [f" {4 * n:x}:\t{word:08x}\t.insn" for n, word in enumerate(words)]
    first, second = annotate(lines, Disassembler(profile))
    assert "# ambiguous: talu.1op" in first
    assert second.endswith("# …")
