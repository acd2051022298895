"""Protocols side by side: what one run proves of every order, and what each costs."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pto_harness import pto
from tilelab.pto import Cluster, Direction, Tile, TileSplitAxis, TileType, TPipe
from tilelab.pto.compare import Comparison, compare
from tilelab.pto.errors import PipeConfigError
from tilelab.pto.explore import Model, explore
from tilelab.pto.journal import RECORD
from tilelab.pto.program import Program
from tilelab.pto.proof import Recorder, counter_example, prove
from tilelab.pto.prove import prove_program
from tilelab.pto.schedules import replay
from tilelab.pto.search import HARMLESS, of_cluster, search
from tilelab.sim.errors import TilelabError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pto"
HALF = TileSplitAxis.TILE_UP_DOWN
LEAKS = ("E15", "H11")


def example(name: str) -> Program:
    """An example as a program."""
    path = EXAMPLES / name
    return Program(str(path), path.read_text(encoding="utf-8"))


def ring(direction: Direction, slots: int, tiles: int, frees: bool) -> tuple[Any, Any]:
    """A Cube's and a Vector core's program that send tiles through a pipe."""
    pipe = TPipe(0, direction, 1024, slots, 2)
    halves = direction.halves

    def cube(core: Any) -> Any:
        opened = core.open(pipe, 0x100000, 0x8000, 0x9000)
        for number in range(tiles):
            if "C2V" in halves:
                data = np.full((16, 16), number)
                yield from opened.tpush(Tile(TileType.Acc, np.float32, 16, 16, data=data), HALF)
            if "V2C" in halves:
                yield from opened.tpop(Tile(TileType.Mat, np.float32, 16, 16), HALF)
                if frees:
                    yield from opened.tfree(split=HALF)

    def vec(core: Any) -> Any:
        opened = core.open(pipe, 0x100000, 0x8000, 0x9000)
        for _ in range(tiles):
            if "C2V" in halves:
                yield from opened.tpop(Tile(TileType.Vec, np.float32, 8, 16), HALF)
                if frees:
                    yield from opened.tfree(split=HALF)
            if "V2C" in halves:
                yield from opened.tpush(Tile(TileType.Vec, np.float32, 8, 16), HALF)

    return cube, vec


CASES = list(
    product(
        ("a2a3", "a5"),
        ("seed", "held", "sparse", "sparse_fixed", "rendezvous", "ack/2", "chunk/2"),
        ((1, 3), (2, 5), (5, 7)),
        (Direction.DIR_C2V, Direction.DIR_V2C, Direction.DIR_BOTH),
        (2, 4),
    )
)


def test_one_run_proves_what_the_search_of_all_states_finds() -> None:
    unsafe = compared = 0
    for arch, protocol, (slots, tiles), direction, bits in CASES:
        frees = protocol == "held" or (arch == "a5" and protocol != "seed")
        programs = ring(direction, slots, tiles, frees)

        def cluster(arch: str = arch, protocol: str = protocol, bits: int = bits) -> Cluster:
            return Cluster(arch, protocol=protocol, flag_bits=bits, **RECORD)

        def start(path: Any, told: Any, programs: Any = programs, made: Any = cluster) -> Any:
            one = made()
            told(one)
            return one.run(*programs, path)

        one, recorder = cluster(), Recorder()
        try:
            result = one.run(*programs, recorder)
        except PipeConfigError:
            continue
        except TilelabError:
            assert not search(of_cluster(start), 300).safe
            continue
        recorder.end()
        proof = prove(result, one)
        verdict = search(of_cluster(start), 300)
        found = {bad.code for bad in verdict.found} - {*HARMLESS, *LEAKS}
        case = (arch, protocol, slots, tiles, direction, bits)
        assert not found or proof.faults, case
        if verdict.complete:
            assert bool(found) == bool(proof.faults), case
        compared += 1
        for fault in proof.faults:
            unsafe += 1
            again = cluster()
            order = counter_example(fault, one.core_names, recorder.steps)
            with_error = ""
            try:
                again.run(*programs, replay(order))
            except TilelabError as error:
                with_error = error.code
            assert fault.code in {with_error, *(each.code for each in again.findings)}, case
    assert compared > 100
    assert unsafe > 20


@pytest.mark.parametrize("name", ["rendezvous", "ack/1", "ack/2", "ack/4", "chunk/2", "chunk/4"])
def test_the_credit_model_proves_each_protocol_for_any_number_of_tiles(name: str) -> None:
    for slots in (4, 8):
        assert explore(Model(slots, protocol=name)).safe
        for tiles in (1, 2, 3, 5, 9):
            assert explore(Model(slots, protocol=name, tiles=tiles)).safe


@pytest.mark.parametrize("name", ["ack/0", "ack/", "chunk", "ack/x", "chunk/99999"])
def test_a_protocol_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(PipeConfigError, match="no protocol"):
        Cluster(protocol=name)


def test_a_protocol_needs_the_depth_that_it_counts() -> None:
    with pytest.raises(PipeConfigError, match="a multiple of 2, not 3"):
        explore(Model(3, protocol="chunk/2"))
    with pytest.raises(PipeConfigError, match="at least 4, not 3"):
        explore(Model(3, protocol="ack/4"))


def cycles(found: Comparison, protocol: str, depth: int) -> float:
    """Of one row."""
    return next(r.cycles for r in found.rows if (r.protocol, r.depth) == (protocol, depth))


def test_a_rendezvous_gains_nothing_from_depth_and_credits_do() -> None:
    found = compare(example("pattern1_gemm_post_processing.py"), (1, 2, 8), max_states=0)
    assert cycles(found, "rendezvous", 1) == cycles(found, "rendezvous", 8)
    assert 1.5 < cycles(found, "rendezvous", 2) / cycles(found, "ack/1", 2) < 2.1
    assert cycles(found, "ack/1", 8) < cycles(found, "ack/1", 2) / 2
    # pto-isa#172: to acknowledge half a ring is faster than to acknowledge all of it at once.
    assert 1.1 < cycles(found, "ack/8", 8) / cycles(found, "ack/4", 8) < 1.3


def test_the_vendors_rules_overrun_at_five_slots_and_the_order_replays() -> None:
    program = example("pattern1_gemm_post_processing.py")
    found = compare(program, (2, 5), max_states=0, extra=("sparse",))
    bad = next(row for row in found.rows if (row.protocol, row.depth) == ("sparse", 5))
    assert (bad.code, bad.safe) == ("E10", False)
    assert found.depths("sparse") == (2, 2)
    options = {"protocol": "sparse", "slots": 5} | RECORD
    clusters: list[Cluster] = []
    again = Program(program.name, program.text, {}, options)
    with pytest.raises(TilelabError, match="wrong result"):
        again.run(replay(bad.order), clusters.append)
    assert "E10" in {finding.code for finding in clusters[0].findings}


FEW = """
import numpy as np
from tilelab.pto import Direction, Tile, TileType, TPipe
PIPE = TPipe(0, Direction.DIR_C2V, 256, 5)

