"""Every command and program in the documentation runs and prints what the page says."""

import re
import shutil
from pathlib import Path

import pytest
from snippets import BLOCK, COMPILED, ELSEWHERE, ROOT, Result, pages, run_page

needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="the snippets are for bash")
WITH_BLOCKS = [
    page
    for page in pages()
    if page.name not in ELSEWHERE
    and COMPILED not in page.parents
    and BLOCK.search(page.read_text(encoding="utf-8"))
]


@needs_bash
@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_page_tells_the_truth(page: Path) -> None:
    for result in run_page(page.read_text(encoding="utf-8")):
        assert result.agrees, (
            f"{page.name} shows for {result.what!r}:\n{result.shown}\nbut this came:\n{result.got}"
            "\n(python tests/docs/snippets.py --update writes it into the page)"
        )


def test_only_installation_tests_and_tools_are_not_run() -> None:
    allowed = (
        "installs",
        "the test suite",
        "needs the vendor's",
        "needs a compiler",
        "needs a cluster",
        "needs a gdb",
        "but in a copy, by ",
        "but by tests/",
    )
    for page in pages():
        for reason in re.findall(r"<!-- not run: (.*?) -->", page.read_text(encoding="utf-8")):
            assert reason.startswith(allowed), f"{page.name}: {reason}"


def test_no_block_hides_by_indentation() -> None:
    for page in pages():
        hidden = re.findall(r"^[ >]+```(?:sh|python|console)$", page.read_text("utf-8"), re.M)
        assert not hidden, f"{page.name}: the snippets' test does not see indented blocks"


@needs_bash
@pytest.mark.parametrize(
    ("block", "agrees"),
    [
        ("```console\n$ echo a; echo b >&2\na\nb\n```\n", [True]),
        ("```console\n$ echo a\nb\n```\n", [False]),
        ("```console\n$ echo a\n```\n", [False]),
        ("```console\n$ true\n$ printf 'a\\nb\\nc\\n'\na\n...\n```\n", [True, True]),
        ("```console\n$ printf 'a\\nb\\nc\\n'\n...\nb\n```\n", [False]),
        ("```python\nprint(1)\n```\n\n```text\n1\n```\n", [True]),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", [False]),
        ("<!-- not run: installs -->\n```sh\nfalse\n```\n", []),
    ],
)
def test_outputs_are_compared(block: str, agrees: list[bool]) -> None:
    assert [result.agrees for result in run_page(block)] == agrees


@needs_bash
def test_a_script_that_fails_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="exit code 1"):
        list(run_page("```sh\nfalse\n```\n"))


def test_a_wait_for_the_compiler_is_no_part_of_the_output() -> None:
    wait = "tilelab: compiling the fast engine (once; later starts take it from a cache)\n"
    assert Result("", "a\n", wait + "a\n", 0, 0).agrees
    assert not Result("", "a\n", "tilelab: compiling failed\na\n", 0, 0).agrees


def test_dots_stand_for_any_lines_and_nothing_else() -> None:
    assert Result("", "a\n...\nc\n", "a\nb\nb\nc\n", 0, 0).agrees
    assert Result("", "a\n...\nc\n", "a\nc\n", 0, 0).agrees
    assert not Result("", "a\n...\nc\n", "a\nb\n", 0, 0).agrees
