"""The walk's commands and the lessons' in C++: what the pages say that they print."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.snippets import COMPILED, ROOT, run_page

LESSONS = sorted(COMPILED.glob("*.md"))
WALKS = [Path(ROOT, "docs", "walk.md"), Path(ROOT, "docs", "lessons", "tune.md"), *LESSONS]


@pytest.mark.skipif(not shutil.which("bash"), reason="the snippets are for bash")
@pytest.mark.parametrize("page", WALKS, ids=lambda page: page.stem)
def test_the_page_says_what_comes(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for result in run_page(text):
        assert result.agrees, f"{result.what!r} shows\n{result.shown}\nbut this came:\n{result.got}"


def test_the_pictures_of_kernels_are_current() -> None:
    command = [sys.executable, str(Path(ROOT, "docs", "pictures", "kernel_lessons.py")), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"python {command[1]}: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_lesson_in_cpp_is_whole(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "has a fault" in text
    assert f"../../pictures/lessons/cpp-{page.stem}.svg" in text
    assert f"(../{page.name})" in text
    lesson = page.parents[1] / page.name
    assert f"(cpp/{page.name})" in lesson.read_text(encoding="utf-8")
