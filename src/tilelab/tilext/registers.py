"""Names of registers in assembly.

Tile registers are written ``tr8``. ``t8`` is read too, but never printed: t0 to t6 are also the
names of seven scalar registers.
"""

import re
from enum import Enum


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

_ABI_NAMES = (
    "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
    "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
)
_FLOAT_ABI_NAMES = (
    "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 "
    "fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11"
)

_PRINTED: dict[Kind, list[str]] = {
    Kind.TILE: [f"tr{n}" for n in range(256)],
    Kind.GPR: _ABI_NAMES.split(),
    Kind.FPR: _FLOAT_ABI_NAMES.split(),
    Kind.VECTOR: [f"v{n}" for n in range(32)],
}
_READ: dict[Kind, dict[str, int]] = {
    kind: {name: number for number, name in enumerate(names)} for kind, names in _PRINTED.items()
}
_READ[Kind.TILE].update({f"t{n}": n for n in range(256)})
_READ[Kind.GPR].update({f"x{n}": n for n in range(32)}, fp=8)
_READ[Kind.FPR].update({f"f{n}": n for n in range(32)})

_SCALAR_LIKE = re.compile(r"dst|src|r[sd]\d?")


def kind_of(instruction: str, operand: str, width: int) -> Kind:
    """Return what an operand is, from its name; a register only if its width is a register's."""
    if re.fullmatch(r"t[sd]\d?", operand):
        kind = Kind.TILE
    elif _SCALAR_LIKE.fullmatch(operand) or (instruction, operand) == ("t_sync.reg", "sync_id"):
        kind = Kind.GPR
    elif re.fullmatch(r"fr[sd]\d?", operand):
        kind = Kind.FPR
    elif re.fullmatch(r"v[sd]\d?|coord/size", operand):
        kind = Kind.VECTOR
    else:
        return Kind.FLAG if width == 1 else Kind.NUMBER
    return kind if BITS[kind] == width else Kind.NUMBER


def register_name(kind: Kind, number: int) -> str:
    """Return the name a register is printed with."""
    return _PRINTED[kind][number]


def register_number(kind: Kind, text: str) -> int | None:
    """Return the number of a register, or None if the text does not name one of this kind."""
    return _READ[kind].get(text)
