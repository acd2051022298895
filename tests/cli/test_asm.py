import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tilelab.cli.main import application
from tilelab.sim.errors import BadInputError
from tilelab.tensix.riscv.elf import load_elf

app = application(("asm", "disasm"))

TEXT = "ttmop 1,0,0\nttreplay 16,16,0,1\nsfpabs L1,L2,0\n"
WORDS = ["0x01800000", "0x04040101", "0x7d000210"]


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)


def output_of(*arguments: str | Path, stdin: str | bytes | None = None) -> str:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def error_of(*arguments: str | Path, stdin: str | bytes | None = None) -> str:
    error = run(*arguments, stdin=stdin).exception
    assert isinstance(error, BadInputError), error
    assert error.exit_code == 2
    assert "\n" not in str(error)
    return str(error)


def test_asm_prints_a_word_a_line() -> None:
    assert output_of("asm", stdin=TEXT).split() == WORDS
    assert output_of("asm", "-", stdin=TEXT).split() == WORDS


def test_asm_reads_a_file_and_writes_binary(tmp_path: Path) -> None:
    source, binary = tmp_path / "k.s", tmp_path / "k.bin"
    source.write_text(TEXT)
    assert output_of("asm", source, "-o", binary) == ""
    assert binary.read_bytes().hex() == "00008001010104041002007d"
    assert output_of("disasm", binary) == TEXT


def test_a_byte_order_mark_is_no_part_of_a_text() -> None:
    assert output_of("asm", stdin="\ufeff" + TEXT).split() == WORDS
    assert output_of("disasm", stdin="\ufeff" + WORDS[0]) == "ttmop 1,0,0\n"


def test_asm_ttinsn(tmp_path: Path) -> None:
    assert output_of("asm", "--ttinsn", stdin="ttmop 1,0,0") == "0x06000000\n"
    assert error_of("asm", "--ttinsn", stdin="\n.ttinsn 0xC0000000").startswith(
        "<stdin>:2: 0xc0000000 has no .ttinsn encoding"
    )


def test_asm_json() -> None:
    document = json.loads(output_of("asm", "--json", "--arch", "wormhole", stdin=TEXT))
    assert document == {"arch": "wormhole", "ttinsn": False, "words": WORDS}


def test_asm_takes_one_thread_and_no_mop_cfg() -> None:
    assert (
        output_of("asm", stdin=".thread 2\nttnop\n.thread 2\nttnop").split() == ["0x02000000"] * 2
    )
    assert error_of("asm", stdin="ttnop\n.thread 2\nttnop").startswith("<stdin>:3: a second thread")
    assert error_of("asm", stdin=".mopcfg 1, 0").startswith("<stdin>:1: .mopcfg has no word")


def test_asm_of_nothing_prints_nothing() -> None:
    assert output_of("asm", stdin="") == ""


def test_asm_complaints(tmp_path: Path) -> None:
    source = tmp_path / "k.s"
    assert error_of("asm", source) == f"{source}: No such file or directory"
    source.write_bytes(b"ttnop\n\xff")
    assert error_of("asm", source) == f"{source}: not UTF-8 text (byte 6)"
    assert "unknown mnemonic 'ttmvmull'; did you mean" in error_of("asm", stdin="ttmvmull 0")
    assert "'vax' is not one of 'blackhole'" in run("asm", "--arch", "vax", stdin="").output
    assert "Is a directory" in error_of("asm", "-o", tmp_path, stdin="ttnop")


def test_disasm_of_words() -> None:
    assert output_of("disasm", *WORDS) == TEXT
    assert output_of("disasm", "25165824") == "ttmop 1,0,0\n"
    assert output_of("disasm", "--arch", "wormhole", "0x14000000") == "tttrnspsrca\n"


def test_disasm_of_a_text_of_words(tmp_path: Path) -> None:
    text = tmp_path / "words"
    text.write_text("\n".join(WORDS) + "\n\n# end\n")
    assert output_of("disasm", text) == TEXT
    assert output_of("disasm", stdin=text.read_text()) == TEXT


def test_disasm_ttinsn() -> None:
    assert output_of("disasm", "--ttinsn", "0x10100404") == "ttreplay 16,16,0,1\n"
    assert "is a RISC-V instruction" in error_of("disasm", "--ttinsn", "3")


def test_disasm_json() -> None:
    document = json.loads(output_of("disasm", "--json", *WORDS))
    assert document["assembly"] == TEXT.splitlines()
    assert document["words"] == WORDS


