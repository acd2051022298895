"""The state of one tile: its memory, under names and as a whole."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from tilelab.sim.checks import default_policies
from tilelab.sim.errors import BadInputError
from tilelab.sim.record import Record, aligned_bytes, differences
from tilelab.tensix.arch import Arch
from tilelab.tensix.state.layout import layout_of
from tilelab.tensix.state.names import PLURALS, STATE, state_type
from tilelab.tensix.state.parts import Parts
from tilelab.tensix.state.records import State
from tilelab.tensix.state.view import KernelView
from tilelab.tensix.tables.causes import FIFO_EMPTY

ALL_CORES_IN_RESET = 0x47800
"""RISCV_DEBUG_REG_SOFT_RESET_0 when the chip powers up (ttsim)."""
OWN_ATTRIBUTES = ("arch", "memory", "record", "l1", "l1_bytes", "iram", "code", "s")
"""What of a TensixState is no part of its record."""
CONTENTS = ("record", "l1", "iram")
"""What of these takes over the contents of an array that is assigned to it."""

NOT_ARCHITECTURE = (
    *("scratch", "engine", "poll", "cycle", "fault", "stops"),
    *("effects", "l1_effects", "private_effects"),  # counted as far as somebody watches
)
"""How the names of what is no part of the machine begin."""

HEADER_BYTES = 64
"""Room for the addresses of up to 8 buffers, the first one closest to the record."""

CONSTANT_LREGS = {8: 0x3F56594B, 10: 0x3F800000, 11: 0xBF800000, 12: 0x3B000000, 13: 0xBF2CC4C7}


class TensixState(Parts):
    """The state: ``record`` (NumPy), ``l1`` (uint8) and ``s``, the view that kernels take.

    ``l1_bytes`` is L1 once more, for bytes that come and go.
    """

    def __init__(self, arch: Arch) -> None:
        self.arch = arch
        layout = layout_of(arch)
        # the record is preceded by the addresses that compiled code needs
        self.memory: npt.NDArray[np.uint8] = aligned_bytes(
            HEADER_BYTES + layout.itemsize, HEADER_BYTES
        )
        memory = self.memory[HEADER_BYTES:]
        self.record: Record = memory.view(state_type(arch)).reshape(())
        # NCRISC's instruction RAM lies behind L1, so that all code is fetched from one array
        self.code: npt.NDArray[np.uint8] = aligned_bytes(arch.l1_size + arch.iram)
        self.l1, self.iram = self.code[: arch.l1_size], self.code[arch.l1_size :]
        self.l1_bytes = self.l1.data
        self._reset()
        self.s = cast(State, KernelView(memory.view(layout).reshape(()), self.code, arch))

    def __repr__(self) -> str:
        """The parts by name: a number as it is, an array by its shape."""
        lines = []
        for name in self.record.dtype.names or ():
            value = np.asarray(self.record[name])
            kind = "record" if value.dtype.names else str(value.dtype)
            said = f"{kind} {'x'.join(map(str, value.shape))}".rstrip()
            lines.append(f"  {name}: {said if value.shape or value.dtype.names else value}")
        return "\n".join([f"<the state of a {self.arch.name} tile>", *lines])

    def _reset(self) -> None:
        record = self.record
        default_policies(record["fault"]["policy"])
        record["dst_valid"] = 1
        for index, value in CONSTANT_LREGS.items():
            record["lreg"][index] = value
        record["lreg"][14] = 0xBEB08FF9
        record["lreg"][15] = 2 * np.arange(32)
        record["lane_flags"] = 0xFFFFFFFF
        record["use_lane_flags"] = 1
        record["soft_reset"] = ALL_CORES_IN_RESET
        record["cycle"]["order"] = np.arange(self.arch.threads)
        record["cycle"]["mop_bubble"] = record["cycle"]["replay_bubble"] = FIFO_EMPTY

    if not TYPE_CHECKING:  # type checkers know the parts, and refuse others

        def __getattr__(self, name: str) -> Any:
            """A part of the state by its name, as a NumPy view: ``state.dst[3]``."""
            name = PLURALS.get(name, name)
            if name in STATE.fields:
                return self.record[name]
            raise AttributeError(f"the tile's state has no part called {name!r}")

        def __setattr__(self, name: str, value: Any) -> None:
            part = PLURALS.get(name, name)
            if part in STATE.fields:
                self.record[part] = value
            elif name in CONTENTS and name in self.__dict__:
                self.__dict__[name][...] = value  # the machine keeps its own memory
            elif name in OWN_ATTRIBUTES and name not in self.__dict__:
                super().__setattr__(name, value)
            elif name in OWN_ATTRIBUTES:
                raise AttributeError(f"the tile's {name} cannot be replaced")
            else:
                raise AttributeError(f"the tile's state has no part called {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(STATE.names or ())]

    def snapshot(self) -> Record:
        """A copy of all registers (not of L1), to compare with later."""
        return self.record.copy()

    def restore(self, snapshot: Record) -> None:
        """Make all registers those of a snapshot; BadInputError if it has other parts than this."""
        if getattr(snapshot, "dtype", None) != self.record.dtype:
            raise BadInputError(
                "the saved state has other parts than this tile's: it is another chip's, or was "
                "saved by another version of tilelab"
            )
        self.record[...] = snapshot

    def diff(self, before: Record) -> list[tuple[str, int, int]]:
        """What changed in the architecture since a snapshot: ``(name, old, new)``."""
        return [
            change
            for change in differences(before, self.record)
            if not change[0].startswith(NOT_ARCHITECTURE)
        ]

    def config_field(self, name: str, bank: int = 0) -> int:
        """Read a Config field (of a bank) or a ThreadConfig field (of a thread) by name."""
        field = self.arch.config_fields[name]
        words = self.record["config" if field.space == "c" else "thread_config"]
        return (int(words[bank, field.word]) >> field.lo) & ((2 << (field.hi - field.lo)) - 1)

    def set_config_field(self, name: str, value: int, bank: int = 0) -> None:
        """Write a Config or ThreadConfig field by name, with no side effects."""
        field = self.arch.config_fields[name]
        words = self.record["config" if field.space == "c" else "thread_config"]
        mask = ((2 << (field.hi - field.lo)) - 1) << field.lo
        if value << field.lo & ~mask:
            raise ValueError(f"{name}={value} does not fit {field.hi - field.lo + 1} bits")
        words[bank, field.word] = (int(words[bank, field.word]) & ~mask) | value << field.lo
