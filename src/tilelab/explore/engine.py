"""The fast engine compiled so that cores and threads can be held back, and snapshots to go from."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tilelab.explore import hooks, late, plan, steps, touches
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.tiers import Code
from tilelab.kernelpy.watch import Hook, Watch, Watched, watched_module
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import src_registers, sync_unit
from tilelab.tensix.frontend import fifo, wait_gate
from tilelab.tensix.riscv import core, load_store
from tilelab.tensix.run import execute, rounds
from tilelab.tensix.run.speed import batches, fast, generate, generate_cores, stream
from tilelab.tensix.state import HEADER_BYTES, TensixState

TOUCHED = {
    "dst": (0, True),
    "dst_valid": (0, False),
    "src.data": (1024, True),
    "src.valid": (2048, False),
    "gpr": (touches.GPR_CELLS, False),
    "config": (3072, False),
    "thread_config": (4096, False),
    "mutex": (touches.MUTEX_CELLS, False),
}
"""Arrays of the state that units share: where their objects begin, and whether one is a row."""


def is_watched(function: FunctionType) -> bool:
    """Whether a kernel is a part of the units that execute words, or looks at a bank for them."""
    in_backend = (function.__module__ or "").startswith("tilelab.tensix.backend.")
    return in_backend or function is late.is_of_unpackers


def module(arch: Arch, ordered: bool, quick: bool = False) -> Module:
    """Everything that runs a tile of this chip under a schedule; ``ordered``: and remembers why."""
    machine = fast.machine(arch)
    machine.records["plan"] = plan.PLAN_INDEX, record(plan.PLAN)
    entries: dict[Callable[..., Any], tuple[Hook, ...]] = {
        load_store.load: (hooks.loads,),
        load_store.store: (steps.stores_late,),
        rounds.pass_time: (steps.passes,),
        rounds.finish_round: (steps.passes,),  # of the cores alone
        fifo.unfinished: (steps.finish_for_core,),  # tensix_sync waits for it
    }
    watch = Watch(buffers={0: (None, hooks.writes_l1)}, entries=entries, watched=is_watched)
    if ordered:
        entries |= {
            sync_unit.post: (touches.posts,),
            sync_unit.get: (touches.gets,),
            sync_unit.seminit: (touches.sets,),
        }
        watch.arrays |= {
            path: Watched(touches.reads_cell, touches.writes_cell, first, whole_rows)
            for path, (first, whole_rows) in TOUCHED.items()
        }
        watch.buffers[0] = hooks.reads_l1, hooks.writes_l1
    made = watched_module(fast.prepared(arch, machine, quick=quick), watch)
    made.instead[execute.execute] = steps.delayed_execute
    made.instead[wait_gate.evaluate_wait] = steps.delayed_evaluate
    made.instead[core.step] = steps.delayed_step
    made.instead[steps.execute_word] = generate.dispatch(arch)
    made.instead[steps.step_core] = generate_cores.cores(arch)["step"]
    made.instead[src_registers.clear_src] = late.clears_src
    made.instead |= {stream.streams: hooks.streams, batches.held: hooks.streams}
    made.instead.pop(rounds.run_cores, None)  # the generated one asks nobody before an instruction
    fast.add_entries(made)
    return made


class ExploringEngine(fast.FastEngine):
    """Runs a tile's state under the schedule in ``plan``; ``ordered``: it can log accesses."""

    watched = True

    def __init__(self, state: TensixState, describe_pc: Any, ordered: bool = False) -> None:
        self.ordered = ordered
        super().__init__(state, describe_pc)
        self.plan = np.zeros((), plan.PLAN)
        self.plan["slow"] = 1
        self.plan["longest"] = plan.LONGEST
        header = state.memory[:HEADER_BYTES].view(np.uint64)
        header[HEADER_BYTES // 8 - 1 - plan.PLAN_INDEX] = self.plan.ctypes.data

    def code(self) -> Code:
        """The compiled code that this engine runs."""
        how = "explored, ordered" if self.ordered else "explored"
        arch, ordered = self.state.arch, self.ordered
        return fast.variant(arch, how, lambda quick: module(arch, ordered, quick))
