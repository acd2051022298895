"""What can be wrong with an access to a chip: a number for kernels, a sentence for people."""

from enum import IntEnum
from typing import Final

from tilelab.sim.checks import CHECKS
from tilelab.sim.kernel import kernel
from tilelab.tensix.chip.record import (
    ARC,
    DRAM,
    ETHERNET,
    HOST,
    PROBLEM,
    TENSIX,
    ChipState,
)

NAMES: Final = {
    TENSIX: "Tensix tile {x},{y}",
    DRAM: "DRAM bank {index}",
    ETHERNET: "Ethernet tile {x},{y}",
    ARC: "the ARC tile",
    HOST: "host memory behind the PCIe tile",
}


class Problem(IntEnum):
    """What is wrong."""

    NO_TILE = 1
    OUTSIDE = 2
    OUTSIDE_DRAM = 3
    NOT_MODELLED = 4
    CHECK = 5
    NOT_HOST_MEMORY = 6
    NO_REGION = 7
    NO_HOST = 8
    ANSWER_ELSEWHERE = 9
    ALIGNMENT = 10
    BYTE_ENABLES = 11
    INLINE_TO_L1 = 12
    ATOMIC = 13
    TOO_LONG = 14
    EARLY = 15
    NOTHING_THERE = 16  # from here on: of the host's addresses
    LEAVES_WINDOW = 17
    HOST_REGISTER = 18
    HOST_REGION = 19


SENTENCES: Final = {
    Problem.NO_TILE: "there is no tile at {x},{y}",
    Problem.OUTSIDE: "{value} bytes at {address:#x} of {name} do not exist",
    Problem.OUTSIDE_DRAM: "{value} bytes at {address:#x} are not within {name}",
    Problem.NOT_MODELLED: "nothing is modelled at {address:#x} of {name}",
    Problem.NOT_HOST_MEMORY: "{address:#x} of the PCIe tile is not host memory",
    Problem.NO_REGION: "no outbound region holds {address:#x} of host memory",
    Problem.NO_HOST: "there is no host memory",
    Problem.ANSWER_ELSEWHERE: "its answer is to go to another tile, {x},{y}",
    Problem.ALIGNMENT: "addresses {address:#x} and {other:#x} differ modulo {value} "
    "(NoC/Alignment.md)",
    Problem.BYTE_ENABLES: "byte enables are not modelled",
    Problem.INLINE_TO_L1: "an inline write to L1 is not safe on this chip (NoC/MemoryMap.md)",
    Problem.ATOMIC: "atomic operation {value:#x} is not modelled",
    Problem.EARLY: "its data are used at {address:#x} before they have come: a barrier is missing",
    Problem.TOO_LONG: "{value} bytes at once are too many",
    Problem.NOTHING_THERE: "{address:#x}: nothing is there",
    Problem.LEAVES_WINDOW: "BAR0 + {address:#x}: they leave their window",
    Problem.HOST_REGISTER: "BAR0 + {address:#x}: not modelled",
    Problem.HOST_REGION: "BAR2 + {address:#x}: not modelled",
}
"""Of :attr:`Problem.CHECK` the tile's own check says more."""
UNDEFINED: Final = (Problem.ALIGNMENT, Problem.INLINE_TO_L1, Problem.EARLY)
"""What the documents call undefined; anything else is not modelled."""


@kernel
def report(c: ChipState, problem: int, place: int, address: int, value: int) -> int:
    """Note what is wrong; returns the code for the kernel to return."""
    c.problem = problem
    c.problem_place = place
    c.problem_address = address
    c.problem_value = value
    return PROBLEM


def sentence(c: ChipState, other: int = 0) -> str:
    """What was reported; ``other``: the request's second address."""
    place, value, address = c.problem_place, c.problem_value, c.problem_address
    about = {"x": place & 63, "y": place >> 6, "index": c.index[place]}
    name = NAMES.get(c.kind[place], "nothing").format(**about)
    if c.problem == Problem.CHECK:
        why = CHECKS[value].message.format(value=address, value2=0)
        return f"{name}: {why}"
    text = SENTENCES[Problem(c.problem)]
    return text.format(**about, name=name, value=value, address=address, other=other)
