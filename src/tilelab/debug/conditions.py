"""Conditions and values in a debugger's commands: ``semaphore[1].value == 2 and $a0 > 0x10``.

A value is a number, ``clock``, a register of the chosen core (``$pc``, ``$a0``, ``$x10``), or a
part of the state by its name, each optionally under a mask: ``riscv[1].x[10] & 0xff``.
"""

import operator
import re
from collections.abc import Callable
from typing import Final

from tilelab.debug.debugger import Debugger
from tilelab.riscv.disassembly import REGISTERS
from tilelab.sim.errors import BadInputError

_OPERATORS: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_COMPARISON = re.compile(r"(.+?)(==|!=|<=|>=|<|>)(.+)")


def register_place(name: str, core: int) -> str:
    """The state's name of a core's register; BadInputError if there is none of that name."""
    plain = name.lower()
    if plain == "pc":
        return f"riscv[{core}].pc"
    if plain in ("fp", *REGISTERS):
        number = 8 if plain == "fp" else REGISTERS.index(plain)
        return f"riscv[{core}].x[{number}]"
    if re.fullmatch(r"x([12]?\d|3[01])", plain):
        return f"riscv[{core}].x[{plain[1:]}]"
    raise BadInputError(f"a core has no register ${name}")


def value(text: str, made: Debugger, core: int) -> int:
    """What a value is now; BadInputError if it is none."""
    text = text.strip()
    plain, ampersand, mask = text.rpartition("&")
    if ampersand:
        return value(plain, made, core) & value(mask, made, core)
    if text == "clock":
        return made.clock
    if text.startswith("$"):
        return made.number(register_place(text[1:], core))
    try:
        return int(text, 0)
    except ValueError:
        pass
    found = made.place(text).value(made.state)
    if getattr(found, "shape", ()):
        raise BadInputError(f"{text} is not one number")
    return int(found)


def holds(text: str, made: Debugger, core: int) -> bool:
    """Whether a condition holds now; BadInputError if it is none."""
    for part in re.split(r"\band\b|&&", text):
        match = _COMPARISON.fullmatch(part.strip())
        if match is None:
            raise BadInputError(f"{part.strip()!r} is no condition: write VALUE == VALUE")
        if not _OPERATORS[match[2]](value(match[1], made, core), value(match[3], made, core)):
            return False
    return True
