"""``matmul_tiles`` as ``tensixbench`` has it: two kernels, unmodified, on the vendor's LLK.

The session on the card ran bursts of MVMUL before, in three programs, each of which gave both Src
banks to the matrix unit with SETDVALID and took none back. SETDVALID waits for nobody, so the third
turned the unpackers' bank once more than the matrix unit will: from then on unpackers and matrix
unit begin with different banks. Each then fills, or empties, both banks before the other goes on,
and a tile costs the *sum* of unpacking and multiplying. In step it costs the longer of both.
Both are published, for one card and one kernel (``card-sessions/2026-08-12b``): ``4-clean-once``,
three SETDVALIDs, and ``2-clean-per``, six.
"""

from functools import partial
from pathlib import Path

from tilelab.build.standin.backends import ONCE
from tilelab.build.standin.layout import PREFIX
from tilelab.calibrate import machine
from tilelab.calibrate.machine import RESULTS
from tilelab.calibrate.measure import slope
from tilelab.calibrate.perfbench import CORES, POINTS, Perfbench
from tilelab.calibrate.programs import ARGUMENTS, Source, done_at
from tilelab.kernels.build import ROLES

STEPS = 64
"""Products of the shortest loop, as on the card."""
STATES = {"Src banks in step": 6, "Src banks out of step": 3}
"""In which state the card may have been, and how many SETDVALIDs led to it."""
WORDS_OF_FEEDER = 8
PLACES = {
    "ARGS_ADDRESS": ARGUMENTS + 4 * WORDS_OF_FEEDER,
    "COUNTERS": ARGUMENTS + 0x40,
    "BUFFERS": 0x90000,
    "PAGES": 16,
    "RESULT": 0xA0000,
}
STANDIN = Path(__file__).parent / "standin_llk"
PARTS = ("unpack", "math", "pack")
"""What tt-llk calls the TRISCs."""
CHIPS = {
    "blackhole": ("bh", "blackhole", ("blackhole",)),
    "wormhole": ("wh", "wormhole_b0", ("wormhole", "wormhole/wormhole_b0_defines")),
}
"""The chip's name in options, in LLK's folders, and the folders of its hardware's headers."""
OPTIONS = (
    ONCE,
    *("-O3", "-std=c++17", "-ftt-nttp", "-ftt-constinit", "-ftt-consteval", "-ftt-no-dyninit"),
    *("-ffast-math", "-fno-exceptions", "-fno-rtti", "-fno-use-cxa-atexit", "-nostdlib"),
    *("-DTENSIX_FIRMWARE", "-DENV_LLK_INFRA", "-DKERNEL_BUILD", "-DLLK_BOOT_MODE_BRISC"),
)


def cycles_a_tile(bench: Perfbench, arch: str, fidelity: str, core: int) -> dict[str, float]:
    """Cycles of one matmul_tiles on a TRISC, by state.

    NotRunError if it cannot be built or does not run.
    """
    images = bench.once(("matmul", arch, fidelity), lambda: _images(bench, arch, fidelity))
    _, number = _sources(bench)
    probes, head = number["TTBENCH_NUM_PROBES"], number["TTBENCH_HDR_WORDS"]
    arguments = [STEPS, *[0] * (WORDS_OF_FEEDER - 1), RESULTS, STEPS]
    total = head + len(CORES) * probes * POINTS
    found = {}
    for state, given in STATES.items():
        before = _before(bench, arch, given)
        measure = partial(machine.run, arch, images, arguments, total, before)
        words = bench.once(("matmul", arch, fidelity, state), measure)
        at = head + core * probes * POINTS
        points = enumerate(words[at : at + POINTS], 1)
        found[state] = slope([(STEPS * number, spent) for number, spent in points])
    return found


def _sources(bench: Perfbench) -> tuple[dict[str, bytes], dict[str, int]]:
    """Both kernels' files by the names under which they find each other, and their numbers."""
    folder = "tensixbench/src/kernels"
    compute, number = bench.source(f"{folder}/compute", "matmul_fidelity.cpp", "bench_layout.h")
    feeder, _ = bench.source(folder, "dataflow/mm_feeder.cpp", "compute/bench_layout.h")
    return {f"compute/{name}": text for name, text in compute.files.items()} | feeder.files, number


def _before(bench: Perfbench, arch: str, given: int) -> dict[str, bytes]:
    """A program that gives Src banks to the matrix unit, as those before on the card did."""
    text = f"void kernel_main() {{ {'TTI_SETDVALID(3); ' * given} ckernel::tensix_sync(); }}\n"
    return {
        "trisc1": bench.image(Source("before.cpp", {"before.cpp": text.encode()}), arch, CORES[1])
    }


def _images(bench: Perfbench, arch: str, fidelity: str) -> dict[str, bytes]:
    """The TRISCs' programs, and the feeder's."""
    files, _ = _sources(bench)
    tests = bench.llk.tests.parent
    with machine.vendors_folder(bench.builder.compiler.name, files) as folder:
        images = {core: _built(folder, tests, arch, fidelity, core) for core in CORES}
    feeder = Source("dataflow/mm_feeder.cpp", files)
    return images | {"brisc": bench.image(feeder, arch, "brisc")}


def _built(folder: Path, tests: Path, arch: str, fidelity: str, core: str) -> bytes:
    """A TRISC's program, as tt-llk's tests build theirs."""
    number = CORES.index(core)
    part, (cpu, llk, hardware) = PARTS[number], CHIPS[arch]
    metal, root = tests.parent.parent, tests.parent / f"tt_llk_{llk}"
    api = metal / "hw/ckernels" / llk / "metal/llk_api"
    includes = [
        *(STANDIN, folder, folder / "include", root / "llk_lib"),
        *(root / "common/inc", root / "common/inc/sfpu", tests.parent / "common"),
        *(metal / "hw/inc", tests / "helpers/include", metal / "hostdevcommon/api"),
        *(metal / "hw/inc/internal/tt-1xx" / name for name in hardware),
        *(api, api / "llk_sfpu"),
    ]
    names = {
        **PLACES,
        "COMPILE_FOR_TRISC": number,
        "DONE": done_at(core),
        "FIDELITY": fidelity,
        "KERNEL": '"compute/matmul_fidelity.cpp"',
        **dict.fromkeys((f"LLK_TRISC_{part.upper()}", ROLES[core], f"ARCH_{arch.upper()}"), 1),
    }
    scripts = (f"memory.{arch}.ld", f"{part}.ld", "sections.ld")
    command = [
        str(folder / f"compiler/bin/{PREFIX}g++"),
        f"-mcpu=tt-{cpu}-tensix",
        *OPTIONS,
        *(f"-I{place}" for place in includes),
        *(f"-D{name}={value}" for name, value in names.items()),
        *(f"-T{tests / 'helpers/ld' / script}" for script in scripts),
        *("-x", "c++", str(STANDIN / "main.cpp"), "-lc", "-lgcc", "-o", str(folder / "made.elf")),
    ]
    machine.build(command, "matmul_tiles")
    return (folder / "made.elf").read_bytes()
