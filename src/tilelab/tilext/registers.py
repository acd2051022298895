"""Names of registers in assembly.

Tile registers are written ``tr8``. ``t8`` is read too, but never printed: t0 to t6 are also the
names of seven scalar registers.
"""

from enum import Enum

from tilelab.riscv.disassembly import REGISTERS as REGISTER_NAMES
from tilelab.tilext.forms import Form


class Kind(Enum):
    """What an operand is."""

    TILE = "tile register"
    GPR = "integer register"
    FPR = "float register"
    VECTOR = "vector register"
    NUMBER = "number"
    FLAG = "flag"


REGISTERS = (Kind.TILE, Kind.GPR, Kind.FPR, Kind.VECTOR)
BITS = {Kind.TILE: 8, Kind.GPR: 5, Kind.FPR: 5, Kind.VECTOR: 5}

_FLOAT_ABI_NAMES = (
    "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 "
    "fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11"
)

_PRINTED: dict[Kind, list[str]] = {
    Kind.TILE: [f"tr{n}" for n in range(256)],
    Kind.GPR: list(REGISTER_NAMES),
    Kind.FPR: _FLOAT_ABI_NAMES.split(),
    Kind.VECTOR: [f"v{n}" for n in range(32)],
}
_READ: dict[Kind, dict[str, int]] = {
    kind: {name: number for number, name in enumerate(names)} for kind, names in _PRINTED.items()
}
_READ[Kind.TILE].update({f"t{n}": n for n in range(256)})
_READ[Kind.GPR].update({f"x{n}": n for n in range(32)}, fp=8)
_READ[Kind.FPR].update({f"f{n}": n for n in range(32)})

_NUMBERS = ("", *range(1, 10))
_OPERANDS = {
    **{f"{letter}{number}": Kind.TILE for letter in ("ts", "td") for number in _NUMBERS},
    **{f"{letter}{number}": Kind.GPR for letter in ("rs", "rd") for number in _NUMBERS},
    **{f"{letter}{number}": Kind.FPR for letter in ("frs", "frd") for number in _NUMBERS},
    **{f"{letter}{number}": Kind.VECTOR for letter in ("vs", "vd") for number in _NUMBERS},
    "dst": Kind.GPR,
    "src": Kind.GPR,
    "coord/size": Kind.VECTOR,
}


def kind_of(form: Form, operand: str, width: int) -> Kind:
    """Return what an operand is, from its name; a register only if its width is a register's."""
    kind = Kind.GPR if operand in form.gprs else _OPERANDS.get(operand)
    if kind is None:
        return Kind.FLAG if width == 1 else Kind.NUMBER
    return kind if BITS[kind] == width else Kind.NUMBER


def register_name(kind: Kind, number: int) -> str:
    """Return the name a register is printed with."""
    return _PRINTED[kind][number]


def register_number(kind: Kind, text: str) -> int | None:
    """Return the number of a register, or None if the text does not name one of this kind."""
    return _READ[kind].get(text)
