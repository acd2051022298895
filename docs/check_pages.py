"""A page for each check that the checker makes or the corpus shows: checks/NAME.md.

Each has the check's words and its programs of tests/faulty, as two: what differs is marked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tilelab.check.rules import RULES_BY_NAME
from tilelab.sim.checks import CHECKS_BY_NAME

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "checks"
PROGRAMS = HERE.parent / "tests" / "faulty" / "programs"
KEYS = "check|stands for|arch|also|tiles|culprit|build|streams|this"
COMMENT = re.compile(rf"(?:#|//) ?({KEYS}) (.*)")
FRAME = re.compile(r'#include "(\w+\.h)"')
DEADLOCK = "deadlock"
ABOUT_DEADLOCKS = (
    "The program gets stuck. The finding says who waits for whom, the circle if there is one, and "
    "the most likely mistake; see [Deadlocks](../check.md#deadlocks)."
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
    return sorted({*RULES_BY_NAME, *shown()})


def link(name: str, text: str = "") -> str:
    """A link from another page of this folder's parent."""
    return f"[{text or name}](checks/{name}.md)"


def page(name: str) -> Iterator[str]:
    """The lines of a check's page."""
    yield f"# {name}"
    yield ""
    yield from about(name)
    for path in shown().get(name, []):
        yield from program(path)


def about(name: str) -> Iterator[str]:
    """What a check says, how it is cured, and its policy."""
    if name == DEADLOCK:
        yield ABOUT_DEADLOCKS
        return
    if name in RULES_BY_NAME:
        rule = RULES_BY_NAME[name]
        says, category, policy = rule.message.format(where="*where*"), rule.category, rule.policy
        text, cure, manual = f"Somebody {says}.", rule.cure, rule.page
    else:
        check = CHECKS_BY_NAME[name]
        text, cure, manual = check.message.format(value=0, value2=0), check.cure, check.page
        text = re.sub(r"\b0(x0+)?\b", "*value*", text[0].upper() + text[1:]) + "."
        category = check.category.category
        policy = "stops" if check.policy is None else check.policy.name.lower()
        text += " A check of [every run](../errors.md#every-check)."
    yield text
    yield ""
    if cure:
        yield f"Cure: {cure}."
        yield ""
    yield f"Category {category}; policy {policy} unless `--policy {name}=…` says otherwise;"
    yield f"source {manual}."


def program(path: Path) -> Iterator[str]:
    """A program of the corpus, bad and good."""
    words = said(path)
    lines = path.read_text(encoding="ascii").splitlines()
    lines = [line for line in lines if not COMMENT.fullmatch(line)]
    kind = "cpp" if path.suffix == ".cpp" else "text"
    yield ""
    yield f"## {path.stem.replace('_', ' ').capitalize()}"
    yield ""
    arch = f" It is for {words['arch'].capitalize()}." if "arch" in words else ""
    yield f"Stands for {words['stands for']}.{arch}"
    if "culprit" in words:
        yield f"The most likely mistake says: {words['culprit']}."
    for frame in (included[1] for included in map(FRAME.fullmatch, lines) if included):
        yield f"What it includes: [{frame}](../../tests/faulty/frames/{frame})."
    for title, drop, keep in (("Bad", "+ ", "- "), ("Good", "- ", "+ ")):
        text = [line.removeprefix(keep) for line in lines if not line.startswith(drop)]
        if title == "Good":
            text = [re.sub(r" *(#|//) (this|other)$", "", line) for line in text]
        yield ""
        yield f"{title}:"
        yield ""
        yield f"```{kind}"
        yield from text
        yield "```"


def index() -> Iterator[str]:
    """The list of all pages."""
    yield "# Every check's page"
    yield ""
    yield "A page for each finding of the checker, with bad and good programs."
    yield "[Check for races](../check.md) explains them."
    yield "Terms are in the [glossary](../glossary.md)."
    yield "The two parties of a finding are marked `this` and `other`."
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
