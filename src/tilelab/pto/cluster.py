"""One Cube core and its Vector cores: memories, flags, and a scheduler that never hangs.

A core program is a generator function of its `Core`. The scheduler resumes any core whose awaited
counter is
positive; when there is none, the program is deadlocked and `DeadlockError` says why. Nothing here
depends on
time or threads, so the same program and schedule give the same trace.

Not modelled: time, and the order of hardware pipes inside a core.
"""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Callable, Generator, Sequence
from typing import Any, Literal

from tilelab.pto.config import TileType
from tilelab.pto.core import Core
from tilelab.pto.deadlock import explain
from tilelab.pto.errors import (
    CapacityError,
    Finding,
    FlagLeakWarning,
    FlagOverflowError,
    HazardError,
    LostHazard,
    PipeConfigError,
    ProtocolOrderError,
    PtoError,
    PtoWarning,
    StepLimitError,
)
from tilelab.pto.flags import FlagBank
from tilelab.pto.memory import LOCAL_BYTES, Memory
from tilelab.pto.paths import find_arch
from tilelab.pto.protocol import PROTOCOLS
from tilelab.pto.ring import Ring
from tilelab.pto.tile import GlobalTensor
from tilelab.pto.trace import Record, Result, Step

Policy = Literal["raise", "warn", "record"]
Program = Callable[[Core], Generator[Any, None, Any]]
Chooser = Callable[[list[str]], int]
Schedule = str | int | random.Random | Chooser


