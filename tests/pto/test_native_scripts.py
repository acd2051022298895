"""Compiled kernels whose scripts make a header and data, and the cache that knows them again."""

from __future__ import annotations

import shutil

import pytest
from test_native import HERE, ISA, cache, cc

from tilelab.pto.native.build import build

__all__ = ["cache"]

pytestmark = pytest.mark.skipif(
    not (shutil.which("g++") or shutil.which("clang++")), reason="needs g++ or clang++"
)

GEN_DATA = """
import os, sys
os.makedirs("build", exist_ok=True)
open("build/words.txt", "w").write(" ".join(sys.argv[1:]))
"""
GENERATE_CASES = """
import pathlib, sys
build = pathlib.Path(__file__).resolve().parents[1] / "build"
(build / "generated_cases.h").write_text(f'#define WORDS "{" ".join(sys.argv[1:])}"')
"""
READS_WORDS = """\
#include <cstdio>
#include <cstring>
#include "generated_cases.h"
""" + (HERE / "alone.cpp").read_text(encoding="utf-8").replace(
    "int main(int, char**)\n{",
    """int main(int, char**)
{
    char words[64] = {};
    std::FILE* file = std::fopen("words.txt", "r");
    if (!file || !std::fgets(words, 64, file) || std::strcmp(words, WORDS)) return 2;
    std::puts(words);""",
)


def test_the_kernels_own_scripts_make_its_header_and_its_data_as_told(tmp_path):
    kernel = tmp_path / "alone.cpp"
    kernel.write_text(READS_WORDS, encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "gen_data.py").write_text(GEN_DATA, encoding="utf-8")
    (tmp_path / "scripts" / "generate_cases.py").write_text(GENERATE_CASES, encoding="utf-8")
    code, document = cc(kernel, "--cores", "vec", "--gen", "--cases=1,2 --mask")
    assert (code, document["output"].split("\n")[0]) == (0, "--cases=1,2 --mask")
    code, text = cc(kernel, "--cores", "vec", "--gen", "--cases=3", "--data", str(tmp_path))
    assert (code, "--gen fills a new folder" in text) == (2, True)
    (tmp_path / "scripts" / "gen_data.py").write_text("raise SystemExit('no shape')")
    code, text = cc(kernel, "--cores", "vec")
    assert (code, "its arguments: --gen" in text, "no shape" in text) == (2, True, True)
    assert {file.name for file in tmp_path.iterdir()} == {"alone.cpp", "scripts"}


def test_the_cache_knows_a_kernel_again_whose_header_is_made_in_another_folder(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "cases.h").write_text("#define CASES 1\n", encoding="utf-8")
    kernel = HERE / "alone.cpp"
    made = [build(kernel, [], ISA, "a2a3", includes=[one], alone="vec") for one in folders]
    assert made[0] == made[1]
    (folders[1] / "cases.h").write_text("#define CASES 2\n", encoding="utf-8")
    assert build(kernel, [], ISA, "a2a3", includes=folders[1:], alone="vec") != made[0]
