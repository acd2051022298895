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
from riscv_program import HALT, T0, T1, addi, li, load, store, sw
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n

SOURCE, SUM = 0x20_0040, 0x30_0040
DONE = 0x7000
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
    number = arch(chip).layout.host.config[0] >> 16
    lines = [
        f"chip {number:x}",
        f"W {x} {y} {SOFT_RESET:x} {words([0x47800])}",
        f"R {x} {y} {SOFT_RESET:x} {words([0x47800])}",
        f"W {x} {y} 0 {words(firmware(chip))}",
        f"W {dx} {dy} {SOURCE:x} {words(NUMBERS)}",
        f"W {x} {y} {SOFT_RESET:x} {words([0x47000])}",
        f"P {x} {y} {DONE:x} {words([0xC0DE])}",
        f"R {dx} {dy} {SUM:x} {words([value + 1 for value in NUMBERS])}",
    ]
    return "\n".join(lines) + "\n"


def write_recording(folder: Path, chip: str, text: str | None = None) -> Path:
    path = folder / f"{chip}.txt"
    path.write_text(recording(chip) if text is None else text, encoding="ascii")
    return path


assert BRISC == 3
