"""What the C header refuses: every wrong use stops GCC and clang, in C and C++, and says why."""

import shutil
import subprocess
import sys

import pytest

from tilelab.sim.errors import BadInputError
from tilelab.tilext.assembler import assemble_text
from tilelab.tilext.header import header
from tilelab.tilext.profile import load_profile

OVERLAY = {
    "codes": {"mmauop": {"bf16": 3, "int8": 5}, "vec_size": {"32": 2, "64": 3, "auto": 0}},
    "instructions": {"tgatom.rd": {"like": "tsatom.rd", "space": "global"}},
    "rows": {
        "tgatom.rd": {
            "1": "rs1_en=31=1 rd=27:23 vec_size=22:21 rtn=20=0 rs1=19:15 tuop=14:12=000"
            " rs2_en=8=1 rd_en=7",
            "0": "cas_en=31 memuop=30:25=1xxxxx compare(cas_en:rs3|0)=24:20 rs2=19:15"
            " tuop=14:12=110 tmask=9 lsuop=8:7=01",
        }
    },
}
WRONG = {  # a use, and what the compiler's message has to say of it
    "TILEXT_TGLD_UNIT(8, 3, p, 0, 0)": "tgld.unit: tilesize is 1, 2, 4, 8",
    "TILEXT_TGLD_UNIT(8, 0, p, 0, 0)": "tilesize is 1, 2, 4, 8",
    "TILEXT_TGLD_UNIT(8, 16, p, 0, 0)": "tilesize is",
    "TILEXT_TGLD_UNIT(8, -1, p, 0, 0)": "tilesize is",
    "TILEXT_TGLD_UNIT(8, 5, p, 0, 0)": "tilesize is",
    "TILEXT_TGLD_UNIT(8, 6, p, 0, 0)": "tilesize is",
    "TILEXT_TGLD_UNIT(8, 7, p, 0, 0)": "tilesize is",
    "TILEXT_TGST_UNIT(8, 3, p, 0, 0)": "tgst.unit: tilesize is",
    "TILEXT_TSLD_UNIT(8, 3, p, 0, 0)": "tsld.unit: tilesize is",
    "TILEXT_TSST_UNIT(8, 3, p, 0, 0)": "tsst.unit: tilesize is",
    "TILEXT_TGLD_STRIDE(8, 3, p, 0, p, 0)": "tgld.stride: tilesize is",
    "TILEXT_TGST_STRIDE_R(8, 3, p, p, p, 0)": "tgst.stride: tilesize is",
    "TILEXT_MMA_TT(1, 2, 0, 0, 0, 0, 3, 3, 3, 0, 0, 0, 0)": "mma.tt: ",
    "TILEXT_TGLD_UNIT(256, 4, p, 0, 0)": "td is the number of a tile register, 0 to 255",
    "TILEXT_TGLD_UNIT(-1, 4, p, 0, 0)": "td is the number of a tile register",
    "TILEXT_TGST_UNIT(256, 4, p, 0, 0)": "ts1 is the number of a tile register",
    "TILEXT_TGLD_UNIT(1, 4, p, 1024, 0)": "imm is 0 to 1023",
    "TILEXT_TGLD_UNIT(1, 4, p, -1, 0)": "imm is 0 to 1023",
    "TILEXT_TGLD_UNIT_R(1, 4, p, p, 5, 0)": "imm uses only the bits 0x3e0",
    "TILEXT_TGLD_UNIT(1, 4, p, 0, 2)": "tmask is 0 to 1",
    "TILEXT_TGLD_UNIT(8.7, 4, p, 0, 0)": "",
    "TILEXT_TGLD_UNIT(8, 4.0, p, 0, 0)": "",
    "TILEXT_TGLD_UNIT(8, 4, p, 1.0f, 0)": "",
    'TILEXT_TGLD_UNIT(8, 4, p, 0, "1")': "",
    "TILEXT_TGLD_UNIT(n, 4, p, 0, 0)": "",
    "TILEXT_TGLD_UNIT(1, n, p, 0, 0)": "",
    "TILEXT_TGLD_UNIT(1, 4, p, n, 0)": "",
    "TILEXT_TGLD_UNIT(1, 4, p, 0, n)": "",
    "TILEXT_TGLD_UNIT(1, 4, 1.5, 0, 0)": "rs1 is an integer or a pointer",
    "TILEXT_TGLD_UNIT(1, 4, d, 0, 0)": "rs1 is an integer or a pointer",
    "TILEXT_TGLD_UNIT(1, 4, st, 0, 0)": "rs1 is an integer or a pointer",
    "TILEXT_TGLD_UNIT(1, 4, wide, 0, 0)": "rs1 is an integer or a pointer",
    "TILEXT_TGLD_UNIT(1, 4, p, 0)": "",
    "TILEXT_TGLD_UNIT(1, 4, p, 0, 0, 0)": "",
    "TILEXT_TGLD_UNIT()": "",
    "TILEXT_TGLD_INDEX(0, 0x3f, 4, 8, 4, p, 0, 0)": "func6 is one of TILEXT_FUNC6_VECTOR_STORE",
    "TILEXT_TGLD_INDEX(0, TILEXT_FUNC6_VECTOR_LOAD_E16, 4, 8, 4, p, 0, 0)": "func6 is one of",
    "TILEXT_TGLD_INDEX(0, TILEXT_FUNC6_GRF_STORE_U4, 4, 8, 4, p, 0, 0)": "",
    "TILEXT_TGLD_INDEX(0, 0x23, 4, 8, 4, p, 0, 0)": "func6 is one of",
    "TILEXT_TGLD_INDEX(0, 64, 4, 8, 4, p, 0, 0)": "func6 is one of",
    "TILEXT_TGLD_INDEX(0, -1, 4, 8, 4, p, 0, 0)": "func6 is one of",
    "TILEXT_TGLD_INDEX(0, TILEXT_FUNC6_VECTOR_STORE_E16, 32, 8, 4, p, 0, 0)": "vs2 is the number",
    "TILEXT_TGLD_INDEX(2, TILEXT_FUNC6_VECTOR_STORE_E16, 4, 8, 4, p, 0, 0)": "addrCtl is 0 to 1",
    "TILEXT_TMV_T_X(0, TILEXT_FUNC6_GRF_LOAD_S16, 0, p, 3)": "TILEXT_FUNC6_GRF_STORE",
    "TILEXT_TMV_T_X(0, 0x3f, 0, p, 3)": "func6 is one of",
    "TILEXT_TMV_T_X(0, TILEXT_FUNC6_GRF_STORE_S16, 0, d, 3)": "rs1 is an integer",
    "TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_STORE_S16, 0, n, 3)": "TILEXT_FUNC6_GRF_LOAD",
    "TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_LOAD_S16, 0, d, 3)": "rd is an integer",
    "TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_LOAD_S16, 0, 5, 3)": "",
    "TILEXT_TMV_T_F(0, TILEXT_FUNC6_FRF_STORE_FP16, 0, n, 3, 1)": "frs1 is a float or double",
    "TILEXT_TMV_T_F(0, 0, 0, d, 3, 1)": "func6 is one of TILEXT_FUNC6_FRF_STORE",
    "TILEXT_TMV_T_F(0, TILEXT_FUNC6_FRF_STORE_FP16, 0, d, 3, 32)": "imm is 0 to 31",
    "TILEXT_TMV_F_T(0, TILEXT_FUNC6_FRF_LOAD_FP16, 0, n, 3, 1)": "frd is a float or double",
    "TILEXT_TSATOM_NORD(TILEXT_VEC_SIZE_32, p, 1, 0, p, 0)": "memuop is 1xxxxx",
    "TILEXT_TSATOM_NORD(32, p, 64, 0, p, 0)": "memuop is 0 to 63",
    "TILEXT_TSATOM_NORD(2, p, 33, 0, p, 0)": "vec_size is one of TILEXT_VEC_SIZE",
    "TILEXT_TSATOM_NORD(33, p, 33, 0, p, 0)": "vec_size is one of",
    "TILEXT_TSATOM_NORD(0, p, 33, 0, p, 0)": "vec_size is one of",
    "TILEXT_TSATOM_RD(d, 32, p, 1, 33, p, 0)": "rd is an integer",
    "TILEXT_TGATOM_RD(n, 32, p, 1, 3, p, 0)": "tgatom.rd: memuop is 1xxxxx",
    "TILEXT_T_WAIT_MEM(2, 0, 0, 1, 1)": "global/share is 0 to 1",
    "TILEXT_T_WAIT_MEM(1, 32, 0, 1, 1)": "st_cnt is 0 to 31",
    "TILEXT_T_WAIT_MEM(1, 0, 32, 1, 1)": "ld_cnt is 0 to 31",
    "TILEXT_T_WAIT_MEM(1, 0, 0, 2, 1)": "st_en is 0 to 1",
    "TILEXT_T_WAIT_TMA(32)": "tma_group_id is 0 to 31",
    "TILEXT_T_SYNC_IMM(1, 256, 0, 0)": "imm is 0 to 255",
    "TILEXT_T_SYNC_IMM(1, 1, 32, 0)": "sync_id is 0 to 31",
    "TILEXT_T_SYNC_IMM(1, 1, 0, 4)": "scope is 0 to 3",
    "TILEXT_MMA_TT(1, 2, 0, 0, 0, 0, 3, 32, 4, 0, 0, 0, 0)": "mmauop is 0 to 31",
    "TILEXT_TALU_1OP(1, 2, 64, 0, 0)": "vecuop2 is 0 to 63",
    "TILEXT_TALU_1OP(1, 2, 0, 0, 4)": "vecuop1 is 0 to 3",
    "TILEXT_TCSRW(1, p)": "tcsrw cannot be encoded",
}
RIGHT = {
    "TILEXT_TGLD_UNIT(8, 4, p, 0, 0)": "tgld.unit tr8, (a0), tilesize=4",
    "TILEXT_TGLD_UNIT(8, TILEXT_TILESIZE_8, p, 0, 0)": "tgld.unit tr8, (a0), tilesize=8",
    "TILEXT_MMA_TT(1, 2, 0, 0, 0, 0, 3, TILEXT_MMAUOP_BF16, 2, 0, 0, 0, 0)": (
        "mma.tt tr1, tr2, tr3, mmauop=bf16, tilesize=2"
    ),
    "TILEXT_TSATOM_NORD(TILEXT_VEC_SIZE_AUTO, p, 33, 0, p, 0)": (
        "tsatom.nord (a0), a0, vec_size=auto, memuop=33"
    ),
    "TILEXT_TGLD_INDEX(0, TILEXT_FUNC6_VECTOR_STORE_E16_M, 4, 8, 1, p, 0, 0)": (
        "tgld.index tr8, (a0), v4, func6=e16.m, tilesize=1"
    ),
}
START = """#include "tilext.h"
struct S { long a, b; };
"""
DECLARED = "(void *p, int n, double d, struct S st, __int128 wide)"


