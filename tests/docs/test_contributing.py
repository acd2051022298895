"""What CONTRIBUTING.md tells, done: its commands are CI's, and its recipes work in copies."""

import re
import shutil
from pathlib import Path

from docs.test_newcomer import ROOT, in_copy, insert

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- executed: (.*?) -->\n```\w+\n(.*?)```", re.DOTALL)
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def blocks() -> dict[str, str]:
    """The page's blocks, by where they are executed or belong."""
    found = BLOCK.findall(PAGE)
    assert len(found) == PAGE.count("\n```") // 2, "each block says where it is executed"
    return dict(found)


def copied(folder: Path) -> Path:
    """A copy of the sources."""
    shutil.copytree(ROOT / "src" / "tilelab", folder / "tilelab")
    return folder / "tilelab"


def test_what_ci_runs_is_what_the_page_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    setup = blocks()["by the README's commands in CI"].strip()
    assert setup.replace(".[dev]", ".[test]") in readme
    quick, tests = blocks()["each by .ci/run"].splitlines()
    for command in quick.split(" && "):
        assert command.replace("format .", "format --check .") in CI
    assert (ROOT / tests.split()[-1]).is_dir()
    assert "python docs/rooms_table.py" in CI
    assert "--durations=20" in CI


def test_a_command_takes_a_file(tmp_path: Path) -> None:
    cli = copied(tmp_path) / "cli"
    (cli / "count.py").write_text(blocks()["cli/count.py"], encoding="utf-8")
    _, tool, *options = blocks()["after cli/count.py"].split()
    shutil.copy(ROOT / tool, tmp_path)
    assert not in_copy(tmp_path, Path(tool).stem, *options)
    program = tmp_path / "program.s"
    program.write_text(".thread 1\nttnop\nttnop\n.thread 2\nttnop\n", encoding="ascii")
    said = in_copy(tmp_path, "tilelab", "count", str(program))
    assert said == "thread 0: 0\nthread 1: 2\nthread 2: 1\n"
    assert in_copy(tmp_path, "tilelab", "count", str(program), "--thread", "1") == "thread 1: 2\n"
    assert "Count the words of each thread." in in_copy(tmp_path, "tilelab", "--help")


MEASURED = """
from tilelab.bench.backends import EngineBackend
from tilelab.bench.work import chosen

(work,) = chosen(["SFPABS"])
backend = EngineBackend("reference")
backend.start(work)
assert backend.run(1) > 0
"""


def test_a_benchmark_takes_a_row(tmp_path: Path) -> None:
    source = copied(tmp_path)
    insert(source / "bench/work.py", '        Work("expansion"', blocks()["bench/work.py"])
    (tmp_path / "measured.py").write_text(MEASURED, encoding="utf-8")
    in_copy(tmp_path, "measured")
