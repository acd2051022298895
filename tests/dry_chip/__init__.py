"""A chip that nobody has modelled yet: a folder of facts, with more threads, cores and Dst."""

from dataclasses import replace
from importlib.resources import files

from dry_chip.figures import FIGURES
from dry_chip.rows import INSTRUCTIONS
from tilelab.tensix.arch import arch
from tilelab.tensix.chips.profile import KIB
from tilelab.tensix.tables.tile_registers import COMMON_REGISTERS

CHIP = replace(
    arch("blackhole"),
    name="dry",
    instructions=INSTRUCTIONS,
    config=files(__package__).joinpath("config.txt"),
    registers=COMMON_REGISTERS,
    figures=FIGURES,
    l1_size=2048 * KIB,
    threads=4,
    cores=5,
    dst_rows=2048,
    local_ram=(4 * KIB,) * 4 + (8 * KIB,),
    input_fifo=(32,) * 4,
)
