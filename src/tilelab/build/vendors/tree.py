"""Where the vendor's headers are, and how its host has a core's kernel compiled.

Folders, options and macros: as the host of ``ttnn`` 0.81.1 calls its compiler.
"""

import os
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tilelab.build.standin.command import CHIPS
from tilelab.build.standin.foreign import LONG_NAMES
from tilelab.build.vendors.wheel import find_wheel
from tilelab.kernels.kernel_toml.building import INSTALLED
from tilelab.sim.errors import BadInputError

CHECKOUT: Final = "TT_METAL_HOME"
"""The vendor's own name for where a checkout is."""
PROCESSORS: Final = {chip: short for short, chip in CHIPS.items()}
PLACE: Final = "tt_metal/hw/inc/api/compute/common.h"
"""What a tree of headers has."""
FOLDERS: Final = (
    *("", "ttnn", "ttnn/cpp", "tt_metal", "tt_metal/hw/inc", "tt_metal/tt-llk/common"),
    *("tt_metal/tt-llk/tools/include", "tt_metal/hostdevcommon/api", "tt_metal/api"),
    *(f"tt_metal/hw/ckernels/{{long}}/metal/{name}" for name in ("common", "llk_io")),
    "tt_metal/hw/inc/internal/tt-1xx",
    *(
        f"tt_metal/hw/inc/internal/tt-1xx/{{chip}}{name}"
        for name in ("", "/{long}_defines", "/noc")
    ),
    *(f"tt_metal/tt-llk/tt_llk_{{long}}/{name}" for name in ("common/inc", "llk_lib")),
    "tt_metal/tt-llk/tt_llk_{long}/llk_lib/hal",
    *(f"tt_metal/hw/ckernels/{{long}}/metal/{name}" for name in ("llk_api", "llk_api/llk_sfpu")),
    "tt_metal/hw/firmware/src/tt-1xx",
)
WRAPPERS: Final = {
    **dict.fromkeys(("trisc0", "trisc1", "trisc2"), "trisck.cc"),
    **{"brisc": "brisck.cc", "ncrisc": "ncrisck.cc"},
}
"""What of the vendor's includes a core's kernel."""
CODE: Final = (
    *("-std=c++17", "-g", "-ffast-math", "-fno-finite-math-only", "-fsigned-zeros"),
    *("-fno-associative-math", "-fno-exceptions", "-fno-rtti", "-fno-use-cxa-atexit"),
    # as for a whole program: what nothing uses is left out
    "-flto=1",
)
LEVELS: Final = {core: "-O3" if core.startswith("trisc") else "-O2" for core in WRAPPERS}
MACROS: Final = (
    # a lone tile's DRAM is its own L1
    *("LOG_BASE_2_OF_NUM_DRAM_BANKS=0", "LOG_BASE_2_OF_NUM_L1_BANKS=0"),
    *("NUM_DRAM_BANKS=1", "NUM_L1_BANKS=1", "PCIE_NOC_X=19", "PCIE_NOC_Y=24", "TENSIX_FIRMWARE"),
    *("LOCAL_MEM_EN=0", "DISABLE_SFPLOADMACRO", "PROGRAMMABLE_CORE_TYPE=0"),
    "DISPATCH_MESSAGE_ADDR=4290184248",
)
OWN_MACROS: Final[Mapping[str, tuple[str, ...]]] = {
    "brisc": ("PROCESSOR_INDEX=0", "COMPILE_FOR_BRISC", "NOC_INDEX=1", "NOC_MODE=0"),
    "ncrisc": ("PROCESSOR_INDEX=1", "COMPILE_FOR_NCRISC", "NOC_INDEX=0", "NOC_MODE=0"),
    "trisc0": ("PROCESSOR_INDEX=2", "UCK_CHLKC_UNPACK", "COMPILE_FOR_TRISC=0"),
    "trisc1": ("PROCESSOR_INDEX=3", "UCK_CHLKC_MATH", "COMPILE_FOR_TRISC=1"),
    "trisc2": ("PROCESSOR_INDEX=4", "UCK_CHLKC_PACK", "COMPILE_FOR_TRISC=2"),
}


def find_tree(headers: str) -> Path:
    """The folder of the vendor's headers: a path as ``[build]`` names it, or where they are found.

    Looked for in this order: the checkout that CHECKOUT names, ``ttnn`` in this Python, ``ttnn``
    in the Pythons that it is published for. BadInputError if there are none.
    """
    if headers != INSTALLED:
        for folder in (Path(headers), *Path(headers).glob("lib/python3.*/site-packages/ttnn")):
            if (folder / PLACE).is_file():
                return folder
        raise BadInputError(f"{headers}: no headers of tt-metal: it has no {PLACE}")
    return _installed(os.environ.get(CHECKOUT, ""))


@cache
def _installed(checkout: str) -> Path:
    if checkout:
        if not (Path(checkout) / PLACE).is_file():
            raise BadInputError(f"{CHECKOUT}={checkout}: has no {PLACE}")
        return Path(checkout)
    spec = find_spec("ttnn")
    folder = Path(spec.origin).parent if spec and spec.origin else _in_other_pythons()
    if not (folder / PLACE).is_file():
        raise BadInputError(f"{folder}: this ttnn has no {PLACE}")
    return folder


def _in_other_pythons() -> Path:
    try:
        return find_wheel()[1]
    except BadInputError as error:
        what, _, _ = error.summary.partition(": --python")
        raise BadInputError(
            f'no headers of tt-metal ({what}): headers = "…" in [build] names a folder, or '
            f"{CHECKOUT} a checkout"
        ) from None


def folders(tree: Path, chip: str) -> list[Path]:
    """Where the host's compiler looks for a kernel's headers."""
    return [tree / folder.format(chip=chip, long=LONG_NAMES[chip]) for folder in FOLDERS]


def options(tree: Path, chip: str, core: str) -> list[str]:
    """The host's options for a core's kernel."""
    unit = "-tensix" if core.startswith("trisc") else ""
    return [
        f"-mcpu=tt-{PROCESSORS[chip]}{unit}",
        LEVELS[core],
        *CODE,
        *(f"-I{folder}" for folder in folders(tree, chip)),
        *(f"-D{each}" for each in (*MACROS, *OWN_MACROS[core], f"ARCH_{chip.upper()}")),
    ]
