"""A Python or IR program: read, run, and run again under every order of its cores."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tilelab.pto.cluster import Cluster, Schedule
from tilelab.pto.ir import parse
from tilelab.pto.ir_run import Outcome, run_module
from tilelab.pto.journal import RECORD
from tilelab.pto.search import Ran, of_cluster
from tilelab.pto.trace import Result
from tilelab.sim.errors import BadInputError, ProgramError, TilelabError


@dataclass(frozen=True)
class Program:
    """A program's text and what is said of its run; ``options`` go before its own, None is unsaid.

    ``arguments`` are those of an IR program's parameters, by name.
    """

    name: str
    text: str
    arguments: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_ir(self) -> bool:
        """Whether it is IR, not Python; BadInputError where its name says neither."""
        if self.name.endswith((".py", ".pto")):
            return self.name.endswith(".pto")
        if self.name != "-":
            raise BadInputError(f"{self.name}: a program is a .py or a .pto file")
        lines = (line.strip() for line in self.text.splitlines())
        first = next((line for line in lines if line and not line.startswith("//")), "")
        return first.startswith(("module", "func.func"))

    def run(self, schedule: Schedule, told: Callable[[Cluster], None] = lambda _: None) -> Outcome:
        """Run it; ``told`` gets its cluster before that, so that a failed run can be shown."""
        options = {name: value for name, value in self.options.items() if value is not None}
        if self.is_ir:
            module = parse(self.text)
            return run_module(module, self.arguments, schedule, on_cluster=told, **options)
        if self.arguments:
            raise BadInputError("--arg is for .pto files")
        return Outcome(self._python(options, schedule, told))

    def once(self) -> Callable[[Any], Ran]:
        """The program as what :func:`~tilelab.pto.search.search` runs, again and again."""
        recorded = replace(self, options=self.options | RECORD)
        return of_cluster(recorded.run)

    def _python(
        self, options: dict[str, Any], schedule: Schedule, told: Callable[[Cluster], None]
    ) -> Result:
        """A Python file: ``cube`` and ``vec``; optional ``cluster`` and ``check(result)``."""
        name = self.name
        scope: dict[str, Any] = {"__name__": "__tilelab__", "__file__": name}
        try:
            exec(compile(self.text, name, "exec"), scope)
        except SyntaxError as error:
            raise BadInputError(f"{name}:{error.lineno}: {error.msg}") from None
        except TilelabError:
            raise
        except (Exception, SystemExit) as error:
            raise BadInputError(f"{name}: {type(error).__name__}: {error}") from None
        cube, vec = scope.get("cube"), scope.get("vec")
        if cube is None and vec is None:
            raise BadInputError(f"{name}: defines neither cube(core) nor vec(core)")
        own = scope.get("cluster", {})
        if not isinstance(own, dict):
            raise BadInputError(f"{name}: cluster is a dict of options, not {own!r}")
        try:
            cluster = Cluster(**(own | options))
        except (TypeError, ValueError) as error:
            raise BadInputError(f"{name}: cluster: {error}") from None
        told(cluster)
        result: Result = _guard(name, lambda: cluster.run(cube, vec, schedule))
        if "check" in scope:
            _guard(name, lambda: scope["check"](result))
        return result


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
