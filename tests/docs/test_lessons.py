"""Each lesson has a program, a picture of it that is current, and leads to the next."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LESSONS = sorted((DOCS / "lessons").glob("[0-9]*.md"))


def test_there_are_twelve() -> None:
    assert len(LESSONS) == 12


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_lesson_is_whole(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "This program has a fault" in text or page.stem == "11-bubbles"
    assert f"../pictures/lessons/{page.stem}.svg" in text
    following = LESSONS[LESSONS.index(page) + 1 :][:1]
    assert (following[0].name if following else "walk.md") in text
    assert page.name in (DOCS / "lessons" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", ["lessons.py", "hang.py"])
def test_the_pictures_are_current(script: str) -> None:
    command = [sys.executable, str(DOCS / "pictures" / script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"python docs/pictures/{script}: {done.stdout}{done.stderr}"
