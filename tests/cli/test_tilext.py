"""``tilelab tilext``: what it prints and how it ends."""

import json
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from tilelab.cli.main import application
from tilelab.sim.errors import TilelabError
from tilelab.tilext import assemble_text
from tilelab.tilext.fuzz import RoundTripError
from tilelab.tilext.questions import QUESTIONS

app = application(("tilext",))


def run(*arguments, stdin=None):
    return CliRunner().invoke(app, ["tilext", *[str(a) for a in arguments]], input=stdin)


def test_check_counts_and_validates():
    result = run("check", "--random", 200)
    assert result.exit_code == 0
    assert "profile repaired: 40 instructions, 78 words, 39 encodable" in result.stdout
    assert "not encodable: tcsrw: line 238" in result.stdout
    assert "no words fit two instructions" in result.stdout
    assert f"{len(QUESTIONS)} open questions" in result.stdout
    assert "200 random instances made the round trip" in result.stdout


def test_check_as_json():
    found = json.loads(run("check", "--profile", "printed", "--random", 70, "--json").stdout)
    assert (found["instructions"], found["encodable"], found["words"]) == (40, 35, 78)
    assert found["random_instances"] == 70 == sum(found["instances"].values())


def test_a_failed_round_trip_exits_1(monkeypatch):
    def fail(*arguments):
        raise RoundTripError("words differ")

    monkeypatch.setattr("tilelab.cli.tilext.round_trips", fail)
    error = run("check", "--random", 1).exception
    assert isinstance(error, TilelabError)
    assert (error.exit_code, error.summary) == (1, "words differ")


def test_open_questions():
    page = run("open-questions").stdout
    found = json.loads(run("open-questions", "--json").stdout)
    assert [q["key"] for q in found] == list(QUESTIONS)
    assert all(q["ask"] in page and q["zh"] in page for q in found)


def test_reference_and_exports_write_files(tmp_path):
    assert run("reference", "-o", tmp_path / "ref").exit_code == 0
    assert (tmp_path / "ref" / "reference.zh.md").is_file()
    assert run("export", "riscv-opcodes", "-o", tmp_path / "ro").exit_code == 0
    assert (tmp_path / "ro" / "rv_xtilext").is_file()
    assert run("export", "unified-db", "-o", tmp_path / "udb").exit_code == 0
    assert (tmp_path / "udb" / "inst" / "Xtilext" / "tgld.unit.w0.yaml").is_file()
    assert run("export", "c-header", "-o", tmp_path / "t.h").exit_code == 0
    assert (tmp_path / "t.h").read_text() == run("export", "c-header").stdout


@pytest.mark.parametrize(
    ("what", "says"),
    [
        *((what, "No such file or directory") for what in ("c-header", "json")),
        *((what, "there is no folder {0}") for what in ("riscv-opcodes", "tablegen")),
    ],
)
def test_an_export_into_a_folder_that_is_not_there_is_refused(tmp_path, what, says):
    error = run("export", what, "-o", tmp_path / "no" / "x").exception
    assert isinstance(error, TilelabError)
    missing = tmp_path / "no"
    assert error.exit_code == 2
    assert error.summary == f"{missing / 'x'}: {says.format(missing)}"
    assert not list(tmp_path.iterdir())


def test_annotate_filters_stdin():
    words = assemble_text("tgld.unit tr8, (a0), tilesize=4")
    lines = "".join(f"   {4 * n:x}:\t{word:08x}\t.insn\n" for n, word in enumerate(words))
    result = run("annotate", "-", stdin=f"{lines}nothing else\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith("# tgld.unit tr8, (a0), tilesize=4")
    assert result.stdout.splitlines()[2] == "nothing else"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "--overlay", "/no/such.toml"), "No such file"),
        (("annotate", "/no/such"), "No such file"),
        (("annotate", __file__.replace("test_tilext.py", "")), "Is a directory"),
        (("elf", "/no/such"), "No such file"),
        (("elf", __file__), "cannot be read as an ELF"),
        (("export", "unified-db"), "name a folder with -o"),
        (("export", "c-header", "-o", "/proc/none/t.h"), "/proc/none/t.h"),
        (("reference", "-o", "/proc/none"), "/proc/none"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, message):
    error = run(*arguments).exception
    assert isinstance(error, TilelabError)
    assert error.exit_code == 2
    assert message in error.summary
    assert "\n" not in error.summary


def test_input_that_is_not_text(tmp_path):
    (tmp_path / "bin").write_bytes(b"\xff\xfe\x00")
    error = run("annotate", tmp_path / "bin").exception
    assert isinstance(error, TilelabError)
    assert error.exit_code == 2


def test_asm_and_disasm_with_a_profile_and_an_overlay(tmp_path):
    (tmp_path / "chip.toml").write_text("opcode = 0x5b\n[codes.mmauop]\nbf16 = 3\n")
    options = ["--overlay", tmp_path / "chip.toml"]
    line = "mma.tt tr0, tr1, tr2, mmauop=bf16, tilesize=1\n"
    words = run("asm", "-", *options, stdin=line).stdout
    assert words == "0x0000b05b\n0x010c605b\n"
    assert run("disasm", "-", *options, stdin=words).stdout == line
    found = json.loads(run("disasm", "-", "--json", *options, stdin=words).stdout)
    assert (found[0]["words"], found[0]["text"]) == ([0x0000B05B, 0x010C605B], line.strip())
    insn = run("asm", "-", "--style", "insn", *options, stdin=line).stdout
    assert insn.splitlines()[0] == ".insn r 0x5b, 3, 0, x0, x1, x0"
    run("asm", "-", "-o", tmp_path / "w.bin", *options, stdin=line)
    assert (tmp_path / "w.bin").read_bytes() == bytes.fromhex("5bb000005b600c01")
    lenient = run("asm", "-", "--lenient", stdin="tgld.unit tr0, (a0), tilesize=@7").stdout
    assert run("disasm", "-", "--lenient", stdin=lenient).stdout.endswith("tilesize=@7\n")
    bad = run("disasm", "-", stdin="what")
    assert isinstance(bad.exception, TilelabError)
    assert bad.exception.exit_code == 2
    styled = run("asm", "-", "--style", "x", stdin="")
    assert styled.exit_code == 2
    assert "'x' is not one of 'hex', 'word', 'insn'" in styled.output


