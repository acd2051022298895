"""What the report page says of runs that go wrong, or cannot say everything."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from page_browser import EXAMPLES, click_issue, keep, opened
from tilelab.cli.main import main

HANGING = """
    ttsemwait 511,2,1
    ttnop
"""


def test_deadlock_is_the_verdict_and_its_report_has_a_panel(
    browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, path = tmp_path / "hang.s", tmp_path / "hang.html"
    source.write_text(HANGING)
    assert main(["view", str(source), "-o", str(path), "--engine", "reference"]) == 1
    assert "tilelab: Deadlock at cycle" in capsys.readouterr().err
    for tab in opened(browser, path):
        assert "Deadlock" in tab.inner_text("#error")
        assert "T1 at ttnop" in tab.inner_text("#error")
        assert tab.inner_text("#figures .bad") == "Deadlock"
        assert "bound by" not in tab.inner_text("#figures")
        report = tab.inner_text("#report")
        assert "from hang.s:3" in report
        assert "mutexes held: none" in report  # all of it
        assert "RISC-V cores" not in tab.evaluate("tilelab.timeline.tracks.map((t) => t.name)")
        tab.click("[data-tab=time]")
        assert "RISC-V cores" not in tab.inner_text("#time")  # none runs
        keep(tab, "deadlock")
        tab.click("#error button")
        assert tab.is_visible("#report")


def test_wrong_results_are_named(
    browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, path = tmp_path / "add", tmp_path / "fail.html"
    shutil.copytree(EXAMPLES / "eltwise_add", kernel)
    wanted = np.load(kernel / "c.npy")
    wanted[3, 5] += 1000
    np.save(kernel / "c.npy", wanted)
    assert main(["view", str(kernel), "-o", str(path)]) == 1
    err = capsys.readouterr().err
    assert re.search(
        r"tilelab: FAIL 0x\w+ \d+x\d+: 1 of \d+ elements wrong, largest error 1000", err
    )
    assert re.search(r"first wrong element \[3, 5\]: got ", err)
    for tab in opened(browser, path):
        assert tab.inner_text("#figures .bad") == "FAIL"
        assert "1 of" in tab.inner_text("#error")
        assert tab.inner_text("#report").count("first wrong element [3, 5]: got") == 1
        keep(tab, "fail")


def test_a_program_without_debugging_data_says_so(
    browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, path = tmp_path / "copy", tmp_path / "bare.html"
    shutil.copytree(EXAMPLES / "datacopy", kernel)
    for elf in kernel.glob("*.elf"):
        data = elf.read_bytes().replace(b".debug_info", b".gone__info")
        elf.write_bytes(data)
    assert main(["view", str(kernel), "-o", str(path)]) == 0
    assert capsys.readouterr().err.count("has no debugging data") == 3
    for tab in opened(browser, path):
        assert "math.elf has no debugging data" in tab.inner_text("#report")
        click_issue(tab, 20)
        assert "TRISC1 0x" in tab.inner_text("#selected")
        assert "math_main" in tab.inner_text("#selected")  # the symbol table has names


def test_without_scripts_the_page_says_what_came_of_the_run(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(report.as_uri())
    text = tab.inner_text("body")
    for words in ("matmul", "drawn by JavaScript", "PASS", "1,273 cycles", "bound by T1 math"):
        assert words in text
    assert not tab.is_visible("header")
    context.close()


def test_what_only_warned_is_said_and_shown(
    browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, path, both = tmp_path / "add", tmp_path / "warned.html", tmp_path / "both.html"
    shutil.copytree(EXAMPLES / "eltwise_add", kernel)
    source = kernel / "kernel.cpp"
    source.write_text("// a line more: those of the ELFs are others now\n" + source.read_text())
    said = "warning kernel.cpp or kernel.toml has changed since"
    assert main(["view", str(kernel), "-o", str(path)]) == 0
    assert said in capsys.readouterr().err
    for tab in opened(browser, path):
        tab.click("#figures button")
        assert said in tab.inner_text("#report")
        keep(tab, "warned")
    example = str(EXAMPLES / "eltwise_add")
    assert main(["compare", example, str(kernel), "-o", str(both)]) == 0
    assert f"{kernel}: {said}" in capsys.readouterr().out
    for tab in opened(browser, both):
        assert said in tab.inner_text("#name1")
        assert said not in tab.inner_text("#name0")


def test_what_ends_a_run_tells_what_only_warned_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "hang.s"
    source.write_text("ttseminit 1,1,2\nttsempost 2\n" + HANGING.replace("511,2,1", "511,4,1"))
    for command in ("run", "view"):
        more = ["-o", str(tmp_path / "v.html")] if command == "view" else []
        assert main([command, str(source), "--engine", "reference", *more]) == 1
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith("  warning SEMPOST on semaphore 1, which is at its maximum already")
    kernel = tmp_path / "add"
    shutil.copytree(EXAMPLES / "eltwise_add", kernel)
    (kernel / "kernel.cpp").write_text("// another\n")
    assert main(["run", str(kernel), "--max-cycles", "100"]) == 1
    assert "  warning kernel.cpp or kernel.toml has changed since" in capsys.readouterr().err
