"""Programs for the Ethernet tiles of chips that are wired to each other."""

from typing import Protocol

from chip_program import PLACES
from riscv_program import HALT, store
from tilelab.tensix.tables.ethernet_registers import (
    COMMAND,
    COPY,
    COPY_WORD,
    QUEUES,
    RESET_PC,
    SECOND_CORE,
    SIZE,
    START,
    TARGET,
    WORD,
)
from tilelab.tensix.tables.layout import Place

PLACE = PLACES["blackhole"][0]
RESET = 0xFFB121B0
CODE, DATA, THERE, FLAG = 0x3000, 0x4000, 0x5000, 0x6000
STREAM = 0xFFB42000
BOOT = 0x7CC00
BYTES = bytes(range(1, 65))
HELD, SECOND_RUNS = 0x47000, 0
SENDS, TAKES = (0, (22, 25)), (1, (29, 25))
"""Chip and place of the ends of that link."""


def as_bytes(words: list[int]) -> bytes:
    return b"".join(one.to_bytes(4, "little") for one in words)


class Writes(Protocol):
    """What a host writes to."""

    def write(self, place: Place, address: int, data: bytes) -> None: ...


def start(chip: Writes, place: Place, program: list[int]) -> None:
    """Have the second core of an Ethernet tile run a program, as a host does."""
    chip.write(place, RESET, as_bytes([HELD]))
    chip.write(place, CODE, as_bytes([*program, HALT]))
    chip.write(place, RESET_PC + SECOND_CORE, as_bytes([CODE]))
    chip.write(place, RESET, as_bytes([SECOND_RUNS]))


def send_bytes(start: int, size: int, target: int) -> list[int]:
    values = {START: start, SIZE: size, TARGET: target, COMMAND: COPY}
    return [one for at, value in values.items() for one in store(QUEUES + at, value)]


def send_word(target: int, value: int) -> list[int]:
    values = {TARGET: target, WORD: value, COMMAND: COPY_WORD}
    return [one for at, value in values.items() for one in store(QUEUES + at, value)]
