"""The reader beside pyelftools, on files of 32 and of 64 bits, and on what is left of them."""

import io
import random
from contextlib import suppress
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection
from llvmlite import binding

from tilelab.elf.reader import COMPRESSED, NOBITS, RELA, Elf, ElfError

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "matmul" / "math.elf"
MODULE = """
target triple = "x86_64-unknown-linux-gnu"
@table = global [3 x i32] [i32 1, i32 2, i32 3]
@room = internal global [64 x i8] zeroinitializer
@elsewhere = external global i32
declare i32 @called(i32)
define i32 @first(i32 %a) {
  %x = load i32, ptr @elsewhere
  %y = load i32, ptr getelementptr ([3 x i32], ptr @table, i32 0, i32 1)
  %z = add i32 %x, %y
  store i8 1, ptr @room
  %r = call i32 @called(i32 %z)
  ret i32 %r
}
"""


def wide() -> bytes:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(reloc="pic", codemodel="small")
    return bytes(machine.emit_object(binding.parse_assembly(MODULE)))


FILES = {32: EXAMPLE.read_bytes(), 64: wide()}


@pytest.mark.parametrize("bits", FILES)
def test_all_parts_are_as_pyelftools_reads_them(bits: int) -> None:
    mine, other = Elf(FILES[bits]), ELFFile(io.BytesIO(FILES[bits]))
    assert (mine.width.bits, mine.entry) == (other.elfclass, other["e_entry"])
    assert len(mine.sections) == other.num_sections()
    symbols = relocations = 0
    for section, theirs in zip(mine.sections, other.iter_sections(), strict=True):
        head = theirs.header
        assert section.name == theirs.name
        assert section[3:] == (
            *(head["sh_flags"], head["sh_addr"], head["sh_offset"], head["sh_size"]),
            *(head["sh_link"], head["sh_info"], head["sh_addralign"], head["sh_entsize"]),
        )
        if section.type != NOBITS and not section.flags & COMPRESSED:  # pyelftools unpacks those
            assert mine.contents(section) == theirs.data()
        if isinstance(theirs, SymbolTableSection):
            names = {s.name: s for s in mine.symbols() if s.name}
            for symbol in theirs.iter_symbols():
                symbols += 1
                if names.get(symbol.name) and symbol["st_info"]["bind"] == "STB_GLOBAL":
                    found = names[symbol.name]
                    assert (found.value, found.size) == (symbol["st_value"], symbol["st_size"])
            assert len(mine.symbols()) == theirs.num_symbols()
        if isinstance(theirs, RelocationSection):
            assert section.type == RELA
            for ours, wanted in zip(
                mine.relocations(section), theirs.iter_relocations(), strict=True
            ):
                relocations += 1
                assert ours == (
                    *(wanted["r_offset"], wanted["r_info_sym"], wanted["r_info_type"]),
                    wanted["r_addend"],
                )
    assert symbols > 5
    assert relocations or bits == 32
    loaded = [(s["p_offset"], s["p_paddr"], s["p_filesz"]) for s in other.iter_segments()]
    assert [segment[1:] for segment in mine.segments] == loaded


def read_all(image: bytes) -> None:
    elf = Elf(image)
    for part in (*elf.sections, *elf.segments):
        with suppress(ElfError):
            elf.contents(part)
    for section in elf.sections:
        if section.type == RELA:
            elf.relocations(section)
    elf.symbols()


@pytest.mark.parametrize("bits", FILES)
def test_damage_is_an_elf_error_and_nothing_else(bits: int) -> None:
    rng, whole, refused = random.Random(bits), FILES[bits], 0
    tables = int.from_bytes(whole[40:48] if bits == 64 else whole[32:36], "little")
    for number in range(400):
        image = bytearray(whole)
        for _ in range(3):
            low, high = ((4, 64), (tables, len(whole)))[number % 2]
            image[rng.randrange(low, high)] = rng.getrandbits(8)
        try:
            read_all(bytes(image[: rng.randrange(len(image))] if number % 5 == 0 else image))
        except ElfError:
            refused += 1
    assert refused > 50
