"""A page for each check that the checker makes or the corpus shows: checks/NAME.md.

Each has the check's words and its programs of tests/faulty, with fault and cure marked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import tilelab.check.engine  # noqa: F401  # which declares all rules
from tilelab.check.rules import Rule
from tilelab.sim.checks import CHECKS_BY_NAME, declared

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "checks"
PROGRAMS = HERE.parent / "tests" / "faulty" / "programs"
KEYS = "check|stands for|arch|also|tiles|culprit|build|streams|this|policy|formats"
COMMENT = re.compile(rf"(?:#|//) ?({KEYS}) (.*)")
FRAME = re.compile(r'#include "(\w+\.h)"')
DEADLOCK = "deadlock"
ABOUT_DEADLOCKS = (
    "The program gets stuck. The finding says who waits for whom, the circle if there is one, and "
    "the most likely mistake ([Deadlocks](../check.md#deadlocks))."
)


def said(path: Path) -> dict[str, str]:
    """What a program of the corpus says about itself."""
    found = map(COMMENT.fullmatch, path.read_text(encoding="ascii").splitlines())
    return {match[1]: match[2] for match in found if match}


def shown() -> dict[str, list[Path]]:
    """The programs of each check."""
    programs: dict[str, list[Path]] = {}
    for path in sorted(PROGRAMS.iterdir()):
        if path.suffix in (".s", ".cpp"):
            programs.setdefault(said(path)["check"], []).append(path)
    return programs


def names() -> list[str]:
    """Every check that has a page."""
    return sorted({*(rule.name for rule in declared(Rule)), *shown()})


def link(name: str, text: str = "") -> str:
    """A link from another page of this folder's parent."""
    return f"[{text or name}](checks/{name}.md)"


def page(name: str) -> Iterator[str]:
    """The lines of a check's page."""
    yield f"# {name}"
    yield ""
    yield from about(name)
    if programs := shown().get(name, []):
        yield ""
        yield "In the programs, lines with `-` are the fault, and lines with `+` are its cure."
    for path in programs:
        yield from program(path)


def about(name: str) -> Iterator[str]:
    """What a check says, how it is cured, and its policy."""
    if name == DEADLOCK:
        yield ABOUT_DEADLOCKS
        return
    check = CHECKS_BY_NAME[name]
    policy = "stops" if check.policy is None else check.policy.name.lower()
    if isinstance(check, Rule):
        says = check.message.format(where="*where*")
        text = f"{'' if says.startswith('the program ') else 'a core, thread or unit '}{says}."
        text = text[0].upper() + text[1:]
    else:
        text = check.message.format(value=0, value2=0)
        text = re.sub(r"\b0(x0+)?\b", "*value*", text[0].upper() + text[1:]) + "."
        text += " A check of [every run](../errors.md#every-check)."
    yield text
    yield ""
    if check.cure:
        yield f"Cure: {check.cure}."
        yield ""
    category = check.category.category
    yield f"Category: {category}. Policy: {policy}; `--policy {name}=…` changes it."
    yield f"Source: {check.page}."


def program(path: Path) -> Iterator[str]:
    """A program of the corpus, with the lines of its fault and of its cure."""
    words = said(path)
    lines = path.read_text(encoding="ascii").splitlines()
    lines = [line for line in lines if not COMMENT.fullmatch(line)]
    yield ""
    yield f"## {path.stem.replace('_', ' ').capitalize()}"
    yield ""
    arch = f" This program is for {words['arch'].capitalize()}." if "arch" in words else ""
    yield f"From {words['stands for']}.{arch}"
    if "culprit" in words:
        yield f"The report names the mistake: {words['culprit']}."
    for frame in (included[1] for included in map(FRAME.fullmatch, lines) if included):
        yield f"The program includes [{frame}](../../tests/faulty/frames/{frame})."
    yield ""
    yield "```diff"
    yield from (line if line.startswith(("+ ", "- ")) else f"  {line}".rstrip() for line in lines)
    yield "```"


def index() -> Iterator[str]:
    """The list of all pages."""
    yield "# Every check's page"
    yield ""
    yield "Each finding of the checker, with programs that have the fault and its cure."
    yield "[Check for races](../check.md) explains the checker."
    yield "The programs mark the two parties of a finding as `this` and `other`."
    yield "Terms are in the [glossary](../glossary.md)."
    yield ""
    yield from (f"- [{name}]({name}.md)" for name in names())


def write(*, only_check: bool) -> list[str]:
    """Write the pages; the names of those that are not up to date."""
    FOLDER.mkdir(exist_ok=True)
    made = {f"{name}.md": "\n".join(page(name)) + "\n" for name in names()}
    made["README.md"] = "\n".join(index()) + "\n"
    old = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    stale = [name for name in {**made, **old} if made.get(name) != old.get(name)]
    for name in stale if not only_check else ():
        if name in made:
            (FOLDER / name).write_text(made[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return [f"checks/{name}" for name in stale]
