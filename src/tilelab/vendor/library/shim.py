"""Builds the drop-in ``libttsim.so`` for one chip: its kernels, ``shim.ll``, LLVM, our linker."""

import platform
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files

from llvmlite import binding

from tilelab.chip import compiled, problems, turns
from tilelab.chip import state as record
from tilelab.chip.memory import chip_record, dram_bytes
from tilelab.chip.pci import AHEAD
from tilelab.kernelpy.build import optimised
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch
from tilelab.tensix.run.speed import fast
from tilelab.tensix.state import HEADER_BYTES, TensixState, state_type
from tilelab.tensix.tables.layout import Place
from tilelab.vendor.library import explain
from tilelab.vendor.library.linker import link

NAME = "libttsim.so"
SOURCES = ("shim.ll", "threads.ll")
THREADS = "TILELAB_THREADS"
"""The environment's variable that says on how many processors tiles are run."""
MOST_HELPERS = 63
LOOKS = 4000
"""How often a thread without work looks for some before it sleeps: some tens of microseconds."""
PAGE = 4096
PATIENCE = 200_000
"""Clocks in a row in which nothing on the chip could change, until it is said who waits."""
LONGEST = {"python": 4096, "chip.text": 16384}
"""Bytes of what is filled in where the library is laid out, its end included."""


