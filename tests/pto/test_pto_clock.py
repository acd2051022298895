"""PTO's clock: times follow from the trace, whatever the schedule was."""

import json
from pathlib import Path

import numpy as np
import pytest

from pto_harness import pto
from tilelab.pto import Cluster, Direction, Tile, TileType, TPipe
from tilelab.pto.cycles.clock import Timed, _CoreClock, clock
from tilelab.pto.cycles.costs import cycles
from tilelab.pto.cycles.figures import figures
from tilelab.pto.cycles.text import as_dict, perfetto, text
from tilelab.pto.program import Program
from tilelab.pto.trace import Work
from tilelab.sim.errors import BadInputError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pto"


def timed(name: str, schedule: str | int = "rr", **options: object) -> Timed:
    """The time of an example."""
    path = EXAMPLES / name
    given = {"cycles": True, "constraints": "record"} | options
    clusters: list[Cluster] = []
    program = Program(str(path), path.read_text(encoding="utf-8"), {}, given)
    outcome = program.run(schedule, clusters.append)
    cluster = clusters[-1]
    return clock(outcome.result, cluster.arch, cluster.vec, figures(cluster.arch.name))


@pytest.mark.parametrize(
    "name", ["pattern1_gemm_post_processing.py", "pattern1.pto", "both_directions.pto"]
)
def test_every_schedule_gives_the_same_time(name: str) -> None:
    totals = {
        round(timed(name, way, hazards="record").total, 3)
        for way in ("rr", "cube_first", "vec_first", 1, 2)
    }
    assert len(totals) == 1


def test_noting_work_changes_nothing_in_the_trace() -> None:
    pipe = TPipe(0, Direction.DIR_C2V, 1024, 2, 2)

    def cube(core):  # type: ignore[no-untyped-def]
        opened = core.open(pipe, 0x100000, 0x8000, 0x9000)
        for number in range(4):
            data = np.full((16, 16), number)
            yield from opened.tpush(Tile(TileType.Acc, np.float32, 16, 16, data=data))

    def vec(core):  # type: ignore[no-untyped-def]
        opened = core.open(pipe, 0x100000, 0x8000, 0x9000)
        for _ in range(4):
            yield from opened.tpop(Tile(TileType.Vec, np.float32, 16, 16))

    plain, noted = (Cluster("a2a3", cycles=on).run(cube, vec).trace for on in (False, True))
    assert plain == noted


def test_a_flag_takes_its_latency_there_and_back() -> None:
    both = ("cross_core_flag", "free_flag")
    slow, quick = (figures("a2a3", [f"{one}={n}" for one in both]) for n in (1000, 0))
    path = EXAMPLES / "pattern1_gemm_post_processing.py"
    options = {"cycles": True, "protocol": "rendezvous", "constraints": "record"}
    clusters: list[Cluster] = []
    program = Program(str(path), path.read_text(encoding="utf-8"), {}, options)
    result = program.run("rr", clusters.append).result
    times = [clock(result, clusters[0].arch, 2, one).total for one in (slow, quick)]
    assert 2 * 10 * 1000 - 1000 < times[0] - times[1] < 2 * 10 * 1000 + 3000  # ten tiles


def test_a_load_takes_its_pipe_for_the_transfer_and_its_data_come_later() -> None:
    source = """
import numpy as np
from tilelab.pto import Tile, TileType
gm = np.zeros((1, 1024), np.float32)

def vec(core):
    yield
    tiles = [Tile(TileType.Vec, np.float32, 1, 1024) for _ in range(3)]
    for tile in tiles:
        core.tload(tile, gm)
    core.spend("TADD", tiles[2], tiles[0])
"""
    clusters: list[Cluster] = []
    result = (
        Program("p.py", source, {}, {"cycles": True, "vec": 1}).run("rr", clusters.append).result
    )
    found = clock(result, clusters[0].arch, 1, figures("a2a3", ["transfer=20", "issue=0"]))
    *loads, add = found.busy
    assert [one.start for one in loads] == [0, 52, 104]  # 20 and 4,096 bytes of 128 a cycle
    assert loads[2].done == add.start - 4 == 104 + 264 + 32


def test_stalls_and_work_of_a_pipe_add_up_to_its_last_end() -> None:
    found = timed("pattern1_gemm_post_processing.py")
    for (core, pipe), (work, stalls) in found.pipes().items():
        end = max(one.end for one in found.busy if (one.core, one.pipe) == (core, pipe))
        assert work + sum(stalls.values()) == pytest.approx(end)


def test_a_stall_names_what_it_waits_for() -> None:
    found = timed("pattern1_gemm_post_processing.py", protocol="rendezvous")
    _, stalls = found.pipes()["cube", "FIX"]
    assert "a free slot of TPipe0.C2V" in stalls
    _, stalls = found.pipes()["vec0", "MTE2"]
    assert list(stalls) == ["a tile of TPipe0.C2V"]


def test_a_product_costs_a_pass_for_each_fractal() -> None:
    table = figures("a2a3")
    half = Work("TMATMUL", "M", ("L0A", "L0C"), (32, 48), 2, "f", 64)
    assert cycles(half, table) == 21 + 2 * 4 * 3
    single = Work("TMATMUL", "M", ("L0A", "L0C"), (32, 48), 4, "f", 64)
    assert cycles(single, table) == 21 + 2 * (2 * 8 * 3)


