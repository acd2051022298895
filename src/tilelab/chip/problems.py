"""What can be wrong with an access to a chip: a number for kernels, a sentence for people.

``problem`` is a check's code: one of these, or one of the tile that is reached.
"""

from dataclasses import dataclass, replace
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
from tilelab.sim.checks import CHECKS, Check, declare
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


@dataclass(frozen=True)
class ChipCheck(Check):
    """What a request of a program may meet, or an access of the host.

    ``message`` is over what :func:`sentence` knows: addresses, bytes, coordinates, a name.
    """


class HostCheck(ChipCheck):
    """What only an access of the host may meet: its sentence says where by itself."""


def _check(
    name: str,
    message: str,
    page: str = "NoC/MemoryMap.md",
    cure: str = "",
    category: type[MachineError] = UnimplementedFunctionalityError,
) -> int:
    return declare(ChipCheck(f"chip-{name}", category, message, page, cure))


def _host_check(name: str, message: str) -> int:
    return declare(HostCheck(f"host-{name}", UnimplementedFunctionalityError, message))


NO_TILE: Final = _check(
    "no-tile",
    "there is no tile at {x},{y}",
    cure="ask the host for the tiles' coordinates, or make a chip that has this one",
)
OUTSIDE: Final = _check(
    "outside",
    "{value} bytes at {address:#x} of {name} do not exist",
    cure="keep address and length within the tile's memory",
)
OUTSIDE_DRAM: Final = _check(
    "outside-dram",
    "{value} bytes at {address:#x} are not within {name}",
    cure="keep address and length within the bank",
)
NOT_MODELLED: Final = _check("not-modelled", "nothing is modelled at {address:#x} of {name}")
NOT_HOST_MEMORY: Final = _check(
    "not-host-memory", "{address:#x} of the PCIe tile is not host memory"
)
NO_REGION: Final = _check("no-region", "no outbound region holds {address:#x} of host memory")
NO_HOST: Final = _check("no-host", "there is no host memory")
ANSWER_ELSEWHERE: Final = _check("answer-elsewhere", "its answer is to go to another tile, {x},{y}")
ALIGNMENT: Final = _check(
    "alignment",
    "addresses {address:#x} and {other:#x} differ modulo {value}",
    "NoC/Alignment.md",
    "give both addresses the same remainder",
    UndefinedBehaviorError,
)
BYTE_ENABLES: Final = _check("byte-enables", "byte enables are not modelled")
INLINE_TO_L1: Final = _check(
    "inline-to-l1",
    "an inline write to L1 is not safe on this chip",
    cure="write the word out of L1, by a request that is not inline",
    category=UndefinedBehaviorError,
)
ATOMIC: Final = _check("atomic", "atomic operation {value:#x} is not modelled", "NoC/Atomics.md")
EARLY: Final = _check(
    "read-early",
    "its data are used at {address:#x} before they have come: a barrier is missing",
    "NoC/Ordering.md",
    "call noc_async_read_barrier() before its data are used",
    UndefinedBehaviorError,
)
TOO_LONG: Final = _check(
    "too-long", "{value} bytes at once are too many", cure="ask for at most 16 KiB at once"
)
NOTHING_THERE: Final = _host_check("nothing-there", "{address:#x}: nothing is there")
LEAVES_WINDOW: Final = _host_check("leaves-window", "BAR0 + {address:#x}: they leave their window")
HOST_REGISTER: Final = _host_check("register", "BAR0 + {address:#x}: not modelled")
HOST_REGION: Final = _host_check("region", "BAR2 + {address:#x}: not modelled")


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
    found = CHECKS[c.problem]
    if isinstance(found, ChipCheck):
        return found
    return replace(found, category=UnimplementedFunctionalityError)


def sentence(c: ChipState, other: int = 0) -> str:
    """What was reported; ``other``: the request's second address."""
    place, value, address = c.problem_place, c.problem_value, c.problem_address
    about = {"x": place & 63, "y": place >> 6, "index": c.index[place]}
    name = NAMES.get(c.kind[place], "nothing").format(**about)
    found = CHECKS[c.problem]
    if not isinstance(found, ChipCheck):
        return f"{name}: {found.message.format(value=address, value2=0)}"
    return found.message.format(**about, name=name, value=value, address=address, other=other)
