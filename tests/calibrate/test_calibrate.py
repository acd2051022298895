"""``tilelab calibrate``: rows are recognised by their words, asked, and judged.

The public kernels are not here; a kernel of our own with ``tensixbench``'s interface stands in.
"""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tilelab.build.compilers import find_compiler
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError

HEAD = "id\tchip\twhat\tconditions\tvalue\tunit\tgroup\tsplit"
WORD = "{} issued as .ttinsn, cycles/instr seen by TRISC{}, {} thread(s) issuing the same"
LAYOUT = """
#define TTBENCH_HDR_WORDS 8
#define TTBENCH_UNROLL 64
#define TTBENCH_NUM_PROBES 4
"""
PROBES = """
#include "api/compute/common.h"
#include "bench_layout.h"
#define REP4(x) x x x x
#define RUN(SLOT, ...)                                                              \\
    if (mask >> (SLOT) & 1)                                                         \\
        for (uint32_t p = 0; p < 4; p++) {                                          \\
            uint32_t blocks = base * (p + 1);                                       \\
            uint32_t t0 = *clock;                                                   \\
            for (uint32_t b = 0; b < blocks; b++) { REP4(REP4(REP4(__VA_ARGS__;))) } \\
            out[4 * (SLOT) + p] = *clock - t0;                                      \\
        }
uint32_t thread = 7;  // initialised data: start-up has to copy it
void kernel_main() {
#if defined(TRISC_UNPACK)
    thread -= 7;
#elif defined(TRISC_MATH)
    thread -= 6;
#else
    thread -= 5;
#endif
    const uint32_t base = get_arg_val<uint32_t>(2), mask = get_arg_val<uint32_t>(3);
    if (!(get_arg_val<uint32_t>(4) >> thread & 1)) return;
    auto clock = reinterpret_cast<volatile uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    auto out = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0)) + 8 + 16 * thread;
    if (thread == 1 && mask >> 3 & 1) TTI_SETDVALID(3);
    RUN(0, asm volatile(""))
    RUN(1, TTI_NOP)
    RUN(2, TTI_SETDMAREG(0, 7, 0, 120))
    RUN(3, TTI_MVMUL(0, 0, 0, 0))
}
"""


def rows(path: Path, *lines: str) -> str:
    file = path / "rows.tsv"
    file.write_text("\n".join((HEAD, *lines)) + "\n")
    return str(file)


def row(name: str, what: str, value: str, chip: str = "BH p150", group: str = "A1 x") -> str:
    return f"{name}\t{chip}\t{what}\t\t{value}\tcycles\t{group}\tfit"


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    assert main(["calibrate", *arguments, "--json"]) == 0
    return {row["id"]: row for row in json.loads(capsys.readouterr().out)["rows"]}


def test_rows_without_their_kernels_are_not_run_and_say_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = rows(
        tmp_path,
        row("word", WORD.format("NOP", 1, 1), "1.0"),
        row("noc", "multicast of 64 B", "40", group="B1 NoC"),
        row("ascend", "TADD", "160", chip="Ascend A2/A3", group="H1"),
    )
    found = answered(capsys, file)
    assert {name: one["status"] for name, one in found.items()} == dict.fromkeys(found, "not run")
    assert "mesham/tt-sim" in str(found["word"]["reason"])
    assert found["word"]["mechanism"] == "push of a word"
    assert found["word"]["silicon"] == 1.0
    assert found["word"]["predicted"] is None
    assert "one tile" in str(found["noc"]["reason"])


def test_documented_figures_are_what_the_clock_charges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = {
        "RISC-V load latency: L1": (">= 8", 8),
        "mispredicted branch bubble": ("2", 2),
        "MOVD2A latency": ("2", 2),
        "MOVD2B: only MOVD2B accepted for next": ("3", 3),
        "router to router hop": ("9", 9),
        "flit width": ("256", 256),
    }
    lines = [row(what, what, value, "WH", "A0 ISA document") for what, (value, _) in facts.items()]
    found = answered(capsys, rows(tmp_path, *lines))
    assert {what: one["predicted"] for what, one in found.items()} == {
        what: figure for what, (_, figure) in facts.items()
    }
    assert {one["error"] for one in found.values()} == {0}


def test_a_documented_figure_that_cards_contradict_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    what = "Dst block unreadable after a write"
    file = rows(tmp_path, row("a", what, "4", "WH", "A0 ISA document"))
    assert answered(capsys, file)["a"]["error"] == 25  # charged as measured, six to the next


