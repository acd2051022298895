"""What of a chip's NoC and DRAM may be made faster than it is, to see what its time depends on.

``what_if`` of the chip has a number for each part, as that of a tile has for its resources
(``tensix/cycle/what_if.py``): 0 as it is, FREE takes no time, n from 2 on goes n times as fast.
"""

from typing import Final

from tilelab.chip.chip import Chip
from tilelab.chip.speeds import ANSWER, ATOMICS, CHANNEL, HOPS, INTAKE, LINKS
from tilelab.chip.state import CYCLES
from tilelab.report.what_if import WhatIf, suppose
from tilelab.sim.errors import BadInputError
from tilelab.tensix.state.cycle_record import FREE

PARTS: Final = {
    "noc": (HOPS, LINKS),
    "links": (LINKS,),
    "hops": (HOPS,),
    "dram": (INTAKE, CHANNEL, ANSWER),
    "dram_requests": (INTAKE,),
    "dram_channel": (CHANNEL,),
    "atomics": (ATOMICS,),
}
"""Names of what can be made faster of a chip, besides its tiles' own (``report/what_if.py``)."""


def suppose_chip(chip: Chip, supposed: WhatIf) -> None:
    """Make a fresh chip and its tiles that much faster; BadInputError without the cycle clock."""
    if chip.timing != "cycle":
        raise BadInputError('a what-if needs the cycle clock: Chip(..., clock="cycle")')
    for tile in chip.tiles.values():
        suppose(tile, supposed)
    for part, factor in supposed.of_chip:
        chip.c.what_if[part] = factor
    least = chip.c.what_if[HOPS]  # tiles may not run past the earliest effect of a request
    chip.c.slice = 1 if least == FREE else max(1, CYCLES // (least or 1))
