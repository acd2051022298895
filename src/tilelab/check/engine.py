"""The fast engine compiled with the checker in it, and the tile that runs on it."""

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from tilelab.check import (
    accesses,
    addressing,
    caches,
    config_bits,
    counters,
    edges,
    formats,
    issue,
    knowledge,
    l1,
    lregs,
    mops,
    noc,
    replays,
    semaphores,
    shadow,
    windows,
)
from tilelab.check.rules import Rule
from tilelab.check.watch import Watch, described, fields_of
from tilelab.elf.program import Program
from tilelab.formats.placement import Placement
from tilelab.kernelpy.layout import Buffer, record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.tiers import Code
from tilelab.kernelpy.watch import Hook, Watched, watched_module
from tilelab.kernelpy.watch import Watch as Watching
from tilelab.sim.checks import Check, Policy
from tilelab.sim.kernel import kernel
from tilelab.sim.record import record_type
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import dst, mailboxes, semantics, src_registers, sync_unit
from tilelab.tensix.backend.unpackers import banks
from tilelab.tensix.frontend import fifo, mop_expander
from tilelab.tensix.noc import niu
from tilelab.tensix.riscv import host, load_store, memory_map
from tilelab.tensix.run import execute, rounds
from tilelab.tensix.run.speed import batches, fast, generate, stream
from tilelab.tensix.run.speed.source_text import Source
from tilelab.tensix.state import HEADER_BYTES, TensixState
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.tables.tile_registers import LOCAL_RAM
from tilelab.tensix.tile.contents import Bytes
from tilelab.tensix.tile.tile import Tile

OWN: Final = (
    *(lregs.WATCH, mops.WATCH, replays.WATCH, counters.WATCH, caches.WATCH),
    *(formats.WATCH, semaphores.WATCH, windows.WATCH),
    *(addressing.WATCH, noc.WATCH),
)
"""What the checker itself looks for beside the order of accesses."""
WATCHED_MODULES = ("tilelab.tensix.backend.", "tilelab.tensix.riscv.memory_map")
READ_BY_FIELD = (
    *(semantics.config, semantics.config_bank, semantics.thread_config, dst._global_bit),
)
"""Functions whose readings are told by the field, with its bits."""


def is_watched(function: FunctionType) -> bool:
    """Whether a kernel's accesses to the state are those of instructions and cores."""
    module = function.__module__ or ""  # what is generated has none
    return module.startswith(WATCHED_MODULES) and function not in READ_BY_FIELD


def watch(watches: Sequence[Watch] = OWN) -> Watching:
    """What the checker is told: for its clocks, and for these watches."""
    a, e, i, memory = accesses, edges, issue, l1
    entries: dict[Callable[..., Any], Hook] = {
        semantics.config: config_bits.reads_config,
        semantics.config_bank: config_bits.reads_bank,
        semantics.thread_config: config_bits.reads_thread_config,
        fifo.push: i.pushed,
        fifo.push_late: i.pushed_late,
        mop_expander.step_mop_expander: i.steps_mop,
        load_store.load: e.loads,
        load_store.store: e.stores,
        memory_map.mmio_read: e.reads_register,
        memory_map.mmio_write: e.writes_register,
        mailboxes.read_mailbox: e.reads_mailbox,
        mailboxes.write_mailbox: e.writes_mailbox,
        sync_unit.atgetm: e.takes_mutex,
        sync_unit.atrelm: e.gives_mutex,
        niu.count_answered: noc.brings,
        niu.count_write: noc.takes,
        host.host_read: noc.host_reads,
        host.host_write: noc.host_writes,
        banks.give_src: e.gives_bank,
        banks.src_wait: e.asks_unpack_bank,
        src_registers.wait_src: e.asks_src,
        src_registers.clear_src: e.clears_banks,
    }
    made = Watching(
        arrays={
            "dst": Watched(windows.reads_dst, a.writes_dst, shadow.DST, whole_rows=True),
            "dst_valid": Watched(None, a.writes_dst, shadow.DST, whole_rows=False),
            "src.data": Watched(a.reads_src, knowledge.writes_src, shadow.SRC, whole_rows=True),
            "gpr": Watched(a.reads_gpr, a.writes_cell, shadow.GPR, whole_rows=False),
            "config": Watched(
                config_bits.reads_config_word,
                config_bits.writes_config,
                shadow.CONFIG,
                False,
                with_value=True,
            ),
            "thread_config": Watched(
                config_bits.reads_config_word,
                config_bits.writes_thread_config,
                shadow.THREAD_CONFIG,
                False,
                with_value=True,
            ),
        },
        buffers={0: (memory.reads_l1, memory.writes_l1)},
        entries={function: (hook,) for function, hook in entries.items()},
        watched=is_watched,
    )
    for one in watches:
        for function, hook in one.entries:
            made.entries[function] = (*made.entries.get(function, ()), hook)
    return made


