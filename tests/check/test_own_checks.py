"""A user's own check: one file outside the repository, through the documented interface."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilelab.check.engine import CheckedTile
from tilelab.check.run import checked, set_policies
from tilelab.check.watch import of_file
from tilelab.cli.main import main
from tilelab.kernels.assembly_run import run_program
from tilelab.sim.checks import CHECKS, CHECKS_BY_NAME
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

PAGE = Path(__file__).resolve().parents[2] / "docs" / "check.md"
(RECIPE,) = re.findall(
    r"<!-- not run: but by tests/check/test_own_checks.py -->\n```python\n(.*?)```",
    PAGE.read_text(encoding="utf-8"),
    re.DOTALL,
)
WATCH = (
    RECIPE
    + """

WATCH.field("words_seen", "<u4")


@WATCH.word
@kernel
def counts(s: Checking, t: int, word: int) -> int:
    s.shadow.words_seen = s.shadow.words_seen + 1
    return 0
"""
)
ONCE = "ttseminit 2,0,1\nttseminit 2,0,2\nttnop\n"
TWICE = "ttseminit 2,0,1\nttnop\nttseminit 2,1,1\n"


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Tables of all checks are compared in this process, too: they have no user's."""
    yield
    for code, row in list(CHECKS.items()):
        if row.name.startswith("semaphore-set-up-"):
            del CHECKS[code], CHECKS_BY_NAME[row.name]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outside") / "set_up.py"
    path.write_text(WATCH, encoding="utf-8")
    return path


def test_a_check_of_one_file_finds_what_it_looks_for_and_nothing_else(file: Path) -> None:
    for text, expected in ((ONCE, []), (TWICE, ["semaphore-set-up-twice"])):
        tile = CheckedTile(watches=of_file(file))
        program = assemble(text, "blackhole", "set_up.s")
        run = checked("set_up", tile, lambda t, p=program: run_program(p, t, 1000))
        assert [finding.check for finding in run.findings] == expected
        assert int(tile.engine.shadow["words_seen"]) == 3
    (finding,) = run.findings
    assert finding.where.startswith("semaphore 0")
    assert finding.parties[0].line == "set_up.s:3"
    assert finding.cure == "SEMINIT each semaphore once"


def test_its_policy_is_set_as_of_any_check_but_not_on_a_tile_without_it(file: Path) -> None:
    tile = CheckedTile(watches=of_file(file))
    set_policies(tile, [("semaphore-set-up-twice", "off")])
    program = assemble(TWICE, "blackhole", "set_up.s")
    assert checked("set_up", tile, lambda t: run_program(program, t, 1000)).findings == ()
    with pytest.raises(BadInputError, match="no check is called 'semaphore-set-up-twice'"):
        Tile().set_policy("semaphore-set-up-twice", "off")


def test_the_command_takes_the_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = file.parent / "twice.s"
    program.write_text(TWICE, encoding="ascii")
    assert main(["check", str(program), "--json"]) == 0
    capsys.readouterr()
    assert main(["check", str(program), "--checks", str(file), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["runs"][0]["findings"]
    assert finding["check"] == "semaphore-set-up-twice"
    assert finding["category"] == "NonContractualBehavior"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "makes no Watch"),
        ("raise ValueError('no')\n", "ValueError: no"),
        ("def (\n", "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_one(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=said):
        of_file(path)


def test_a_field_that_the_shadow_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "taken.py"
    path.write_text(WATCH.replace("times_set_up", "writer").replace("-twice", "-thrice"), "utf-8")
    with pytest.raises(BadInputError, match="the shadow has a field writer already"):
        CheckedTile(watches=of_file(path))
