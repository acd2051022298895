"""What can be wrong with an access to a chip: a number for kernels, a sentence for people."""

from dataclasses import replace
from enum import IntEnum
from typing import Final

from tilelab.chip.state import (
    ARC,
    DRAM,
    ETHERNET,
    HOST,
    PROBLEM,
    TENSIX,
    ChipState,
)
from tilelab.sim.checks import CHECKS, Check
from tilelab.sim.errors import (
    MachineError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
)
from tilelab.sim.kernel import kernel

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


def _check(
    problem: Problem,
    name: str,
    message: str,
    page: str = "NoC/MemoryMap.md",
    cure: str = "",
    category: type[MachineError] = UnimplementedFunctionalityError,
) -> tuple[Problem, Check]:
    """A problem as a check, which stops its program; ``message`` is filled in by `sentence`."""
    return problem, Check(0, name, category, message, page, cure)


CHECKED: Final = dict((
    _check(Problem.NO_TILE, "chip-no-tile", "there is no tile at {x},{y}",
           cure="ask the host for the tiles' coordinates, or make a chip that has this one"),
    _check(Problem.OUTSIDE, "chip-outside", "{value} bytes at {address:#x} of {name} do not exist",
           cure="keep address and length within the tile's memory"),
    _check(Problem.OUTSIDE_DRAM, "chip-outside-dram",
           "{value} bytes at {address:#x} are not within {name}",
           cure="keep address and length within the bank"),
    _check(Problem.NOT_MODELLED, "chip-not-modelled",
           "nothing is modelled at {address:#x} of {name}"),
    _check(Problem.NOT_HOST_MEMORY, "chip-not-host-memory",
           "{address:#x} of the PCIe tile is not host memory"),
    _check(Problem.NO_REGION, "chip-no-region",
           "no outbound region holds {address:#x} of host memory"),
    _check(Problem.NO_HOST, "chip-no-host", "there is no host memory"),
    _check(Problem.ANSWER_ELSEWHERE, "chip-answer-elsewhere",
           "its answer is to go to another tile, {x},{y}"),
    _check(Problem.ALIGNMENT, "chip-alignment",
           "addresses {address:#x} and {other:#x} differ modulo {value}", "NoC/Alignment.md",
           "give both addresses the same remainder", UndefinedBehaviorError),
    _check(Problem.BYTE_ENABLES, "chip-byte-enables", "byte enables are not modelled"),
    _check(Problem.INLINE_TO_L1, "chip-inline-to-l1",
           "an inline write to L1 is not safe on this chip",
           cure="write the word out of L1, by a request that is not inline",
           category=UndefinedBehaviorError),
    _check(Problem.ATOMIC, "chip-atomic", "atomic operation {value:#x} is not modelled",
           "NoC/Atomics.md"),
    _check(Problem.EARLY, "chip-read-early",
           "its data are used at {address:#x} before they have come: a barrier is missing",
           "NoC/Ordering.md", "call noc_async_read_barrier() before its data are used",
           UndefinedBehaviorError),
    _check(Problem.TOO_LONG, "chip-too-long", "{value} bytes at once are too many",
           cure="ask for at most 16 KiB at once"),
))  # fmt: skip
"""What a request of a program may meet, or an access of the host."""
OF_HOST: Final = {
    Problem.NOTHING_THERE: "{address:#x}: nothing is there",
    Problem.LEAVES_WINDOW: "BAR0 + {address:#x}: they leave their window",
    Problem.HOST_REGISTER: "BAR0 + {address:#x}: not modelled",
    Problem.HOST_REGION: "BAR2 + {address:#x}: not modelled",
}
"""What only an access of the host may meet."""


@kernel
def report(c: ChipState, problem: int, place: int, address: int, value: int) -> int:
    """Note what is wrong; returns the code for the kernel to return."""
    c.problem = problem
    c.problem_place = place
    c.problem_address = address
    c.problem_value = value
    return PROBLEM


def failed(c: ChipState) -> Check:
    """The check that a request has failed: the network's own, or one of the tile that it reached.

    UnimplementedFunctionality, as all that is not modelled, where it is a tile's.
    """
    if c.problem == Problem.CHECK:
        found = CHECKS[c.problem_value]
        return replace(found, category=UnimplementedFunctionalityError)
    return CHECKED[Problem(c.problem)]


def sentence(c: ChipState, other: int = 0) -> str:
    """What was reported; ``other``: the request's second address."""
    place, value, address = c.problem_place, c.problem_value, c.problem_address
    about = {"x": place & 63, "y": place >> 6, "index": c.index[place]}
    name = NAMES.get(c.kind[place], "nothing").format(**about)
    if c.problem == Problem.CHECK:
        why = CHECKS[value].message.format(value=address, value2=0)
        return f"{name}: {why}"
    problem = Problem(c.problem)
    text = OF_HOST[problem] if problem in OF_HOST else CHECKED[problem].message
    return text.format(**about, name=name, value=value, address=address, other=other)