def test_asm_and_disasm_take_the_architecture():
    line = "tgld.unit tr8, (a0), offset=a2, tilesize=4"
    both = application(("asm", "disasm"))
    words = CliRunner().invoke(both, ["asm", "--arch", "tilext"], input=line).stdout.split()
    assert words == [f"{word:#010x}" for word in assemble_text(line)]
    assert CliRunner().invoke(both, ["disasm", "--arch", "tilext", *words]).stdout == f"{line}\n"
    bad = CliRunner().invoke(both, ["asm", "--arch", "tilext"], input="tgld.unt tr8").exception
    assert isinstance(bad, TilelabError)
    assert (bad.exit_code, bad.summary[:38]) == (2, "line 1: unknown instruction 'tgld.unt'")


def test_mixed_assembly_keeps_scalar_lines(tmp_path):
    source = "loop: tgld.unit tr1, (a0), tilesize=1\n bnez a1, loop\n"
    (tmp_path / "in.s").write_text(source)
    assert run("asm", "--gas", tmp_path / "in.s", "-o", tmp_path / "out.s").exit_code == 0
    first, second = (tmp_path / "out.s").read_text().splitlines()
    assert first.startswith("loop: .insn r 0x7b, ")
    assert second == " bnez a1, loop"
    assert run("asm", "--gas", "-", stdin=source).stdout == (tmp_path / "out.s").read_text()


def test_disasm_reads_what_asm_writes(tmp_path):
    text = "tgld.unit tr8, (a0), tilesize=4\nt_wait.all\n"
    for style in ("hex", "word"):
        written = run("asm", "--style", style, stdin=text).stdout
        assert run("disasm", stdin=written).stdout == text
    assert run("asm", "-o", tmp_path / "words.bin", stdin=text).exit_code == 0
    assert run("disasm", tmp_path / "words.bin").stdout == text
    (tmp_path / "cut.bin").write_bytes((tmp_path / "words.bin").read_bytes()[:-1])
    assert (
        "neither text nor words: 11 bytes" in run("disasm", tmp_path / "cut.bin").exception.summary
    )


def test_lenient_decoding_prints_unassigned_bits_that_are_set():
    words = "0x8425007b 0x0000647b"
    assert run("disasm", stdin=words).stdout.startswith(
        ".word 0x8425007b, 0x0000647b  # unassigned"
    )
    text = run("disasm", "--lenient", stdin=words).stdout
    assert text == "tgld.unit tr8, (a0), tilesize=4, unassigned.0=0x400\n"
    assert run("asm", "--lenient", stdin=text).stdout.split() == words.split()
    assert "not assigned" in run("asm", stdin=text).exception.summary
    bad = text.replace("0x400", "0x80000000")
    assert "are not unassigned bits" in run("asm", "--lenient", stdin=bad).exception.summary


def test_check_makes_an_illegal_word_an_error():
    good = run("disasm", "--check", stdin="0x8425007b 0x0000607b")
    assert good.exit_code == 0
    result = run("disasm", "--check", stdin="0x8425007b\n0x0000607b\n0x12345678\n0x0000607b")
    assert result.exit_code == 1
    assert "tgld.unit" in result.stdout
    assert "2 of 3 are not legal instructions; word 2: no word of the Tile" in result.stderr


@pytest.mark.parametrize("word", ["0x80000000ffffffff", "-1", "word"])
def test_a_word_that_is_none_is_named_with_its_line(word):
    error = run("disasm", stdin=f"0\n{word}").exception
    assert (error.exit_code, error.summary) == (2, f"line 2: {word!r} is not a word")


def test_disasm_reads_an_elf_and_its_lines_assemble(tmp_path):
    if not shutil.which("riscv64-unknown-elf-as"):
        pytest.skip("riscv64-unknown-elf-as is not installed")
    text = "tgld.unit tr8, (a0), tilesize=4\nt_wait.all\n"
    assert (
        run("asm", "--gas", "-", "-o", tmp_path / "a.s", stdin=f"nop\n{text}ret\n").exit_code == 0
    )
    command = ["riscv64-unknown-elf-as", "-march=rv64gc", "a.s", "-o", "a.o"]
    subprocess.run(command, cwd=tmp_path, check=True)
    listed = run("disasm", "--check", tmp_path / "a.o")
    assert listed.exit_code == 0
    words = [run("asm", stdin=found).stdout for found in (listed.stdout, text)]
    assert words[0] == words[1]
    assert ".text 0x2" in listed.stdout
    (tmp_path / "cut.o").write_bytes((tmp_path / "a.o").read_bytes()[:70])
    error = run("disasm", tmp_path / "cut.o").exception
    assert (error.exit_code, "\n" in error.summary) == (2, False)
