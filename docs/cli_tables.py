"""The parts of cli.md and of cli/ that come from the commands themselves."""

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer.main import get_command

from tilelab.cli.main import COMMANDS, application

FOLDER = Path(__file__).resolve().parent / "cli"
NO_DEFAULT = (None, False, "", (), [])
VALUES = {int: "N", float: "X", Path: "PATH"}
"""What stands for an option's value where the command does not say."""


@cache
def _commands() -> dict[str, Any]:
    return vars(get_command(application()))["commands"]  # type: ignore[no-any-return]


def index() -> Iterator[str]:
    """Every command, with a link to its page."""
    yield "| command | |"
    yield "|---|---|"
    for name, item in _commands().items():
        said = " ".join((item.help or "").split())
        first = re.split(r"(?<=[.:;]) ", said)[0].rstrip(".;:")
        yield f'| <a id="tilelab-{name}"></a>[`{name}`](cli/{name}.md) | {first} |'


def described(name: str) -> Iterator[str]:
    """One command, or each command of a machine: what it does, its arguments and options."""
    item = _commands()[name]
    yield "[All commands](../cli.md) · [Glossary](../glossary.md)"
    yield ""
    if "commands" in vars(item):
        yield from _group(name, item)
    else:
        yield from _command(name, item)


def _group(name: str, machine: Any) -> Iterator[str]:
    for command, item in vars(machine)["commands"].items():
        yield f"## tilelab {name} {command}"
        yield ""
        if "commands" in vars(item):
            inner = ", ".join(f"`{one}`" for one in item.commands)
            yield f"`tilelab {name} {command}`, one of {inner}: {item.help}"
            yield ""
            yield from _group(f"{name} {command}", item)
        else:
            yield from _command(f"{name} {command}", item)
            yield ""


def _command(name: str, item: Any) -> Iterator[str]:
    arguments = " ".join(_argument(p) for p in item.params if p.param_type_name == "argument")
    yield f"`{' '.join(part for part in ('tilelab', name, arguments) if part)}`"
    yield ""
    yield from (item.help or "").split("\n")
    shown = [parameter for parameter in item.params if not parameter.hidden]
    if shown:
        yield ""
        yield "| argument or option | |"
        yield "|---|---|"
        yield from (_row(parameter) for parameter in shown)


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name.upper()).strip("[]")
    return name if parameter.required else f"[{name}]"


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        names = f"`{_argument(parameter).strip('[]')}`"
    else:
        spelt = [*parameter.opts, *parameter.secondary_opts]
        names = ", ".join(f"`{name}`" for name in sorted(spelt, key=len, reverse=True))
        names += f" {_value(parameter)}" if _value(parameter) else ""
    said = " ".join((parameter.help or "").split()).replace("|", "\\|")
    said = said if said.endswith("...") else said.rstrip(".")
    default = getattr(parameter.default, "value", parameter.default)
    notes = [said] if said else []
    if not callable(default) and default not in NO_DEFAULT and not parameter.required:
        notes.append(f"default `{default}`")
    if re.search(r"default|unless", said):
        notes = notes[:1]
    return f"| {names} | {'; '.join(notes)} |"


def _value(parameter: Any) -> str:
    """What stands for an option's value; nothing for a flag."""
    if parameter.is_flag:
        return ""
    kind = parameter.type_descriptor.annotation
    kind = next(iter(get_args(kind)), kind) if get_origin(kind) is list else kind
    if isinstance(kind, type) and issubclass(kind, Enum):
        return r"\|".join(str(choice.value) for choice in kind)
    if get_origin(kind) is Literal:
        return r"\|".join(map(str, get_args(kind)))
    return str(parameter.metavar or VALUES.get(kind, "TEXT")).replace("|", "\\|")


def make_pages() -> None:
    """Begin a page for each command that has none."""
    for name in COMMANDS:
        page = FOLDER / f"{name}.md"
        if not page.exists():
            text = f"# tilelab {name}\n\n<!-- generated: {name} -->\n<!-- end -->\n"
            page.write_text(text, encoding="utf-8")


PARTS: dict[str, dict[str, Callable[[], Iterator[str]]]] = {
    "cli.md": {"commands": index},
    **{f"cli/{name}.md": {name: partial(described, name)} for name in COMMANDS},
}