def test_the_report_names_what_is_assumed_and_what_is_used() -> None:
    found = timed("pattern1_gemm_post_processing.py")
    assert "assumed, as nothing is public: issue=4" in text(found)
    rows = {row["name"]: row for row in as_dict(found)["figures"]}
    assert rows["drain"]["source"].startswith("hw-native-sys/pypto")
    assert "TEXP.slope" not in rows


def test_an_instruction_without_a_figure_is_named() -> None:
    source = """func.func @vector(%t : !pto.tile<f32, 8, 64>)
    attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
      pto.tneg ins(%t : !pto.tile<f32, 8, 64>) outs(%t : !pto.tile<f32, 8, 64>)
    }"""
    clusters: list[Cluster] = []
    outcome = Program("t.pto", source, {}, {"cycles": True}).run("rr", clusters.append)
    found = clock(outcome.result, clusters[0].arch, 2, figures("a2a3"))
    assert found.unknown == {"TNEG"}
    assert "no figure of its own has TNEG: taken as other" in text(found)


def test_perfetto_has_a_track_for_each_pipe_and_counts_tiles() -> None:
    path = EXAMPLES / "pattern1_gemm_post_processing.py"
    clusters: list[Cluster] = []
    options = {"cycles": True, "constraints": "record"}
    program = Program(str(path), path.read_text(encoding="utf-8"), {}, options)
    result = program.run("rr", clusters.append).result
    found = clock(result, clusters[0].arch, 2, figures("a2a3"))
    events = perfetto(result, found)["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"cube PIPE_M", "cube PIPE_FIX", "vec0 PIPE_MTE2", "vec1 PIPE_MTE2"} <= names
    held = [event["args"]["held"] for event in events if event["ph"] == "C"]
    assert held[-1] == 0
    assert min(held) == 0
    assert max(held) >= 2


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_every_figure_says_how_it_is_known(arch: str) -> None:
    for row in figures(arch).rows.values():
        assert row.source
        assert row.unit
        assert row.known in ("measured", "stated", "derived", "assumed")
        assert row.value >= 0


@pytest.mark.parametrize("given", ["nothing=1", "issue", "issue=-1", "issue=x", "gm_ub=0"])
def test_a_figure_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(BadInputError, match="--set"):
        figures("a2a3", [given])


def test_the_command_and_the_page_tell_the_time(tmp_path: Path) -> None:
    page, trace = tmp_path / "page.html", tmp_path / "trace.json"
    file = EXAMPLES / "pattern1_gemm_post_processing.py"
    outcome = pto("run", file, "--cycles", "--page", page, "--trace", trace, "--set", "issue=0")
    assert "cube as a whole waits for a free slot of TPipe0.C2V" in outcome.stdout
    assert "assumed" not in outcome.stdout
    text = page.read_text(encoding="utf-8")
    assert "<h2>Time</h2>" in text
    assert "vec1 PIPE_MTE2" in text
    assert json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    document = json.loads(pto("run", file, "--cycles", "--json").stdout)
    assert document["cycles"]["total"] > 1000


def test_a_figure_without_a_clock_is_refused() -> None:
    file = EXAMPLES / "pattern1_gemm_post_processing.py"
    outcome = pto("run", file, "--set", "issue=0")
    assert outcome.exit_code == 2
    assert "--set is for --cycles" in outcome.stderr


def test_single_floats_of_some_shapes_are_reduced_by_groups() -> None:
    table = figures("a2a3")
    by_groups = Work("TROWMAX", "V", ("UB", "UB"), (32, 256), 4, "f")
    assert cycles(by_groups, table) == pytest.approx(128 + 31 + 4 + 31 + 2.01 * 12 + 2 * 23)
    by_row = Work("TROWMAX", "V", ("UB", "UB"), (32, 64), 4, "f")
    assert cycles(by_row, table) == 7 * 32 + 32


def test_the_vector_pipe_is_filled_once_for_instructions_without_a_barrier_between() -> None:
    given = figures("a2a3")
    add = Work("TADD", "V", ("UB", "UB"), (16, 64), 4, "f")
    parted, joined, written = (_CoreClock("vec0", given) for _ in range(3))
    for core in (parted, joined, written):
        core.run(add._replace(writes=((0, 4096),)) if core is written else add)
        if core is parted:
            core.synchronise(Work("BARRIER", "V"))
        core.run(add)
    alone = cycles(add, given)
    assert parted.done("V") == written.done("V") == pytest.approx(2 * alone + given["issue"])
    assert joined.done("V") == pytest.approx(parted.done("V") - given["TADD.fixed"])


@pytest.mark.parametrize("protocol", ["rendezvous", "ack/1"])
def test_a_tile_taken_in_place_is_there_no_sooner_than_its_flag(protocol: str) -> None:
    path = EXAMPLES / "both_directions.pto"
    given = {"cycles": True, "protocol": protocol, "slots": 2}
    clusters: list[Cluster] = []
    program = Program(str(path), path.read_text(encoding="utf-8"), {}, given)
    result = program.run("rr", clusters.append).result
    found = clock(result, clusters[0].arch, clusters[0].vec, figures("a5"))
    at = {
        (step.core, step.ring, step.phase): time
        for (step, *_), time in zip(result.raw, found.times, strict=True)
        if step.phase in ("PUSH", "POP", "FREE")
    }
    for vec in ("vec0", "vec1"):
        pushed, popped = at["cube", "TPipe0.C2V", "PUSH"], at[vec, "TPipe0.C2V", "POP"]
        assert popped >= pushed + 2290
        assert at[vec, "TPipe0.C2V", "FREE"] >= popped
        assert found.total >= popped
