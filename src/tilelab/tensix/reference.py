"""The reference engine: the tile's cores and threads, one step at a time, in plain Python.

A round is the functional clock: every running core executes at most one RISC-V instruction
(TRISC0, TRISC1, TRISC2, BRISC), then every thread issues at most one Tensix instruction and moves
at most one word through each stage of its frontend. The order is fixed, so runs repeat exactly.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tilelab.sim.checks import CHECKS, check
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.explain import failure
from tilelab.tensix.frontend.mop_expander import step_mop_expander
from tilelab.tensix.frontend.replay_expander import PLAY_BACK, step_replay_expander
from tilelab.tensix.frontend.wait_gate import UNKNOWN_OPCODE, evaluate_wait, pass_gate
from tilelab.tensix.riscv.core import step
from tilelab.tensix.state import CORES, THREADS, TensixState

UNDEFINED_BITS = check(
    "undefined-bits",
    UndefinedBehaviorError,
    "{value:#010x} has bits set that the instruction does not define",
    "README.md",
)
NOT_MODELLED = check(
    "not-modelled",
    UnimplementedFunctionalityError,
    "{value:#010x} is an instruction that is not modelled",
    "README.md",
)

STALE_ROUNDS = 256
"""Rounds without an effect after which the engine starts to look for cores that only spin."""


class Observer(Protocol):
    """Called after each issued instruction."""

    def __call__(self, clock: int, thread: int, word: int, origin: int) -> None:
        """Take note of one issued word."""


Decoded = tuple[Callable[..., int], tuple[int, ...]]


class ReferenceEngine:
    """Runs a tile's state. ``issued[thread, opcode]`` counts what was issued."""

    def __init__(self, state: TensixState, describe_pc: Callable[[int, int], str]) -> None:
        self.state = state
        self.s = state.s
        self.describe_pc = describe_pc
        self.observers: list[Observer] = []
        self.issued = np.zeros((THREADS, 256), np.int64)
        self.stalled = np.zeros(THREADS, np.int64)
        self.gate_wait = [0] * THREADS
        self.core_wait = [0] * CORES
        self.warnings: dict[tuple[int, int], int] = {}
        self._decoded: dict[int, Decoded | int] = {}
        self._stale = 0
        self._seen: list[bytes | None] = [None] * CORES
        self._spinning = [False] * CORES
        self._effects = -1

    # ------------------------------------------------------------------ one instruction

    def _decode(self, word: int) -> Decoded | int:
        row = self.state.arch.instructions.find(word)
        if row is None:
            return UNKNOWN_OPCODE
        handler = SEMANTICS[self.state.arch.name].get(row.name)
        if handler is None:
            return NOT_MODELLED
        if word & row.unused_bits:
            return UNDEFINED_BITS
        return handler, tuple(field.get(word) for field in row.fields)

    def execute(self, t: int, word: int) -> int:
        """Execute one word at its unit; returns OK, a wait code or a check's code."""
        decoded = self._decoded.get(word)
        if decoded is None:
            decoded = self._decoded[word] = self._decode(word)
        if isinstance(decoded, int):
            self.s.fault.code = decoded
            self.s.fault.value = word
            return decoded
        handler, values = decoded
        return handler(self.s, t, *values)

    def fail(self, code: int, thread: int | None, word: int, origin: int) -> Exception:
        """Return the exception for a failed check, with the word and where it came from."""
        return failure(self.state, CHECKS[code], thread, word, origin, self.describe_pc)

    # ------------------------------------------------------------------ one round

    def _step_thread(self, t: int) -> bool:
        s = self.s
        f = s.frontend[t]
        moved = False
        waited = f.wait.kind
        if f.gate_full:
            word = f.gate_word
            code = pass_gate(s, t)
            if code == OK:
                code = self.execute(t, word)
            if code == OK:
                f.gate_full = 0
                f.issued = f.issued + 1
                self.issued[t, word >> 24] += 1
                moved = True
                origin = f.gate_origin
                if f.wait.kind and not waited:
                    f.wait.word = word
                    f.wait.origin = origin
                for observer in self.observers:
                    observer(s.clock, t, word, origin)
            elif code > 0:
                raise self.fail(code, t, word, f.gate_origin)
            else:
                self.stalled[t] += 1
            self.gate_wait[t] = code
            if s.fault.warnings:
                self._take_warnings()
        if waited:
            evaluate_wait(s, t)
            if not f.wait.kind:
                moved = True
        if not f.gate_full and (f.late_count or f.replay_mode == PLAY_BACK):
            code = step_replay_expander(s, t)
            moved = True
            if code:
                raise self.fail(code, t, f.late_fifo[f.late_head], f.late_origin[f.late_head])
        if f.mop_active or f.input_count:
            before = f.input_count + f.late_count
            code = step_mop_expander(s, t)
            if code:
                raise self.fail(code, t, f.input_fifo[f.input_head], f.input_origin[f.input_head])
            moved = moved or before != f.input_count + f.late_count
        return moved

    def round(self) -> bool:
        """Run one round; returns whether anything but a core moved, or a core had an effect."""
        s = self.s
        moved = False
        for core in range(CORES):
            if s.riscv[core].running:
                code = step(s, core)
                if code > 0:
                    raise self.fail(code, None, 0, core << 56 | s.riscv[core].pc)
                self.core_wait[core] = code
        for t in range(THREADS):
            f = s.frontend[t]
            if (
                f.gate_full
                or f.late_count
                or f.input_count
                or f.mop_active
                or f.wait.kind
                or f.replay_mode == PLAY_BACK
            ):
                moved = self._step_thread(t) or moved
        s.clock = s.clock + 1
        if s.fault.warnings:
            self._take_warnings()
        return moved

    def _take_warnings(self) -> None:
        fault = self.s.fault
        for i in range(fault.warnings):
            key = (fault.warning_code[i], fault.warning_value[i])
            self.warnings[key] = self.warnings.get(key, 0) + 1
        fault.warnings = 0

    # ------------------------------------------------------------------ is it stuck?

    def stuck(self, moved: bool) -> bool:
        """Whether nothing can change any more without the host; call after every round.

        Exact, not a time-out: it is true once every thread is held up and every core either
        waits or has come back to the very registers it had, with no store, push or clock read in
        between. A loop like that can only be left if memory changes, and nothing can change it.
        """
        s = self.s
        effects = s.effects
        if moved or effects != self._effects:
            self._effects = effects
            self._stale = 0
            return False
        self._stale += 1
        if self._stale < STALE_ROUNDS:
            return False
        if self._stale == STALE_ROUNDS or self._stale & (self._stale - 1) == 0:
            # a new reference point for each core, at growing distances (Brent's cycle search)
            self._seen = [self._registers(core) for core in range(CORES)]
            self._spinning = [False] * CORES
            return False
        for core in range(CORES):
            idle = not s.riscv[core].running or self.core_wait[core] < 0
            if idle or self._registers(core) == self._seen[core]:
                self._spinning[core] = True
        return all(self._spinning)

    def _registers(self, core: int) -> bytes:
        riscv = self.s.riscv[core]
        return bytes(riscv.x) + int(riscv.pc).to_bytes(4, "little")

    def reset_stuck(self) -> None:
        """Forget what :meth:`stuck` has seen: the host changed something."""
        self._stale = 0
        self._effects = -1

    def quiet(self) -> bool:
        """Whether no core runs and no thread has anything in flight."""
        s = self.s
        if any(s.riscv[core].running for core in range(CORES)):
            return False
        return not any(self._busy(s.frontend[t]) for t in range(THREADS))

    @staticmethod
    def _busy(f: Any) -> bool:
        return bool(
            f.gate_full
            or f.late_count
            or f.input_count
            or f.mop_active
            or f.replay_mode == PLAY_BACK
        )
