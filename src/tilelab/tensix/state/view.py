"""What kernels call ``s`` when they run as Python: the record and L1 behind names."""

import numpy as np
import numpy.typing as npt

from tilelab.sim.array import Array1
from tilelab.sim.record import Record, view
from tilelab.tensix.chips.places import Places
from tilelab.tensix.chips.profile import Arch
from tilelab.tensix.state.layout import LAYOUT


class Surroundings:
    """What kernels find beside the record: L1, the chip's constants and field places."""

    arch: Arch
    f: Places
    block_mask: tuple[int, ...]
    """Of each opcode, see ``Arch.block_masks``."""
    config_mask: tuple[int, ...]
    """Of each word of Config, see ``Arch.config_mask``."""
    l1: Array1
    """Bytes, then the same memory as words of 16 and of 32 bits; NCRISC's RAM behind it."""
    l1_16: Array1
    l1_32: Array1
    record_32: Array1
    """The whole record as words of 32 bits."""


class KernelView(Surroundings):
    """The record's view and its surroundings; :class:`~.records.State` types it."""

    def __init__(self, record: Record, code: npt.NDArray[np.uint8], arch: Arch) -> None:
        inner = view(record)
        for name in LAYOUT.names or ():
            kind = LAYOUT[name]
            if not (kind.fields is None and kind.shape == ()):
                setattr(self, name, getattr(inner, name))
        self._inner = inner
        self.arch = arch
        self.f = arch.places
        self.block_mask = arch.block_masks()
        self.config_mask = arch.config_mask
        memory = code.data
        self.l1 = memory
        self.l1_16 = memory.cast("H")
        self.l1_32 = memory.cast("I")
        self.record_32 = record.reshape(1).view(np.uint32).data


def _delegate(name: str) -> property:
    def read(self: KernelView) -> int:
        value: int = getattr(self._inner, name)
        return value

    def write(self: KernelView, value: int) -> None:
        setattr(self._inner, name, value)

    return property(read, write)


for _name in LAYOUT.names or ():
    if LAYOUT[_name].fields is None and LAYOUT[_name].shape == ():
        setattr(KernelView, _name, _delegate(_name))
