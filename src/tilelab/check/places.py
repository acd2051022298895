"""How findings name what they are about: each rule has one of these."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from tilelab.check import shadow
from tilelab.tensix.arch import Arch
from tilelab.tensix.report.explain import SEMAPHORE_NAMES


class Noted(Protocol):
    """A tile of which the checker keeps notes."""

    @property
    def arch(self) -> Arch:
        """Its chip."""

    @property
    def engine(self) -> Any:
        """Where the notes are."""


Namer = Callable[[Noted, int], str]
SRCS: Final = ("SrcA", "SrcB")


def cell_name(cell: int) -> str:
    """What a watched cell is, in words."""
    if cell < shadow.SRC:
        return f"Dst row {cell}"
    if cell < shadow.GPR:
        at = cell - shadow.SRC
        return f"{SRCS[at >> shadow.SRC_SHIFT]} bank {at >> 6 & 1}, row {at & 63}"
    if cell < shadow.CONFIG:
        at = cell - shadow.GPR
        return f"GPR {at & 63} of thread {at >> 6}"
    if cell < shadow.THREAD_CONFIG:
        at = cell - shadow.CONFIG
        return f"Config[{at >> 8}][{at & 255}]"
    thread, word = divmod(cell - shadow.THREAD_CONFIG, shadow.THREAD_WORDS)
    return f"ThreadConfig[{thread}][{word}]"


def fields_of(tile: Noted, cell: int) -> dict[str, int]:
    """The fields of a configuration word, each with its bits."""
    space = "t" if cell >= shadow.THREAD_CONFIG else "c"
    at = cell - (shadow.THREAD_CONFIG if space == "t" else shadow.CONFIG)
    word = at % shadow.THREAD_WORDS if space == "t" else at & 255
    fields = tile.arch.config_fields.items()
    here = ((name, one) for name, one in fields if one.word == word and one.space == space)
    return {name: (2 << one.hi - one.lo) - 1 << one.lo for name, one in here}


def config_name(tile: Noted, cell: int, bits: int = 0xFFFFFFFF) -> str:
    """A configuration word with the names of its fields, of those that have some of its bits."""
    names = [name for name, mask in fields_of(tile, cell).items() if bits & mask]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{cell_name(cell)} ({shown})" if shown else cell_name(cell)


def cell(tile: Noted, value: int) -> str:
    """A row of Dst or Src, a GPR, or a word of configuration."""
    return config_name(tile, value) if value >= shadow.CONFIG else cell_name(value)


def l1(tile: Noted, value: int) -> str:
    """A watched piece of L1."""
    return f"L1 {value:#x}…{value + 15:#x}"


def array(tile: Noted, kind: int) -> str:
    """The array or circular buffer that is a kind of L1."""
    area = tile.engine.arrays[kind - shadow.ARRAYS]
    name = "an array" if area.buffer is None else f"circular buffer c_{area.buffer}"
    return f"{name} at {area.address:#x}"


def kind(tile: Noted, value: int) -> str:
    """A piece of L1 with what it is for, beside programs."""
    number = int(tile.engine.l1_shadow["shadow_kind"][value >> shadow.GRANULE_SHIFT])
    if number == 0:
        return f"{l1(tile, value)}, behind the end of the array in which it began"
    if number < shadow.ARRAYS:
        return f"{l1(tile, value)}, where circular buffers are counted"
    name = array(tile, number)
    if tile.engine.shadow["input_kind"][number]:
        about = f"in an input of the kernel ({name})"
    else:
        about = f"in {name}, with a tile that began elsewhere"
    return f"{l1(tile, value)}, {about}"


def number(text: str) -> Namer:
    """A number with text around: ``replay slot {}``."""
    return lambda tile, value: text.format(value)


def semaphore(tile: Noted, value: int) -> str:
    """A semaphore by number and name."""
    return f"semaphore {value} ({SEMAPHORE_NAMES[value]})"