SELDOM: Final = (
    *(accesses.report, accesses.report_with, accesses.report_of, accesses.conflict),
    *(config_bits.outdates, l1.l1_conflict, l1.never_written, l1.looks_at_kind),
)


@kernel
def one_by_one(s: State, t: int) -> int:
    """Stands for what saves looking: every word is looked at in every round, one that waits too."""
    return 0


def dispatch(arch: Arch, watches: Sequence[Watch]) -> FunctionType:
    """``execute(s, t, word)`` between the checker's two looks at a word."""
    source = Source()
    execute_word = generate.dispatch(arch)
    source.names |= {"execute": execute_word, "begin": issue.begin, "end": issue.end}
    source.add("@kernel", "def watched_dispatch(s, t, word):", "    begin(s, t, word)")
    for number, hook in enumerate(hook for one in watches for hook in one.words):
        source.names[f"look{number}"] = hook
        source.add(f"    look{number}(s, t, word)")
    source.add("    return end(s, t, word, execute(s, t, word))")
    made = source.compile(f"<tilelab watched dispatch {arch.name}>")["watched_dispatch"]
    assert isinstance(made, FunctionType)
    return made


def shadow_type(watches: Sequence[Watch]) -> np.dtype[Any]:
    """The shadow's record, with what these watches remember."""
    own = shadow.FIELDS
    return record_type([*own, *fields_of(watches, (name for name, *_ in own))])


def machine(arch: Arch, watches: Sequence[Watch] = OWN) -> Machine:
    """What ``s`` means in kernels of this chip's tiles: with the shadow."""
    made = fast.machine(arch)
    made.records["shadow"] = shadow.RECORD_INDEX, record(shadow_type(watches))
    for number, (name, memory) in enumerate(shadow.buffers(arch.l1_size).items()):
        index = shadow.WRITER_INDEX + number
        made.buffers[name] = Buffer(index, memory.itemsize, len(memory))
    return made


def checked_module(
    arch: Arch,
    machine: Machine,
    watched: Watching,
    watches: Sequence[Watch] = OWN,
    quick: bool = False,
) -> Module:
    """A module for a machine that is a tile, or has some, to which nothing is added yet."""
    made = watched_module(fast.prepared(arch, machine, quick=quick), watched)
    made.instead[execute.execute] = dispatch(arch, watches)
    made.instead |= dict.fromkeys((stream.streams, batches.held, rounds.lacks_bank), one_by_one)
    # where they are called it is known whether they are about SrcA or SrcB
    inlined = src_registers.wait_src, edges.asks_src, accesses.reads_src
    made.attributes |= dict.fromkeys(inlined, "alwaysinline")
    # what is seldom done keeps out of the way of what is done at each access
    made.attributes |= dict.fromkeys(SELDOM, "cold noinline")
    return made


def module(arch: Arch, watches: Sequence[Watch] = OWN, quick: bool = False) -> Module:
    """Everything that runs a tile of this chip, checked."""
    made = checked_module(arch, machine(arch, watches), watch(watches), watches, quick)
    fast.add_entries(made)
    return made


def overlap(one: range, other: range) -> bool:
    """Whether two extents have an address in common."""
    return one.start < other.stop and other.start < one.stop