def test_what_disasm_prints_asm_reads() -> None:
    words = ["0x00000000", "0x76800001", "0xffffffff", *WORDS]
    assert output_of("asm", stdin=output_of("disasm", *words)).split() == words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["0x100000000"], "0x100000000 is not a 32-bit word"),
        (["9" * 5000], "9" * 37 + "... is not a 32-bit word"),
        (["1", "zzz"], "'zzz' is not a number: give words, or one file"),
        (["zzz"], "zzz: neither a word nor a file"),
        (["--ttinsn", "--arch", "tilext", "1"], "--ttinsn is for Tensix words"),
    ],
)
def test_disasm_complaints(arguments: list[str], message: str) -> None:
    assert error_of("disasm", *arguments).startswith(message)


def test_disasm_of_bad_files(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"\x00\x01\x02")
    assert "3 bytes are not a multiple of 4" in error_of("disasm", file)
    file.write_bytes(b"\xff\xfe\xfd")
    assert "3 bytes are not a multiple of 4" in error_of("disasm", file)
    file.write_text("0x1\nttnop\n")
    assert error_of("disasm", file) == f"{file}:2: 'ttnop' is not a number"
    file.write_text("0x1ffffffff\n")
    assert error_of("disasm", file) == f"{file}:1: 0x1ffffffff is not a 32-bit word"
    file.write_bytes(b"")
    assert output_of("disasm", file) == ""


def test_the_tile_extension_is_asked_only_for_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    tilext = pytest.importorskip("tilelab.tilext")
    monkeypatch.setattr(tilext, "assemble_text", lambda text: [len(text)], raising=False)
    monkeypatch.setattr(tilext, "disassemble_words", lambda words: [f"t{words}"], raising=False)
    assert output_of("asm", "--arch", "tilext", stdin="abc") == "0x00000003\n"
    assert output_of("disasm", "--arch", "tilext", "7") == "t[7]\n"


MATH = Path(__file__).parents[2] / "examples" / "matmul" / "math.elf"


def test_disasm_of_an_elf_lists_its_code() -> None:
    lines = output_of("disasm", MATH).splitlines()
    program = load_elf(MATH)
    start = program.segments[0][0]
    assert lines[0].startswith(f"# {start:#x}: ")
    count = sum(len(data) for at, data in program.segments if any(at in r for r in program.code))
    instructions = [line for line in lines if not re.fullmatch(r"# 0x[0-9a-f]+: \S+", line)]
    assert len(instructions) == count // 4
    assert len([line for line in lines if line.startswith("ttmvmul ")]) == 16
    assert any(re.fullmatch(r"ttreplay 16,16,0,1 +# 0x\w+ kernel.cpp:\d+", line) for line in lines)
    assert not any("ttflushdma" in line for line in lines)  # what the header would read as


def test_what_disasm_makes_of_an_elf_assembles_to_its_tensix_words() -> None:
    text = output_of("disasm", MATH)
    words = [int(word, 16) for word in output_of("asm", "--ttinsn", stdin=text).split()]
    stored = [
        int.from_bytes(data[at : at + 4], "little")
        for start, data in load_elf(MATH).segments
        for at in range(0, len(data), 4)
    ]
    assert words == [word for word in stored if word & 3 != 3]
    document = json.loads(output_of("disasm", "--json", MATH))
    assert [int(word, 16) for word in document["words"]] == words
    assert len(document["code"]) == len(stored)
    assert {"pc", "word", "text", "tensix", "line"} == document["code"][0].keys()


def test_a_kernel_that_firmware_calls_is_listed_though_it_begins_nowhere(tmp_path: Path) -> None:
    kernel = tmp_path / "trisc1.elf"  # tt-metal's have no .init
    kernel.write_bytes(MATH.read_bytes().replace(b"\0.init\0", b"\0.code\0"))
    with pytest.raises(BadInputError, match=r"no \.init"):
        load_elf(kernel)
    assert output_of("disasm", kernel).count("ttmvmul ") == 16
    document = json.loads(output_of("disasm", "--json", kernel))
    assert [one["word"] for one in document["code"]] == [
        one["word"] for one in json.loads(output_of("disasm", "--json", MATH))["code"]
    ]


def test_an_elf_that_is_none_of_a_core_is_refused(tmp_path: Path) -> None:
    whole = MATH.read_bytes()
    cut = tmp_path / "cut.elf"
    cut.write_bytes(whole[:3000])
    assert error_of("disasm", cut) == f"{cut}: is a truncated ELF file"
    cut.write_bytes(whole[:4] + b"\x02" + whole[5:])
    assert error_of("disasm", cut) == f"{cut}: is a 64-bit ELF file: the cores are 32-bit"
    assert error_of("disasm", "--arch", "tilext", MATH).endswith(
        "tilelab tilext disasm reads its code"
    )