class Cluster:
    """A Cube core and `vec` Vector cores of one architecture ("a2a3" or "a5"), under one protocol.

    Policies ("raise", "warn", "record"): `hazards` for what the hardware would do in silence,
    `capacity` for
    addresses outside a memory, `constraints` for tile operations on the wrong places, `leaks` for
    flags left at
    the end. `flag_bits` is the width of a counter. Flags and memory outlive a run, as on the
    hardware.
    """

    def __init__(
        self,
        arch: str = "a2a3",
        vec: int = 2,
        protocol: str = "seed",
        flag_bits: int = 4,
        hazards: Policy = "raise",
        capacity: Policy = "warn",
        constraints: Policy = "warn",
        leaks: Policy = "warn",
        gm_bytes: int = 1 << 28,
        trace: bool = True,
    ) -> None:
        self.arch = find_arch(arch)
        if vec not in (1, 2):
            raise PipeConfigError(f"a cluster has 1 or 2 Vector cores, not {vec}")
        if protocol not in PROTOCOLS:
            raise PipeConfigError(f"no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
        for name, value in (("flag_bits", flag_bits), ("gm_bytes", gm_bytes)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise PipeConfigError(f"{name} must be a whole number of at least 1, not {value!r}")
        if flag_bits > 64:
            raise PipeConfigError(f"a counter has at most 64 bits, not {flag_bits}")
        for policy in (hazards, capacity, constraints, leaks):
            if policy not in ("raise", "warn", "record"):
                raise PipeConfigError(f"no policy {policy!r}; there are raise, warn, record")
        self.vec = vec
        self.protocol = protocol
        self.policy = {
            "hazard": hazards,
            "capacity": capacity,
            "constraint": constraints,
            "leak": leaks,
        }
        self.flag_bits = flag_bits
        self.flags = FlagBank(self.arch.reduces, vec, (1 << flag_bits) - 1, self._overflow)
        self.gm = Memory("GM", gm_bytes, gm_bytes)
        self.control = Memory("CTRL", 1 << 16, 1 << 16)
        self.core_names = ("cube", *(f"vec{lane}" for lane in range(vec)))
        self.cores: list[Core] = []
        self.rings: dict[tuple[Any, ...], list[Ring]] = {}
        self.findings: list[Finding] = []
        self.events: list[Record] = []
        self.tracing = trace
        self.raw_on_pipes = (
            False  # C++ kernels may call a pipe's own allocate(), record(), wait(), free()
        )
        self.choices: list[
            str
        ] = []  # the cores in the order in which they ran, where that was chosen
        self._locals: dict[tuple[str, TileType], Memory] = {}

    def memory(self, core: str, loc: TileType) -> Memory:
        """A core's own memory."""
        found = self._locals.get((core, loc))
        if found is None:
            capacity = self.arch.capacity.get(loc.value, LOCAL_BYTES)
            found = self._locals[core, loc] = Memory(f"{core} {loc.value}", LOCAL_BYTES, capacity)
        return found

    # -- findings

    def report(
        self,
        family: str,
        finding: Finding,
        error: type[PtoError],
        category: type[PtoWarning] = PtoWarning,
    ) -> None:
        """Record a finding; raise or warn as the policy of its family says."""
        self.findings.append(finding)
        policy = self.policy[family]
        text = f"{finding.message} [{finding.code}]"
        if policy == "raise":
            if issubclass(error, HazardError):
                raise error(text, "", finding)
            raise error(text)
        if policy == "warn":
            warnings.warn(text, category, stacklevel=4)

    def _overflow(self, core: str, flag: int) -> None:
        text = (
            f"{core}'s counter of flag {flag} would pass {self.flags.limit}: its "
            f"{self.flag_bits} bits overflow"
        )
        if self.arch.name == "a5":
            text += " (A5's width is undocumented; flag_bits= sets it)"
        finding = Finding("E14", "flag-overflow", text, core, step=len(self.events))
        self.report("hazard", finding, FlagOverflowError)

    def constraint(self, core: str, message: str) -> None:
        """A tile operation on a place its constraints exclude."""
        text = f"{core}: {message}"
        if all(known.message != text for known in self.findings):  # once for each core
            finding = Finding("E4", "constraint", text, core, step=len(self.events))
            self.report("constraint", finding, PtoError)

    def check_capacity(
        self, core: str, memory: Memory, address: int, nbytes: int, what: str
    ) -> None:
        """Bytes outside what the hardware has."""
        if address + nbytes > memory.capacity:
            text = (
                f"{what} at {address:#x}..{address + nbytes:#x} is outside "
                f"the {memory.capacity // 1024} KiB of {memory.name}"
            )
            finding = Finding("E6", "capacity", text, core, step=len(self.events))
            self.report("capacity", finding, CapacityError)

    def guard_store(self, core: str, tensor: GlobalTensor) -> None:
        """A store to an address of global memory: the slots that hold tiles are not its (H16)."""
        assert tensor.address is not None
        size = tensor.dtype.itemsize
        end = tensor.address + ((tensor.rows - 1) * tensor.row_stride + tensor.cols) * size
        for rings in self.rings.values():
            for ring in rings:
                if self.gm not in ring.memories:
                    continue
                for index, slot in enumerate(ring.slots):
                    start = ring.base + index * ring.stride
                    if slot.holders and start < end and tensor.address < start + ring.stride:
                        text = (
                            f"{core}: TSTORE to {tensor.address:#x} overwrites slot {index} of "
                            f"{ring.name}, which holds tile {slot.tile} (H16)"
                        )
                        finding = Finding(
                            "H16", "H16", text, core, ring.name, slot.tile, index, len(self.events)
                        )
                        self.report("hazard", finding, LostHazard)

    def emit_op(self, core: str, op: str, text: str) -> None:
        """Note a tile operation in the trace."""
        if self.tracing:
            self.events.append((Step(core, "", op, text, "", "", -1, 0), -1, 0))

    def emit_sync(self, core: str, phase: str, primitive: str, pipe: str, flag: int) -> None:
        """Note a raw synchronisation in the trace."""
        if self.tracing:
            step = Step(core, "", "SYNC", phase, primitive, pipe, flag, 0)
            self.events.append((step, -1, 0))

    def joined(self, name: str, ring: Ring) -> bool:
        """Whether a core has opened the pipe of a ring."""
        return any(core.name == name and ring in core.joined for core in self.cores)

    # -- running

    def run(
        self,
        cube: Program | None = None,
        vec: Program | Sequence[Program | None] | None = None,
        schedule: Schedule = "rr",
        max_steps: int = 100_000_000,
    ) -> Result:
        """Run the core programs to their end; one program for all Vector cores, or one (or None)
        for each.

        `schedule`: "rr" (in turn), "cube_first", "vec_first", a seed, a `random.Random`, or a
        function that is given the names of the cores that can run and returns the chosen one's
        place among them. Raises
        DeadlockError, a hazard, StepLimitError, or whatever a program raises.
        """
        lanes = list(vec) if isinstance(vec, Sequence) else [vec] * self.vec
        if len(lanes) > self.vec:
            raise PipeConfigError(f"{len(lanes)} Vector programs for {self.vec} Vector core(s)")
        programs = [(-1, cube), *enumerate(lanes)]
        self.events, self.findings, self.rings, self.choices = [], [], {}, []
        self.cores = [
            Core(self, self.core_names[lane + 1], lane) for lane, program in programs if program
        ]
        chosen = [program for _, program in programs if program]
        live = list(self.cores)
        returned: dict[str, Any] = {}
        for core, program in zip(self.cores, chosen, strict=True):
            core.program = _lifetime(core, program, returned)
        try:
            steps = self._schedule(live, schedule, max_steps)
        except TypeError:
            for core in live:
                if core.awaited is not None and not _is_counter(core.awaited):
                    raise ProtocolOrderError(
                        f"{core.name}'s program yields {core.awaited!r}: it yields nothing itself, "
                        "it writes `yield from pipe.tpush(...)`"
                    ) from None
            raise
        finally:
            for core in self.cores:
                if core.program is not None:
                    core.program.close()
        self._check_leaks()
        return self.result(steps, returned)

    def result(self, steps: int = 0, returned: dict[str, Any] | None = None) -> Result:
        """What has happened so far, also after an error."""
        return Result(self.events, self.findings, self.flags.standing(), steps, returned or {})

    def _schedule(self, live: list[Core], schedule: Schedule, max_steps: int) -> int:
        if isinstance(schedule, str):
            if schedule not in ("rr", "cube_first", "vec_first"):
                raise PipeConfigError(
                    f"no schedule {schedule!r}; there are rr, cube_first, vec_first, a seed"
                )
            if schedule == "vec_first":
                live.sort(key=lambda core: core.lane < 0)
            return self._in_order(live, schedule == "rr", max_steps)
        if callable(schedule):
            return self._chosen(live, schedule, max_steps)
        chance = schedule if isinstance(schedule, random.Random) else random.Random(schedule)
        return self._chosen(live, lambda names: int(chance.random() * len(names)), max_steps)

    def _in_order(self, live: list[Core], fair: bool, max_steps: int) -> int:
        steps = 0
        while live:
            progress = False
            for core in tuple(live):
                awaited = core.awaited
                if awaited is not None and not awaited[0][awaited[1]]:
                    continue
                progress = True
                steps += 1
                try:
                    core.awaited = core.program.send(None)
                except StopIteration:
                    live.remove(core)
                if not fair:
                    break
            if not progress:
                raise explain(self, live)
            if steps > max_steps:
                raise _too_long(max_steps)
        return steps

    def _chosen(self, live: list[Core], choose: Chooser, max_steps: int) -> int:
        """Whenever a core stops, `choose` picks one of those that can go on, by its place among
        their names.
        """
        attach = getattr(choose, "attach", None)
        if attach is not None:
            attach(self)
        steps = 0
        while live:
            ready = [
                core for core in live if core.awaited is None or core.awaited[0][core.awaited[1]]
            ]
            if not ready:
                raise explain(self, live)
            core = ready[choose([one.name for one in ready])]
            self.choices.append(core.name)
            steps += 1
            try:
                core.awaited = core.program.send(None)
            except StopIteration:
                live.remove(core)
            if steps > max_steps:
                raise _too_long(max_steps)
        return steps

    def _check_leaks(self) -> None:
        for (core, flag), count in self.flags.standing().items():
            text = (
                f"{core}'s flag {flag} is left at {count}: it poisons the next pipe "
                "that uses it; a signal was not waited for"
            )
            finding = Finding("H11", "flag-leak", text, core, step=len(self.events))
            self.report("leak", finding, PtoError, FlagLeakWarning)


def _is_counter(value: object) -> bool:
    """Whether a core program yielded what an operation waits for."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], list)


def _too_long(limit: int) -> StepLimitError:
    return StepLimitError(f"the program did not end within {limit} scheduling steps")


def _lifetime(core: Core, program: Program, returned: dict[str, Any]) -> Generator[Any, None, None]:
    """A core program from its call to the destructors of the pipes it leaves open."""
    body = program(core)
    if not inspect.isgenerator(body):
        raise PipeConfigError(
            f"{core.name}'s program is not a generator: write `yield from pipe.tpush(...)` in it"
        )
    returned[core.name] = yield from body
    core.check_awaited()
    for pipe in reversed(core.pipes[:]):
        yield from pipe.close()
