"""The types of what kernels see: they are the layout's, and mypy refuses what is not there."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import state_types
from tilelab.sim import checks
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.state import TensixState, records
from tilelab.tensix.state.layout import layout_of

ROOT = Path(__file__).resolve().parents[3]

RIGHT = [
    "s.clock = s.clock + 1",
    "s.vector.lreg[3, lane] = s.vector.late.value[0, 3, lane]",
    "wait = s.frontend[t].wait; wait.kind = 0",
    "s.adc[t][2].x[0] = s.arch.dst_rows + s.f.THCON_SEC_REG2_Tileize_mode[t]",
    "s.l1_32[0] = s.l1[4]",
]
WRONG = {
    "s.clok = 1": '"State" has no attribute "clok"',
    "s.src_a_valid[0]": '"State" has no attribute "src_a_valid"',  # which is a user's name
    "s.frontend[t].wait.kin = 1": '"Wait" has no attribute "kin"',
    "s.frontend.wait.kind = 1": 'has no attribute "wait"',
    "s.f.THCON_SEC_REG2_Tilized_mode": '"Places" has no attribute "THCON_SEC_REG2_Tilized_mode"',
    "s.arch.dst_row": '"Arch" has no attribute "dst_row"',
    "s.vector.lreg[3]": 'Invalid index type "int" for "Array2"',
    "s.dst_valid[3, 0]": 'Invalid index type "tuple[int, int]" for "Array1"',
    "s.vector.lreg[3, lane] = 1.5": '"float"',
    "s.vector.lreg = 1": 'expression has type "int", variable has type "Array2"',
    "s.fault.cod": '"Fault" has no attribute "cod"',
}
HEAD = """\
from tilelab.tensix.state.records import State


def kernel(s: State, t: int, lane: int) -> None:
"""


def test_the_generated_types_are_current() -> None:
    assert state_types.stale() == [], "run python tools/state_types.py --write"


def test_only_who_asks_has_them_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in state_types.generated():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(state_types, "SOURCE", tmp_path)
    monkeypatch.setattr("sys.argv", ["state_types"])
    assert state_types.main() == 1
    assert capsys.readouterr().out.count("out of date") == len(state_types.generated())
    monkeypatch.setattr("sys.argv", ["state_types", "--write"])
    assert state_types.main() == 0
    written = (tmp_path / "tensix" / "state" / "records.py").read_text(encoding="utf-8")
    assert written == Path(records.__file__).read_text(encoding="utf-8")
    assert state_types.stale() == []


def test_a_failed_check_has_the_fields_that_its_type_has() -> None:
    kinds = {name: bool(shape) for name, _, *shape in checks.FAULT_FIELDS}
    types = {name: kind is not int for name, kind in vars(checks.Fault)["__annotations__"].items()}
    assert types == kinds


def parts(view: Any, record: np.ndarray[Any, Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    """Every part of the first of each record: its path, what kernels see, and its memory."""
    for name in record.dtype.names or ():
        seen, part = getattr(view, name), record[name]
        if part.dtype.names:
            while part.ndim:
                seen, part = seen[0], part[0, ...]
            yield from parts(seen, part, f"{path}.{name}")
        else:
            yield f"{path}.{name}", seen, part


@pytest.mark.parametrize("chip", ARCHES)
def test_the_view_has_what_the_types_say(chip: str) -> None:
    """Each annotation's array takes as many indices as the view's."""
    state = TensixState(ARCHES[chip])
    layout = layout_of(ARCHES[chip])
    for path, seen, _ in parts(state.s, state.record.view(layout), "State"):
        owner: Any = records.State
        for name in path.split(".")[1:]:
            kind = get_type_hints(owner)[name]
            while hasattr(kind, "__args__"):  # tuples of records
                kind = kind.__args__[0]
            owner = kind
        dimensions = getattr(seen, "ndim", 0)
        assert owner.__name__ == (f"Array{dimensions}" if dimensions else "int"), path


def complaints(folder: Path, lines: list[str]) -> list[str]:
    """What mypy says about each line of a kernel's body: "" if it has nothing against it."""
    pytest.importorskip("mypy", reason="needs mypy: pip install -e '.[dev]'")
    file = folder / "kernel.py"
    file.write_text(HEAD + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={ROOT / '.mypy_cache'}", file],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    said = [""] * len(lines)
    first = HEAD.count("\n") + 1
    for number, text in re.findall(r"^\S*kernel\.py:(\d+): error: (.*)$", run.stdout, re.M):
        said[int(number) - first] += text
    return said


def test_mypy_takes_what_is_there_and_refuses_what_is_not(tmp_path: Path) -> None:
    said = complaints(tmp_path, RIGHT + list(WRONG))
    assert said[: len(RIGHT)] == [""] * len(RIGHT)
    for (line, expected), text in zip(WRONG.items(), said[len(RIGHT) :], strict=True):
        assert expected in text, f"{line}: {text or 'accepted'}"
