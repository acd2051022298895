"""What of the machine a kernel used, seen by the words that it issued."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.tensix.arch import arch
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.words.origin import slot_ordinal

LREGS: Final = 8
"""LRegs that hold what a program puts there; those beyond hold constants."""


class Used:
    """An observer: which LRegs vector instructions name, and how many replay slots are played."""

    def __init__(self, chip: str) -> None:
        self._rows = arch(chip).instructions
        self._words: set[int] = set()
        self._slots: set[tuple[int, int]] = set()

    def batch(self, issued: npt.NDArray[Any]) -> None:
        """Take issued instructions: records of ``reference.ISSUED``."""
        self._words.update(np.unique(issued["word"]).tolist())
        slots = slot_ordinal(issued["origin"])
        played = slots > 0
        pairs = np.unique(np.stack([issued["thread"][played], slots[played]]), axis=1)
        self._slots.update(map(tuple, pairs.T.tolist()))

    @property
    def lregs(self) -> int:
        """How many LRegs vector instructions name."""
        named = set()
        for word in self._words:
            row = self._rows.find(word)
            if row is not None and row.unit == Unit.VECTOR:
                named |= {field.get(word) for field in row.registers.named}
        return len({register for register in named if register < LREGS})

    @property
    def replay_slots(self) -> int:
        """How many replay slots are played, of all threads."""
        return len(self._slots)
