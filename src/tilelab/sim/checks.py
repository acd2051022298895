"""Checks that kernels make: each has a code, a category, a message, a manual page, a policy.

A kernel reports a failed check by returning its code. Where the machine could go on in a defined
way all the same, the check has a policy, and the kernel asks :func:`refuse` first, which honours
it. A check without a policy has no way round, for the reason that its category gives
(:data:`NO_WAY_ROUND`); it goes through :func:`fault`.
"""

import os
import sys
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from tilelab.sim.array import Array1
from tilelab.sim.errors import (
    MachineError,
    MissingSpecificationError,
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import kernel

CHECKS_OF_A_FILE = 24
MAX_CHECKS = 1 << 14
MAX_WARNINGS = 64


class Policy(IntEnum):
    """What happens when a check fails."""

    ERROR = 0
    WARN = 1
    OFF = 2


POLICY_ERROR, POLICY_WARN = 0, 1


@dataclass(frozen=True)
class Check:
    """A condition that a program must meet.

    ``message`` is a format string over ``value`` and ``value2``, the offending numbers.
    """

    code: int
    name: str
    category: type[MachineError]
    message: str
    page: str
    cure: str = ""
    policy: Policy | None = None
    """What a failure does if nobody says otherwise; None: it always stops the program."""


NO_WAY_ROUND: Final[dict[type[MachineError], str]] = {
    UndefinedBehaviorError: "the specification leaves open what the machine would do next",
    MissingSpecificationError: "no document says what the machine would do next",
    NonContractualBehaviorError: "what the machine would do next is not modelled",
    UnsupportedFunctionalityError: "what the machine would do next is not modelled",
    UnimplementedFunctionalityError: "what the machine would do next is not modelled yet",
}
"""Why a check without a policy always stops the program, by its category."""

CHECKS: dict[int, Check] = {}
CHECKS_BY_NAME: dict[str, Check] = {}


def check(
    name: str,
    category: type[MachineError],
    message: str,
    page: str = "",
    cure: str = "",
    policy: Policy | None = None,
) -> int:
    """Declare a check and return its code.

    The code says which of its file's checks it is: compiled kernels, which are kept, and saved
    states have it in them, so it must not depend on what a process happens to import first.

    ``policy`` is its default: ERROR, or WARN where the machine goes on in a documented way that a
    program nevertheless hardly means. None, for a check that only :func:`fault` reports: the
    program cannot go on.
    """
    if policy is None and category not in NO_WAY_ROUND:
        raise ValueError(f"check {name} has neither a policy nor a reason why not")
    if name in CHECKS_BY_NAME:
        raise ValueError(f"check {name} is declared twice")
    code = _first_code(sys._getframe(1).f_globals["__name__"])
    end = code + CHECKS_OF_A_FILE if code < _first_code("") else MAX_CHECKS
    while code in CHECKS:
        code += 1
    if code >= end:
        raise ValueError("too many checks: raise CHECKS_OF_A_FILE or MAX_CHECKS")
    CHECKS[code] = CHECKS_BY_NAME[name] = Check(code, name, category, message, page, cure, policy)
    return code


@cache
def _modules() -> dict[str, int]:
    """The modules whose text compiled code is made of, numbered in the order of their names.

    A file that is added elsewhere must not move their numbers: what was compiled is kept.
    """
    package = str(Path(__file__).parent.parent)
    files = sorted(
        os.path.join(folder, name)[len(package) - len("tilelab") :]
        for folder, _, names in os.walk(os.path.join(package, "tensix"))
        for name in names
        if name.endswith(".py")
    )
    return {name.removesuffix(".py").replace(os.sep, "."): i for i, name in enumerate(files)}


def _first_code(module: str) -> int:
    """The code of a module's first check; those declared elsewhere share what is left."""
    modules = _modules()
    return 1 + CHECKS_OF_A_FILE * modules.get(module, len(modules))


FAULT_FIELDS = [
    ("code", "<i4"),
    ("value", "<i8"),
    ("value2", "<i8"),
    ("warnings", "<i4"),
    ("warning_code", "<i4", (MAX_WARNINGS,)),
    ("warning_value", "<i8", (MAX_WARNINGS,)),
    ("warning_value2", "<i8", (MAX_WARNINGS,)),
    ("policy", "u1", (MAX_CHECKS,)),
]
"""Fields of the record ``s.fault`` that every machine's state has."""


class Fault:
    """What kernels see of that record."""

    code: int
    value: int
    value2: int
    warnings: int
    warning_code: Array1
    warning_value: Array1
    warning_value2: Array1
    policy: Array1


class Checked(Protocol):
    """The state of any machine, as far as checks are concerned."""

    @property
    def fault(self) -> Fault:
        """The check that failed, warnings, and what to do about which check."""


def default_policies(policies: Array1) -> None:
    """Fill a state's table of policies (uint8, indexed by code) with every check's default."""
    for code, declared in CHECKS.items():
        policies[code] = POLICY_ERROR if declared.policy is None else declared.policy


@kernel
def refuse(s: Checked, code: int, value: int) -> int:
    """Return 1 if the failed check stops the program, 0 if its policy lets it go on."""
    return refuse2(s, code, value, 0)


@kernel
def refuse2(s: Checked, code: int, value: int, value2: int) -> int:
    """As :func:`refuse`, with two offending numbers."""
    if s.fault.policy[code] == POLICY_ERROR:
        s.fault.code = code
        s.fault.value = value
        s.fault.value2 = value2
        return 1
    if s.fault.policy[code] == POLICY_WARN:
        n = s.fault.warnings
        if n < MAX_WARNINGS:
            s.fault.warning_code[n] = code
            s.fault.warning_value[n] = value
            s.fault.warning_value2[n] = value2
            s.fault.warnings = n + 1
    return 0


@kernel
def fault(s: Checked, code: int, value: int) -> int:
    """Report what is not modelled; returns the code for the kernel to return."""
    s.fault.code = code
    s.fault.value = value
    return code


@kernel
def fault2(s: Checked, code: int, value: int, value2: int) -> int:
    """As :func:`fault`, with two offending numbers."""
    s.fault.value2 = value2
    return fault(s, code, value)