def compilers():
    """Yield name, command without a language, and why not, for every compiler of the matrix."""
    gcc = "riscv64-unknown-elf-gcc"
    yield "gcc", [gcc, "-march=rv64gc", "-mabi=lp64d"], shutil.which(gcc)
    clang = ["clang", "--target=riscv64", "-march=rv64gc", "-mabi=lp64d"]
    yield "clang", clang, shutil.which("clang")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-freestanding", "-nostdinc"]
    found = subprocess.run([*zig[:3], "version"], capture_output=True, check=False)
    yield "ziglang's clang", zig, found.returncode == 0


MATRIX = [
    pytest.param(
        [*command, "-x", language, f"-std={standard}"],
        id=f"{name}-{standard}",
        marks=pytest.mark.skipif(not found, reason=f"{name} is not installed"),
    )
    for name, command, found in compilers()
    for language, standard in (("c", "gnu99"), ("c", "c11"), ("c++", "c++11"), ("c++", "gnu++17"))
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("header")
    (folder / "tilext.h").write_text(header(load_profile("repaired", OVERLAY)))
    return folder


@pytest.mark.parametrize("command", MATRIX)
def test_every_wrong_use_is_refused_on_its_own_line_with_its_reason(folder, command):
    lines = [f"void f{n}{DECLARED} {{ {use}; }}" for n, use in enumerate(WRONG)]
    (folder / "wrong.c").write_text(START + "\n".join(lines) + "\n")
    limit = (
        "-ferror-limit=0" if "clang" in command or "cc" in command else "-ftrack-macro-expansion=0"
    )
    asked = [*command, "-fsyntax-only", limit, "-fno-diagnostics-color", "wrong.c"]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode
    said = {}
    for line in done.stderr.splitlines():
        parts = line.split(":", 3)
        if len(parts) == 4 and parts[0] == "wrong.c" and parts[3].strip().startswith("error"):
            said.setdefault(int(parts[1]), []).append(parts[3])
    for number, (use, reason) in enumerate(WRONG.items(), START.count("\n") + 1):
        assert number in said, f"{use} compiles"
        assert reason in "\n".join(said[number]), (use, said[number])


def test_there_are_at_least_sixty_wrong_uses():
    assert len(WRONG) >= 60


@pytest.mark.parametrize("command", MATRIX)
def test_right_uses_are_the_assemblers_words(folder, command):
    lines = [f"void f{n}(void *p) {{ {use}; }}" for n, use in enumerate(RIGHT)]
    (folder / "right.c").write_text('#include "tilext.h"\n' + "\n".join(lines) + "\n")
    asked = [*command, "-Wall", "-Werror", "-O1", "-c", "right.c", "-o", "right.o"]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made, profile = (folder / "right.o").read_bytes(), load_profile("repaired", OVERLAY)
    for text in RIGHT.values():
        words = assemble_text(text, profile)
        assert b"".join(word.to_bytes(4, "little") for word in words) in made, text


def test_names_that_collide_in_c_are_refused():
    overlay = {"codes": {"mmauop": {"a.b": 1, "a-b": 2}}}
    with pytest.raises(BadInputError, match="TILEXT_MMAUOP_A_B in C"):
        header(load_profile("repaired", overlay))


def test_c_plus_plus_before_11_is_told_so(folder):
    if not shutil.which("riscv64-unknown-elf-gcc"):
        pytest.skip("riscv64-unknown-elf-gcc is not installed")
    asked = ["riscv64-unknown-elf-gcc", "-x", "c++", "-std=c++98", "-fsyntax-only", "tilext.h"]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    assert "tilext.h needs C++11" in done.stderr


TYPES_C = """#include "tilext.h"
enum color { RED };
struct S { int a; };
void g(char *c, const void *v, int i, unsigned char b, enum color e, struct S *s, float f,
       double d, long l, unsigned long long u) {
  int array[4]; const int fixed[2] = {1, 2}; void (*function)(void) = 0; short small; int k = 0;
#define LOAD(x) TILEXT_TGLD_UNIT(8, 4, x, 0, 0)
  LOAD(c); LOAD(v); LOAD(i); LOAD(b); LOAD(e); LOAD(s); LOAD(l); LOAD(u); LOAD(0); LOAD(0x1000ul);
  LOAD(array); LOAD(fixed); LOAD(&array[1]); LOAD(s->a); LOAD(c + 1); LOAD("text"); LOAD(function);
  LOAD('a'); LOAD(i == 3); LOAD((char)1); LOAD(k++);
  TILEXT_TMV_T_F(0, TILEXT_FUNC6_FRF_STORE_FP16, 0, f, 3, 1);
  TILEXT_TMV_T_F(0, TILEXT_FUNC6_FRF_STORE_FP64, 0, d, 3, 1);
  TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_LOAD_S16, 0, l, 3);
  TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_LOAD_S16, 0, i, 3);
  TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_LOAD_S16, 0, small, 3);
  TILEXT_TMV_X_T(0, TILEXT_FUNC6_GRF_LOAD_X64, 0, c, 3);
  TILEXT_TMV_F_T(0, TILEXT_FUNC6_FRF_LOAD_FP32, 0, f, 3, 1);
  if (i) LOAD(c); else LOAD(v);
}
#ifdef __cplusplus
enum class Color { red };
template <int N> void t(char &c, bool b, Color e) {
  TILEXT_TGLD_UNIT(N, 1 << N, &c, 0, 0); LOAD(b); LOAD(e); LOAD(c);
}
template void t<2>(char &, bool, Color);
#endif
"""


@pytest.mark.parametrize("command", MATRIX)
def test_values_of_every_fitting_type_compile(folder, command):
    (folder / "types.c").write_text(TYPES_C)
    asked = [
        *command,
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-O1",
        "-c",
        "types.c",
    ]
    done = subprocess.run(
        [*asked, "-o", "types.o"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:3000]
