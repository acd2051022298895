"""How a check is written, tilelab's own or a user's: one file with its rows, memory and hooks.

::

    from tilelab.check.watch import Checking, NonContractualBehaviorError, OK, Watch, kernel, report
    from tilelab.tensix.backend import sync_unit

    WATCH = Watch("semaphores set up twice")
    WATCH.field("set_up", "u1", (8,))
    TWICE = WATCH.rule("semaphore-set-up-twice", NonContractualBehaviorError, ...)

    @WATCH.at(sync_unit.seminit)
    @kernel
    def initialises(s: Checking, t: int, max_value: int, init_value: int, sem_sel: int) -> int:
        ...

A hook is kernel Python (:mod:`tilelab.sim.kernel`), called where a kernel of the machine is
entered, with that one's arguments, or before each word that a thread executes. It reads the
machine's state in ``s`` and keeps what it likes in its own fields of ``s.shadow``; there is also
what the checker keeps of everything, see :mod:`.shadow`. It must not change the machine.
:func:`report` notes a finding about what acts now.

``tilelab check --checks FILE`` and ``CheckedTile(watches=[WATCH])`` run with a user's.
"""

import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tilelab.check import places
from tilelab.check.accesses import report, report_with
from tilelab.check.rules import Rule, rule
from tilelab.check.view import Checking
from tilelab.sim.checks import Policy
from tilelab.sim.errors import (
    BadInputError,
    MachineError,
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnpredictableValueUsedError,
)
from tilelab.sim.files import read_file
from tilelab.sim.kernel import OK, kernel

__all__ = [
    "OK",
    "Checking",
    "MachineError",
    "NonContractualBehaviorError",
    "Policy",
    "Rule",
    "UndefinedBehaviorError",
    "UnpredictableValueUsedError",
    "Watch",
    "kernel",
    "places",
    "report",
    "report_with",
]

Hook = Callable[..., int | None]
HookT = TypeVar("HookT", bound=Hook)
Field = tuple[str, Any] | tuple[str, Any, tuple[int, ...]]


class Watch:
    """Rules that belong together, what they remember, and where they look."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rules: list[int] = []
        """Codes of its rules."""
        self.fields: list[Field] = []
        """Of the shadow's record: all 0 as a tile begins."""
        self.entries: list[tuple[Callable[..., Any], Hook]] = []
        """Kernels of the machine, and what is called as they are entered."""
        self.words: list[Hook] = []
        """Called before each word that a thread executes, or tries to: ``hook(s, t, word)``."""

    def rule(
        self,
        name: str,
        category: type[MachineError],
        message: str,
        other: str = "",
        page: str = "",
        cure: str = "",
        **more: Any,
    ) -> int:
        """Declare a :class:`.Rule`; gives its code, for :func:`report`."""
        self.rules.append(rule(name, message, page, cure, category, other=other, **more))
        return self.rules[-1]

    def field(self, name: str, kind: Any, shape: tuple[int, ...] = ()) -> None:
        """Have ``s.shadow.name`` of a NumPy type, an array of numbers if it has a shape."""
        self.fields.append((name, kind, shape) if shape else (name, kind))

    def at(self, function: Callable[..., Any]) -> Callable[[HookT], HookT]:
        """Mark a hook that is called where a kernel of the machine is entered."""

        def mark(hook: HookT) -> HookT:
            self.entries.append((function, hook))
            return hook

        return mark

    def word(self, hook: HookT) -> HookT:
        """Mark a hook that is called before each word."""
        self.words.append(hook)
        return hook


def of_file(path: Path) -> list[Watch]:
    """The watches that a Python file makes; BadInputError if it has none or cannot be run."""
    text = read_file(path)
    name = f"watch_{path.stem}_{sha256(str(path.resolve()).encode() + text).hexdigest()[:16]}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise BadInputError(f"{path}: is no Python file")
        sys.modules[name] = module = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # whatever somebody's text may raise
            del sys.modules[name]
            raise BadInputError(f"{path}: {type(error).__name__}: {error}") from error
    found = [value for value in vars(sys.modules[name]).values() if isinstance(value, Watch)]
    if not found:
        raise BadInputError(f"{path}: makes no Watch")
    return found


def described(watches: Iterable[Watch]) -> str:
    """What tells the compiled code with these from other: the text of their files."""
    files = {hook.__code__.co_filename for one in watches for _, hook in one.entries}
    files |= {hook.__code__.co_filename for one in watches for hook in one.words}
    texts = b"\0".join(Path(file).read_bytes() for file in sorted(files))
    return sha256(texts).hexdigest()[:16]


def fields_of(watches: Iterable[Watch], taken: Iterable[str]) -> list[Field]:
    """All their fields; BadInputError for a name that the shadow has already."""
    found: list[Field] = []
    names = set(taken)
    for one in watches:
        for field in one.fields:
            if field[0] in names:
                raise BadInputError(f"{one.name}: the shadow has a field {field[0]} already")
            try:
                np.dtype(field[1])
            except TypeError as error:
                raise BadInputError(f"{one.name}: field {field[0]}: {error}") from error
            names.add(field[0])
            found.append(field)
    return found