class CheckedEngine(fast.FastEngine):
    """Runs a tile's state, and keeps the checker's shadow of it."""

    watched = True

    def __init__(self, state: TensixState, describe_pc: Any, watches: Sequence[Watch] = ()) -> None:
        self.watches = (*OWN, *watches)
        super().__init__(state, describe_pc)
        self.shadow = np.zeros((), shadow_type(self.watches))
        self.l1_shadow = shadow.buffers(state.arch.l1_size)
        self.arrays: list[Placement] = []
        memories = [self.shadow, *self.l1_shadow.values()]
        header = state.memory[:HEADER_BYTES].view(np.uint64)
        for index, memory in enumerate(memories, shadow.RECORD_INDEX):
            header[HEADER_BYTES // 8 - 1 - index] = memory.ctypes.data

    def code(self) -> Code:
        """The compiled code that this engine runs."""
        arch, watches = self.state.arch, self.watches
        how = "checked" if watches == OWN else f"checked, {described(watches)}"
        return fast.variant(arch, how, lambda quick: module(arch, watches, quick))

    def is_kind(self, extent: range, kind: int) -> None:
        """Note what the pieces of L1 are for that lie in an extent as a whole."""
        first = -(-extent.start >> shadow.GRANULE_SHIFT)
        self.l1_shadow["shadow_kind"][first : extent.stop >> shadow.GRANULE_SHIFT] = kind

    def written(self, address: int, count: int) -> None:
        """Note bytes of L1 that the host has written."""
        first, last = address >> shadow.GRANULE_SHIFT, (address + count - 1) >> shadow.GRANULE_SHIFT
        rows = slice(first, last + 1)
        self.l1_shadow["shadow_writer"][rows] = shadow.HOST_MARK
        self.l1_shadow["shadow_reader"][rows] = 0
        self.l1_shadow["shadow_bytes"][rows] = 0xFFFF


FAULTS: Final = ("mop-outer-count-bug", "mop-count-bits")
"""The machine's checks that only warn in a plain run, and stop a checked one."""


class CheckedTile(Tile):
    """A tile whose runs are checked: for what the checker looks for, and for ``watches``."""

    checks = (Check, Rule)

    def __init__(
        self,
        arch: str = "blackhole",
        junk: int | None = None,
        watches: Sequence[Watch] = (),
        **options: int,
    ) -> None:
        super().__init__(arch, "fast", "functional", junk, **options)
        describe = self.sources.describe_pc
        self.engine: CheckedEngine = CheckedEngine(self.state, describe, watches)
        for name in FAULTS:
            self.set_policy(name, "error")

    def policy(self, code: int) -> Policy:
        """What a failed check does here."""
        return Policy(int(self.state.s.fault.policy[code]))

    def is_off(self, rule: int) -> bool:
        """Whether a rule is not looked at."""
        return self.policy(rule) == Policy.OFF

    def write(self, address: int, data: Bytes) -> None:
        """Write bytes as :meth:`Tile.write`, and note that they are written."""
        super().write(address, data)
        count = data.nbytes if isinstance(data, np.ndarray) else memoryview(data).nbytes
        if address < self.arch.l1_size and count:
            self.engine.written(address, count)

    def load_programs(self, programs: Mapping[str, Program]) -> None:
        """Load programs as :meth:`Tile.load_programs`, and note where their code lies."""
        super().load_programs(programs)
        for core, program in programs.items():
            for extent in program.code:
                self.engine.is_kind(extent, shadow.CODE + CORE_IDS[core])
            end = LOCAL_RAM + program.data_bytes
            self.engine.shadow["variables_end"][CORE_IDS[core]] = end

    def note_arrays(self, inputs: Sequence[Placement], outputs: Sequence[Placement]) -> None:
        """Note where a kernel's arrays and circular buffers lie."""
        self.engine.arrays = [*inputs, *outputs]
        noted = self.engine.shadow
        results = [area.extent for area in outputs]
        for number, area in enumerate(self.engine.arrays[: shadow.LARGEST_KIND], shadow.ARRAYS):
            self.engine.is_kind(area.extent, number)
            is_input = number < shadow.ARRAYS + len(inputs)
            noted["kind_format"][number] = 1 + formats.CODES[area.format]
            shared = any(overlap(area.extent, result) for result in results)
            noted["input_kind"][number] = is_input and not shared
            if area.buffer is not None:
                noted["kind_buffer"][number] = 1 + area.buffer
                noted["kind_begin"][number] = area.address
                noted["kind_tile"][number] = area.size // area.capacity
                self.engine.is_kind(CIRCULAR_BUFFERS, shadow.COUNTERS_KIND)
                noted["capacity"][area.buffer] = area.capacity
                owner = shadow.HOST_OWNER if is_input else shadow.NOBODY
                noted["counted_by"][2 * area.buffer] = owner