def _padded(bytes_: int, to: int = PAGE) -> int:
    return -(-bytes_ // to) * to


def _constants(arch: Arch) -> dict[str, int | str]:
    """What ``shim.ll`` has to know of a chip: sizes, where things are, what numbers mean."""
    fields = record.CHIP.fields
    assert fields is not None
    words = (arch.l1_size + arch.iram) // 4
    l1 = _padded(state_type(arch).itemsize + HEADER_BYTES) - HEADER_BYTES
    operations = _padded(4 * words)
    codes = operations + _padded(8 * words)
    image = _image_bytes()
    ethernet = arch.layout.ethernet
    return {
        "IMAGE": image,
        "IMAGE_REST": image - 1,
        "WHOLE": HEADER_BYTES + record.CHIP.itemsize,
        "CHIP": record.CHIP.itemsize,
        "RECORD": state_type(arch).itemsize,
        "L1_AT": l1,
        "CODE_SIZE": arch.l1_size + arch.iram,
        "OPERATIONS_AT": operations,
        "CODE_STRIDE": codes,
        "CODES": (1 + MOST_HELPERS) * codes,
        "STRIDE": HEADER_BYTES + l1 + _padded(arch.l1_size + arch.iram) + PAGE,
        "DRAM": dram_bytes(arch),
        "ETHERNET": _padded(len(ethernet.places) * ethernet.memory),
        **{f"{name.upper()}_AT": int(fields[name][1]) for name in NAMED},
        "STAGE": record.STAGE,
        "AHEAD": AHEAD,
        "END": turns.END,
        "RUN": turns.RUN,
        "THREADS": THREADS,
        "THREADS_SIZE": len(THREADS) + 1,
        "MOST_HELPERS": MOST_HELPERS,
        "LOOKS": LOOKS,
        "PROBLEM": record.PROBLEM,
        "WANT_RUN": record.WANT_RUN,
        "WANT_HOST_READ": record.WANT_HOST_READ,
        "WANT_HOST_WRITE": record.WANT_HOST_WRITE,
        "NO_HOST": problems.NO_HOST,
        "EARLY": problems.EARLY,
        "RUN_KIND": explain.RUN,
        "READ_KIND": explain.READ,
        "WRITE_KIND": explain.WRITE,
        "REPORT_KIND": explain.REPORTED,
        "STUCK_KIND": explain.STUCK,
        "PATIENCE": PATIENCE,
        "PROGRAM": explain.__name__,
        "PROGRAM_SIZE": len(explain.__name__) + 1,
        "REPORT": explain.REPORT,
        "REPORT_SIZE": len(explain.REPORT) + 1,
    }


def _image_bytes() -> int:
    """Bytes of a chip's record that are laid out in the library: the queues begin empty."""
    fields = record.CHIP.fields
    assert fields is not None
    return HEADER_BYTES + int(fields["queue_word"][1])


NAMED = (
    "turn",
    "states",
    "in_step",
    "awake",
    "due",
    "address_of",
    "stage",
    "host_address",
    "host_count",
    "host_done",
    "problem",
)
"""Fields of the chip's record that ``shim.ll`` looks at."""


def shim_source(arch: Arch) -> str:
    """The shim in LLVM's assembly language."""
    cases, returns = [], []
    for offset, value in arch.layout.host.config.items():
        cases.append(f"i32 {offset}, label %at{offset}")
        returns.append(f"at{offset}:\n  ret i32 {value}")
    constants = _constants(arch) | {"CASES": " ".join(cases), "RETURNS": "\n".join(returns)}
    constants["TOUCHES"] = "\n".join(_touches(arch))
    constants["NAMES"] = "Names in braces"
    folder = files(__package__)
    text = "".join(folder.joinpath(name).read_text("utf-8") for name in SOURCES)
    return re.sub(r"\{([A-Z0-9_]+)\}", lambda found: str(constants[found[1]]), text)


def _touches(arch: Arch) -> Iterator[str]:
    """Stores to those pages of a tile's record that would be read before they are written.

    Such a page is mapped twice, and the second time every processor that runs tiles is interrupted.
    """
    fields = state_type(arch).fields
    assert fields is not None
    each = {"riscv": arch.cores, "frontend": arch.threads, "noc": 1, "engine": 1, "poll": 1}
    read = [
        int(fields[name][1]) + i * (fields[name][0].itemsize // count)
        for name, count in each.items()
        for i in range(count)
    ]
    for i, offset in enumerate(sorted({at + HEADER_BYTES for at in read})):
        yield f"  %touch{i} = getelementptr i8, ptr %start, i64 {offset}"
        yield f"  store volatile i8 0, ptr %touch{i}"


def _object(arch: Arch, late: bool) -> bytes:
    """The chip's kernels and the shim, as one object file for this processor."""
    kernels = compiled.module(arch, "late" if late else "prompt", apart=False)
    llvm = optimised(kernels.whole, binding.parse_assembly(shim_source(arch)))
    made: bytes = machine().emit_object(llvm)
    return made


def machine() -> binding.TargetMachine:
    """What makes objects of LLVM's code for a library on this processor."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=2,
        reloc="pic",
        codemodel="small",
    )


def initial_words(arch: Arch) -> dict[int, int]:
    """Words of a tile's record that are not 0 when the chip powers up, by number."""
    words = TensixState(arch).s.record_32
    return {i: word for i, word in enumerate(words) if word}


def shared_library(
    arch: Arch,
    tiles: Sequence[Place] | None = None,
    python: str = sys.executable,
    late: bool = False,
    in_step: bool = False,
) -> bytes:
    """The shared library for a chip with these tiles, all by default.

    ``python``: what explains when something goes wrong; ``late``, ``in_step``: as :class:`Chip`
    says. BadInputError on anything but 64-bit x86 Linux.
    """
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise BadInputError(f"{NAME} can be made for x86-64 Linux, not for {platform.machine()}")
    chosen = arch.layout.tensix if tiles is None else tuple(tiles)
    image = chip_record(arch, chosen, in_step)
    chip = image[HEADER_BYTES:].view(record.CHIP).reshape(())
    words = initial_words(arch)
    chip["late"] = late
    chip["initial_words"] = len(words)
    chip["initial_at"][: len(words)] = list(words)
    chip["initial_value"][: len(words)] = list(words.values())
    named = None if tiles is None else list(chosen)
    texts = {"python": python, "chip.text": explain.chip_text(arch.name, named, in_step)}
    filled = {"image": image[: _image_bytes()].tobytes()}
    for name, text in texts.items():
        filled[name] = text.encode("utf-8", "surrogateescape") + b"\0"
        if len(filled[name]) > LONGEST[name]:
            raise BadInputError(f"{text[:60]}...: too long a name for the library")
    what = "late chip library" if late else "chip library"
    try:
        code = fast.compiler(arch, what).image(lambda: _object(arch, late))
    except OSError as error:
        raise BadInputError(str(error)) from error
    return link(code, NAME, filled)
