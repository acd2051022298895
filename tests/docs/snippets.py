"""Runs what the documentation shows, and compares what it says comes out.

usage: python tests/docs/snippets.py --update    (writes the outputs that runs give into the pages)

In a page, fenced blocks are run in order, in one temporary folder with a copy of ``examples``:

- ``sh``: a script; it must succeed
- ``console``: ``$ `` begins a command (``> `` goes on); what follows is its output, stderr
  included; a line ``...`` stands for any lines
- ``python``: a program; a ``text`` block right after it is its output

``<!-- not run: reason -->`` on the line before a block leaves it out. The README's two marked
commands are run by ``tests/readme_commands.sh``.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = "@@@ command"
WAIT = re.compile(r"^tilelab: compiling .* \(once; later starts take it from a cache\)$")
"""What a command says when nothing is compiled yet; pages show it with all compiled."""
BLOCK = re.compile(
    r"(?:<!-- (?P<note>[a-z ]+): (?P<reason>[^\n]+) -->\n)?"
    r"^```(?P<kind>sh|python|console)\n(?P<body>.*?)^```\n(?:\n```text\n(?P<out>.*?)^```\n)?",
    re.S | re.M,
)
LEFT_OUT = ("reference",)
"""Folders below docs that hold no snippets."""
ELSEWHERE = ("pto.md", "tune.md", "walk.md")
"""Other tests run these: tests/pto/test_pto_docs.py, tests/building/test_walk.py."""
COMPILED = ROOT / "docs" / "lessons" / "cpp"
"""Pages that need a compiler: tests/building/test_walk.py runs them, too."""


@dataclass(frozen=True)
class Result:
    """One command's or program's output, as shown and as it came."""

    what: str
    shown: str
    got: str
    start: int
    end: int

    @property
    def agrees(self) -> bool:
        """Whether the shown output is what came."""
        lines = [line.rstrip() for line in self.shown.rstrip("\n").split("\n")]
        pattern = "\n".join(re.escape(line) for line in lines)
        pattern = pattern.replace(re.escape("...") + "\n", r"(?:[^\n]*\n)*?")
        pattern = re.sub(re.escape(r"\.\.\.") + "$", ".*", pattern)
        return re.fullmatch(pattern, _tidy(self.got), re.S) is not None


def pages() -> list[Path]:
    """The pages with snippets."""
    docs = [
        path
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if path.relative_to(ROOT / "docs").parts[0] not in LEFT_OUT
    ]
    return [ROOT / "README.md", *docs, *sorted((ROOT / "examples").rglob("*.md"))]


def run_page(text: str) -> Iterator[Result]:
    """Run a page's blocks; yields what is shown against what came. Raises if a block fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "work" / "examples")
        environment = _environment(folder)
        for block in BLOCK.finditer(text):
            if block["note"] not in ("not run", "command"):
                yield from _run_block(block, folder / "work", environment)


def _environment(folder: Path) -> dict[str, str]:
    """A reader's environment: ``tilelab`` and ``python`` on the path, nothing of ours."""
    tools = folder / "bin"
    tools.mkdir()
    for command, start in (("tilelab", " -m tilelab.cli.main"), ("python", "")):
        script = tools / command
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{start} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    kept = {
        key: value
        for key, value in os.environ.items()
        if key == "TILELAB_CACHE" or not key.startswith("TILELAB_")
    }
    source = os.pathsep.join(filter(None, (str(ROOT / "src"), kept.get("PYTHONPATH"))))
    path = os.pathsep.join((str(tools), kept["PATH"]))
    return {**kept, "PYTHONPATH": source, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}


def _run_block(block: re.Match[str], folder: Path, environment: dict[str, str]) -> Iterator[Result]:
    if block["kind"] == "console":
        yield from _run_console(block, folder, environment)
        return
    program = [sys.executable, "-"] if block["kind"] == "python" else ["bash", "-euo", "pipefail"]
    done = _run(program, block["body"], folder, environment)
    if done.returncode:
        raise AssertionError(f"exit code {done.returncode}\n{block['body']}\n{done.stdout}")
    if block["out"] is not None:
        yield Result(block["body"], block["out"], done.stdout, *block.span("out"))


def _run_console(
    block: re.Match[str], folder: Path, environment: dict[str, str]
) -> Iterator[Result]:
    pieces = list(
        re.finditer(r"^\$ (?P<command>.*\n(?:> .*\n)*)(?P<out>(?!\$ )(?:(?!\$ ).*\n)*)?",
                    block["body"], re.M)
    )  # fmt: skip
    commands = [piece["command"].replace("\n> ", "\n").rstrip("\n") for piece in pieces]
    script = "".join(f"{{ {command}\n}}\necho '{MARK}'\n" for command in commands)
    done = _run(["bash"], script, folder, environment)
    outputs = done.stdout.split(f"{MARK}\n")
    offset = block.start("body")
    for piece, command, output in zip(pieces, commands, outputs, strict=False):
        start, end = piece.end("command") + offset, piece.end() + offset
        yield Result(command, piece["out"] or "", output, start, end)


def _run(
    program: list[str], text: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program, input=text, cwd=folder, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.rstrip("\n").split("\n")]
    return "\n".join(line for line in lines if not WAIT.match(line))


def _shortened(shown: str, got: str) -> str:
    """What came, left out where it was before: by lines that are equal but for their numbers."""
    made, at, lines = [], 0, got.split("\n")
    kinds = [re.sub(r"[\d.,%−+-]+", "0", line) for line in lines]
    for line in shown.rstrip("\n").split("\n"):
        if line == "...":
            made.append(line)
            continue
        kind = re.sub(r"[\d.,%−+-]+", "0", line.rstrip())
        if kind not in kinds[at:] or (made[-1:] != ["..."] and kinds[at] != kind):
            return got
        at = kinds.index(kind, at) + 1
        made.append(lines[at - 1])
    return "\n".join(made)


def updated(text: str) -> str:
    """The page with the outputs that its commands give now."""
    wrong = [result for result in run_page(text) if not result.agrees]
    for result in reversed(wrong):
        body = _shortened(result.shown, _tidy(result.got))
        text = text[: result.start] + (body + "\n" if body else "") + text[result.end :]
    return text


if __name__ == "__main__":
    if sys.argv[1:2] != ["--update"]:
        sys.exit(__doc__)
    for page in [Path(name) for name in sys.argv[2:]] or [
        page for page in pages() if page.name not in ELSEWHERE and COMPILED not in page.parents
    ]:
        old = page.read_text(encoding="utf-8")
        page.write_text(updated(old), encoding="utf-8")
