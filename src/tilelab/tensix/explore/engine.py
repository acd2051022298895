"""The fast engine compiled so that cores and threads can be held back, and snapshots to go from."""

from types import FunctionType
from typing import Any

import numpy as np

from tilelab.kernelpy.build import Library
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.watch import Watch, watched_module
from tilelab.tensix.arch import Arch
from tilelab.tensix.explore import plan
from tilelab.tensix.riscv import core, load_store
from tilelab.tensix.run import execute, fast, generate, rounds
from tilelab.tensix.state import HEADER_BYTES, TensixState


def steps(arch: Arch) -> tuple[FunctionType, FunctionType]:
    """``execute(s, t, word)`` and ``step(s, core)`` of a chip, with delays before them."""
    source = generate.Source()
    source.names |= {
        "execute_word": generate.dispatch(arch),
        "step_core": generate.cores(arch)["step"],
        "held": plan.held,
        "notes": plan.notes,
        "WAIT_DELAYED": plan.WAIT_DELAYED,
        "FIRST": plan.THREAD_ACTOR,
        "NOTED": tuple(noted(arch)),
    }
    source.add(
        "@kernel",
        "def delayed_execute(s, t, word):",
        "    p = s.plan",
        "    if p.recording and NOTED[word >> 24]:",
        "        f = s.frontend[t]",
        "        notes(s, FIRST + t, f.issued, word, f.gate_origin)",
        "    if p.actors >> (FIRST + t) & 1 and held(s, FIRST + t, s.frontend[t].issued):",
        "        return WAIT_DELAYED",
        "    return execute_word(s, t, word)",
        "",
        "@kernel",
        "def delayed_step(s, core):",
        "    if s.plan.actors >> core & 1 and held(s, core, s.riscv[core].retired):",
        "        return WAIT_DELAYED",
        "    return step_core(s, core)",
    )
    names = source.compile(f"<tilelab explored {arch.name}>")
    return names["delayed_execute"], names["delayed_step"]


def noted(arch: Arch) -> list[int]:
    """For each opcode, whether a delay before it can matter to others."""
    rows = arch.instructions.by_opcode
    return [int(code in rows and rows[code].unit in plan.SYNCHRONISING) for code in range(256)]


def in_backend(function: FunctionType) -> bool:
    """Whether a kernel is a part of the units that execute words."""
    return (function.__module__ or "").startswith("tilelab.tensix.backend.")


def module(arch: Arch) -> Module:
    """Everything that runs a tile of this chip under a schedule."""
    machine = fast.machine(arch)
    machine.records["plan"] = plan.PLAN_INDEX, record(plan.PLAN)
    entries: dict[Any, Any] = {load_store.load: plan.loads, load_store.store: plan.stores}
    watch = Watch(buffers={0: (None, plan.writes_l1)}, entries=entries, watched=in_backend)
    made = watched_module(fast.prepared(arch, machine), watch)
    delayed_execute, delayed_step = steps(arch)
    made.instead |= {execute.execute: delayed_execute, core.step: delayed_step}
    del made.instead[rounds.run_cores]  # the generated one asks nobody before an instruction
    fast.add_entries(made)
    return made


class ExploringEngine(fast.FastEngine):
    """Runs a tile's state under the schedule in ``plan``."""

    def __init__(self, state: TensixState, describe_pc: Any) -> None:
        super().__init__(state, describe_pc)
        self.plan = np.zeros((), plan.PLAN)
        header = state.memory[:HEADER_BYTES].view(np.uint64)
        header[HEADER_BYTES // 8 - 1 - plan.PLAN_INDEX] = self.plan.ctypes.data

    def library(self) -> Library:
        """The compiled code that this engine runs."""
        return fast.variant(self.state.arch, "explored", lambda: module(self.state.arch))