@pytest.mark.parametrize(
    "arguments",
    [["nosuch.tsv"], ["{rows}", "--kernels", "nosuch"], ["{rows}", "--split", "both"]],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    file = rows(tmp_path, row("a", WORD.format("NOP", 1, 1), "1.0"))
    assert main(["calibrate", *(text.format(rows=file) for text in arguments)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.fixture
def checkout(tmp_path: Path) -> str:
    try:
        find_compiler()
    except BadInputError as error:
        pytest.skip(str(error))
    folder = tmp_path / "checkout" / "perfbench/tensixbench/src/kernels/compute"
    folder.mkdir(parents=True)
    (folder / "raw_probes.cpp").write_text(PROBES)
    (folder / "bench_layout.h").write_text(LAYOUT)
    return str(tmp_path / "checkout")


def test_rows_never_seen_are_asked_of_the_program_they_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkout: str
) -> None:
    """Whatever the id, on both chips, each core, one and three threads."""
    lines = [
        row(f"{chip}{core}{threads}{word}", WORD.format(word, core, threads), "1.0", chip)
        for chip in ("WH n300", "BH p150")
        for core, threads in ((1, 1), (0, 3), (1, 3), (2, 3))
        for word in ("NOP", "SETDMAREG")
    ]
    lines.append(row("idle", WORD.format("NOP", 0, 1), "1.0"))
    lines.append(row("unknown", WORD.format("SFPMAD", 1, 1), "1.0"))
    file = rows(tmp_path, *lines)
    picture = tmp_path / "picture.svg"
    found = answered(capsys, file, "--kernels", checkout, "--picture", str(picture))
    assert found.pop("idle")["reason"] == "TRISC0 is not active where 1 are"
    assert found.pop("unknown")["reason"] == "tensixbench has no probe of SFPMAD"
    for name, one in found.items():
        shared = "SETDMAREG" in name and "3" in name[-10:].partition("S")[0]
        assert one["predicted"] == pytest.approx(3 if shared else 1, abs=0.06), name
        low, high = one["low"], one["high"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert low < one["predicted"] < high  # type: ignore[operator]
    dots = ElementTree.fromstring(picture.read_text()).iter("{http://www.w3.org/2000/svg}title")
    assert len(list(dots)) == len(found)


@pytest.mark.parametrize("chip", ["WH n300", "BH p150"])
def test_words_of_the_matrix_unit_are_met_in_the_state_in_which_the_card_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkout: str, chip: str
) -> None:
    """Figures of cards after a reset, and after a matmul, which leaves an address modifier."""
    published = {
        "after reset": {1: "5.989", 3: "18.033"},
        "after a matmul": {1: "0.998", 3: "12.100"},
    }
    lines = [
        row(f"{state} {threads}", WORD.format("MVMUL", 1, threads), value, chip)
        for state, values in published.items()
        for threads, value in values.items()
    ]
    found = answered(capsys, rows(tmp_path, *lines), "--kernels", checkout)
    for name, one in found.items():
        assert one["state"] == name.rpartition(" ")[0]
        assert abs(float(str(one["error"]))) < 1, one


def test_rows_of_tt_llk_without_its_tests_say_what_they_need(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"{HEAD}\n"
    conditions = ("Float16_b, tt-llk MATH_ISOLATE TILE_LOOP per tile", "llk-bench")
    text = "".join(
        f"{name}\tBH\tGelu approx MATH_ISOLATE\t{said}\t220.9\tcycles/tile\tA4 SFPU LLK\tfit\n"
        for name, said in zip(("a", "b"), conditions, strict=True)
    )
    (tmp_path / "rows.tsv").write_text(head + text)
    found = answered(capsys, str(tmp_path / "rows.tsv"))
    assert "a checkout of tt-llk" in str(found["a"]["reason"])
    assert "not public" in str(found["b"]["reason"])


def test_matmul_tiles_is_built_with_the_vendors_llk_or_not_at_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkout: str
) -> None:
    kernels = next(Path(checkout).rglob("compute"))
    (kernels / "matmul_fidelity.cpp").write_text("void kernel_main() {}\n")
    (kernels.parent / "dataflow").mkdir()
    (kernels.parent / "dataflow/mm_feeder.cpp").write_text("void kernel_main() {}\n")
    what = "matmul_tiles inner loop, HiFi4, cycles per tile (math thread)"
    found = answered(capsys, rows(tmp_path, row("a", what, "86.1")), "--kernels", checkout)
    assert "a checkout of tt-llk" in str(found["a"]["reason"])


def test_kernel_that_does_not_build_is_a_row_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkout: str
) -> None:
    source = next(Path(checkout).rglob("raw_probes.cpp"))
    source.write_text(PROBES.replace("TTI_NOP", "TTI_NOSUCH"))
    file = rows(tmp_path, row("a", WORD.format("NOSUCH", 1, 1), "1.0"))
    one = answered(capsys, file, "--kernels", checkout)["a"]
    assert one["status"] == "not run"
    assert "does not build" in str(one["reason"])
    assert main(["calibrate", file, "--kernels", checkout]) == 0


def test_raw_points_of_a_checkout_are_rows_of_the_same_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkout: str
) -> None:
    """A slope over four bursts, less the empty loop's, over the unroll."""
    head = "phase,variant,probe,thread,n,unroll,cycles"
    bursts = {"loop_overhead": 2, "SETDMAREG": 66, "MVMUL": 130}
    lines = [
        f"A,t1,{probe},1,{n},64,{n * cycles + 13}"
        for probe, cycles in bursts.items()
        for n in (32, 64, 96, 128)
    ]
    folder = Path(checkout) / "tt_sim/perf/datasets"
    folder.mkdir(parents=True)
    text = "\n".join(("# a card's", head, *lines, "B,LoFi,matmul_tiles,1,64,1,2201"))
    (folder / "tensixbench-blackhole.csv").write_text(text)
    found = answered(capsys, rows(tmp_path), "--raw", "--kernels", checkout)
    word, matrix = found["raw-BH-SETDMAREG-1-1"], found["raw-BH-MVMUL-1-1"]
    assert len(found) == 2
    assert word["silicon"] == 1.0
    assert abs(float(str(word["error"]))) < 2
    assert matrix["silicon"] == 2.0
    assert main(["calibrate", rows(tmp_path), "--raw"]) == 2
    assert "tt-sim" in capsys.readouterr().err
