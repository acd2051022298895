"""Runs a chip's kernels as they stand; ``compiled`` runs them compiled."""

from collections.abc import Callable
from typing import Final, Protocol

from tilelab.chip import answers, clocks, host_side, turns
from tilelab.chip.memory import ChipMemory
from tilelab.sim.kernel import OK

KERNELS: Final[dict[str, Callable[..., int | None]]] = {
    function.__name__: function
    for function in (
        answers.read_place,
        answers.write_place,
        answers.wake,
        turns.connect,
        turns.leave_ethernet,
        turns.power_up,
        turns.start_run,
        turns.wanted,
        turns.run_tile,
        turns.settle,
        turns.go_on,
        turns.go_past,
        clocks.pass_clock,
        host_side.host_read,
        host_side.pci_read,
        host_side.pci_write,
        host_side.broadcast,
    )
}
"""What is called from outside."""


class ChipEngine(Protocol):
    """Calls a chip's kernels by name."""

    def call(self, name: str, *arguments: int) -> int:
        """Call a kernel with a chip and integers; OK from one that returns nothing."""


class ReferenceChip:
    """Calls them as they stand."""

    def __init__(self, memory: ChipMemory) -> None:
        self.memory = memory

    def call(self, name: str, *arguments: int) -> int:
        """Call a kernel with a chip and integers."""
        return KERNELS[name](self.memory.c, *arguments) or OK
