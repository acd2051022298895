"""Running a built kernel, in a process of its own: the host, its launches, each block's cores."""

import ctypes
import os
import pickle
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilelab.pto.cluster import Cluster, Program, Schedule
from tilelab.pto.errors import Finding, PtoWarning
from tilelab.pto.journal import RECORD
from tilelab.pto.native import machine as mc
from tilelab.pto.native.build import Built
from tilelab.pto.native.checker import Checker, Place, Site, regions_of
from tilelab.pto.native.lines import Lines
from tilelab.pto.native.machine import Machine
from tilelab.pto.native.program import NativeCore, prepare
from tilelab.pto.shadow import Region, Shadow
from tilelab.pto.trace import Result
from tilelab.sim.cache import mark
from tilelab.sim.errors import DeadlockError, TilelabError
from tilelab.sim.files import folder_meanwhile

# What a kernel is compiled for on the chip, by the name of the compiler's option for it
# (--cce-aicore-arch=dav-c220, dav-c220-vec, ...), and which cores a block of its launch then has.
CORES = {
    "mix": (mc.CUBE, mc.VEC0, mc.VEC1),
    "cube": (mc.CUBE,),
    "vec": (mc.VEC0,),
}

TOLD = ("H11", "H18", "E5", "E4")  # codes that are no failure by themselves


@dataclass
class Options:
    """How a kernel is run."""

    arch: str = "a2a3"
    protocol: str = "sparse"
    flag_bits: int = 4
    auto: bool = False
    strict_barriers: bool = False
    by_setter: bool = False  # events are counted by the pipe that sets them alone
    arguments: Sequence[str] = ()
    folder: Path = Path(".")
    shown: dict[str, str] = field(default_factory=dict)
    trace: bool = True
    timeout: float = 120.0
    changes: dict[tuple[str, int], int] = field(default_factory=dict)  # synchronisations left out
    survey: bool = False  # tell where the kernel synchronises
    cores: str = "mix"  # a row of CORES
    cycles: bool = False  # note what a clock must know


@dataclass
class Outcome:
    """What a run left: ``status`` is the host's; ``results``: one for each block launched."""

    results: list[Result]
    findings: list[Finding]
    status: int = 0
    output: str = ""
    error: TilelabError | None = None
    seconds: float = 0.0
    choices: list[str] = field(default_factory=list)
    sites: dict[Site, Place] = field(default_factory=dict)
    pairs: set[tuple[Site, Site]] = field(default_factory=set)
    schedule: Any = None  # a path of a search, as the run left it
    failing: tuple[list[str], str] | None = None  # the first failed run of several: order, why

    def survey(self, checker: Checker, lines: Lines) -> None:
        """Keep where a block synchronises."""
        self.pairs |= checker.pairs
        for site, place in checker.sites.items():
            known = self.sites.setdefault(site, place)
            known.effects |= place.effects
            known.line = known.line or lines.find(place.core, place.where).removesuffix(": ")

    @property
    def hard(self) -> list[Finding]:
        """The findings that fail a run; the others are only told."""
        return [one for one in self.findings if one.code not in TOLD]

    @property
    def failure(self) -> str:
        """Why the run has failed, in one line; "" if it has not."""
        if self.error is not None:
            return self.error.summary
        if self.hard:
            return self.hard[0].message
        return "the host's check failed" if self.status else ""

    @property
    def result(self) -> Result:
        """The newest block's."""
        return self.results[-1] if self.results else Result([], [], {}, 0)


