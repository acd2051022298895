"""ELF loading: the rule, and one clear line for everything that is no program."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilelab.elf.program import Program, plain_name
from tilelab.elf.reader import NOBITS
from tilelab.elf.writer import ElfBuilder
from tilelab.sim.errors import BadInputError
from tilelab.tensix.riscv.elf import load_elf

INIT, TEXT, DATA = b"\x13\0\0\0" * 2, b"\x93\0\0\0" * 4, b"data" * 3
FUNCTION, NO_TYPE = 2, 0
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "matmul" / "math.elf"


def program() -> ElfBuilder:
    return ElfBuilder(
        symbols=[("_start", 0xB000, NO_TYPE), ("main", 0xB008, FUNCTION), ("$x", 0xB00C, NO_TYPE)]
    ).add(".init", 0xB000, INIT)


def complete() -> ElfBuilder:
    return (
        program()
        .add(".loader_init", 0xF000, bytes(0x1000), NOBITS)
        .add(".text", 0xB008, TEXT)
        .add(".ldm_data", 0xFFB00010, DATA)
        .add(".stack", 0xFFB00E00, bytes(512), NOBITS)
        .add(".runtime_args", 0x20000, b"not loaded")
    )


@pytest.fixture
def load(tmp_path: Path):  # type: ignore[no-untyped-def]
    def write_and_load(image: bytes) -> Program:
        path = tmp_path / "kernel.elf"
        path.write_bytes(image)
        return load_elf(path)

    return write_and_load


def refusal(load, image: bytes) -> str:  # type: ignore[no-untyped-def]
    with pytest.raises(BadInputError) as raised:
        load(image)
    assert raised.value.exit_code == 2
    text = str(raised.value)
    assert "\n" not in text
    return text.partition("kernel.elf: ")[2]


def test_what_is_loaded_and_where(load) -> None:  # type: ignore[no-untyped-def]
    found = load(complete().build())
    assert found.entry == 0xB000
    assert found.segments == ((0xB000, INIT), (0xB008, TEXT), (0xF010, DATA))


def test_functions(load) -> None:  # type: ignore[no-untyped-def]
    found = load(complete().build())
    assert found.function(0xB000) == "_start"
    assert found.function(0xB004) == "_start+0x4"
    assert found.function(0xB014) == "main+0xc"
    assert found.function(0xAFFC) == found.function(0xB018) == found.function(0x8) == ""
    assert found.line(0xB008) == ""
    assert found.describe(0xB008) == "main"


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("main", "main"),
        ("_start", "_start"),
        ("_Z10run_kernelRK13RuntimeParams", "run_kernel"),
        ("_ZN10chlkc_math9math_mainEv", "chlkc_math::math_main"),
        ("_ZL6helperv", "helper"),
        ("_ZN7ckernel8templateILi3EE7programEv", "ckernel::template"),
        ("_Z", "_Z"),
    ],
)
def test_cpp_names_are_shown_plainly(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


def test_source_lines_come_from_the_debugging_data() -> None:
    found = load_elf(EXAMPLE)
    source = (EXAMPLE.parent / "kernel.cpp").read_text().splitlines()
    lines = {
        found.line(pc)
        for start, data in found.segments
        for pc in range(start, start + len(data), 4)
    }
    numbers = [int(line.split(":")[1]) for line in lines if line.startswith("kernel.cpp:")]
    assert numbers
    assert max(numbers) <= len(source)
    assert found.describe(found.entry) == "_start"
    assert found.line(found.entry - 4) == ""


def test_a_program_needs_no_data_and_no_symbols(load) -> None:  # type: ignore[no-untyped-def]
    found = load(ElfBuilder().add(".init", 0, INIT).build())
    assert (found.entry, found.segments, found.describe(4)) == (0, ((0, INIT),), "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"elf_class": 2}, "is a 64-bit ELF file: the cores are 32-bit"),
        ({"byte_order": 2}, "is a big-endian ELF file: the cores are little-endian"),
        (
            {"machine": 40},
            "is an ELF file for another machine (number 40): the cores are RISC-V",
        ),
        ({"kind": 1}, "is not linked: give the executable, not an object file"),
    ],
)
def test_foreign_files(load, change: dict[str, int], message: str) -> None:  # type: ignore[no-untyped-def]
    builder = complete()
    for name, value in change.items():
        setattr(builder, name, value)
    assert refusal(load, builder.build()) == message


def test_files_that_are_no_programs(load) -> None:  # type: ignore[no-untyped-def]
    assert refusal(load, b"") == "is not an ELF file"
    assert refusal(load, b"#!/bin/sh\n" * 20) == "is not an ELF file"
    assert refusal(load, complete().build()[:30]) == "is a truncated ELF file"
    no_start = ElfBuilder().add(".text", 0, TEXT).build()
    assert refusal(load, no_start) == "has no .init section, where a program starts"
    homeless = program().add(".ldm_data", 0xFFB00000, DATA).build()
    assert refusal(load, homeless) == (
        ".ldm_data is for local RAM, but there is no .loader_init to put it at"
    )
    stripped = bytearray(complete().build())
    stripped[32:36] = bytes(4)
    assert refusal(load, bytes(stripped)) == "has no sections"


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="No such file or directory"):
        load_elf(tmp_path / "none.elf")
    with pytest.raises(BadInputError, match="Is a directory"):
        load_elf(tmp_path)


def test_every_truncation_is_refused(load) -> None:  # type: ignore[no-untyped-def]
    image = complete().build()
    for size in range(4, len(image)):
        assert refusal(load, image[:size]) == "is a truncated ELF file"


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=6
    )
)
def test_damage_never_escapes_as_another_error(  # type: ignore[no-untyped-def]
    load, changes: list[tuple[float, int]]
) -> None:
    image = bytearray(complete().build())
    for place, value in changes:
        image[int(place * len(image))] = value
    with suppress(BadInputError):  # anything else fails the test
        found = load(bytes(image))
        assert isinstance(found.describe(found.entry), str)
