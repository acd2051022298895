"""Which programs a tile's cores can be given, and how cores are started on them."""

from collections.abc import Iterable, Mapping

from tilelab.elf.program import Program, check_apart
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend.soft_reset import CORE_BITS
from tilelab.tensix.state import TensixState
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tables.tile_registers import NCRISC_RESET_PC, NCRISC_RESET_PC_OVERRIDE
from tilelab.tensix.words.origin import BRISC, NCRISC


def core_id(name: str) -> int:
    """A core's number; BadInputError if there is none of that name."""
    if not isinstance(name, str) or name not in CORE_IDS:
        raise BadInputError(f"no core is called {name!r}: choose from {', '.join(CORE_IDS)}")
    return CORE_IDS[name]


def check_programs(arch: Arch, programs: Mapping[str, Program]) -> None:
    """BadInputError unless each program fits its core and L1, and none lies on another."""
    for core, program in programs.items():
        program.check_fits(arch.l1_size, arch.local_ram[core_id(core)])
    check_apart(programs.values())


def reset_pcs(state: TensixState, programs: Mapping[int, Program], cores: Iterable[str]) -> int:
    """Make each core's entry its reset PC; returns the soft reset value that starts them.

    BadInputError, with nothing changed, if one has no program, or a BRISC's that is not at 0.
    """
    record, numbers = state.record, [core_id(name) for name in cores]
    for name, core in zip(cores, numbers, strict=True):
        if core not in programs:
            raise BadInputError(f"{name} has no program to start")
        if core == BRISC and programs[core].entry:
            entry = programs[core].entry
            raise BadInputError(f"{name} starts at 0, but its program begins at {entry:#x}")
    value = int(record["soft_reset"])
    for core in numbers:
        if core != BRISC:
            _set_reset_pc(state, core, programs[core].entry)
        value &= ~(1 << CORE_BITS[core])
    return value


def _set_reset_pc(state: TensixState, core: int, entry: int) -> None:
    """Have a core other than BRISC start at its entry."""
    record, base = state.record, state.arch.reset_pc_config
    if base and core == NCRISC:
        record["config"][:, base + 4] = entry
        record["config"][:, base + 5] |= 1
    elif base:
        record["config"][:, base + core] = entry
        record["config"][:, base + 3] |= 1 << core
    elif core == NCRISC:
        record["debug_register"][NCRISC_RESET_PC >> 2] = entry
        record["debug_register"][NCRISC_RESET_PC_OVERRIDE >> 2] |= 1
    else:
        record["trisc_reset_pc"][core] = entry
        record["trisc_reset_pc_override"] |= 1 << core
