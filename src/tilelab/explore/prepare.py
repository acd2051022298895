"""Brings a program onto a tile to where its schedules begin, and says what its result is.

``ordered``: as :class:`.Explorer` takes it.
"""

from collections.abc import Mapping

from tilelab.elf.program import Program as ElfProgram
from tilelab.explore.explorer import Explorer, whole_l1
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.moment import Moment
from tilelab.kernels.run import load
from tilelab.sim.errors import BadInputError
from tilelab.sim.kernel import OK
from tilelab.tensix.cycle.cores import accepts
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program
from tilelab.tensix.words.origin import HOST, origin_of

TEMPORAL = (
    *("clock", "effects", "l1_effects", "private_effects", "frontend", "riscv"),
    *NOT_ARCHITECTURE,
)
"""Parts of the state that may differ from schedule to schedule, or mean nothing at the end."""


def kernel_explorer(
    kernel: KernelFile, tile: Tile, max_cycles: int, ordered: bool = False
) -> Explorer:
    """An explorer of a kernel; its outputs are its result, all of L1 if it names none."""
    load(tile, kernel)
    watch = dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value)

    def outputs(ran: Tile) -> bytes:
        return b"".join(ran.read(output.address, output.size) for output in kernel.outputs)

    return Explorer(tile, outputs if kernel.outputs else whole_l1, watch, max_cycles, ordered)


def elf_explorer(
    elfs: Mapping[str, ElfProgram], tile: Tile, max_cycles: int, ordered: bool = False
) -> Explorer:
    """An explorer of bare ELFs, whose result is all of L1 once nothing can change any more."""
    tile.load_programs(elfs)
    tile.start(*elfs)
    return Explorer(tile, whole_l1, {}, max_cycles, ordered)


def moment_explorer(moment: Moment, tile: Tile, max_cycles: int, ordered: bool = False) -> Explorer:
    """An explorer of what goes on from a moment."""
    moment.put(tile)
    return Explorer(tile, moment.result_of, dict(moment.done), max_cycles, ordered)


def program_explorer(
    program: Program, tile: Tile, max_cycles: int, ordered: bool = False
) -> Explorer:
    """An explorer of an assembly program; its result is the architecture's state at its end."""
    push_all(program, tile)
    return Explorer(tile, architecture, {}, max_cycles, ordered)


def push_all(program: Program, tile: Tile) -> None:
    """Push an assembly program's words before anything runs.

    BadInputError if they do not fit into the threads' FIFOs, for nobody feeds them later.
    """
    tile.sources.host_file = program.file
    s = tile.state.s
    for statement in program.statements:
        t = statement.thread
        if statement.mop_cfg is not None:
            if s.frontend[t].input_fifo.count:
                raise BadInputError(
                    f"{program.file}:{statement.line}: schedules of assembly want .mopcfg before "
                    "the thread's first instruction"
                )
            s.frontend[t].mop_cfg[statement.mop_cfg] = statement.word
        elif not accepts(s, t) or push(s, t, statement.word, origin_of(HOST, statement.line)) != OK:
            raise BadInputError(
                f"{program.file}:{statement.line}: schedules of assembly want at most "
                f"{tile.arch.input_fifo[t]} instructions in thread {t}, for its FIFO"
            )


def architecture(tile: Tile) -> bytes:
    """The state that programs can see, and L1."""
    record = tile.state.record
    names = [n for n in record.dtype.names or () if not n.startswith(TEMPORAL)]
    return b"".join(record[name].tobytes() for name in names) + whole_l1(tile)
