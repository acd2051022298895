"""Objects in the vendor's own intermediate form: built again from the sources that lie beside them.

tt-metal hands over three such objects, ``runtime/hw/lib/CHIP/NAME.o``, which hold what the vendor's
compiler makes before it optimises a whole program, and no code.
"""

from pathlib import Path

from tilelab.build.standin.command import Command, Input
from tilelab.sim.errors import BadInputError

SOURCES = {
    "substitutes.o": "hw/toolchain/substitutes.cpp",
    "tdma_xmov.o": "hw/firmware/src/tt-1xx/tdma_xmov.c",
    "noc.o": "hw/firmware/src/tt-1xx/{chip}/noc.c",
}
FOLDERS = (
    *("", "..", "hw/inc", "hw/inc/internal", "hw/inc/internal/tt-1xx"),
    *("hw/inc/internal/tt-1xx/{chip}", "hw/inc/internal/tt-1xx/{chip}/{long}_defines"),
    *("hw/inc/internal/tt-1xx/{chip}/noc", "hostdevcommon/api"),
    "hw/ckernels/{long}/metal/common",
)
LONG_NAMES = {"blackhole": "blackhole", "wormhole": "wormhole_b0"}


def rebuilding(path: Path, chip: str) -> tuple[Command, Input]:
    """How to build such an object from its source; BadInputError for one that is not known."""
    tree = path.absolute().parents[4] / "tt_metal" if len(path.absolute().parents) > 4 else path
    source = tree / SOURCES.get(path.name, "").format(chip=chip)
    if not source.is_file():
        raise BadInputError(f"{path}: holds another compiler's intermediate form, and no code")
    names = {"chip": chip, "long": LONG_NAMES[chip]}
    defines = (f"ARCH_{chip.upper()}", "TENSIX_FIRMWARE", "LOCAL_MEM_EN=0")
    command = Command(
        chip=chip,
        stage="object",
        preprocessing=[
            *(f"-D{each}" for each in defines),
            *(f"-I{tree / folder.format(**names)}" for folder in FOLDERS),
        ],
        code=["-Os", "-std=c++20", "-fno-rtti"],
    )
    return command, Input(str(source), "c++")
