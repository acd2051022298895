"""Mixed assembly: tile lines become .insn, everything else stays, and real assemblers take it."""

import random
import shutil
import subprocess

import pytest

from tilelab.sim.errors import BadInputError
from tilelab.tilext import assemble_text
from tilelab.tilext.assembler import Assembler
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.errors import AssemblyError, IllegalInstruction
from tilelab.tilext.gas import translate
from tilelab.tilext.objdump import annotate, elf_code
from tilelab.tilext.profile import load_profile

KERNEL = """\
# a loop of tile loads; /* not a comment to us
        .globl  _start          # the entry
        .equ    COUNT, 4
_start: li      t0, COUNT       # ; tgld.unit in a comment
        la      a0, data
1:      tgld.unit tr8, (a0), tilesize=4     # four registers
loop:   t_wait.mem st_cnt=0, ld_cnt=0, ld_en; addi t0, t0, -1
        /* a block; tgld.unit tr1, (a0)
           t_wait.all over */ tsst.unit  tr8,\t(a1), tilesize=1; bnez t0, 1b
.Lend:  tmv.x.t a0, tr3, func6=s16; ret
        .section .rodata
text:   .asciz  "tgld.unit tr8; # \\" /* t_wait.all"
        .byte ';', '#'
        .data
data:   .dword  text
"""
TILE = [
    "tgld.unit tr8, (a0), tilesize=4",
    "t_wait.mem st_cnt=0, ld_cnt=0, ld_en",
    "tsst.unit tr8, (a1), tilesize=1",
    "tmv.x.t a0, tr3, func6=s16",
]
ASSEMBLERS = [
    ("riscv64-unknown-elf-as", ["riscv64-unknown-elf-as", "-march=rv64gc"]),
    ("riscv64-linux-gnu-as", ["riscv64-linux-gnu-as", "-march=rv64gc"]),
    ("clang", ["clang", "--target=riscv64", "-march=rv64gc", "-c"]),
    ("llvm-mc", ["llvm-mc", "-triple=riscv64", "-mattr=+c,+m", "-filetype=obj"]),
]


@pytest.fixture(scope="module")
def assembler():
    return Assembler(load_profile())


@pytest.mark.parametrize(("tool", "command"), ASSEMBLERS, ids=[name for name, _ in ASSEMBLERS])
def test_a_whole_kernel_with_a_loop_goes_through(tmp_path, assembler, tool, command):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    (tmp_path / "out.s").write_text(translate(KERNEL, assembler))
    done = subprocess.run(
        [*command, "out.s", "-o", "out.o"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    disassembler = Disassembler(assembler.profile)
    found = elf_code((tmp_path / "out.o").read_bytes(), "out.o", disassembler)
    assert [line.text for line in found] == TILE


def test_lines_keep_their_numbers_and_what_is_not_ours_stays(assembler):
    out = translate(KERNEL, assembler)
    assert out.count("\n") == KERNEL.count("\n")
    for before, after in zip(KERNEL.splitlines(), out.splitlines(), strict=True):
        if not any(line.split()[0] in before for line in TILE) or "asciz" in before:
            assert before == after
    assert out.count(".insn r") == sum(len(assemble_text(line)) for line in TILE)


def test_errors_name_the_line_of_the_source(assembler):
    cases = {
        "nop\nx: tgld.unit tr8, (a0), tilesize=3": (AssemblyError, "line 2: tilesize=3"),
        "\n\ntgld.unit tr8, (a0), tilesize=\\n": (AssemblyError, "line 3: tilesize="),
        "tcsr zero, csr_idx=3": (IllegalInstruction, "line 1: tcsr: rd_en"),
        "nop; tcsrw a0": (AssemblyError, "line 1: tcsrw cannot be encoded"),
        "/* */ t_wait.mma now": (AssemblyError, "line 1: t_wait.mma has no 'now'"),
    }
    for text, (kind, message) in cases.items():
        with pytest.raises(kind) as raised:
            translate(text, assembler)
        assert raised.value.summary.startswith(message)


@pytest.mark.parametrize(
    "text", ["t_wait.all = 5", "t_wait.all:", "mv a0, a1", ".set x, 1", "", ";;"]
)
def test_names_that_are_no_instruction_here_pass(assembler, text):
    assert translate(text + "\n", assembler) == text + "\n"


def test_llvms_objdump_is_annotated_too(tmp_path, assembler):
    if not (shutil.which("llvm-mc") and shutil.which("llvm-objdump")):
        pytest.skip("llvm-mc is not installed (Debian: llvm)")
    (tmp_path / "out.s").write_text(translate(KERNEL, assembler))
    asked = ["llvm-mc", "-triple=riscv64", "-mattr=+c,+m", "-filetype=obj", "out.s", "-o", "out.o"]
    subprocess.run(asked, cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["llvm-objdump", "-d", "out.o"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = annotate(listed.stdout.splitlines(), Disassembler(assembler.profile))
    notes = [line.split("\t# ")[1] for line in found if "\t# " in line]
    assert [note for note in notes if note != "…"] == TILE


def test_random_text_is_translated_or_refused_in_one_line(assembler):
    rng = random.Random(3)
    pieces = [
        *TILE,
        "loop:",
        ";",
        "#",
        "/*",
        "*/",
        "//",
        '"',
        "'",
        "\\",
        "\t",
        "=",
        "nop",
        "\n",
        "é",
    ]
    problems = []
    for _ in range(2000):
        text = " ".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))
        try:
            out = translate(text, assembler)
        except BadInputError as error:
            problems.append(error.summary)
        else:
            assert out.count("\n") == len(text.splitlines())
    assert problems
    assert not any("\n" in problem for problem in problems)