def cube(core):
    pipe = core.open(PIPE, 0x100000, 0x8000, 0x9000)
    for _ in range(4):
        yield from pipe.tpush(Tile(TileType.Acc, np.float32, 8, 8))

def vec(core):
    pipe = core.open(PIPE, 0x100000, 0x8000, 0x9000)
    for _ in range(4):
        yield from pipe.tpop(Tile(TileType.Vec, np.float32, 8, 8))
"""


@pytest.mark.parametrize(
    "name",
    ["few", "pattern1_gemm_post_processing.py", "paged_attention.py", "three_slots.py",
     "pattern1.pto"],
)  # fmt: skip
def test_every_answer_has_its_proof_or_a_counter_example_that_comes_back(name: str) -> None:
    program = Program("few.py", FEW, {}, {}) if name == "few" else example(name)
    found = compare(program, (1, 4, 5), max_states=100, extra=("sparse",))
    shown = 0
    for row in found.rows:
        if row.safe:
            assert row.events
            assert row.states or name == "three_slots.py"  # no ring, so no credits
        elif row.order:
            options = {"protocol": row.protocol, "slots": row.depth} | RECORD
            clusters: list[Cluster] = []
            again = Program(program.name, program.text, {}, program.options | options)
            code = ""
            try:
                again.run(replay(row.order), clusters.append)
            except TilelabError as error:
                code = error.code
            assert row.code in {code, *(one.code for one in clusters[0].findings)}, row
            shown += 1
        else:
            outcome = pto(*row.command.removeprefix("tilelab pto ").split())
            assert outcome.exit_code == 1
            assert f"[{row.code}]: {row.fault}" in outcome.stdout
            shown += 1
    assert shown or name == "three_slots.py"
    assert all(verdict.safe and verdict.states for verdict in found.searched.values())


def test_depth_is_found_that_is_safe_and_that_is_fast() -> None:
    found = compare(example("pattern1_gemm_post_processing.py"), (1, 2, 4), max_states=100)
    assert found.depths("ack/1") == (1, 4)
    assert found.fastest is not None
    assert found.fastest.depth == 4
    assert all(row.events and row.states for row in found.rows)
    assert all(verdict.safe for verdict in found.searched.values())


def test_paged_attention_loses_time_by_a_rendezvous_and_deadlocks_in_chunks_of_four() -> None:
    found = compare(example("paged_attention.py"), (2, 4), max_states=0)
    assert 1.5 < cycles(found, "rendezvous", 2) / cycles(found, "ack/1", 2) < 2.0
    chunks = next(row for row in found.rows if row.protocol == "chunk/4")
    assert chunks.code == "E9"
    assert chunks.order


def test_one_run_decides_a_program() -> None:
    assert prove_program(example("both_directions.pto")).safe
    hang = prove_program(example("deadlock.py"))
    assert hang.found[0].code == "E9"
    assert hang.found[0].schedule


def test_the_command_tells_a_table_a_picture_and_json(tmp_path: Path) -> None:
    file = str(EXAMPLES / "pattern1_gemm_post_processing.py")
    picture, bad = tmp_path / "p.svg", tmp_path / "bad.json"
    common = ["protocol", file, "--depths", "2,5", "--also", "sparse", "--max-states", "20"]
    out = pto(*common, "--picture", picture, "--save-schedule", bad).stdout
    assert "rendezvous: safe from 2 slot(s), fast from 2" in out
    assert "--protocol sparse --slots 5 --schedule" in out
    assert picture.read_text(encoding="utf-8").count("<polyline") == 12
    assert json.loads(bad.read_text(encoding="utf-8"))["schedule"]
    document = json.loads(pto(*common, "--json").stdout)
    assert document["smallest"][0] == {"protocol": "rendezvous", "safe": 2, "fast": 2}
