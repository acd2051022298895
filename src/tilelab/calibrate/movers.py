"""Data-movement kernels of public checkouts, compiled with the vendor's own headers for a chip.

The headers are those of a checkout of tt-metal or of an unpacked wheel of ttnn; start-up code and
the zones' ends are ours (``standin_mover/``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.build.cache import keep, kept, key
from tilelab.build.standin.layout import PREFIX
from tilelab.build.vendors.tree import options
from tilelab.calibrate import machine
from tilelab.calibrate.machine import RESULTS, NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.programs import ARGUMENTS, STANDIN, start_up, symbols
from tilelab.tensix.arch import ARCHES

OWN: Final = Path(__file__).parent / "standin_mover"
API: Final = "tt_metal/hw/inc/api/dataflow/dataflow_api.h"
INCLUDES: Final = "tt_metal/hw/inc"
BANKS: Final = ARGUMENTS + 0x400
"""Where a tile is told of DRAM's banks."""
PARTS: Final = {"mover": "KERNEL_BUILD", "firmware": "FW_BUILD"}
"""What a program is compiled from, and what the vendor's headers are told of it."""
ZONES: Final = RESULTS
"""Where zones leave their markers."""


@dataclass(frozen=True)
class Mover:
    """A kernel: its files, which one it is, for which core and NoC, with which arguments."""

    files: Mapping[str, bytes]
    name: str
    core: str
    noc: int
    arguments: Sequence[int] = ()
    """What ``get_compile_time_arg_val`` gives."""
    needs: str = "api/dataflow/dataflow_api.h"
    """A header that it includes and that not every release has."""


def headers(bench: Perfbench, needs: str) -> Path | None:
    """The first checkout whose headers of tt-metal have such a file; None if none has."""
    for checkout in bench.kernels.checkouts:
        folder = checkout.folder
        if (folder / API).is_file() and (folder / INCLUDES / needs).is_file():
            return folder
    return None


def bank_words(arch: str) -> list[int]:
    """What a tile is told of DRAM's banks: where each NoC finds them, and their offsets."""
    chip, places = ARCHES[arch], []
    for noc in range(2):
        for view in chip.soc.views:
            ports = [place for place, bank in chip.layout.dram.items() if bank == view.channel]
            x, y = ports[view.worker_endpoints[noc]]
            if noc and x < chip.layout.mirrored_below:
                x, y = chip.noc.width - 1 - x, chip.noc.height - 1 - y
            places.append((x | y << 6) << chip.noc.coordinate_shift)
    offsets = [view.offset for view in chip.soc.views]
    return places + offsets


def image(bench: Perfbench, arch: str, mover: Mover) -> bytes:
    """The kernel's program; NotRunError if it does not build."""
    tree = headers(bench, mover.needs)
    if tree is None:
        needed = f"{INCLUDES}/{mover.needs}"
        raise NotRunError(f"needs {needed}: --kernels with a wheel of ttnn, unpacked")
    own = [path.read_bytes() for path in sorted(OWN.iterdir())]
    facts = (str(tree), bench.builder.compiler.version, arch, repr(mover), __file__)
    kept_as = key(["mover", *facts, Path(__file__).read_bytes(), *own])
    if (found := kept(kept_as)) is not None:
        return found
    with machine.vendors_folder(bench.builder.compiler.name, mover.files) as folder:
        (folder / "begin.s").write_text(start_up(arch))
        objects = []
        for part, built in PARTS.items():
            objects.append(str(folder / f"{part}.o"))
            own_ = [*_options(folder, tree, arch, mover), f"-D{built}", "-c"]
            machine.build([*own_, str(OWN / f"{part}.cpp"), "-o", objects[-1]], mover.name)
        machine.build(_linking(folder, tree, arch, mover, objects), mover.name)
        made = (folder / "made.elf").read_bytes()
    keep(kept_as, made)
    return made


def _options(folder: Path, tree: Path, arch: str, mover: Mover) -> list[str]:
    """The compiler and the options of the vendor's host."""
    banks = len(ARCHES[arch].soc.views)
    names: dict[str, object] = {
        "NOC_INDEX": mover.noc,
        "NUM_DRAM_BANKS": banks,
        "LOG_BASE_2_OF_NUM_DRAM_BANKS": banks.bit_length() - 1,
        "KERNEL": f'"{mover.name}"',
        "KERNEL_COMPILE_TIME_ARGS": ",".join(map(str, mover.arguments)),
        **{"ARGUMENTS": ARGUMENTS, "BANKS": BANKS, "ZONES": ZONES},
    }
    if banks & banks - 1:
        names["IS_NOT_POW2_NUM_DRAM_BANKS"] = 1
    return [
        str(folder / f"compiler/bin/{PREFIX}g++"),
        *options(tree, arch, mover.core),
        *(f"-U{name}" for name in names),
        *("-w", f"-I{folder}", *(f"-D{name}={value}" for name, value in names.items())),
    ]


def _linking(
    folder: Path, tree: Path, arch: str, mover: Mover, objects: Sequence[str]
) -> list[str]:
    places = symbols(arch, mover.core).items()
    return [
        *_options(folder, tree, arch, mover),
        *(f"-Wl,--defsym={name}={value:#x}" for name, value in places),
        *("-T", str(STANDIN / "link.ld"), "-Wl,-z,muldefs", "-Wl,--gc-sections"),
        *(str(folder / "begin.s"), *objects, "-o", str(folder / "made.elf")),
    ]
