"""The commands as they are kept: cli/commands.json, of the functions that carry them out.

usage: python tools/commands_table.py [--write]

Without --write nothing is written; the exit code says whether the file is up to date.
"""

import json
import sys
from dataclasses import astuple
from importlib import import_module
from inspect import Parameter, getdoc, signature
from pathlib import Path
from pkgutil import iter_modules
from types import UnionType
from typing import Any, get_args, get_type_hints

from tilelab import cli
from tilelab.cli.usage import DECLARED, KINDS, REQUIRED, TABLE, Declared, Row, Together

ORDER = (
    *("asm", "disasm", "expand", "case", "new", "build", "run", "check", "score", "tune", "tasks"),
    *("view", "compare", "examples", "debug", "gdb", "dap", "serve", "explain-matmul", "ttnn"),
    *("import", "libttsim", "sfpi", "doctor", "bench", "calibrate", "pto", "tilext"),
)
"""As help lists them; what is not among them comes last."""
INNER = (
    *("pto run", "pto cc", "pto protocol", "pto explore"),
    *("tilext reference", "tilext open-questions", "tilext check", "tilext export"),
    *("tilext tests", "tilext asm", "tilext disasm", "tilext annotate", "tilext elf"),
)
"""Beginnings of those in groups, likewise."""


def kept() -> str:
    """The file's text."""
    for module in iter_modules(cli.__path__):
        import_module(f"tilelab.cli.{module.name}")
    told = (
        f"{json.dumps(name)}: {_lines(command_of(DECLARED[name]))}"
        for name in sorted(DECLARED, key=_place)
    )
    return "{\n" + ",\n".join(told) + "\n}\n"


def _lines(command: dict[str, Any]) -> str:
    """A command as JSON, a line for each row."""
    rows = ",\n  ".join(map(json.dumps, command.pop("rows")))
    return f'{json.dumps(command)[:-1]}, "rows": [\n  {rows}\n]}}'


def _place(name: str) -> list[int]:
    words = name.split()
    parts = (ORDER, words[0]), (INNER, " ".join(words[:2]))
    return [order.index(part) if part in order else len(order) for order, part in parts]


def command_of(declared: Declared) -> dict[str, Any]:
    """A command as the file has it."""
    function = declared.function
    rows: list[dict[str, Any]] = []
    groups = {}
    for name, parameter in signature(function).parameters.items():
        assert parameter.default is not Parameter.empty, f"{function.__name__}: {name} has no row"
        if isinstance(parameter.default, Together):
            group = parameter.default
            groups[name] = f"{group.kind.__module__}:{group.kind.__name__}"
            hints = get_type_hints(group.kind)
            inner = (_row(one, hints[one], row) for one, row in group.rows.items())
            rows += [row | {"group": name} for row in inner]
        else:
            rows.append(_row(name, parameter.annotation, parameter.default))
    return {
        "place": f"{function.__module__}:{function.__name__}",
        "help": getdoc(function),
        "rows": rows,
        "groups": groups,
        "rules": [astuple(rule) for rule in declared.rules],
        "old": declared.old,
    }


def _row(name: str, annotation: Any, row: Row) -> dict[str, Any]:
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    kind = next(text for text, known in KINDS.items() if known in kinds)
    words = row.spelt.split()
    metavar = words.pop() if words and not words[-1].startswith("-") else None
    more = {
        key: f"{value.__module__}:{value.__name__}" if callable(value) else value
        for key, value in row.more
    }
    told = {"metavar": row.spelt or None if row.argument else metavar, "help": row.said, **more}
    short = told.pop("short", False)
    made: dict[str, Any] = {"name": name, "kind": kind, "told": told}
    if row.choices:
        made["choices"] = row.choices
    if row.default is not REQUIRED:
        made["default"] = str(row.default) if isinstance(row.default, Path) else row.default
    if row.argument:
        return made
    if not short and not any(word.startswith("--") for word in words):
        words.append(f"--{name.replace('_', '-')}")
    return made | {"flags": words}


def main() -> int:
    """Write the file, or say whether it is up to date."""
    text = kept()
    if "--write" in sys.argv:
        TABLE.write_text(text, encoding="utf-8")
    elif TABLE.read_text(encoding="utf-8") != text:
        print(f"{TABLE}: out of date; python tools/commands_table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
