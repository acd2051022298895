"""A recording of traffic with firmware of our own: what a host would write and read."""

from pathlib import Path

from chip_program import (
    BRISC,
    DRAM,
    PLACES,
    READ,
    RESULT,
    SOFT_RESET,
    WRITE,
    at,
    counter,
    request,
    wait_register,
)
from reference_data import ROOT
from riscv_program import HALT, RESET_BITS, T0, T1, addi, li, load, store, sw
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n

SHARED = ROOT.parent / "shared" / "data" / "ttnn"
"""Recordings of the vendor's programs."""

SOURCE, SUM = 0x20_0040, 0x30_0040
DONE = 0x7000
HELD = 0x47800
"""All cores are held in reset."""
NUMBERS = (5, 17, 300, 70_000)


def firmware(chip: str) -> list[int]:
    """Reads four numbers from DRAM, writes them back increased by 1, and says that it is done."""
    own, dram = at(PLACES[chip][0]), at(DRAM[chip])
    made = request(arch(chip), READ, (SOURCE, dram), (0x4040, own), 16)
    made += wait_register(counter(0, n.READ_RESPONSES), 1)
    for i in range(len(NUMBERS)):
        made += [
            *load(T1, 0x4040 + 4 * i),
            addi(T1, T1, 1),
            *li(T0, RESULT + 0x40 + 4 * i),
            sw(T1, T0),
        ]
    made += request(arch(chip), WRITE, (RESULT + 0x40, own), (SUM, dram), 16)
    made += wait_register(counter(0, n.WRITE_ACKS), 1)
    return [*made, *store(DONE, 0xC0DE), HALT]


def words(values: tuple[int, ...] | list[int]) -> str:
    return b"".join(value.to_bytes(4, "little") for value in values).hex()


def recording(chip: str) -> str:
    """The traffic as text; every reply follows from what the firmware is said to do."""
    (x, y), (dx, dy) = PLACES[chip][0], DRAM[chip]
    return started(
        chip,
        [(0, firmware(chip))],
        [f"W {dx} {dy} {SOURCE:x} {words(NUMBERS)}"],
        [
            f"P {x} {y} {DONE:x} {words([0xC0DE])}",
            f"R {dx} {dy} {SUM:x} {words([value + 1 for value in NUMBERS])}",
        ],
    )


def started(
    chip: str,
    programs: list[tuple[int, list[int]]],
    before: list[str],
    after: list[str],
    cores: tuple[int, ...] = (BRISC,),
    tiles: int = 1,
) -> str:
    """Programs, by address, are written to the first tiles, and their cores released."""
    number = arch(chip).layout.host.config[0] >> 16
    released = HELD & ~sum(1 << RESET_BITS[core] for core in cores)
    lines = [f"chip {number:x}"]
    for x, y in PLACES[chip][:tiles]:
        lines += [
            f"W {x} {y} {SOFT_RESET:x} {words([HELD])}",
            f"R {x} {y} {SOFT_RESET:x} {words([HELD])}",
            *(f"W {x} {y} {address:x} {words(program)}" for address, program in programs),
        ]
    lines += before
    lines += [f"W {x} {y} {SOFT_RESET:x} {words([released])}" for x, y in PLACES[chip][:tiles]]
    return "\n".join([*lines, *after]) + "\n"


def write_recording(folder: Path, chip: str, text: str | None = None) -> Path:
    path = folder / f"{chip}.txt"
    path.write_text(recording(chip) if text is None else text, encoding="ascii")
    return path


assert BRISC == 3
