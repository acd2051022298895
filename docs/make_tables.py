"""Write the generated parts of errors.md, support.md, performance.md and others.

usage: python docs/make_tables.py [--check]

Each part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. With --check nothing is
written; the exit code says whether the pages are up to date.
"""

import ast
import dis
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import check_pages
import cli_tables
import compute_names_table
import counter_tables
import install_tables
import numpy as np
import performance_tables
import rooms_table
import silicon_tables
import ttnn_tables
import vendor_tables

import tilelab.chip
import tilelab.tensix
from tilelab.check.rules import Rule
from tilelab.chip.problems import ChipCheck
from tilelab.isa.instruction import Instruction
from tilelab.kernels.formula import FUNCTIONS
from tilelab.sim.checks import CHECKS, Check, declared
from tilelab.sim.errors import AssertionFailureError, CycleLimitError, DeadlockError, MachineError
from tilelab.sim.kernel import KERNELS
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.backend.semantics import SEMANTICS, prologue, schedulable, scheduled
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "tests" / "data" / "golden"
KERNEL_VECTORS = GOLDEN.parent / "llk"
WORD_ARRAYS = {"word", "seq_words", "words_word", "mop_word"}
"""Arrays of the recordings that hold executed words."""
MOP_CFG_WRITE = 1
"""The kind of event in an expander's recording that is no word."""
NOT_MODELLED = ("UnsupportedFunctionality", "UnimplementedFunctionality", "MissingSpecification")
EXPANDED = (MOP, MOP_CFG, REPLAY)
CHIPS = tuple(ARCHES)
Kernel = Callable[..., int]


def import_everything() -> None:
    """Import every module of the machines, so that all checks and kernels are declared."""
    for package in (tilelab.tensix, tilelab.chip):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


# ------------------------------------------------------------------ errors.md


def rules_table() -> Iterator[str]:
    """Yield the table of what only the checker finds, with the programs that show it."""
    yield "| check | category | policy | finding | example |"
    yield "|---|---|---|---|---|"
    programs = check_pages.shown()
    for rule in declared(Rule):
        says = rule.message.format(where="*where*")
        count = len(programs.get(rule.name, []))
        links = check_pages.link(rule.name, f"{count} program{'s' if count != 1 else ''}")
        anchor = f'<a id="{rule.name}"></a>`{rule.name}`'
        category, policy = rule.category.category, rule.policy.name.lower()
        yield f"| {anchor} | {category} | {policy} | {says} | {links} |"


def checks_table() -> Iterator[str]:
    """Yield every check, by category and name."""
    yield "| check | category | default | says | manual |"
    yield "|---|---|---|---|---|"
    made = [*declared(Check), *declared(ChipCheck)]
    for item in sorted(made, key=lambda c: (c.category.category, c.name)):
        yield _check_row(item)


def _check_row(item: Check) -> str:
    says = re.sub(r"\{(\w+)[^}]*\}", r"*\1*", item.message)
    cells = (
        f'<a id="{item.name}"></a>`{item.name}`',
        item.category.category,
        "stops" if item.policy is None else item.policy.name.lower(),
        says.replace("|", "\\|"),
        item.page,
    )
    return f"| {' | '.join(cells)} |"


def unused_categories() -> Iterator[str]:
    """Yield which of the vendor's categories no check has."""
    used = {item.category for item in declared(Check)}
    own = (AssertionFailureError, DeadlockError, CycleLimitError)  # what no check reports
    unused = [
        kind.category
        for kind in MachineError.__subclasses__()
        if kind not in used and kind not in own and kind.__module__ == MachineError.__module__
    ]
    if unused:
        kinds = "category" if len(unused) == 1 else "categories"
        yield f"No check has the {kinds} {' and '.join(unused)} yet; nothing is reported so."
    else:
        yield "Each of them is the category of some check."


# ------------------------------------------------------------------ support.md


@cache
def check_names() -> dict[tuple[str, int], Check]:
    """The check that a constant is the code of, by the constant's name and value."""
    found = {}
    for name, module in list(sys.modules.items()):
        if not name.startswith("tilelab."):
            continue
        for node in ast.parse(inspect.getsource(module)).body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=constant)], value=ast.Call(func=ast.Name(id=function))
                ) if _declares(module, function):
                    code = getattr(module, constant)
                    found[constant, code] = CHECKS[code]
                case ast.Assign(
                    targets=[ast.Name(id=constant)],
                    value=ast.Call(
                        func=ast.Name(id="tuple"),
                        args=[ast.GeneratorExp(elt=ast.Call(func=ast.Name(id=function)))],
                    ),
                ) if _declares(module, function):
                    found |= {(constant, code): CHECKS[code] for code in getattr(module, constant)}
    return found


