"""Pseudo-instructions of RISC-V's assembly as the instructions they stand for.

Source: RISC-V Assembly Programmer's Manual, the table of pseudo-instructions.
"""

from tilelab.isa.syntax import shorten
from tilelab.riscv.fields import sign_extend
from tilelab.riscv.table import RV64
from tilelab.tilext.errors import AssemblyError

Step = tuple[str, list[str]]

_PATTERNS = {
    "nop": ("addi zero, zero, 0",),
    "mv": ("addi {0}, {1}, 0",),
    "not": ("xori {0}, {1}, -1",),
    "neg": ("sub {0}, zero, {1}",),
    "negw": ("subw {0}, zero, {1}",),
    "sext.w": ("addiw {0}, {1}, 0",),
    "seqz": ("sltiu {0}, {1}, 1",),
    "snez": ("sltu {0}, zero, {1}",),
    "sltz": ("slt {0}, {1}, zero",),
    "sgtz": ("slt {0}, zero, {1}",),
    "beqz": ("beq {0}, zero, {1}",),
    "bnez": ("bne {0}, zero, {1}",),
    "blez": ("bge zero, {0}, {1}",),
    "bgez": ("bge {0}, zero, {1}",),
    "bltz": ("blt {0}, zero, {1}",),
    "bgtz": ("blt zero, {0}, {1}",),
    "bgt": ("blt {1}, {0}, {2}",),
    "ble": ("bge {1}, {0}, {2}",),
    "bgtu": ("bltu {1}, {0}, {2}",),
    "bleu": ("bgeu {1}, {0}, {2}",),
    "j": ("jal zero, {0}",),
    "jr": ("jalr zero, {0}, 0",),
    "ret": ("jalr zero, ra, 0",),
    "call": ("jal ra, {0}",),
    "tail": ("jal zero, {0}",),
    "la": ("auipc {0}, %hi {1}", "addi {0}, {0}, %lo {1}"),
    "lla": ("auipc {0}, %hi {1}", "addi {0}, {0}, %lo {1}"),
    "csrr": ("csrrs {0}, {1}, zero",),
    "csrw": ("csrrw zero, {0}, {1}",),
    "csrs": ("csrrs zero, {0}, {1}",),
    "csrc": ("csrrc zero, {0}, {1}",),
    "rdinstret": ("csrrs {0}, instret, zero",),
}
_IMMEDIATE = {
    name: f"{name}i" for name in ("add", "and", "or", "xor", "sll", "srl", "sra", "slt")
} | {"addw": "addiw", "sltu": "sltiu"}


def expand(name: str, operands: list[str]) -> list[Step]:
    """Return the real instructions of a line; AssemblyError if there is no such instruction."""
    if name == "jal" and len(operands) == 1:
        return [("jal", ["ra", *operands])]
    if name == "jalr" and len(operands) == 1:
        return [("jalr", ["ra", operands[0], "0"])]
    if name in _IMMEDIATE and len(operands) == 3 and operands[2][:1] in "-0123456789":
        return [(_IMMEDIATE[name], operands)]
    if name in RV64.rows:
        return [(name, operands)]
    if name not in _PATTERNS:
        raise AssemblyError(f"unknown instruction {shorten(name)!r}")
    count = sum(f"{{{i}}}" in "".join(_PATTERNS[name]) for i in range(3))
    if len(operands) != count:
        raise AssemblyError(f"{name} wants {count} operands, {len(operands)} are given")
    steps = [pattern.format(*operands).partition(" ") for pattern in _PATTERNS[name]]
    return [(real, rest.split(", ")) for real, _, rest in steps]


def li_steps(register: str, value: int) -> list[Step]:
    """Return the instructions that load a 64-bit constant."""
    if not -(1 << 63) <= value < 1 << 64:
        raise AssemblyError(f"li: {value} does not fit 64 bits")
    value = sign_extend(value, 64)
    if -2048 <= value < 2048:
        return [("addi", [register, "zero", str(value)])]
    low = sign_extend(value, 12)
    if -(1 << 31) <= value < 1 << 31:
        steps: list[Step] = [("lui", [register, str((value - low >> 12) & 0xFFFFF)])]
        return [*steps, ("addiw", [register, register, str(low)])] if low else steps
    high, shift = value - low >> 12, 12
    while not high & 1:
        high, shift = high >> 1, shift + 1
    steps = [
        *li_steps(register, sign_extend(high, 64 - shift)),
        ("slli", [register, register, str(shift)]),
    ]
    return [*steps, ("addi", [register, register, str(low)])] if low else steps
