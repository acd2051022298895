"""Old names of modules."""

import subprocess
import sys
import warnings
from importlib import import_module

import pytest

from tilelab import moved


@pytest.mark.parametrize("old", sorted(moved.MOVED))
def test_an_old_name_means_the_same_module(old: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = import_module(old)
    assert module is import_module(moved.MOVED[old])
    assert module.__spec__ is not None
    assert module.__spec__.name == module.__name__ == moved.MOVED[old]


SHOW = "import warnings; warnings.simplefilter('error'); from tilelab.tensix{} import {}"


def test_an_old_name_says_the_new_one() -> None:
    for place, name, said in (
        (".programs.run", "run_kernel", "tilelab.tensix.programs is now tilelab.kernels"),
        ("", "check", "tilelab.tensix.check is now tilelab.check"),
        (".llk", "backend", ""),
        (".llk.pytest_plugin", "pytest_configure", ""),
    ):
        command = [sys.executable, "-c", SHOW.format(place, name)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode == 0) == (not said)
        assert said in ended.stderr


def test_a_name_that_never_was_is_said_by_that_name() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"tilelab\.tensix\.llk\.nothing"):
        import_module("tilelab.tensix.llk.nothing")
