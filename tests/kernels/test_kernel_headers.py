"""The C++ headers: the generated ones are current, and mean what the tables say."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tilelab.build.compilers import GCC, GCC_PACKAGE
from tilelab.build.headers import (
    cfg_header,
    folders,
    main,
    ops_header,
    write_headers,
)
from tilelab.tensix.arch import ARCHES

needs_compiler = pytest.mark.skipif(
    not shutil.which(GCC), reason=f"needs {GCC}: apt install {GCC_PACKAGE}"
)

CHIPS = ("blackhole", "wormhole")


def check_syntax(tmp_path: Path, text: str, chip: str = "blackhole") -> str:
    """What the compiler says about a source file: "" if it has nothing against it."""
    source = tmp_path / "source.cpp"
    source.write_text(text, encoding="utf-8")
    write_headers(chip, tmp_path)
    target = ["-march=rv32im_zicsr", "-mabi=ilp32", "-ffreestanding", "-std=c++20", "-O2"]
    places = [f"-I{folder}" for folder in folders(tmp_path)]
    define = f"-DARCH_{chip.upper()}"
    command = [GCC, *target, define, *places, "-S", "-o", str(tmp_path / "s"), str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_the_headers_are_written_for_a_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["headers", str(tmp_path), "--arch", "wormhole"])
    assert main() == 0
    paths = [tmp_path / "tilelab" / name for name in ("ops.h", "cfg.h", "noc_registers.h")]
    assert capsys.readouterr().out == "".join(f"{path}\n" for path in paths)
    assert paths[1].read_text(encoding="utf-8") == cfg_header("wormhole")
    monkeypatch.setattr("sys.argv", ["headers", str(paths[0])])
    assert main() == 2


@pytest.mark.parametrize("chip", CHIPS)
def test_every_instruction_and_every_field_is_there(chip: str) -> None:
    ops, cfg = ops_header(chip), cfg_header(chip)
    for name in ARCHES[chip].instructions:
        for macro in (f"TT_OP_{name}", f"TTI_{name}", f"TT_{name}"):
            assert f"#define {macro}(" in ops or f"#define {macro} " in ops
    assert cfg.count("\nconstexpr ") == len(ARCHES[chip].config_fields)


@needs_compiler
@pytest.mark.parametrize("chip", CHIPS)
def test_macros_make_the_words_of_the_table(chip: str, tmp_path: Path) -> None:
    lines = ["#include <tilelab/ops.h>"]
    for row in ARCHES[chip].instructions.values():
        values = [0x5A5A5A & field.max for field in row.macro]
        word = row.opcode << 24
        word |= sum(field.put(value) for field, value in zip(row.macro, values, strict=True))
        operands = f"({', '.join(map(hex, values))})" if values else ""
        lines.append(f"static_assert(TT_OP_{row.name}{operands} == {word:#x}u);")
    assert check_syntax(tmp_path, "\n".join(lines), chip) == ""


@needs_compiler
def test_the_names_that_authors_know(tmp_path: Path) -> None:
    text = """
    #include <tilelab/templates.h>
    void program() {
        addr_mod_t{
            .srca = {.incr = 16, .clr = 0, .cr = 0},
            .srcb = {.incr = 0, .clr = 0, .cr = 1},
            .dest = {.incr = 8, .clr = 0, .cr = 0},
        }.set(ADDR_MOD_1);
        load_replay_buf(0, 2, [&] {
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);
            TTI_MVMUL(p_setrwc::CLR_A, 0, ADDR_MOD_1, 0);
        });
        load_replay_buf<Exec>(4, 1, [] { TTI_NOP; });
        ckernel_template mop(1, 1, lltt::replay_insn(0, 2), TT_OP_NOP);
        mop.set_start_op(TT_OP_NOP);
        mop.set_end_ops(TT_OP_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F), TT_OP_NOP);
        mop.set_last_inner_loop_instr(TT_OP_NOP);
        mop.set_last_outer_loop_instr(TT_OP_NOP);
        mop.program();
        ckernel_template::run();
        ckernel_unpack_template(false, true, 1, 2, 3, 4, 5, 6, 7).program();
        ckernel_unpack_template::run(40, 0xFF00FF00);
        lltt::record(8, 1);
        TTI_DMANOP;
        lltt::replay(8, 1);
        mop_sync();
        tensix_sync();
    }
    """
    assert check_syntax(tmp_path, text) == ""


@needs_compiler
@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("TTI_MVMUL(4, 0, 0, 0);", "an operand does not fit its field"),
        ("TT_SETC16(256, value);", "an operand does not fit its field"),
        ("cfg_write<cfg::SRCA_SET_Base>(0);", "no matching function"),
        ("TTI_SETC16(1, value);", "impossible constraint"),
    ],
)
def test_mistakes_do_not_compile(tmp_path: Path, statement: str, complaint: str) -> None:
    text = f"#include <tilelab/tensix.h>\nvoid f(uint32_t value) {{ {statement} (void)value; }}\n"
    assert complaint in check_syntax(tmp_path, text)
    right = text.replace(statement, "TT_SETC16(1, value);")
    assert check_syntax(tmp_path, right) == ""
