"""What an IR text says: a module of functions of operations."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Operand:
    """A value, the group it stands in ("", ins, outs or pipe), its keyword and type, if written."""

    value: str
    group: str = ""
    keyword: str = ""
    type: str = ""


@dataclass
class Op:
    """One operation; ``style`` is how it was written: "ssa", "dps" or "call"."""

    name: str
    result: str = ""
    operands: list[Operand] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)
    result_type: str = ""
    body: list["Op"] = field(default_factory=list)
    style: str = "call"
    orelse: list["Op"] = field(default_factory=list)
    words: tuple[str, ...] = ()
    carried: list[tuple[str, str]] = field(default_factory=list)  # a loop's: inside, before it
    arguments: list[str] = field(default_factory=list)  # of the second block of scf.while
    line: int = field(default=0, compare=False)


@dataclass
class Param:
    """A function parameter; a pipe's attributes give its addresses."""

    name: str
    type: str
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Function:
    """One core's kernel."""

    name: str
    params: list[Param]
    attributes: dict[str, Any]
    body: list[Op]
    private: bool = False
    line: int = field(default=0, compare=False)


@dataclass
class Module:
    """A file: functions and attributes such as ``pto.arch`` and ``pto.protocol``."""

    functions: list[Function]
    attributes: dict[str, Any] = field(default_factory=dict)


def walk(ops: list[Op]) -> list[Op]:
    """All operations, those inside loops and branches too."""
    return [inner for op in ops for inner in (op, *walk(op.body), *walk(op.orelse))]
