"""The examples run and match NumPy."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "tilext").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_matches_numpy(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert "NumPy" in capsys.readouterr().out


def test_the_examples_are_there():
    assert {path.stem for path in EXAMPLES} == {"tiled_copy", "tiled_matmul"}
