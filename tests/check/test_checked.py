"""Runs under the checker: results as without it, policies, errors, deadlocks explained."""

from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.check.engine import CheckedTile
from tilelab.check.page import page
from tilelab.check.run import checked, set_policies
from tilelab.check.sarif import sarif
from tilelab.cli.check_claims import named
from tilelab.explore.claim_lists import Claim
from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.run.speed import fast
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

EXAMPLES = ("datacopy", "eltwise_add", "matmul")


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_checked_run_leaves_what_a_plain_one_does(name: str) -> None:
    plain, tile = Tile(), CheckedTile()
    expected = run_kernel(f"examples/{name}", plain)
    run = checked(name, tile, lambda t: run_kernel(f"examples/{name}", t))
    assert run.passed
    assert run.result is not None
    assert run.result.cycles == expected.cycles
    assert (tile.state.l1 == plain.state.l1).all()
    assert [d for d in tile.state.diff(plain.state.snapshot()) if d] == []


def test_a_check_that_is_off_finds_nothing() -> None:
    tile = CheckedTile()
    set_policies(tile, [("uninit-lreg", "off")])
    program = assemble("sfpstore L3,0,0,0\n", "blackhole", "x.s")
    assert checked("x", tile, lambda t: run_program(program, t, 1000)).findings == ()


@pytest.mark.parametrize(
    ("name", "policy"), [("no-such-check", "off"), ("race-dst", "maybe"), ("mutex-missing", "off")]
)
def test_policies_that_cannot_be(name: str, policy: str) -> None:
    with pytest.raises(BadInputError):
        set_policies(CheckedTile(), [(name, policy)])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wait_nobody_posts", "nobody has ever done a post of it"),
        ("mutex_never_released", "T0 never releases mutex 0"),
        ("bank_never_given", "no unpack to SrcB"),
    ],
)
def test_a_deadlock_names_the_mistake(name: str, said: str) -> None:
    (finding,) = read(PROGRAMS / f"{name}.s").run(healthy=False).findings
    (likely,) = [line for line in finding.detail if line.startswith("most likely: ")]
    assert said in likely


@pytest.mark.parametrize(
    ("name", "line"),
    [("push_before_the_barrier", "kernel.cpp:13"), ("commit_without_a_wait", "kernel.cpp:17")],
)
def test_a_finding_says_what_told_of_it_too_early(name: str, line: str) -> None:
    (finding,) = read(PROGRAMS / f"{name}.cpp").run(healthy=False).findings
    assert finding.told_by is not None
    assert finding.told_by.line == finding.as_dict()["told_by"]["line"] == line
    assert any(text.startswith("  told by ") and line in text for text in finding.lines())


def test_an_inlined_helper_is_named_with_its_callers() -> None:
    run = read(PROGRAMS / "helper_patches_a_row_in_flight.cpp").run(healthy=False)
    (finding,) = run.findings
    this, other = finding.as_dict()["parties"]
    assert [this["line"], *this["called_at"]] == ["kernel.cpp:11", "kernel.cpp:28"]
    assert [other["line"], *other["called_at"]] == ["kernel.cpp:16", "kernel.cpp:27"]
    assert "[BRISC] kernel.cpp:11, called at kernel.cpp:28: BRISC pc" in "\n".join(finding.lines())
    assert "<b>kernel.cpp:11</b>, called at kernel.cpp:28 " in page([run])
    (result,) = sarif([run])["runs"][0]["results"]
    places = [*result["locations"], *result["relatedLocations"]]
    lines = [place["physicalLocation"]["region"]["startLine"] for place in places]
    assert lines == [11, 28, 16, 27]
    assert named(Claim("kernel.cpp:28", "kernel.cpp:16"), [finding]) == (finding.check,)


