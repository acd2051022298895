"""A kernel as its user names it: its host, cores and data are found, it is built, and run."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tilelab.pto import schedules as ways
from tilelab.pto.cluster import Chooser
from tilelab.pto.native.build import SOURCES, Built, build
from tilelab.pto.native.redundant import redundant
from tilelab.pto.native.run import CORES, Options, Outcome, run
from tilelab.pto.paths import find_arch
from tilelab.pto.protocol import check_protocol
from tilelab.pto.search import Path as Order
from tilelab.pto.search import Ran
from tilelab.sim.errors import BadInputError, ProgramError
from tilelab.sim.files import folder_meanwhile

LIBRARY = "library"
"""``protocol``: the credits are those of the checkout's own TPUSH, TPOP and TFREE."""


@dataclass(frozen=True)
class Kernel:
    """What is said of a kernel: from what it is built, and how it is run."""

    kernel: Path
    pto_isa: Path
    host: list[Path] = field(default_factory=list)
    """The host's sources; none: main.cpp beside the kernel."""
    arch: str = "a2a3"
    cores: str | None = None
    """What it is compiled for (mix, vec, cube); None: as the CMakeLists.txt beside it says."""
    protocol: str = "sparse"
    case: str = "*"
    """Which gtest cases."""
    data: Path | None = None
    """The folder in which the host runs; None: a new one."""
    gen: str = ""
    """Arguments for the kernel's own scripts, which fill a new folder."""
    arg: list[str] = field(default_factory=list)
    """Arguments for the host's main."""
    define: list[str] = field(default_factory=list)
    include: list[Path] = field(default_factory=list)
    auto: bool = False
    """Whether the compiler orders a core's pipes."""
    strict_barriers: bool = False
    events: str = "pair"
    compiler: str | None = None
    flag_bits: int = 4
    timeout: float = 120
    """Seconds of one run."""

    @contextmanager
    def built(self, trace: bool = True) -> Iterator["Job"]:
        """Build it; the folder where it runs, unless it is given, goes with the context."""
        find_arch(self.arch)
        library = self.protocol == LIBRARY  # the pipes' flags are raw flags
        protocol = "sparse" if library else self.protocol
        check_protocol(protocol)
        if self.flag_bits < 1 or self.timeout <= 0:
            raise BadInputError("--flag-bits is at least 1, and --timeout more than 0")
        if not self.kernel.is_file():
            raise BadInputError(f"{self.kernel}: no such file")
        if self.kernel.suffix not in SOURCES:
            raise BadInputError(f"{self.kernel}: a kernel is one of {', '.join(SOURCES)}")
        hosts = host_files(self.kernel, self.host)
        cores = cores_for(self.kernel, self.cores)
        with folder_meanwhile("tilelab-pto-data-") as scratch:
            data = data_folder(self.kernel, self.data, self.gen, scratch)
            made = build(
                self.kernel, hosts, self.pto_isa, self.arch, self.compiler,
                [*self.define, *(["TILELAB_LIBRARY"] if library else [])],
                [*self.include, *([] if self.data else [data])], self.auto,
                "" if cores == "mix" else cores,
            )  # fmt: skip
            options = Options(
                self.arch, protocol, self.flag_bits, self.auto, self.strict_barriers,
                self.events == "setter", [f"--gtest_filter={self.case}", *self.arg], data,
                {str(file.resolve()): str(file) for file in (self.kernel, *hosts)}, trace,
                self.timeout, cores=cores,
            )  # fmt: skip
            yield Job(made, options)


@dataclass
class Job:
    """A built kernel and how it is run."""

    made: Built
    options: Options

    def runs(self, first: Chooser, count: int) -> Outcome:
        """The first run, and what ``count`` - 1 other schedules add to it."""
        outcome = run(self.made, self.options, first)
        outcome.failing = (outcome.choices, outcome.failure) if outcome.failure else None
        known = {finding.message for finding in outcome.findings}
        self.options.trace = False
        for seed in range(1, count):
            other = run(self.made, self.options, ways.at_random(seed))
            new = [one for one in other.findings if one.message not in known]
            known |= {one.message for one in new}
            if outcome.failing is None and other.failure:
                outcome.failing = other.choices, other.failure
            outcome.findings += new
            if outcome.error is None and other.error is not None:
                outcome.error, outcome.results = other.error, other.results
            outcome.status = outcome.status or other.status
        return outcome

    def add_redundant(
        self, outcome: Outcome, time: Callable[[Outcome], float] | None = None
    ) -> None:
        """Add what the kernel could do without (H18) to the findings; ``time``: what it gains."""
        outcome.findings += redundant(self.made, self.options, ways.STANDARD, time)

    def once(self) -> Callable[[Order], Ran]:
        """The kernel as what :func:`~tilelab.pto.search.search` runs, again and again."""

        def once(path: Order) -> Ran:
            outcome = run(self.made, self.options, path)
            error = outcome.error
            if error is None and outcome.status:
                what = f"the host's program returned {outcome.status}"
                error = ProgramError(what, outcome.output)
            return Ran(outcome.findings, error, outcome.schedule or path)

        return once


def host_files(kernel: Path, hosts: list[Path]) -> list[Path]:
    """The host's program: as given, in the kernel's own file, or main.cpp beside it."""
    if hosts:
        return hosts
    text = kernel.read_text(encoding="utf-8", errors="replace")
    if re.search(r"\bint\s+main\s*\(|^\s*TEST(_F)?\s*\(", text, re.MULTILINE):
        return []
    beside = kernel.parent / "main.cpp"
    if beside.is_file():
        return [beside]
    raise BadInputError(
        f"{kernel}: no host program: it has no main(), and there is no main.cpp beside it",
        "Give the file that launches the kernel with --host.",
    )


def cores_for(kernel: Path, asked: str | None) -> str:
    """The cores that a kernel is for: as asked; as the CMakeLists.txt beside it says; else mix."""
    if asked is not None:
        if asked not in CORES:
            raise BadInputError(f"no cores {asked!r}; there are {', '.join(CORES)}")
        return asked
    beside = kernel.parent / "CMakeLists.txt"
    text = beside.read_text(encoding="utf-8", errors="replace") if beside.is_file() else ""
    said = {
        one or two or "mix"
        for one, two in re.findall(
            r"^ *pto_(?:mix|(cube|vec))_st *\(|--cce-aicore-arch=dav-c\d+(?:-(cube|vec)\b|\b)",
            text, re.MULTILINE,
        )
    }  # fmt: skip
    return said.pop() if len(said) == 1 else "mix"


def data_folder(kernel: Path, data: Path | None, given: str, scratch: Path) -> Path:
    """Where the host runs: ``data``, else in ``scratch``, with what the kernel's scripts put there.

    They lie beside it, or in ``scripts``; those write a header and data into ``build`` beside that.
    """
    if data is not None:
        if given or not data.is_dir():
            why = "--gen fills a new folder" if given else "no such folder"
            raise BadInputError(f"{data}: {why}")
        return data.resolve()
    beside, copies = kernel.resolve().parent, scratch / "scripts"
    if (beside / "scripts").is_dir():
        shutil.copytree(beside / "scripts", copies)
    (scratch / "build").mkdir()
    makers = (beside / "gen_data.py", copies / "gen_data.py", copies / "generate_cases.py")
    for script in filter(Path.is_file, makers):
        command = [sys.executable, str(script), *shlex.split(given)]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout)[-2000:]
            raise BadInputError(f"{script.name}: it failed (its arguments: --gen)", said)
    return scratch / "build"
