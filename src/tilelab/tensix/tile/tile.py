"""A Tensix tile, as its users see it: load, run, look inside."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, SupportsIndex

import numpy as np

from tilelab.elf.program import Program
from tilelab.formats.placement import Placement
from tilelab.sim.checks import CHECKS, CHECKS_BY_NAME, NO_WAY_ROUND, Check, Policy, no_such_check
from tilelab.sim.errors import BadInputError
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.cycle.cores import accepts
from tilelab.tensix.cycle.events import forget_seen
from tilelab.tensix.frontend.expand import checked_word
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.frontend.mop_expander import write_mop_cfg
from tilelab.tensix.report.display import tile_html
from tilelab.tensix.report.explain import deadlock, whereabouts
from tilelab.tensix.riscv import debug_bus
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.riscv.loading import check_programs, core_id, reset_pcs
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.run.engine import BatchObserver, EventSink, Observer, execute_or_nothing
from tilelab.tensix.run.rounds import STOP_IDLE, STOP_STUCK, quiet
from tilelab.tensix.run.stop_reason import STOP_REASONS, StopReason
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state import THREADS, TensixState
from tilelab.tensix.state.noc_record import ITSELF
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, SOFT_RESET_0
from tilelab.tensix.tile.arguments import whole
from tilelab.tensix.tile.contents import Contents
from tilelab.tensix.tile.engines import CLOCKS, ENGINES, make_engine
from tilelab.tensix.tile.feeder import Feeder
from tilelab.tensix.tile.junk import fill
from tilelab.tensix.words.assembly import Program as Assembled
from tilelab.tensix.words.assembly import assemble
from tilelab.tensix.words.origin import HOST, origin_of
from tilelab.tensix.words.waits import WAITS

POLICIES = tuple(policy.name.lower() for policy in Policy)
OPTIONS = {
    "replay_count0": (64, 32),
    "mop_sampling": (0, 1),
    "mop_count_bits": (7, 10),
    "wait_replaces": (0, 1),
    "movb2d_fp32": (0, 1),
    "push_accept": (28, 31, -1),
}
MAX_PUSH_ROUNDS = 1_000_000
MOST_WATCHED = 8
"""Words of L1 that a run can wait for."""
NOTHING = range(0)


class Tile(Contents):
    """One Tensix tile. It can be copied and pickled, without its observers and sinks.

    ``clock``: ``functional`` counts rounds, ``cycle`` models when each word moves
    (``docs/cycles.md``); both leave the same results. ``junk``: a seed; Dst, Src, LRegs, GPRs and
    L1 begin with what it gives instead of zeros (:mod:`tilelab.tensix.tile.junk`). ``options`` are
    named readings of the documents where those disagree: ``replay_count0`` (64 or 32),
    ``mop_sampling`` (0 snapshot, 1 live), ``mop_count_bits`` (7 or 10), ``wait_replaces`` (0 or 1),
    ``movb2d_fp32`` (0 or 1), ``push_accept`` (cycle clock: 28 or 31); see ``docs/decisions``.
    BadInputError for an unknown chip, engine, clock or option.
    """

    checks: ClassVar[tuple[type[Check], ...]] = (Check,)
    """Kinds of checks that it makes."""

    def __init__(
        self,
        arch: str = "blackhole",
        engine: str = "fast",
        clock: str = "functional",
        junk: int | None = None,
        **options: int,
    ) -> None:
        if engine not in ENGINES:
            raise BadInputError(f"no engine is called {engine!r}: choose {' or '.join(ENGINES)}")
        if clock not in CLOCKS:
            raise BadInputError(f"no clock is called {clock!r}: choose {' or '.join(CLOCKS)}")
        profile = arch_named(arch)
        for name, value in options.items():
            if name not in OPTIONS:
                raise BadInputError(f"unknown option {name!r}: choose from {', '.join(OPTIONS)}")
            if value not in OPTIONS[name]:
                choice = " or ".join(map(str, OPTIONS[name]))
                raise BadInputError(f"option {name}={value!r}: choose {choice}")
        self.options: dict[str, Any] = dict(options)
        seed = {} if junk is None else {"junk": junk}
        self._made = {"arch": arch, "engine": engine, "clock": clock, **seed, **options}
        self.arch = replace(profile, **self.options) if options else profile
        self.state = TensixState(self.arch)
        self.state.record["cycle"]["on"] = clock == "cycle"
        if junk is not None:
            fill(self.state, junk)
        self.sources = Sources()
        self.programs: dict[int, Program] = self.sources.programs
        self.engine = make_engine(engine, self.state, self.sources.describe_pc)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "made": self._made,
            "record": self.state.snapshot(),
            "l1": self.state.l1.tobytes(),
            "iram": self.state.iram.tobytes(),
            "programs": dict(self.programs),
            "host_file": self.sources.host_file,
            "warnings": dict(self.engine.warnings),
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        Tile.__init__(self, **saved["made"])
        self.state.restore(saved["record"])
        self.state.l1[:] = np.frombuffer(saved["l1"], np.uint8)
        self.state.iram[:] = np.frombuffer(saved["iram"], np.uint8)
        self.programs |= saved["programs"]
        self.sources.host_file = saved["host_file"]
        self.engine.warnings |= saved["warnings"]

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self._made.items())
        running = [name for name, core in CORE_IDS.items() if self.state.s.riscv[core].running]
        what = "idle" if self.idle else f"{', '.join(running) or 'no core'} running"
        return f"<Tile({options}) at cycle {int(self.state.s.clock):,}, {what}>"

    @property
    def fresh(self) -> bool:
        """Whether nothing has run yet, and no core has been started."""
        return not self.state.s.clock and self.idle

    # ------------------------------------------------------------------ programs

    def load_elf(self, path: str | Path, core: str) -> int:
        """Load a core's ELF into L1 and return its entry address.

        ``core``: ``brisc``, ``ncrisc``, ``trisc0``, ``trisc1`` or ``trisc2``. Sections ``.init``,
        ``.text`` and ``.ldm_data`` are written, the last where the start-up code expects it (at
        ``.loader_init``). BadInputError, with nothing written, for what is not a RISC-V program
        of 32 bits that fits into L1.
        """
        core_id(core)
        program = load_elf(path)
        self.load_programs({core: program})
        return program.entry

    def load_programs(self, programs: Mapping[str, Program]) -> None:
        """Load programs, by core, that :func:`tensix.riscv.elf.load_elf` has read.

        BadInputError, with nothing written, if one does not fit the core or L1, or lies on another.
        """
        check_programs(self.arch, programs)
        for core, program in programs.items():
            for address, data in program.segments:
                self.write(address, data)
            self.programs[CORE_IDS[core]] = program

    def note_arrays(self, inputs: Sequence[Placement], outputs: Sequence[Placement]) -> None:
        """Note where a kernel's arrays lie: for tiles that look whether programs keep to them."""

    def start(self, *cores: str) -> None:
        """Release cores from reset, each at its program's entry; BadInputError if one has none.

        BRISC always starts at 0; BadInputError if its program does not. With NCRISC the tile's NoC
        interfaces are there, too: those of a tile by itself reach that tile.
        """
        value = reset_pcs(self.state, self.programs, cores)
        if "ncrisc" in cores and not self.state.s.noc.connected:
            self.state.s.noc.connected = ITSELF
        self.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, value)

    def set_policy(self, check: str, policy: str) -> None:
        """Choose what a failed check does: ``error``, ``warn`` or ``off``.

        BadInputError for an unknown check or policy, and for any but ``error`` of a check after
        which the machine could not go on.
        """
        declared = CHECKS_BY_NAME.get(check) if isinstance(check, str) else None
        if not isinstance(declared, Check) or type(declared) not in self.checks:
            raise no_such_check(check)
        if policy not in POLICIES:
            raise BadInputError(f"policy {policy!r}: choose {', '.join(POLICIES[:-1])} or off")
        chosen = Policy[policy.upper()]
        if declared.policy is None and chosen != Policy.ERROR:
            reason = NO_WAY_ROUND[declared.category]
            raise BadInputError(f"{check} always stops the program: {reason}")
        self.state.record["fault"]["policy"][declared.code] = chosen

    # ------------------------------------------------------------------ instructions

    def push(self, word: int | str | Assembled, thread: int | None = None) -> None:
        """Push a word into a thread's frontend (1 unless given), as its TRISC would.

        Or a program, or assembly (``.thread N``): each thread's words at its own pace, a
        ``.mopcfg`` once no MOP of its thread is left. Runs the tile while a FIFO is full.
        Deadlock errors as :meth:`run`; BadInputError for what is none of these.
        """
        if isinstance(word, str | Assembled):
            if thread is not None:
                raise BadInputError("a program names its threads: .thread N, not thread=")
            self._push_program(assemble(word, self.arch.name) if isinstance(word, str) else word)
            return
        thread = 1 if thread is None else thread
        self._check_thread(thread)
        s, value = self.state.s, checked_word(word)
        origin = origin_of(HOST, int(s.frontend[thread].pushed) & 0xFFFFFFFF)
        self._until(lambda: bool(accepts(s, thread)) and push(s, thread, value, origin) == OK)
        forget_stuck(s)

    def _push_program(self, program: Assembled) -> None:
        if program.arch != self.arch.name:
            raise BadInputError(f"the program is for {program.arch}, not {self.arch.name}")
        feeder = Feeder(program, self.state, self.sources)
        while feeder.pending:
            self._until(feeder.give)
            if feeder.pending:
                self._round()

    def _until(self, given: Callable[[], bool]) -> None:
        """Run until a thread has taken something."""
        for _ in range(MAX_PUSH_ROUNDS):
            if given():
                return
            self._round()
        raise BadInputError(f"a FIFO stayed full for {MAX_PUSH_ROUNDS} rounds")

    def _round(self) -> None:
        self.watch_words({})
        self._run(1)

    def write_mop_cfg(self, index: int, value: int, thread: int = 1) -> None:
        """Write one of a thread's MopCfg registers 0 to 8, as that TRISC would.

        Raises the error of a failed check; BadInputError if there is no such register.
        """
        self._check_thread(thread)
        if index not in range(9):
            raise BadInputError(f"MopCfg has registers 0 to 8, not {index}")
        code = write_mop_cfg(self.state.s, thread, index, checked_word(value))
        if code != OK:
            raise self.engine.fail(code, None, 0, origin_of(HOST, 0))

    def execute(self, word: int, thread: int = 1) -> None:
        """Execute one word straight at its backend unit, past the frontend.

        Raises the error of a failed check; WouldWaitError if the word would have to wait.
        """
        self._check_thread(thread)
        value = checked_word(word)
        code = execute_or_nothing(self.engine, thread, value)
        if code > 0:
            raise self.engine.fail(code, thread, value, origin_of(HOST, 0))
        if code < 0:
            raise WouldWaitError(f"{value:#010x} would wait: {WAITS[code]}")

    def _check_thread(self, thread: int) -> None:
        if not isinstance(thread, SupportsIndex) or thread not in range(THREADS):
            raise BadInputError(f"there is no thread {thread!r}: choose 0, 1 or 2")

    # ------------------------------------------------------------------ running

    def _run(self, rounds: int) -> int:
        """Run rounds; returns OK or a STOP code; raises a failed check's error or DeadlockError."""
        code = self.engine.run(rounds)
        if code == STOP_STUCK:
            raise self.deadlock()
        return code

    def whereabouts(self) -> str:
        """Where every core and thread is and what it waits for, as text."""
        return whereabouts(self.state, self.sources)

    def deadlock(self) -> Exception:
        """Return the report of who waits for whom, as the exception that :meth:`run` raises."""
        return deadlock(self.state, self.sources)

    @property
    def idle(self) -> bool:
        """Whether no core runs and no thread has anything in flight."""
        return bool(quiet(self.state.s))

    def run(
        self,
        max_cycles: int = 1_000_000,
        until: Callable[["Tile"], bool] | None = None,
        watch: Mapping[int, int] | None = None,
    ) -> StopReason:
        """Run until a condition holds, nothing is left to do, or the limit; says which.

        ``max_cycles`` counts rounds of the functional clock. ``until`` is asked before every
        round, which is slow; ``watch`` is a condition that costs nothing: up to 8 words of L1,
        by address, that must all hold the given values. DeadlockError as soon as nothing can
        change any more; a failed check raises.
        """
        max_cycles = whole("max_cycles", max_cycles)
        self.watch_words(watch or {})
        if until is not None and not callable(until):
            raise BadInputError(f"until is asked about the tile: a function, not {until!r}")
        if until is None:
            return STOP_REASONS[self._run(max_cycles)]
        for _ in range(max_cycles):
            if until(self):
                return StopReason.CONDITION
            code = self._run(1)
            if code != OK:
                return STOP_REASONS[code]
        return StopReason.CONDITION if until(self) else StopReason.MAX_CYCLES

    def watch_words(self, words: Mapping[int, int]) -> None:
        """Make it the engine's condition that words of L1, by address, all hold these values.

        BadInputError for more than 8, or for what is no word of L1.
        """
        engine = self.state.s.engine
        if not words and not engine.watches:
            return
        if len(words) > MOST_WATCHED:
            raise BadInputError(f"at most {MOST_WATCHED} words can be watched")
        for i, (address, value) in enumerate(words.items()):
            self._check_l1(address, 4)
            if address & 3:
                raise BadInputError(f"{address:#x} is not the address of a word")
            engine.watch_address[i], engine.watch_value[i] = address, checked_word(value)
        engine.watches = len(words)
        engine.watch_changes = 0
        engine.watch_first = min(words, default=4) >> 2
        engine.watch_last = max(words, default=0) >> 2

    def settle(self, rounds: int, watch: range = NOTHING) -> bool:
        """Run at most ``rounds`` rounds; True as soon as only the host can change anything.

        ``watch``: addresses of up to 8 words of L1, one after the other; the run also ends when one
        of them changes. BadInputError for other addresses.
        """
        if type(rounds) is not int or rounds < 0:
            rounds = whole("rounds", rounds)
        if watch:
            self._check_l1(watch.start, 4 * len(watch))
            if watch.step != 4 or watch.start & 3:
                raise BadInputError(f"{watch} are not the addresses of words in a row")
            if len(watch) > MOST_WATCHED:
                raise BadInputError(f"at most {MOST_WATCHED} words can be watched")
        return self.engine.settle(rounds, watch.start, len(watch)) in (STOP_IDLE, STOP_STUCK)

    def reg_write(self, address: int, value: int) -> None:
        """Write a 32-bit tile register, e.g. soft reset; BadInputError if there is none.

        Regular samples of the debug bus are taken, and the tile runs between them, before this
        returns; a failed check of what runs raises then.
        """
        if address != debug_bus.L1_MODE:
            super().reg_write(address, value)
            return
        code = debug_bus.write_sampling(self.state.s, checked_word(value), self.settle)
        if code != OK:
            raise self.refused(code)

    def observe(self, observer: Observer | BatchObserver) -> None:
        """Call ``observer(clock, thread, word, origin)`` after every issued instruction.

        One with a method ``batch`` is given arrays of ``reference.ISSUED`` instead: much faster.
        """
        if not callable(observer) and not hasattr(observer, "batch"):
            raise BadInputError(f"an observer is a function, not {observer!r}")
        self.engine.observe(observer)

    def trace(self, sink: EventSink) -> None:
        """Give ``sink`` the cycle clock's events as arrays of ``cycle.events.EVENT``, in order.

        BadInputError with the functional clock, which has none.
        """
        if not self.state.s.cycle.on:
            raise BadInputError('events need the cycle clock: Tile(..., clock="cycle")')
        if not self.engine.sinks:
            forget_seen(self.state.s)
        self.engine.sinks.append(sink)

    @property
    def warnings(self) -> list[str]:
        """What checks with policy ``warn`` have found, with how often."""
        return [
            f"{CHECKS[code].message.format(value=value, value2=value2)}"
            f" ({CHECKS[code].name}, {count}x)"
            for (code, value, value2), count in self.engine.warnings.items()
        ]

    def _repr_html_(self) -> str:
        """For notebooks."""
        return tile_html(self.state)


class WouldWaitError(BadInputError):
    """:meth:`Tile.execute` was given a word that its unit cannot start yet."""

    exit_code = 1
