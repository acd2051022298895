"""The C++ listings of the documents that the project set out from: compiled as printed, and run.

Each is cut out of its document, where that lies beside the checkout (or in the folder that
TILELAB_SEEDS names), and goes into a source that has what the listing takes for granted. Where a
listing leaves lines to the reader ("… 14 more …", "(...)"), the test fills them in before it runs.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from documents import COMPUTE, EXPANDERS, cut, document
from kernel_maker import Buffer, Ran, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.arch import ARCHES

CHIPS = ("blackhole", "wormhole")
NAMES = {row.opcode: row.name for row in ARCHES["blackhole"].instructions.values()}
FACES = (0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0)


def compiles(folder: Path, source: str, arch: str) -> None:
    path = folder / "k.cpp"
    path.write_text(source, encoding="utf-8")
    build_kernel(source_kernel(path, arch), find_compiler(), folder / "out")


def in_math(body: str, before: str = "") -> str:
    """A kernel whose math core runs the body."""
    return (
        '#include "compute_kernel_api/matmul.h"\n#include "ckernel_ops.h"\n'
        f"{before}\nnamespace NAMESPACE {{\nvoid MAIN {{\n"
        f"#ifdef TRISC_MATH\n{body}\n#endif\n}}\n}}\n"
    )


def run_math(
    folder: Path, arch: str, body: str, before: str = "", warning: str = ""
) -> dict[str, int]:
    """Run a kernel whose math core runs the body; what its MOPs and REPLAYs issued, by name."""
    write_kernel(folder, in_math(body, before), [Buffer(0, np.zeros((32, 32)))], [], arch)
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler())
    result = run_kernel(read_kernel_file(folder), Tile(arch))
    assert warning in "".join(result.warnings)
    counts: Counter[str] = Counter()
    for site in result.expansions.sites.values():
        counts.update({NAMES[opcode]: count for opcode, count in site.opcodes.items()})
    return dict(counts)


@pytest.fixture(params=CHIPS)
def arch(request: pytest.FixtureRequest) -> str:
    chip: str = request.param
    return chip


def fourteen_more(arch: str) -> str:
    """The MVMULs that a listing leaves out; Wormhole's name four address modifiers only."""
    last = 7 if arch == "blackhole" else 3
    slots = (min(slot, last) for slot in (*FACES[2:], 5))
    return "".join(f"TTI_MVMUL(CLR_NONE, 0, ADDR_MOD_{slot}, 0);" for slot in slots)


def issues(ran: Ran) -> list[int]:
    return [thread.issued for thread in ran.result.threads]


def test_the_matmul_kernel_and_its_short_form(arch: str, tmp_path: Path) -> None:
    listing = cut(COMPUTE, "#include <cstdint>", "}  // namespace NAMESPACE")
    rng = np.random.default_rng(7)
    a = rng.integers(-2, 3, (64, 96)).astype(np.float32)
    b = rng.integers(-2, 3, (96, 64)).astype(np.float32)
    order = [(m, n, k) for m in range(2) for n in range(2) for k in range(3)]
    inputs = [
        Buffer(0, a, tiles=[m * 3 + k for m, _, k in order]),
        Buffer(1, b, tiles=[k * 2 + n for _, n, k in order]),
    ]
    outputs = [Buffer(16, a @ b)]
    constants = {"num_tiles": 4, "Kt": 3}
    write_kernel(tmp_path / "printed", listing, inputs, outputs, arch, constants)
    printed = build_and_run(tmp_path / "printed")
    assert printed.passed

    calls = cut(COMPUTE, "UNPACK((llk_unpack_AB_matmul(cb_a, cb_b, 0, 0)));", "MATH((")
    start = listing.index("      // TRISC0: unpack tiles")
    end = listing.index("      cb_pop_front(cb_a, 1);")
    for name, body in (("calls", calls), ("tiles", "matmul_tiles(cb_a, cb_b, 0, 0, 0);\n")):
        short = listing[:start] + body + listing[end:]
        write_kernel(tmp_path / name, short, inputs, outputs, arch, constants)
        result = build_and_run(tmp_path / name)
        assert result.passed
        assert issues(result) == issues(printed)


def test_guards_and_the_macro_for_math(arch: str, tmp_path: Path) -> None:
    guard = cut(COMPUTE, "#ifdef TRISC_MATH\n  // only", "#endif")
    macro = cut(COMPUTE, "// from common_globals.h", "#endif")
    compiles(tmp_path, in_math("MATH((mop_sync()));", macro + guard), arch)


