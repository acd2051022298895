"""Checks that kernels make: each has a code, a category, a message, a manual page, a policy.

A kernel reports a failed check by returning its code. Where the machine could go on in a defined
way all the same, it asks :func:`refuse` first, which honours the check's policy; what is not
modelled at all goes through :func:`fault`, which no policy can switch off.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from tilelab.sim.errors import MachineError
from tilelab.sim.kernel import kernel

MAX_CHECKS = 512
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
    policy: Policy = Policy.ERROR


CHECKS: dict[int, Check] = {}
CHECKS_BY_NAME: dict[str, Check] = {}


def check(
    name: str,
    category: type[MachineError],
    message: str,
    page: str = "",
    cure: str = "",
    policy: Policy = Policy.ERROR,
) -> int:
    """Declare a check and return its code (1, 2, …, in order of declaration).

    ``policy`` is its default: WARN where the machine goes on in a documented way that a program
    nevertheless hardly means.
    """
    if name in CHECKS_BY_NAME:
        raise ValueError(f"check {name} is declared twice")
    code = len(CHECKS) + 1
    if code >= MAX_CHECKS:
        raise ValueError("too many checks: raise MAX_CHECKS")
    CHECKS[code] = CHECKS_BY_NAME[name] = Check(code, name, category, message, page, cure, policy)
    return code


FAULT_FIELDS = [
    ("code", "<i4"),
    ("value", "<i8"),
    ("value2", "<i8"),
    ("warnings", "<i4"),
    ("warning_code", "<i4", (MAX_WARNINGS,)),
    ("warning_value", "<i8", (MAX_WARNINGS,)),
    ("policy", "u1", (MAX_CHECKS,)),
]
"""Fields of the record ``s.fault`` that every machine's state has."""


def default_policies(policies: Any) -> None:
    """Fill a state's table of policies (uint8, indexed by code) with every check's default."""
    for code, declared in CHECKS.items():
        policies[code] = declared.policy


@kernel
def refuse(s: Any, code: int, value: int) -> int:
    """Return 1 if the failed check stops the program, 0 if its policy lets it go on."""
    if s.fault.policy[code] == POLICY_ERROR:
        s.fault.code = code
        s.fault.value = value
        return 1
    if s.fault.policy[code] == POLICY_WARN:
        n = s.fault.warnings
        if n < MAX_WARNINGS:
            s.fault.warning_code[n] = code
            s.fault.warning_value[n] = value
            s.fault.warnings = n + 1
    return 0


@kernel
def fault(s: Any, code: int, value: int) -> int:
    """Report what is not modelled; returns the code for the kernel to return."""
    s.fault.code = code
    s.fault.value = value
    return code


@kernel
def fault2(s: Any, code: int, value: int, value2: int) -> int:
    """As :func:`fault`, with two offending numbers."""
    s.fault.value2 = value2
    return fault(s, code, value)
