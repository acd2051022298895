"""Python and IR programs as ``tilelab pto run`` and ``pto explore`` run them."""

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tilelab.cli.console import TEXT
from tilelab.pto import Cluster, Result
from tilelab.pto.cluster import Schedule
from tilelab.pto.ir import parse
from tilelab.pto.ir_run import run_module
from tilelab.pto.ir_world import Popped
from tilelab.sim.errors import BadInputError, TilelabError


class ProgramError(TilelabError):
    """A program failed its own check, or its Python raised."""


def read(target: str) -> str:
    """A program's text, from a file or standard input."""
    try:
        return sys.stdin.read() if target == "-" else Path(target).read_text(encoding=TEXT)
    except UnicodeDecodeError:
        raise BadInputError(f"{target}: not UTF-8 text") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInputError(f"{target}: {reason}") from None


def is_ir(target: str, text: str) -> bool:
    """Whether a program is IR, not Python."""
    if target.endswith((".py", ".pto")):
        return target.endswith(".pto")
    if target != "-":
        raise BadInputError(f"{target}: a program is a .py or a .pto file")
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("//")), "")
    return first.startswith(("module", "func.func"))


def argument(item: str) -> tuple[str, Any]:
    """NAME=FILE.npy or NAME=NUMBER, read."""
    name, equals, file = item.partition("=")
    if not equals:
        raise BadInputError(f"--arg {item}: write NAME=FILE.npy or NAME=NUMBER")
    try:
        return name, int(file, 0) if not file.endswith(".npy") else np.load(file)
    except (OSError, ValueError) as error:
        raise BadInputError(f"--arg {item}: {error}") from None


class Session:
    """A run in progress: remembers its cluster, so that a failed run can still be shown."""

    def __init__(
        self, options: dict[str, Any], told: Callable[[Cluster], None] = lambda cluster: None
    ) -> None:
        self.told = told
        self.options = {name: value for name, value in options.items() if value is not None}
        self.cluster: Cluster | None = None
        self.popped: dict[str, list[Popped]] = {}
        self.printed: list[tuple[str, Any]] = []

    def keep(self, cluster: Cluster) -> None:
        """Remember the cluster that runs."""
        self.cluster = cluster
        self.told(cluster)

    def python(self, text: str, name: str, schedule: Schedule) -> Result:
        """A Python file: ``cube`` and ``vec``; optional ``cluster`` and ``check(result)``."""
        scope: dict[str, Any] = {"__name__": "__tilelab__", "__file__": name}
        try:
            exec(compile(text, name, "exec"), scope)
        except SyntaxError as error:
            raise BadInputError(f"{name}:{error.lineno}: {error.msg}") from None
        except TilelabError:
            raise
        except (Exception, SystemExit) as error:
            raise BadInputError(f"{name}: {type(error).__name__}: {error}") from None
        cube, vec = scope.get("cube"), scope.get("vec")
        if cube is None and vec is None:
            raise BadInputError(f"{name}: defines neither cube(core) nor vec(core)")
        try:
            options = scope.get("cluster", {})
            if not isinstance(options, dict):
                raise BadInputError(f"{name}: cluster is a dict of options, not {options!r}")
            self.keep(Cluster(**(options | self.options)))
        except (TypeError, ValueError) as error:
            raise BadInputError(f"{name}: cluster: {error}") from None
        assert self.cluster is not None
        cluster = self.cluster
        result: Result = _guard(name, lambda: cluster.run(cube, vec, schedule))
        if "check" in scope:
            _guard(name, lambda: scope["check"](result))
        return result

    def ir(self, text: str, arguments: dict[str, Any], schedule: Schedule) -> Result:
        """An IR file."""
        outcome = run_module(parse(text), arguments, schedule, on_cluster=self.keep, **self.options)
        self.popped = outcome.popped
        self.printed = outcome.printed
        return outcome.result


def _guard(name: str, call: Callable[[], Any]) -> Any:
    """Run the user's Python; what it raises becomes one line that names the place."""
    try:
        return call()
    except TilelabError:
        raise
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
        line = f":{frames[-1].lineno}" if frames else ""
        what = "wrong result" if isinstance(error, AssertionError) else type(error).__name__
        text = " ".join(str(error).split()) or (frames[-1].line if frames else "")
        raise ProgramError(f"{name}{line}: {what}{': ' + text if text else ''}") from None