def test_a_finding_as_json_has_both_parties() -> None:
    (finding,) = read(PROGRAMS / "mvmul_then_sfpload.s").run(healthy=False).findings
    this, other = finding.as_dict()["parties"]
    assert this["assembly"].startswith("sfpload")
    assert other["assembly"].startswith("ttmvmul")
    assert this["thread"] == other["thread"] == 1


@pytest.mark.parametrize("arch", ARCHES)
def test_the_plain_engine_knows_nothing_of_the_checker(arch: str) -> None:
    plain = fast.machine(ARCHES[arch])
    assert "shadow" not in plain.records
    assert not [name for name in plain.buffers if name.startswith("shadow")]


def test_a_convention_warns_unless_asked_for_more() -> None:
    assert "wrong-thread" in set_policies(CheckedTile(), ())
    assert "wrong-thread" not in set_policies(CheckedTile(), [("wrong-thread", "error")])


SCALAR_THEN_USED = """.thread 0
ttsetdmareg 0,256,0,8
ttadddmareg 0,10,4,4
ttwrcfg 10,0,180
ttnop
"""
"""The scalar unit's result is used by the next word: on Wormhole its thread waits for that unit."""


@pytest.mark.parametrize(("arch", "found"), [("wormhole", []), ("blackhole", ["race-gpr"])])
def test_wormholes_scalar_unit_holds_its_thread_up(arch: str, found: list[str]) -> None:
    tile = CheckedTile(arch)
    set_policies(tile, ())
    program = assemble(SCALAR_THEN_USED, arch, "used.s")
    run = checked("used", tile, lambda tile: run_program(program, tile, 1000))
    assert [finding.check for finding in run.findings] == found


def test_wormholes_reg2flop_is_over_for_the_next_word() -> None:
    tile = CheckedTile("wormhole")
    set_policies(tile, ())
    at = tile.arch.reg2flop_base
    text = f".thread 0\nttsetdmareg 0,256,0,8\nttreg2flop 1,0,0,0,0,4\nttrdcfg 6,{at}\n"
    program = assemble(text, "wormhole", "flop.s")
    run = checked("flop", tile, lambda tile: run_program(program, tile, 1000))
    assert [str(finding) for finding in run.findings] == []
    assert int(tile.state.s.gpr[0, 6]) == 256


def test_without_debugging_data_nobody_knows_for_whom_slots_were_recorded(tmp_path: Path) -> None:
    """A MOP's slots may be recorded in the function that runs it: only functions' names tell."""
    faulty = read(PROGRAMS / "slots_behind_a_mop_changed.cpp")
    kernel = faulty.kernel("\n".join(faulty.lines(healthy=False)) + "\n", tmp_path)

    def found(named: bool) -> set[str]:
        tile = CheckedTile(faulty.arch)

        def once(tile: CheckedTile) -> KernelResult:
            made = run_kernel(kernel, tile, 100_000)
            if not named:
                tile.programs.clear()
            return made

        return {finding.check for finding in checked(faulty.name, tile, once).findings}

    assert faulty.check in found(named=True)
    assert faulty.check not in found(named=False)


def test_a_recording_that_a_deadlock_keeps_from_being_played_is_no_mistake() -> None:
    text = """
    .thread 1
    ttseminit 1,0,24
    ttreplay 0,2,0,1
    ttincrwc 0,8,0,0
    ttsempost 8
    ttsemwait 3,16,1
    ttsempost 128
    ttsempost 128
    ttsempost 128
    ttsempost 128
    ttsempost 128
    ttsempost 128
    ttreplay 0,2,0,0
    .thread 2
    ttsemwait 3,8,1
    ttsemget 8
    """
    program = assemble(text, "blackhole", "x.s")
    tile = CheckedTile()
    run = checked("x", tile, lambda t: run_program(program, t, 10_000))
    assert tile.engine.shadow["slot_held"][1].any()
    (finding,) = run.findings
    assert finding.check == "deadlock"
    assert "T1 waits for nobody: to post semaphore 4" in " ".join(finding.detail)
    assert not any("nothing plays" in line for line in finding.detail)
