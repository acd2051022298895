"""The dry chip's instructions: Blackhole's, without some, one that differs and one of its own."""

from tilelab.isa.instruction import InstructionSet, derived
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE
from tilelab.tensix.tables.rows import changed, row
from tilelab.tensix.tables.units import SubUnit, Unit

# fmt: off
WITHOUT = ("MOVDBGA2D", "MOVDBGB2D", "TBUFCMD")
ROWS = (
    changed(BLACKHOLE["MVMUL"], "clear_dvalid=23:22 instr_mod19=19 addr_mode=17:14 dst=10:0"),
)
OWN = (
    row("SFPDRY", 0x9A, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4", "lreg:lreg_dest lreg:lreg_c", sub_unit=SubUnit.SIMPLE, registers="vc=11:8 -> vd=7:4", page=""),  # noqa: E501
)
# fmt: on

INSTRUCTIONS = InstructionSet("dry", (*derived(BLACKHOLE, WITHOUT, ROWS), *OWN))