def test_mop_registers_written_one_by_one(arch: str, tmp_path: Path) -> None:
    listing = cut(COMPUTE, "volatile uint *mop_cfg", "mop_cfg[3]")
    words = "uint32_t outer_loop_len = 3, inner_loop_len = 2;"
    words += "uint32_t start_op = TT_OP_NOP, end_op0 = TT_OP_NOP;"
    rest = """
        mop_cfg[4] = TT_OP_NOP;
        mop_cfg[5] = mop_cfg_loop; mop_cfg[6] = TT_OP_NOP;
        mop_cfg[7] = mop_cfg_loop; mop_cfg[8] = mop_cfg_loop;
        TTI_MOP(1, 0, 0);"""
    loop = "const uint32_t mop_cfg_loop = TT_OP_DMANOP;"
    issued = run_math(tmp_path, arch, words + loop + listing + rest)
    assert issued == {"DMANOP": 6}


def test_all_nine_mop_registers(arch: str, tmp_path: Path) -> None:
    listing = cut(EXPANDERS, "volatile uint32_t *mop_cfg", "mop_cfg[8]")
    names = (
        "uint32_t outer_count = 2, inner_count = 3, start_op = TT_OP_NOP, end_op0 = TT_OP_DMANOP;"
    )
    names += (
        "uint32_t end_op1 = TT_OP_NOP, loop_op = lltt::replay_insn(0, 2), loop_op1 = TT_OP_NOP;"
    )
    names += "uint32_t loop0_last = loop_op, loop1_last = loop_op;"
    record = "lltt::record(0, 2); TTI_SETC16(1, 0); TTI_SETC16(1, 1);"
    issued = run_math(tmp_path, arch, record + names + listing + "TTI_MOP(1, 0, 0);")
    assert issued == {"SETC16": 12, "DMANOP": 2}


def test_the_template_class(arch: str, tmp_path: Path) -> None:
    listing = cut(EXPANDERS, "ckernel_template tmp(outer, inner,", "ckernel_template::run();")
    names = "uint32_t outer = 2, inner = 2, end0 = TT_OP_DMANOP, end1 = TT_OP_NOP;"
    names += "uint32_t loop0_last = TT_OP_SETC16(1, 2), loop1_last = TT_OP_SETC16(1, 1);"
    record = "lltt::record(16, 16); " + "TTI_SFPNOP; " * 16
    issued = run_math(tmp_path, arch, record + names + listing)
    assert issued == {"SFPNOP": 32, "SETC16": 2, "DMANOP": 2}


def test_the_unpack_template(arch: str, tmp_path: Path) -> None:
    listing = cut(EXPANDERS, "// Configure the unpack template", "TTI_MOP(0, count - 1")
    filled = listing.replace("TT_OP_UNPACR(...)", "TT_OP_DMANOP").replace(
        "// ...", "mop_cfg[4] = 0;"
    )
    names = "volatile uint32_t* mop_cfg = (volatile uint32_t*)0xFFB80000;"
    names += "constexpr uint32_t has_b = 1, has_halo = 0, zmask = 0x20001, count = 18;"
    issued = run_math(tmp_path, arch, names + filled)
    # sixteen of eighteen iterations issue both, two skip both
    assert issued == {"DMANOP": 32, "NOP": 4}


def test_a_recording_and_its_mop(arch: str, tmp_path: Path) -> None:
    listing = cut(
        COMPUTE, "// Record 16 instructions starting at slot 0", "ckernel_template::run();"
    )
    compiles(tmp_path, in_math(listing), arch)
    more = fourteen_more(arch)
    operands = "TTI_SETDVALID(3);"
    issued = run_math(
        tmp_path / "run", arch, operands + listing.replace("// ... 14 more ...", more)
    )
    assert issued == {"MVMUL": 16}


def test_address_modifiers(arch: str, tmp_path: Path) -> None:
    listing = cut(COMPUTE, "addr_mod_t {\n  .srca = {.incr = 0,", "}.set(ADDR_MOD_1);")
    compiles(tmp_path, in_math(listing), arch)


def test_the_word_of_mvmul(tmp_path: Path) -> None:
    """It is Blackhole's: Wormhole's address modifier lies a bit higher."""
    macro = cut(COMPUTE, "#define TT_OP_MVMUL", "    TT_OP(0x26")
    same = "static_assert(ours == TT_OP_MVMUL(2, 1, 5, 77));\n"
    ours = "constexpr uint32_t ours = TT_OP_MVMUL(2, 1, 5, 77);\n#undef TT_OP_MVMUL\n"
    compiles(tmp_path, in_math("", ours + macro + same), "blackhole")


