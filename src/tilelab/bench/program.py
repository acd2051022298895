"""RISC-V programs that drive a benchmark, the same words for every simulator.

A core does its set-up once, says that it is ready, and then does one run each time the host
counts GO up, and answers in its DONE word. How often a run repeats stands in the REPEATS word.
"""

from collections.abc import Sequence

from tilelab.riscv.words import S1, T0, T1, T3, ZERO, addi, bne, jump_back, li, lw, store, sw
from tilelab.tensix.tables.tile_registers import INSTRN_BUF, PC_BUF, TENSIX_SYNC

GO, REPEATS, DONE = 0x5000, 0x5004, 0x5010
"""DONE is one word for each core."""


def sync() -> list[int]:
    """Wait until the coprocessor has done everything that this core pushed."""
    return [*li(T0, PC_BUF + TENSIX_SYNC), lw(T1, T0)]


def program(core: int, setup: Sequence[int], body: Sequence[int], last: Sequence[int]) -> bytes:
    """The program of a core: ``setup`` once, then in each run ``body`` REPEATS times and ``last``.

    ``body`` and ``last`` must leave S1 and T3 alone; ``body`` finds INSTRN_BUF in T0.
    """
    words = [*setup, *last, addi(S1, ZERO, 0), *store(DONE + 4 * core, 0xFFFFFFFF)]
    again = len(words)
    words += [addi(S1, S1, 1), *li(T0, GO), lw(T1, T0), bne(T1, S1, -1)]
    words += [*li(T0, REPEATS), lw(T3, T0), *li(T0, INSTRN_BUF)]
    words += [*body, addi(T3, T3, -1), bne(T3, ZERO, -1 - len(body))]
    words += [*last, *li(T0, DONE + 4 * core), sw(S1, T0)]
    words.append(jump_back(len(words) - again))
    return b"".join(word.to_bytes(4, "little") for word in words)
