"""The registers that rows name are those that kernels read and write, found by changing them."""

import numpy as np
import pytest

from tilelab.isa.instruction import Instruction
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.units import SubUnit, Unit
from vector_machine import CHIPS, VectorMachine

COMPUTING = (SubUnit.SIMPLE, SubUnit.MAD, SubUnit.ROUND, SubUnit.STORE)
ROWS = [
    pytest.param(chip, row, id=f"{chip}-{name}")
    for chip in CHIPS
    for name, row in arch(chip).instructions.items()
    if row.unit == Unit.VECTOR and row.sub_unit in COMPUTING and row.registers.named
]
IMPLICIT = {
    "SFPSHFT2": {0, 1, 2},  # LReg[0..3]
    "SFPCONFIG": set(range(16)),  # LReg[0]
    **{name: {*range(4, 16)} for name in ("SFPMAD", "SFPADD", "SFPMUL", "SFPMUL24")},  # indirect
    **{name: {*range(4, 16)} for name in ("SFPADDI", "SFPMULI", "SFPLUT", "SFPLUTFP32")},
}
"""Modifiers with which an instruction reads or writes registers that it does not name."""
PLACES = {"va": 3, "vb": 4, "vc": 5, "vd": 6}
"""Registers in which the tests have operands."""


def word(row: Instruction, modifier: int) -> int:
    """A word that names PLACES, as far as its names do not share bits."""
    made = row.opcode << 24
    for register in row.registers.named:
        made = made & ~register.mask | PLACES[register.name] << register.lo
    values = {"instr_mod1": modifier, "instr_mod0": modifier, "imm16_math": 0x3F80}
    for field in row.fields:
        made |= values.get(field.name, 0) << field.lo
    return made


def run(chip: str, encoded: int, lreg: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """All that an instruction can change; None if it is refused."""
    machine = VectorMachine(chip)
    machine.record["use_lane_flags"] = 1  # SFPSETCC compares nothing otherwise
    machine.record["lane_flags"] = 0xFFFFFFFF
    machine.record["flag_stack_depth"] = 1
    machine.lreg[:8] = lreg
    if machine.attempt_word(encoded):
        return None
    names = ("dst", "lane_flags", "flag_stack", "use_lane_flags", "lane_config")
    return (machine.lreg, *(machine.record[name] for name in names))


def read_registers(row: Instruction, encoded: int) -> set[int]:
    """The registers that a row says its word reads."""
    found = {i for i in range(8) if row.registers.always >> i & 1}
    for name in row.registers.reads:
        depends = name == "vb" and row.vb_modifier and not encoded & row.vb_modifier
        register = row.registers.get("vd" if depends else name)
        assert register is not None
        found.add(register.get(encoded))
    return found


@pytest.mark.parametrize(("chip", "row"), ROWS)
def test_reads_and_writes_are_those_of_the_row(chip: str, row: Instruction) -> None:
    rng = np.random.default_rng(row.opcode)
    vd = row.registers.get("vd")
    assert vd is not None
    needed: set[str] = set()
    for modifier in sorted(set(range(16)) - IMPLICIT.get(row.name, set())):
        encoded = word(row, modifier)
        lreg = rng.normal(size=(8, 32)).astype(np.float32).view(np.uint32)
        before = run(chip, encoded, lreg)
        if before is None:
            continue
        written = {row.registers.get(n).get(encoded) for n in row.registers.writes}  # type: ignore[union-attr]
        written |= {i for i in range(8) if row.name == "SFPTRANSP"}
        for changed in range(8):
            if changed not in written:
                np.testing.assert_array_equal(before[0][changed], lreg[changed])
        for changed in range(8):
            other = lreg.copy()
            other[changed] = rng.normal(size=32).astype(np.float32).view(np.uint32)
            after = run(chip, encoded, other)
            assert after is not None
            mask = np.ones(len(before[0]), bool)
            mask[changed] = changed in written
            same = np.array_equal(before[0][mask], after[0][mask]) and all(
                np.array_equal(a, b) for a, b in zip(before[1:], after[1:], strict=True)
            )
            if changed not in read_registers(row, encoded):
                assert same, (modifier, changed)
            elif not same:
                needed |= {
                    n
                    for n in row.registers.reads
                    if row.registers.get(n).get(encoded) == changed  # type: ignore[union-attr]
                }
    if row.name not in IMPLICIT or row.name in ("SFPMAD", "SFPMULI", "SFPADDI"):
        assert needed == set(row.registers.reads)
