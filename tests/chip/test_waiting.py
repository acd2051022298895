"""Who waits for what on a chip on which nothing can change."""

import re

import pytest

from chip_program import CHIPS, PLACES, boot, counter, make, wait_register
from tilelab.chip.waiting import who_waits
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import PC_BUF, SEMAPHORES, STREAMS

BRISC, TRISC0, TRISC1, TRISC2 = 3, 0, 1, 2


def loops(lines: list[str]) -> list[str]:
    """The lines with a loop of two instructions, at 0x10, instead of one of them."""
    return [re.sub(r"(pc 0x[0-9a-f]*1)[04]:", r"\g<1>0:", line) for line in lines]


@pytest.mark.parametrize("chip", CHIPS)
def test_what_cores_poll_is_named(chip: str) -> None:
    made = make(chip, "fast", 2)
    about = made.arch.noc
    programs = {
        BRISC: wait_register(STREAMS + 3 * STREAM_BYTES + about.stream_size, 1),
        TRISC0: wait_register(STREAMS + 4 * STREAM_BYTES + about.stream_start, 1),
        TRISC1: wait_register(0x9000, 5),
        TRISC2: wait_register(PC_BUF + SEMAPHORES + 4 * 2, 1),
    }
    for place in PLACES[chip][:2]:
        boot(made, place, programs)
    assert made.run(100_000)
    (x, y), *_ = PLACES[chip]
    assert loops(who_waits(made.running)) == [
        f"Tensix tile {x},{y} and 1 more like it",
        "  TRISC0 pc 0x6010: waits for circular buffer 4 for room (0 received, 0 freed)",
        "  TRISC1 pc 0xa010: waits for L1 0x9000 (a semaphore or a credit), which is 0",
        "  TRISC2 pc 0xe010: waits for Tensix semaphore 2 (0)",
        "  BRISC pc 0x10: waits for circular buffer 3 for pages (0 received, 0 freed)",
    ]


@pytest.mark.parametrize("chip", CHIPS)
def test_answers_of_the_noc_are_named(chip: str) -> None:
    made, place = make(chip, "reference"), PLACES[chip][0]
    boot(made, place, {BRISC: wait_register(counter(1, n.READ_RESPONSES), 7), TRISC0: []})
    assert made.run(100_000)
    lines = loops(who_waits(made.running))
    assert "  BRISC pc 0x10: waits for NoC 1: answers to reads (0)" in lines
    assert "  TRISC0 pc 0x6000: waits for nothing that changes" in lines
    assert who_waits(made.running, lambda tile, core: False) == []
