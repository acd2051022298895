"""LLVM's code of what runs on the host: whether it is that of the C files beside it."""

import re
from importlib.util import find_spec

import pytest

import host_code

FILES = [pytest.param(path, id=path.name) for path in host_code.FILES]


@pytest.mark.parametrize("source", FILES)
def test_code_is_made_of_the_c_file_that_is_there(source) -> None:
    made = source.with_suffix(".ll").read_text(encoding="utf-8")
    assert host_code.digest(source) in made, "python tools/host_code.py --write"


@pytest.mark.skipif(find_spec("ziglang") is None, reason="Zig is not installed")
@pytest.mark.parametrize("source", FILES)
def test_code_is_what_the_same_compiler_makes_again(source) -> None:
    there = source.with_suffix(".ll").read_text(encoding="utf-8")
    made = host_code.generated(source)
    compilers = [re.search(r"compiler: (.*)", text)[1] for text in (there, made)]
    if compilers[0] != compilers[1]:
        pytest.skip(f"made by {compilers[0]}, here is {compilers[1]}")
    assert there == made