class _Session:
    def __init__(self, built: Built, options: Options, schedule: Schedule, folder: Path) -> None:
        self.options = options
        self.schedule = schedule
        self.machine = Machine(built, folder)
        self.shadow = Shadow()
        self.lines = Lines(self.machine.files, built.headers, options.shown)
        self.outcome = Outcome([], [])
        self.buffers = 0
        self.told: set[tuple[object, ...]] = set()

    def run(self) -> None:
        """The host's program, to its end."""
        library = self.machine.libraries[0]
        entry, arguments = self._main(library)
        self.machine.begin(mc.HOST, ctypes.cast(entry, ctypes.c_void_p).value or 0, arguments)
        reply = 0
        reader = Checker(
            self.machine,
            Cluster(self.options.arch, trace=False),
            self.shadow,
            self.lines,
            False,
            set(),
        )
        while True:
            entries, alive = self.machine.resume(mc.HOST, reply)
            request = reader.read(mc.HOST, [e for e in entries if e.kind >= mc.ERROR])
            if request is None:
                break
            reply = self._host(request)
            if not alive:
                break
        self.outcome.status = self._status.value

    def _main(self, library: Any) -> tuple[Any, int]:
        texts = ["kernel", *self.options.arguments]
        self._argv = (ctypes.c_char_p * (len(texts) + 1))(*[text.encode() for text in texts], None)
        try:
            main = library.main
        except AttributeError:
            main = library.tilelab_test_main
        library.tilelab_call_main.restype = None
        self._status = ctypes.c_int64(0)
        self._packed = (ctypes.c_int64 * 4)(
            ctypes.cast(main, ctypes.c_void_p).value or 0, len(texts),
            ctypes.addressof(self._argv), ctypes.addressof(self._status),
        )  # fmt: skip
        return library.tilelab_call_main, ctypes.addressof(self._packed)

    def _host(self, request: mc.Entry) -> int:
        kind, words = request.kind, request.words
        if kind == mc.HOST_ALLOC:
            self.buffers += 1
            region = Region(f"GM buffer {self.buffers}", words[0], words[1])
            if words[1]:
                region.watch(self.machine.array(words[0], words[1]))
            self.shadow.add(region)
        elif kind == mc.HOST_FREE:
            self.shadow.remove(words[0])
        elif kind == mc.HOST_WRITE:
            self.shadow.host_write(*words[:2])
        elif kind == mc.HOST_LAUNCH:
            self._launch(self.machine.text(words[0]), words[1], words[2])
        return 0

    def _launch(self, name: str, arguments: int, blocks: int) -> None:
        lanes = 2 if self.options.cores == "mix" else 1
        for block in range(blocks):
            self.machine.runtime.tl_set_block(block, blocks, lanes)
            self.machine.clear()
            self._block(name, arguments, block)
        self.shadow.end_launch()

    def _block(self, name: str, arguments: int, block: int) -> None:
        options = self.options
        cluster = Cluster(
            options.arch, protocol=options.protocol, flag_bits=options.flag_bits,
            trace=options.trace, cycles=options.cycles and options.trace, **RECORD,
        )  # fmt: skip
        self.shadow.block = block
        for region in regions_of(self.machine, cluster):
            self.shadow.add(region)
        checker = Checker(
            self.machine, cluster, self.shadow, self.lines, options.auto, self.told,
            options.strict_barriers, options.by_setter,
        )  # fmt: skip
        prepare(cluster, checker)
        checker.changes = options.changes
        natives = []
        programs: list[Program | None] = [None] * 3
        for core in CORES[options.cores]:
            entry = self.machine.entry(core, name)
            if entry is None:
                raise TilelabError(
                    f"the launched kernel is missing in {cluster.core_names[core]}'s library"
                )
            natives.append(NativeCore(self.machine, checker, core, entry, arguments))
            programs[core] = natives[-1].program
        try:
            result = cluster.run(programs[0], programs[1:], self.schedule)
            checker.end()
            result.findings = cluster.findings
        except DeadlockError as error:
            _locate(error, natives)
            raise
        finally:
            partial = cluster.result()
            self.outcome.results.append(partial)
            self.outcome.findings += cluster.findings
            self.outcome.choices += cluster.choices
            if options.survey:
                self.outcome.survey(checker, self.lines)


def _locate(error: DeadlockError, natives: list[NativeCore]) -> None:
    """Say at which line of the kernel each core waits."""
    report: Any = error.report
    lines = {native.core.name: native.where() for native in natives if native.core is not None}
    at = {wait.core: lines.get(wait.core, "") for wait in report.waits}
    first = report.waits[0].core
    error.summary = f"{at[first]}{error.summary}"
    places = [f"{core} is at {where.removesuffix(': ')}" for core, where in at.items() if where]
    error.detail = "\n".join([error.detail, *places])


def run(built: Built, options: Options, schedule: Schedule = "rr") -> Outcome:
    """Run once, in a child process: nothing a kernel does can end this one."""
    for library in (built.vec, built.runtime):
        mark(library.parent)
    with folder_meanwhile("tilelab-pto-run-") as folder:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            _child(built, options, schedule, folder)
        status = _await(child, options.timeout)
        output = (folder / "output").read_text(encoding="utf-8", errors="replace")
        try:
            outcome: Outcome = pickle.loads((folder / "outcome").read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError):
            what = (
                f"the kernel did not end within {options.timeout:g} s"
                if status is None
                else f"the kernel's process ended by signal {status}"
                if status > 0
                else "the kernel's process ended without a result"
            )
            outcome = Outcome([], [], error=mc.KernelCrash(what))
        outcome.output = output
        return outcome


def _await(child: int, timeout: float) -> int | None:
    """The signal that ended the child, 0 for none, None for too long."""
    end = time.monotonic() + timeout
    try:
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            time.sleep(0.005)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _child(built: Built, options: Options, schedule: Schedule, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.alarm(0)
    try:
        out = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(options.folder)
        started = time.monotonic()
        session = None
        outcome = Outcome([], [])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PtoWarning)
                session = _Session(built, options, schedule, folder)
                outcome = session.outcome
                session.run()
        except TilelabError as error:
            outcome.error = error
        outcome.schedule = schedule if hasattr(schedule, "fresh") else None
        if outcome.schedule is not None:
            outcome.schedule.forget()
        outcome.seconds = time.monotonic() - started
        if session is not None:
            ctypes.CDLL(None).fflush(None)
        (folder / "outcome").write_bytes(pickle.dumps(outcome))
        os._exit(0)
    except BaseException:  # the parent tells what is missing
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(70)
