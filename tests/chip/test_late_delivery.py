"""A chip that delivers as late as it may: right programs stay right, a missing barrier is named."""

import pytest

from chip_program import (
    BRISC,
    CHIPS,
    DRAM,
    PLACES,
    READ,
    WRITE,
    at,
    boot,
    counter,
    keep,
    request,
    results,
    wait_register,
)
from tilelab.chip.chip import Chip
from tilelab.sim.errors import BadInputError, UndefinedBehaviorError
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.layout import Place

EACH = pytest.mark.parametrize("chip", CHIPS)
SOURCE, COPY = 0x20_0040, 0x30_0040
DATA = bytes(range(1, 65))


def late(chip: str, engine: str = "fast") -> tuple[Chip, Place]:
    made = Chip(chip, PLACES[chip][:1], engine, delivery="late")
    made.write(DRAM[chip], SOURCE, DATA)
    made.write(DRAM[chip], COPY, bytes(64))
    return made, PLACES[chip][0]


def read(made: Chip, own: Place, chip: str) -> list[int]:
    return request(made.arch, READ, (SOURCE, at(DRAM[chip])), (0x4040, at(own)), 64)


@pytest.mark.parametrize("engine", ["reference", "fast"])
@EACH
def test_with_barriers_results_are_the_same(chip: str, engine: str) -> None:
    made, own = late(chip, engine)
    program = [*read(made, own, chip), *wait_register(counter(0, n.READ_RESPONSES), 1)]
    program += [*keep(0x4040, 0)]
    program += request(made.arch, WRITE, (0x4040, at(own)), (COPY, at(DRAM[chip])), 64)
    boot(made, own, {BRISC: program + wait_register(counter(0, n.WRITE_ACKS), 1)})
    assert made.run(100_000)
    assert results(made, own, 1) == [int.from_bytes(DATA[:4], "little")]
    assert made.read(DRAM[chip], COPY, 64) == DATA


@EACH
def test_a_missing_barrier_names_the_read(chip: str) -> None:
    made, own = late(chip)
    first = read(made, own, chip)
    boot(made, own, {BRISC: [*first, *keep(0x4044, 0)]})
    with pytest.raises(UndefinedBehaviorError) as raised:
        made.run(100_000)
    said = str(raised.value)
    assert f"(Tensix tile {own[0]},{own[1]}, BRISC, cycle " in said
    assert f"  from   BRISC pc {4 * len(first) - 4:#x}\n" in said
    assert "NoC 0 read" in said
    assert "its data are used at 0x4044 before they have come: a barrier is missing" in said


@EACH
def test_prompt_delivery_does_not_see_it(chip: str) -> None:
    made = Chip(chip, PLACES[chip][:1])
    own = PLACES[chip][0]
    made.write(DRAM[chip], SOURCE, DATA)
    boot(made, own, {BRISC: [*read(made, own, chip), *keep(0x4044, 0)]})
    assert made.run(100_000)
    assert results(made, own, 1) == [int.from_bytes(DATA[4:8], "little")]


@EACH
def test_without_its_barrier_a_copy_is_wrong(chip: str) -> None:
    made, own = late(chip)
    program = read(made, own, chip)
    program += request(made.arch, WRITE, (0x4040, at(own)), (COPY, at(DRAM[chip])), 64)
    program += wait_register(counter(0, n.READ_RESPONSES), 1)
    boot(made, own, {BRISC: program + wait_register(counter(0, n.WRITE_ACKS), 1)})
    with pytest.raises(UndefinedBehaviorError, match="used at 0x4040 before they have come"):
        made.run(100_000)
    assert made.read(DRAM[chip], COPY, 64) == bytes(64)


def test_other_deliveries_are_refused() -> None:
    with pytest.raises(BadInputError, match="no delivery is called 'never'"):
        Chip("blackhole", delivery="never")
