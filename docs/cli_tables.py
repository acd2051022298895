"""The parts of cli.md that come from the commands themselves."""

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from tilelab.cli.main import application

NO_DEFAULT = (None, False, "", (), [])


def _commands() -> dict[str, Any]:
    return vars(get_command(application()))["commands"]  # type: ignore[no-any-return]


def group(name: str) -> Iterator[str]:
    """Each command of a machine: what it does, its arguments and options."""
    yield from _described(name, _commands()[name])


def _described(name: str, machine: Any) -> Iterator[str]:
    for command, item in vars(machine)["commands"].items():
        yield f"### tilelab {name} {command}"
        yield ""
        if "commands" in vars(item):
            inner = ", ".join(f"`{one}`" for one in item.commands)
            yield f"`tilelab {name} {command}`, one of {inner}: {item.help}"
            yield ""
            yield from _described(f"{name} {command}", item)
            continue
        arguments = " ".join(_argument(p) for p in item.params if p.param_type_name == "argument")
        usage = " ".join(part for part in (f"tilelab {name} {command}", arguments) if part)
        yield f"`{usage}`: {' '.join((item.help or '').split())}"
        yield ""
        yield "| | |"
        yield "|---|---|"
        yield from (_row(parameter) for parameter in item.params)
        yield ""


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name.upper()).strip("[]")
    return name if parameter.required else f"[{name}]"


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        names = f"`{_argument(parameter).strip('[]')}`"
    else:
        names = ", ".join(f"`{name}`" for name in sorted(parameter.opts, key=len, reverse=True))
    said = " ".join((parameter.help or "").split()).replace("|", "\\|")
    said = said if said.endswith("...") else said.rstrip(".")
    default = getattr(parameter.default, "value", parameter.default)
    notes = [said] if said else []
    if not callable(default) and default not in NO_DEFAULT and not parameter.required:
        notes.append(f"default `{default}`")
    if re.search(r"default|unless", said):
        notes = notes[:1]
    return f"| {names} | {'; '.join(notes)} |"


def pto() -> Iterator[str]:
    """The commands of ``tilelab pto``."""
    return group("pto")


def tilext() -> Iterator[str]:
    """The commands of ``tilelab tilext``."""
    return group("tilext")


PARTS = {"pto": pto, "tilext": tilext}