def _declares(module: ModuleType, function: str) -> bool:
    """Whether a function is ``check``, or one that calls it."""
    code = getattr(getattr(module, function, None), "__code__", None)
    return function == "check" or (code is not None and "check" in code.co_names)


def _globals_of(function: Kernel) -> set[str]:
    """The global names that a function reads; what it reads of the state may be called alike."""
    return {each.argval for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"}


@cache
def reachable(kernel: Kernel) -> frozenset[str]:
    """Names of the checks that a kernel, or a kernel that it calls, can fail."""
    seen: set[Kernel] = set()
    found: set[str] = set()
    waiting = [kernel]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        for name in _globals_of(function):
            value: Any = function.__globals__.get(name)
            if value is scheduled:
                waiting += [handler for arch in ARCHES.values() for _, handler in schedulable(arch)]
            elif callable(value) and value in KERNELS.values():
                waiting.append(value)
            codes = value if isinstance(value, tuple) else (value,)
            found |= {check_names()[name, c].name for c in codes if (name, c) in check_names()}
    return frozenset(found)


def refuses(kernel: Kernel) -> str | None:
    """The check that a kernel fails whatever its operands are, if it does nothing else.

    Such a kernel returns nothing but the fault, after waits and checks that it passes on by name.
    """
    returned = [
        node.value
        for node in ast.walk(ast.parse(inspect.getsource(kernel).lstrip()))
        if isinstance(node, ast.Return)
    ]
    faults = {ast.unparse(value) for value in returned if _is_fault(value)}
    others = [value for value in returned if not _is_fault(value)]
    if not faults or not all(isinstance(v, ast.Name) and v.id != "OK" for v in others):
        return None
    (name,) = {ast.parse(text).body[0].value.args[1].id for text in faults}  # type: ignore[attr-defined]
    return check_names()[name, kernel.__globals__[name]].name


def _is_fault(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in ("fault", "fault2")


@cache
def recorded(chip: str) -> Counter[str]:
    """How many recorded words of each instruction the tests compare, from the data themselves.

    Of the expanders' recordings, only what is expanded counts: what comes out is not executed.
    """
    words: Counter[int] = Counter()
    for path in sorted(GOLDEN.glob(f"*_{chip[0]}h.npz")):
        with np.load(path, allow_pickle=False) as data:
            for name in WORD_ARRAYS & set(data.files):
                words.update((data[name].ravel() >> 24).tolist())
            if "prog_ev_value" in data.files:
                pushed = data["prog_ev_value"][data["prog_ev_kind"] != MOP_CFG_WRITE] >> 24
                words.update(int(opcode) for opcode in pushed if opcode in EXPANDED)
    return Counter({row.name: words[row.opcode] for row in ARCHES[chip].instructions.values()})


@cache
def recorded_kernels(chip: str) -> Counter[str]:
    """In how many of the recorded kernels each mnemonic occurs; they are all Blackhole's."""
    index = json.loads((KERNEL_VECTORS / "INDEX.json").read_text())
    replayed = [set(entry["opcodes"]) for entry in index if entry["replay"]]
    return Counter(chain.from_iterable(replayed if chip == "blackhole" else []))


def refusal(row: Instruction, chip: str) -> str | None:
    """The check that an instruction fails on a chip, if it does nothing else."""
    if row.opcode in EXPANDED:
        return None
    return row.refused or refuses(SEMANTICS[chip][row.name])


def executes(row: Instruction, chip: str) -> bool:
    """Whether an instruction does something on a chip, rather than fail a check."""
    return refusal(row, chip) is None


def status(row: Instruction | None, chip: str) -> str:
    """What becomes of an instruction on a chip."""
    if row is None:
        return "–"
    reason = refusal(row, chip)
    if reason is not None:
        page = next(item.page for item in CHECKS.values() if item.name == reason)
        return f"refused: {_link(reason)}, {page}"
    if cases := recorded(chip)[row.name]:
        return f"compared, {cases} words"
    kernels = recorded_kernels(chip)[row.mnemonic]
    return f"compared in {kernels} kernels" if kernels else "from the documents"


def _link(check: str) -> str:
    return f"[`{check}`](errors.md#{check})"


def rows() -> list[tuple[str, list[Instruction | None]]]:
    """Every instruction by opcode, with its row on each chip."""
    sets = [ARCHES[chip].instructions for chip in CHIPS]
    names = {name: row.opcode for chip in sets for name, row in chip.items()}
    ordered = sorted(names, key=lambda name: (names[name], name))
    return [(name, [chip.get(name) for chip in sets]) for name in ordered]


def support_table() -> Iterator[str]:
    """Yield every instruction of both chips."""
    yield f"| opcode | instruction | unit | {' | '.join(chip.capitalize() for chip in CHIPS)} |"
    yield f"|---|---|---|{'---|' * len(CHIPS)}"
    for name, found in rows():
        row = next(row for row in found if row is not None)
        file = row.unit.replace("_", "-")
        cells = [f"0x{row.opcode:02x}", f"[{name}](reference/{file}.md#{name.lower()})"]
        cells.append(row.unit.replace("_", " "))
        cells += [status(on_chip, chip) for on_chip, chip in zip(found, CHIPS, strict=True)]
        yield f"| {' | '.join(cells)} |"


def counts() -> Iterator[str]:
    """Yield how many instructions each chip has, and how many are modelled."""
    for chip in CHIPS:
        rows = ARCHES[chip].instructions.values()
        done = [row for row in rows if executes(row, chip)]
        compared = sum(recorded(chip)[row.name] > 0 for row in done)
        yield (
            f"- {chip.capitalize()}: {len(done)} of {len(rows)} instructions execute, "
            f"{compared} of them compared with recordings"
        )


def limits() -> Iterator[str]:
    """Yield, for each instruction that executes, the checks that refuse some of its forms."""
    by_checks: dict[tuple[str, ...], list[str]] = {}
    for name, found in rows():
        checks: set[str] = set()
        for row, chip in zip(found, CHIPS, strict=True):
            if row is not None and row.opcode not in EXPANDED and executes(row, chip):
                checks |= reachable(SEMANTICS[chip][name])
                if begin := prologue(row):
                    checks |= reachable(begin)
        names = sorted(c.name for c in CHECKS.values() if c.name in checks and _unmodelled(c))
        if names:
            by_checks.setdefault(tuple(names), []).append(name)
    for names_of_checks, instructions in by_checks.items():
        yield f"- {', '.join(instructions)}: {', '.join(map(_link, names_of_checks))}"


def _unmodelled(item: Check) -> bool:
    return item.category.category in NOT_MODELLED


# ------------------------------------------------------------------ decisions/README.md


def decisions() -> Iterator[str]:
    """Yield every decision, by number, with its title."""
    for path in sorted((HERE / "decisions").glob("[0-9]*.md")):
        heading = path.read_text(encoding="utf-8").partition("\n")[0]
        title = re.fullmatch(r"# (\d+)\. (\S.*)", heading)
        if title is None or int(title[1]) != int(path.name.partition("-")[0]):
            raise ValueError(f"{path.name} begins {heading!r}, not with its number and title")
        yield f"{title[1]}. [{title[2]}]({path.name})"


# ------------------------------------------------------------------ score.md


def formula_functions() -> Iterator[str]:
    """Yield the functions that a formula may call."""
    yield f"{', '.join(f'`{name}`' for name in sorted(FUNCTIONS))}."


# ------------------------------------------------------------------ the pages

PAGES: dict[str, dict[str, Callable[[], Iterator[str]]]] = {
    **cli_tables.PARTS,
    **install_tables.PARTS,
    "check.md": {"rules": rules_table},
    "errors.md": {"unused-categories": unused_categories, "checks": checks_table},
    "cli/score.md": {**cli_tables.PARTS["cli/score.md"], "formula-functions": formula_functions},
    "cli/build.md": {**cli_tables.PARTS["cli/build.md"], **compute_names_table.PARTS},
    "support.md": {"counts": counts, "instructions": support_table, "limits": limits},
    "decisions/README.md": {"decisions": decisions},
    "cycles.md": dict(counter_tables.PARTS),
    "rooms.md": dict(rooms_table.PARTS),
    "cycles-silicon.md": {
        name: part for name, part in silicon_tables.PARTS.items() if name != "silicon"
    },
    "../README.md": {**install_tables.PARTS["../README.md"], "silicon": silicon_tables.groups},
    "performance.md": dict(performance_tables.PARTS),
    "vendor-tests.md": dict(vendor_tables.PARTS),
    "chip-compared.md": dict(ttnn_tables.PARTS),
}


def fill(text: str, parts: dict[str, Callable[[], Iterator[str]]]) -> str:
    """Put the generated parts into a page."""
    for name, lines in parts.items():
        begin, end = f"<!-- generated: {name} -->\n", "<!-- end -->\n"
        head, found, rest = text.partition(begin)
        if not found:
            raise ValueError(f"the page has no part {name}")
        body = "\n".join(lines())
        text = f"{head}{begin}\n{body}\n\n{end}{rest.partition(end)[2]}"
    return text


def main() -> int:
    """Write or check the pages."""
    import_everything()
    cli_tables.make_pages()
    stale = check_pages.write(only_check="--check" in sys.argv)
    for page, parts in PAGES.items():
        path = HERE / page
        old = path.read_text(encoding="utf-8")
        new = fill(old, parts)
        if new != old:
            stale.append(page)
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    if "--check" in sys.argv and stale:
        print(f"not up to date: {', '.join(stale)}; run python docs/make_tables.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
