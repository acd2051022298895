"""What can be wrong: one registry of checks, each with category, message, page, cure and policy.

What the machine itself checks is a :class:`Check`; others who check (the checker, a chip's network,
a PTO cluster) have rows of their own kind, with what only they know of it, in the same registry.

A kernel reports a failed check by returning its code. Where the machine could go on in a defined
way all the same, the check has a policy, and the kernel asks :func:`refuse` first, which honours
it. A check without a policy has no way round, for the reason that its category gives
(:data:`NO_WAY_ROUND`); it goes through :func:`fault`.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final, Protocol, TypeVar
from zlib import crc32

from tilelab.sim.array import Array1
from tilelab.sim.errors import (
    BadInputError,
    MachineError,
    MissingSpecificationError,
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import kernel

MAX_CHECKS = 1 << 14
CODE_PRIME: Final = 16381
"""The largest prime below that."""
MAX_WARNINGS = 64


class Policy(IntEnum):
    """What happens when a check fails."""

    ERROR = 0
    WARN = 1
    OFF = 2


POLICY_ERROR, POLICY_WARN, POLICY_OFF = 0, 1, 2


@dataclass(frozen=True)
class Check:
    """A condition that a program must meet.

    ``message`` is a format string over ``value`` and ``value2``, the offending numbers; rows of
    another kind say what theirs is over.
    """

    name: str
    category: type[MachineError]
    message: str
    page: str = ""
    cure: str = ""
    policy: Policy | None = None
    """What a failure does if nobody says otherwise; None: it always stops the program."""

    @cached_property
    def code(self) -> int:
        """What kernels call it.

        It comes from the name: compiled kernels, which are kept, and saved states have it in them,
        so it must depend on nothing else that a process imports or a folder holds.
        """
        return 1 + crc32(self.name.encode(), CODES) % CODE_PRIME


CODES: Final = 6
"""Where the sum begins that makes codes of names: with this, none that exist have the same one."""

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
Kind = TypeVar("Kind", bound=Check)


def declare(row: Check) -> int:
    """Add a row to the registry; returns its code."""
    if row.name in CHECKS_BY_NAME:
        raise ValueError(f"check {row.name} is declared twice")
    if row.code in CHECKS:
        raise ValueError(f"checks {row.name} and {CHECKS[row.code].name} have one code: rename one")
    CHECKS[row.code] = CHECKS_BY_NAME[row.name] = row
    return row.code


def no_such_check(name: object) -> BadInputError:
    """What to raise for a name that no check has: it says which was probably meant."""
    from difflib import get_close_matches  # noqa: PLC0415  a good run does without

    near = get_close_matches(str(name)[:40], CHECKS_BY_NAME, 1)
    hint = f"did you mean {near[0]}?" if near else "docs/errors.md lists them"
    return BadInputError(f"no check is called {name!r}: {hint}")


def declared(kind: type[Kind]) -> list[Kind]:
    """The rows of just this kind, in the order in which they were declared."""
    return [row for row in CHECKS.values() if type(row) is kind]


def check(
    name: str,
    category: type[MachineError],
    message: str,
    page: str = "",
    cure: str = "",
    policy: Policy | None = None,
) -> int:
    """Declare a check of the machine and return its code.

    ``policy`` is its default: ERROR, or WARN where the machine goes on in a documented way that a
    program nevertheless hardly means. None, for a check that only :func:`fault` reports: the
    program cannot go on.
    """
    if policy is None and category not in NO_WAY_ROUND:
        raise ValueError(f"check {name} has neither a policy nor a reason why not")
    return declare(Check(name, category, message, page, cure, policy))


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
    for code, row in CHECKS.items():
        policies[code] = POLICY_ERROR if row.policy is None else row.policy


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
