"""The probe kernels of mesham/tt-sim's ``perfbench`` (BSD-3): what each measures, and asking them.

Which probes there are, and where their results lie, is read from the sources themselves, so another
revision with more probes is understood as well.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from tilelab.calibrate import machine
from tilelab.calibrate.checkouts import Kernels
from tilelab.calibrate.llk import Llk, tests_of
from tilelab.calibrate.machine import BARRIER, RESULTS, SCRATCH, NotRunError
from tilelab.calibrate.measure import Point, slope
from tilelab.calibrate.programs import Builder, Source
from tilelab.sim.errors import BadInputError
from tilelab.tensix.chips.config_registers import config_fields

REPOSITORY = "mesham/tt-sim"
BLOCKS = 32
"""Unrolled blocks of the shortest burst, as on the card."""
CORES = ("trisc0", "trisc1", "trisc2")
ACTIVE = {1: 0b010, 2: 0b011, 3: 0b111}
"""Which TRISCs run where so many do."""
ALL = 0xFFFFFFFF
MATRIX_WORDS = ("MVMUL", "ELWADD", "ELWMUL")
"""Words that need SrcA and SrcB, so that each has a tile of its own."""
SETDVALID_ONCE = 1
BF16 = 5
IDLE = Source("idle.cpp", {"idle.cpp": b"void kernel_main() {}\n"})
"""What cores run that have no kernel: they say that they are done, and poll."""
POINTS = 4
LEFT_WORDS = (
    ("ADDR_MOD_AB_SEC0_SrcBIncr", 8 << 8),
    ("ADDR_MOD_DST_SEC0_DestIncr", 8),
)
"""What a matmul of tt-llk leaves in ADDR_MOD_0 of the math thread: fields at whose words it writes
such values, so that words without an address of their own go on to the next rows of SrcB and Dst.
"""
STATES = ("after reset", "after a matmul")
"""What the card did before: no row says, and words of the matrix unit differ by it.

In tt-sim's sessions of 2026-08-12 (``card-sessions/2026-08-12b``) a run after a reset reads 6, 12
and 18 cycles for one, two and three threads; one after a run that ended with matmul_tiles 1, 6, 12.
"""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Tensixbench:
    """``tensixbench``: bursts of one Tensix word, unrolled, from one to three threads."""

    source: Source
    number: dict[str, int]

    @cached_property
    def slots(self) -> dict[str, int]:
        """The number of each probe by the word it issues, or by its own name."""
        text = self.source.files[self.source.name].decode()
        found = {word: int(slot) for slot, word in re.findall(r"RUN\((\d+), TTI_(\w+)", text)}
        named = {n.removeprefix("TTBENCH_P_"): v for n, v in self.number.items() if "_P_" in n}
        return {"loop_overhead": 0, **found, **named}


@dataclass(frozen=True)
class Riscvbench:
    """``riscvbench``: the cores' own instructions, in phases, each a build."""

    source: Source
    number: dict[str, int]

    @cached_property
    def slots(self) -> dict[str, int]:
        """The number of each probe, named as the published figures name them."""
        found = {}
        for name, slot in self.number.items():
            if name.startswith("RVBENCH_P_"):
                probe = name.removeprefix("RVBENCH_P_").lower()
                own = re.match(r"(tt|c|q|f|s|g)_", probe) or probe == "loop_overhead"
                found[probe if own else f"rv_{probe}"] = slot
        return found

    @cached_property
    def sets(self) -> dict[str, int]:
        """Which of phase G's builds has a loop body, by the probe's name."""
        text = self.source.files[self.source.name].decode()
        pattern = r"RVBENCH_G_SET == (\d+)\s*\n\s*RUN\(RVBENCH_P_(G_\d+)"
        return {probe.lower(): int(number) for number, probe in re.findall(pattern, text)}

    def unroll(self, probe: str) -> int:
        """Instructions, or groups, of one pass through a probe's loop."""
        if found := re.fullmatch(r"[fg]_(\d+)", probe):
            return int(found[1])
        groups = probe in ("tt_pad", "tt_fuse2", "tt_fuse4", "tt_spread4")
        return self.number["RVBENCH_GROUP_REPS" if groups else "RVBENCH_UNROLL"]