@pytest.mark.parametrize(
    ("name", "last", "operands"),
    [
        ("MOP", "                  ((zmask", "(1, 5, 0x1234)"),
        ("MOP_CFG", "#define", "(0xABCD)"),
        ("REPLAY", "                  ((execute_while_loading", "(16, 16, 1, 1)"),
    ],
)
def test_the_words_of_the_frontend(
    name: str, last: str, operands: str, arch: str, tmp_path: Path
) -> None:
    macro = cut(EXPANDERS, f"#define TT_OP_{name}(", last)
    ours = f"constexpr uint32_t ours = TT_OP_{name}{operands};\n#undef TT_OP_{name}\n"
    same = f"static_assert(ours == TT_OP_{name}{operands});\n"
    compiles(tmp_path, in_math("", ours + macro + same), arch)


def test_the_counters_reset(arch: str, tmp_path: Path) -> None:
    listing = cut(COMPUTE, "TTI_SETRWC(p_setrwc::CLR_B", "TTI_SETRWC(p_setrwc::CLR_B")
    compiles(tmp_path, in_math(listing), arch)


def test_the_replay_functions_and_their_wrapper(arch: str, tmp_path: Path) -> None:
    replay = cut(EXPANDERS, "// sfpi/include/lltt.h", "        return (0x04") + "    }\n}\n"
    wrapper = cut(EXPANDERS, "// ckernel.h\n", "    enable_gathering();") + "}\n"
    before = f"""
        #include <utility>
        #define __builtin_rvtt_ttreplay(start, length, execute, load) \\
            TT_REPLAY(start, length, execute, load)
        namespace printed {{
        using ckernel::ExecBool, ckernel::NoExec, ckernel::Exec;
        {replay}
        {wrapper}
        static_assert(lltt::replay_insn(16, 16) == 0x04040100);
        }}
    """
    body = """
        printed::load_replay_buf(4, 2, [](uint32_t) { TTI_DMANOP; TTI_DMANOP; }, 7);
        printed::load_replay_buf<Exec>(8, 1, [] { TTI_DMANOP; });
        printed::lltt::replay(4, 2);
        printed::lltt::replay(8, 1);
    """
    assert run_math(tmp_path, arch, body, before) == {"DMANOP": 3}


def test_matmul_by_a_recording_that_also_runs(arch: str, tmp_path: Path) -> None:
    """It needs operands before its init, which hardware waits for."""
    listing = cut(EXPANDERS, "// Step 1: Record 16 MVMUL", "ckernel_template::run();")
    more = fourteen_more(arch)
    filled = listing.replace("// ... 14 more MVMULs with varying addr modes", more)
    assert filled != listing
    operands = "constexpr uint32_t fidelity_phases = 3; TTI_SETDVALID(3);"
    issued = run_math(tmp_path, arch, operands + filled)
    # in the last phase the MOP has the MVMUL that frees SrcA in the replay's place
    assert issued == {"MVMUL": 16 * 2 + 1}


def test_a_tile_wide_add(arch: str, tmp_path: Path) -> None:
    """Its SFPADD multiplies by LReg[0] and not by one, which is warned of."""
    listing = cut(EXPANDERS, "// Record 4 SFPU instructions", "ckernel_template::run();")
    if arch == "wormhole":  # whose SFPLOAD has two bits for the address modifier
        with pytest.raises(
            BadInputError, match=r"kernel.cpp:\d+: an operand does not fit its field"
        ):
            run_math(tmp_path, arch, listing)
        listing = listing.replace("ADDR_MOD_7", "ADDR_MOD_3")
    issued = run_math(tmp_path, arch, listing, warning="an addition multiplies by LReg[0], not one")
    assert issued == {"SFPLOAD": 32, "SFPADD": 32, "SFPSTORE": 32, "INCRWC": 32}


def test_a_replay_without_a_mop(arch: str, tmp_path: Path) -> None:
    listing = cut(EXPANDERS, "// Record 5 SFPU instructions", "// Replay 6 more times")
    listing += "TTI_REPLAY(0, 5, 0, 0);     // playback\n" + "TTI_REPLAY(0, 5, 0, 0);\n" * 5
    assert listing.rstrip() in document(EXPANDERS)
    unchanged = "ADDR_MOD_7" if arch == "blackhole" else "ADDR_MOD_3"
    operands = {
        "SFPLOAD": f"LREG0, 0, {unchanged}, 0",
        "SFPADD": "LCONST_1, LREG0, LREG0, LREG1, 0",
        "SFPSTORE": f"LREG1, 0, {unchanged}, 0",
        "INCRWC": "0, 2, 0, 0",
    }
    for name, given in operands.items():
        assert f"TTI_{name}(...)" in listing
        listing = listing.replace(f"TTI_{name}(...)", f"TTI_{name}({given})")
    issued = run_math(tmp_path, arch, listing)
    assert issued["SFPADD"] == 6
