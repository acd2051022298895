"""The data paths: which memory holds the slots, which hardware pipe signals and waits.

Seed 002 for the names; the producer's waits and V2C_MAT from pto-isa ``TPush.hpp``. On A2/A3
``wait_flag_dev`` stalls the whole core, so waits carry no pipe. ``free_vendor`` is the code's pipe
where the seed names another.
"""

from dataclasses import dataclass
from typing import Literal

from tilelab.pto.config import Direction, FifoType, Half, Pipe, TMPipe
from tilelab.pto.errors import ProfileError, ProfileUnsupported

Medium = Literal["GM", "UB", "MAT", "CTRL"]


@dataclass(frozen=True)
class Path:
    """One row: the half (C2V or V2C), the slots' memory, and the pipe of each synchronisation."""

    name: str
    half: Half
    medium: Medium
    ready: str
    wait: str
    free: str
    claim: str
    free_vendor: str = ""
    late_free: bool = False  # the code's TPOP leaves the slot to TFREE
    control_in_gm: bool = False  # control words lie in GM, not in a memory of their own

    @property
    def zero_copy(self) -> bool:
        """Whether a popped tile is the slot itself."""
        return self.medium in ("UB", "MAT")

    @property
    def pop(self) -> str:
        """How TPOP gets the tile: TLOAD from the slot, or TASSIGN to it; "" for a control word."""
        return {"GM": "TLOAD", "CTRL": ""}.get(self.medium, "TASSIGN")


@dataclass(frozen=True)
class Arch:
    """One architecture: its primitives, memories in bytes, and paths by direction.

    Capacities: pto-isa docs/isa/TASSIGN.md.
    """

    name: str
    chips: tuple[str, ...]  # as the assembler names them
    family: str  # as the compiler does
    defines: tuple[str, ...]  # what its kernels are compiled with, besides
    signal: str
    wait: str
    reduces: bool  # V->C: one counter that rises when every Vector core has signalled
    opens_with_credits: bool  # the vendor's code: a consumer's opening sends a SyncPeriod of them
    tfree_frees: bool  # the vendor's code: TFREE(pipe) releases the slot
    counter_note: str  # on the width of a flag counter
    capacity: dict[str, int]
    paths: dict[Direction, tuple[Path, ...]]
    fifos: tuple[FifoType, ...]


_C2V = Path("C2V", "C2V", "GM", ready="FIX", wait="", free="MTE2", claim="")
_V2C = Path("V2C", "V2C", "GM", ready="MTE3", wait="", free="MTE2", claim="")
_CTRL = Path("V2C_CTRL", "V2C", "CTRL", "S", wait="", free="MTE2", claim="", control_in_gm=True)
_C2V_UB = Path(
    "C2V_UB", "C2V", "UB", "FIX", "V", "MTE2", "FIX", free_vendor="V", late_free=True
)  # the seed names MTE2 for every C2V free
_C2V_GM = Path("C2V_GM", "C2V", "GM", ready="FIX", wait="MTE2", free="MTE2", claim="FIX")
_V2C_MAT = Path(
    "V2C_MAT", "V2C", "MAT", ready="MTE3", wait="MTE1", free="MTE1", claim="MTE3", late_free=True
)
_V2C_GM = Path("V2C_GM", "V2C", "GM", ready="MTE3", wait="MTE2", free="MTE1", claim="MTE3")
_V2C_CTRL = Path("V2C_CTRL", "V2C", "CTRL", "S", wait="S", free="S", claim="S", late_free=True)

_KIB = 1024
ARCHS = {
    "a2a3": Arch(
        "a2a3",
        chips=("a2", "a3"),
        family="C220",
        defines=(),
        signal="ffts_cross_core_sync",
        wait="wait_flag_dev",
        reduces=True,
        opens_with_credits=False,
        tfree_frees=False,
        counter_note="",
        capacity={"UB": 192 * _KIB, "L1": 512 * _KIB, "L0C": 128 * _KIB, "L0A": 64 * _KIB,
                  "L0B": 64 * _KIB, "BT": 1 * _KIB, "FB": 2 * _KIB},
        paths={
            Direction.DIR_C2V: (_C2V,),
            Direction.DIR_V2C: (_V2C,),
            Direction.DIR_BOTH: (_C2V, _V2C),
            Direction.DIR_V2C_CTRL: (_CTRL,),
        },
        fifos=(FifoType.GM_FIFO, FifoType.CTRL_FIFO),
    ),
    "a5": Arch(
        "a5",
        chips=("a5",),
        family="C310",
        defines=("TILELAB_A5",),
        signal="set_intra_block",
        wait="wait_intra_block",
        reduces=False,
        opens_with_credits=True,
        tfree_frees=True,
        counter_note=" (A5's width is undocumented; flag_bits= sets it)",
        capacity={"UB": 256 * _KIB, "L1": 512 * _KIB, "L0C": 256 * _KIB, "L0A": 64 * _KIB,
                  "L0B": 64 * _KIB, "BT": 4 * _KIB, "FB": 4 * _KIB},
        paths={
            Direction.DIR_C2V: (_C2V_UB,),
            Direction.DIR_V2C: (_V2C_MAT,),
            Direction.DIR_BOTH: (_C2V_UB, _V2C_MAT),
            Direction.DIR_V2C_CTRL: (_V2C_CTRL,),
            Direction.DIR_C2V_GM: (_C2V_GM,),
            Direction.DIR_V2C_GM: (_V2C_GM,),
            Direction.DIR_BOTH_GM: (_C2V_GM, _V2C_GM),
        },
        fifos=tuple(FifoType),
    ),
}  # fmt: skip


def find_arch(name: str) -> Arch:
    """The architecture by name; the CPU profile raises as the seed states."""
    if name == "cpu":
        raise ProfileUnsupported(
            "TPUSH and TPOP do not exist on the CPU profile: they need the NPU's inter-core "
            "synchronisation",
            'Model the hardware instead: Cluster(arch="a2a3") or Cluster(arch="a5").',
        )
    if name not in ARCHS:
        raise ProfileError(f"no architecture {name!r}; there are {', '.join(ARCHS)}")
    return ARCHS[name]


def find_path(arch: Arch, pipe: Pipe, half: Half) -> Path:
    """The row for one half of a pipe, or ProfileError."""
    direction = pipe.direction
    if isinstance(pipe, TMPipe):
        if pipe.fifo not in arch.fifos:
            raise ProfileError(f"{pipe.fifo.name} does not exist on {arch.name}")
        if direction not in arch.paths:
            plain = (one for one in arch.paths if one.through_gm is direction)
            direction = next(plain, direction)
    for path in arch.paths.get(direction, ()):
        if path.half == half:
            return path
    raise ProfileError(f"{pipe.direction.name} does not exist on {arch.name}")