def _numbers(header: bytes) -> dict[str, int]:
    """The plain numbers that a header defines."""
    found = re.findall(r"^#define (\w+) (0x[\da-fA-F]+|\d+)u?\b", header.decode(), re.MULTILINE)
    return {name: int(value, 0) for name, value in found}


@dataclass
class Perfbench:
    """Builds and runs the probes that are asked for, each once."""

    kernels: Kernels
    compiler: Callable[[], Builder]
    kept: dict[object, object] = field(default_factory=dict)
    python: str = ""
    """A Python that has ttnn; "": any of the usual ones."""
    older: "Perfbench | None" = None
    """The same of the kernels before a change, where there are such."""

    def once(self, key: object, make: Callable[[], Found]) -> Found:
        """What ``make`` gives, once for each key; also the reason why it cannot."""
        if key not in self.kept:
            try:
                self.kept[key] = make()
            except NotRunError as error:
                self.kept[key] = error
        found = self.kept[key]
        if isinstance(found, NotRunError):
            raise found
        return found  # type: ignore[return-value]  # under its key, what make gave

    @cached_property
    def llk(self) -> Llk:
        """The vendor's own tests."""
        return Llk(self.kernels)

    @cached_property
    def releases(self) -> list["Perfbench"]:
        """This, and one for each further checkout of the vendor's kernels, the newest first."""
        further = [one for one in self.kernels.checkouts if tests_of(one)][1:]
        return [self, *(Perfbench(Kernels((one,)), self.compiler) for one in further)]

    def run(self, note: Callable[[str], None]) -> None:
        """Run what rows have asked of the vendor's tests (:meth:`Llk.run`), of both kernels."""
        for bench in (self, self.older):
            if bench is not None:
                bench.llk.run(note)

    @cached_property
    def builder(self) -> Builder:
        """The compiler, looked for when it is needed."""
        return self.compiler()

    def source(self, folder: str, name: str, header: str) -> tuple[Source, dict[str, int]]:
        """A kernel and the numbers of its layout; NotRunError if no checkout has it."""

        def read() -> tuple[Source, dict[str, int]]:
            files = {}
            for file in (name, header):
                content = self.kernels.read(f"perfbench/{folder}/{file}")
                if content is None:
                    raise NotRunError(
                        f"needs perfbench/{folder}/{file}: --kernels with a checkout of "
                        f"{REPOSITORY}"
                    )
                files[file] = content
            return Source(name, files), _numbers(files[header])

        return self.once(("source", name), read)

    def image(self, source: Source, arch: str, core: str, *defines: str) -> bytes:
        """A source's program for a core; NotRunError if it does not build."""
        try:
            return self.builder.image(source, arch, core, defines)
        except BadInputError as error:
            raise NotRunError(error.summary) from None

    # ------------------------------------------------------------------ Tensix words

    @property
    def tensixbench(self) -> Tensixbench:
        """The probes of Tensix words."""
        folder = "tensixbench/src/kernels/compute"
        return Tensixbench(*self.source(folder, "raw_probes.cpp", "bench_layout.h"))

    def tensix(
        self, arch: str, word: str, core: int, threads: int, state: str = STATES[0]
    ) -> float:
        """Cycles of one word on a TRISC while so many threads issue the same."""
        bench = self.tensixbench
        if word not in bench.slots or word == "loop_overhead":
            raise NotRunError(f"tensixbench has no probe of {word}")
        slot = bench.slots[word]
        mask = (1 << bench.slots["MVMUL"]) - 1
        if word in MATRIX_WORDS or not mask >> slot & 1:
            mask = 1 | 1 << slot
        found = self.once(
            ("tensix", arch, threads, mask, state),
            lambda: self._tensix(bench, arch, threads, mask, state),
        )
        if (slot, core) not in found:
            raise NotRunError(f"TRISC{core} is not active where {threads} are")
        return (found[slot, core] - found[0, core]) / bench.number["TTBENCH_UNROLL"]

    def _left(self, arch: str) -> dict[str, bytes]:
        """A program that leaves the address modifiers of the math thread as a matmul does."""
        own = config_fields(arch)
        words = " ".join(f"TTI_SETC16({own[name].word}, {value});" for name, value in LEFT_WORDS)
        text = f"void kernel_main() {{ {words} ckernel::tensix_sync(); }}\n"
        source = Source("left.cpp", {"left.cpp": text.encode()})
        return {"trisc1": self.image(source, arch, "trisc1")}

    def _tensix(
        self, bench: Tensixbench, arch: str, threads: int, mask: int, state: str
    ) -> dict[tuple[int, int], float]:
        before = self._left(arch) if state == STATES[1] else None
        images = {core: self.image(bench.source, arch, core) for core in CORES}
        arguments = [RESULTS, BARRIER, BLOCKS, mask, ACTIVE[threads], SETDVALID_ONCE, BF16, 0]
        head, probes = bench.number["TTBENCH_HDR_WORDS"], bench.number["TTBENCH_NUM_PROBES"]
        words = machine.run(arch, images, arguments, head + 3 * probes * POINTS, before)
        found = {}
        for core in range(3):
            for slot in range(probes):
                at = head + (core * probes + slot) * POINTS
                points = _bursts(words[at : at + POINTS])
                if any(cycles for _, cycles in points):
                    found[slot, core] = slope(points)
        return found

    # ------------------------------------------------------------------ RISC-V

    @property
    def riscvbench(self) -> Riscvbench:
        """The probes of the cores."""
        folder = "riscvbench/src/kernels/compute"
        return Riscvbench(*self.source(folder, "rv_probes.cpp", "rvbench_layout.h"))

    def riscv(self, arch: str, probe: str, core: int, threads: int) -> float:
        """Cycles of one instruction (of one group) on a TRISC while so many TRISCs run the same."""
        bench = self.riscvbench
        if probe not in bench.slots or probe == "loop_overhead":
            raise NotRunError(f"riscvbench has no probe {probe}")
        phase = "r" if probe.startswith("rv_") else probe[0]
        if phase in "qs":
            raise NotRunError(f"{probe} has no cost of one instruction: it looks for a knee")
        slopes = {}
        for name in (probe, "loop_overhead"):
            found = self.points(arch, name, core, threads, phase, bench.sets.get(probe, 0))
            slopes[name] = slope(_bursts(found[:POINTS]))
        return (slopes[probe] - slopes["loop_overhead"]) / bench.unroll(probe)

    def points(
        self, arch: str, probe: str, core: int, threads: int, phase: str, part: int = 0
    ) -> tuple[int, ...]:
        """What a probe of a phase measured on a TRISC, in cycles."""
        bench = self.riscvbench
        found = self.once(
            ("riscv", arch, threads, phase, part),
            lambda: self._riscv(bench, arch, threads, phase, part),
        )
        if (probe, core) not in found:
            raise NotRunError(f"TRISC{core} does not run {probe} where {threads} are active")
        return found[probe, core]

    def _riscv(
        self, bench: Riscvbench, arch: str, threads: int, phase: str, part: int
    ) -> dict[tuple[str, int], tuple[int, ...]]:
        defines = [f"RVBENCH_PHASE_{phase.upper()}"]
        defines += [f"RVBENCH_G_SET={part}"] if phase == "g" else []
        images = {core: self.image(bench.source, arch, core, *defines) for core in CORES}
        arguments = [RESULTS, BARRIER, SCRATCH, BLOCKS, ALL, ACTIVE[threads], 0, ALL]
        head, probes = bench.number["RVBENCH_HDR_WORDS"], bench.number["RVBENCH_NUM_PROBES"]
        each = bench.number["RVBENCH_MAX_POINTS"]
        words = machine.run(arch, images, arguments, head + 3 * probes * each)
        found = {}
        for core in range(3):
            for probe, slot in bench.slots.items():
                at = head + (core * probes + slot) * each
                if any(points := words[at : at + each]):
                    found[probe, core] = points
        return found

    def queue_depth(self, arch: str, threads: int) -> float:
        """Words that a core is ahead of the backend, by the formula of phase S.

        The backlog that settles, over the rate at which it drains, and what the shortest burst
        leaves.
        """
        number = self.riscvbench.number
        least, block = number["RVBENCH_S_MIN_N"], number["RVBENCH_S_POINTS"]
        issuer = number["RVBENCH_S_ISSUER"]
        names = ("s_loop_addi", "s_co_plain", "s_co_sync")
        addi, plain, sync = (self.points(arch, n, issuer, threads, "s") for n in names)
        longest = (least << block - 1) - (least << block - 2)
        drained = (sync[block - 1] - sync[block - 2]) / longest
        pushed = (addi[block - 1] - addi[block - 2]) / longest
        backlog = (sync[block - 1] - plain[block - 1]) - (sync[0] - plain[0])
        return backlog / drained + least * (1 - pushed / drained)

    def footprint(self, arch: str, core: int) -> int:
        """Bytes of the smallest loop body that costs more than 5 % over a cycle an instruction."""
        names = [name for name in self.riscvbench.slots if re.fullmatch(r"[fg]_\d+", name)]
        sizes = sorted({int(name[2:]): name for name in reversed(names)}.items())
        threads = 1 if core == 1 else 3
        for size, name in sizes:
            if self.riscv(arch, name, core, threads) > 1.05:
                return 4 * size
        raise NotRunError("no loop body of the probes is slower")

    # ------------------------------------------------------------------ zones of BRISC

    def zone(self, arch: str, name: str) -> tuple[int, int]:
        """Cycles, and instructions retired, of a zone of ``retirebench``."""
        source, number = self.retirebench
        slot = number.get(f"RETIREBENCH_Z_{name.upper()}")
        if slot is None or f"RETIREBENCH_REPS_{name.upper()}" not in number:
            raise NotRunError(f"retirebench has no zone {name}")
        words = self.once(("retire", arch), lambda: self._zones(source, number, arch))
        at = number["RETIREBENCH_HDR_WORDS"] + slot * number["RETIREBENCH_ZONE_WORDS"]
        c0, c1, i0, i1 = words[at : at + 4]
        return c1 - c0, i1 - i0

    @property
    def retirebench(self) -> tuple[Source, dict[str, int]]:
        """The zones of BRISC."""
        folder = "retirebench/src/kernels/dataflow"
        return self.source(folder, "rv_zones.cpp", "retirebench_layout.h")

    def _zones(self, source: Source, number: dict[str, int], arch: str) -> tuple[int, ...]:
        if arch != "blackhole":
            raise NotRunError("retirebench reads counters that Wormhole's cores do not have")
        images = {core: self.image(IDLE, arch, core) for core in (*CORES, "ncrisc")}
        images["brisc"] = self.image(source, arch, "brisc")
        each, zones = number["RETIREBENCH_ZONE_WORDS"], number["RETIREBENCH_NUM_ZONES"]
        words = number["RETIREBENCH_HDR_WORDS"] + zones * each
        return machine.run(arch, images, [RESULTS, SCRATCH, 1], words)

    def divide(self, arch: str, bits: int) -> float:
        """Cycles of a division whose dividend has so many bits."""
        zone = {12: "div_small", 29: "div_large"}.get(bits)
        if zone is None:
            raise NotRunError(f"retirebench divides no dividend of {bits} bits")
        if arch != "blackhole" and zone == "div_large":
            return self.riscv(arch, "rv_div", 1, 1)
        cycles, retired = self.zone(arch, zone)
        divisions = 16 * self.retirebench[1][f"RETIREBENCH_REPS_{zone.upper()}"]
        return (cycles - (retired - divisions)) / divisions


def _bursts(cycles: tuple[int, ...]) -> list[Point]:
    """The points of a probe: one, two, three and four times as many blocks."""
    return [(BLOCKS * (number + 1), spent) for number, spent in enumerate(cycles)]
