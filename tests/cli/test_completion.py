"""Shells complete commands, options and choices; help and completion import no machine."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tilelab.cli.main import COMMANDS

SLOW = ("numpy", "llvmlite", "pydantic", "rich", "tilelab.tensix", "tilelab.kernels")


def complete(shell: str, words: str) -> list[str]:
    """What a shell's completion script is told of a line that ends where the cursor is."""
    asked = {"_TILELAB_COMPLETE": f"complete_{shell}", "COMP_WORDS": words}
    asked |= {"COMP_CWORD": str(len(words.split(" ")) - 1), "_TYPER_COMPLETE_ARGS": words}
    asked |= {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(
        [sys.executable, "-m", "tilelab"], env=os.environ | asked, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert not done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tilelab comp", ["compare"]),
        ("tilelab run --eng", ["--engine"]),
        ("tilelab run --arch ", ["blackhole", "wormhole"]),
        ("tilelab debug --clock c", ["cycle"]),
        ("tilelab asm --arch t", ["tilext"]),
        ("tilelab build --compiler z", ["zig"]),
        ("tilelab examples mat", ["matmul"]),
        ("tilelab explain-matmul --fidelity hifi", ["hifi2", "hifi3", "hifi4"]),
        ("tilelab pto run --protocol s", ["seed", "sparse", "sparse_fixed"]),
        ("tilelab pto explore pipe --direction V2C_", ["V2C_CTRL", "V2C_GM"]),
        ("tilelab tilext export ", ["c-header", "sail", "tablegen"]),
    ],
)
def test_bash_completes(words: str, offered: list[str]) -> None:
    found = complete("bash", words)
    for word in offered:
        assert word in found


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_complete(shell: str) -> None:
    for words in "tilelab comp", "tilelab run --engine ":
        found = "\n".join(complete(shell, words))
        assert ("compare" if words.endswith("comp") else "reference") in found


def test_each_shell_has_a_script() -> None:
    for shell in "bash", "zsh", "fish":
        asked = {"_TILELAB_COMPLETE": f"source_{shell}"}
        done = subprocess.run(
            [sys.executable, "-m", "tilelab"], env=os.environ | asked, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        assert "_TILELAB_COMPLETE" in done.stdout


def test_the_script_completes_in_bash(tmp_path: Path) -> None:
    command = tmp_path / "tilelab"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tilelab "$@"\n')
    command.chmod(0o755)
    script = "\n".join(
        [
            f'PATH="{tmp_path}:$PATH"',
            'eval "$(_TILELAB_COMPLETE=source_bash tilelab)"',
            "COMP_WORDS=(tilelab run --engine ''); COMP_CWORD=3",
            "$(complete -p tilelab | sed 's/.*-F \\([^ ]*\\).*/\\1/') tilelab",
            'echo "${COMPREPLY[@]}"',
        ]
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["fast", "reference"], done.stderr


def seconds(*command: str) -> float:
    """Processor time of a process, the least of some."""
    took = []
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def test_help_imports_no_machine() -> None:
    lines = [[name, "--help"] for name in COMMANDS] + [["--help"], ["pto", "cc", "--help"]]
    code = (
        "import sys, contextlib, io; from tilelab.cli.main import main\n"
        f"for words in {lines!r}:\n"
        "    with contextlib.redirect_stdout(io.StringIO()): code = main(words)\n"
        f"    print(code, [name for name in {SLOW!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n" * len(lines)


def test_help_takes_little_longer_than_python_itself() -> None:
    assert seconds("-m", "tilelab", "run", "--help") - seconds("-c", "pass") < 0.3
