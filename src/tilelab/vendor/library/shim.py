"""Builds the drop-in ``libttsim.so`` for one chip: its kernels, ``shim.c``, LLVM, our linker."""

import platform
import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from llvmlite import binding

from tilelab.chip import compiled, problems, turns
from tilelab.chip import state as record
from tilelab.chip.chip import REPORTED
from tilelab.chip.memory import PEER_SHIFT, chip_record, dram_bytes
from tilelab.chip.pci import AHEAD
from tilelab.chip.several import MOST_CHIPS, QUIET, members
from tilelab.kernelpy.build import optimised
from tilelab.sim.errors import BadInputError
from tilelab.sim.texts import text_of
from tilelab.tensix.arch import Arch
from tilelab.tensix.run.speed import fast
from tilelab.tensix.state import HEADER_BYTES, TensixState, state_type
from tilelab.tensix.tables.layout import Place
from tilelab.vendor.library import explain
from tilelab.vendor.library.linker import link

NAME = "libttsim.so"
THREADS = "TILELAB_THREADS"
"""The environment's variable that says on how many processors tiles are run."""
MOST_HELPERS = 63
LOOKS = 4000
"""How often a thread without work looks for some before it sleeps: some tens of microseconds."""
PAGE = 4096
PATCH = np.dtype([("chip", "<u4"), ("at", "<u4"), ("value", "<u4")])
PATCHES = 1 << 14
"""Words of chips' records that are not the first chip's."""
PATIENCE = 200_000
"""Clocks in a row in which nothing on the chip could change, until it is said who waits."""
LONGEST = {"python": 4096, "chip_text": 16384}
"""Bytes of what is filled in where the library is laid out, its end included."""


def _padded(bytes_: int, to: int = PAGE) -> int:
    return -(-bytes_ // to) * to


def _constants(arch: Arch) -> dict[str, int]:
    """What ``shim.c`` has to know of a chip: sizes, where things are, what numbers mean."""
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
        "CHIP": record.CHIP.itemsize,
        "RECORD": state_type(arch).itemsize,
        "USED": _used(arch),
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
        "SLICE": record.SLICE,
        "QUIET": QUIET,
        "APART": arch.layout.several.stride if arch.layout.several else sys.maxsize,
        "PATCHES": PATCHES,
        **_parts(arch),
        "MOST_CHIPS": MOST_CHIPS,
        "PEER_SHIFT": PEER_SHIFT,
        "WANT_LINK": record.WANT_LINK,
        "AHEAD": AHEAD,
        "END": turns.END,
        "RUN": turns.RUN,
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
    }


def _parts(arch: Arch) -> dict[str, int]:
    """Where the parts of a tile's record are that a report is made of."""
    fields = state_type(arch).fields
    assert fields is not None
    made: dict[str, int] = {}
    for name in REPORTED:
        kind, at = fields[name][:2]
        made |= {f"{name.upper()}_AT": int(at), f"{name.upper()}_SIZE": kind.itemsize}
    return made


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
    "others",
    "link",
    "peer",
    "time",
    "tiles",
    "is_awake",
    "requests",
)
"""Fields of the chip's record that ``shim.c`` looks at."""


def definitions(arch: Arch) -> str:
    """What ``shim.c`` only declares, in LLVM's assembly language."""
    config = [f"[2 x i32] [i32 {at}, i32 {one}]" for at, one in arch.layout.host.config.items()]
    texts = {"THREADS": THREADS, "REPORT": explain.REPORT, "PROGRAM": explain.__name__}
    numbers = _constants(arch) | {"CONFIG": len(config)}
    lines = [f"@{name} = hidden constant i64 {value}" for name, value in numbers.items()]
    for name, text in texts.items():
        lines.append(f'@{name} = hidden constant [{len(text) + 1} x i8] c"{text}\\00"')
    lines += [
        f"@config = hidden constant [{len(config)} x [2 x i32]] [{', '.join(config)}]",
        f"@helper = hidden global [{MOST_HELPERS} x i64] zeroinitializer",
        f"@every = hidden global [{MOST_CHIPS} x [4 x i64]] zeroinitializer",
    ]
    filled = LONGEST | {"image": _image_bytes(), "chips": 8, "patch": PATCH.itemsize * PATCHES}
    for name, size in filled.items():  # data, although not known yet
        value = f"<{{ i8, [{size - 1} x i8] }}> <{{ i8 1, [{size - 1} x i8] zeroinitializer }}>"
        lines.append(f"@{name} = hidden global {value}, align 64")
    return "\n".join(lines)


def shim(arch: Arch) -> binding.ModuleRef:
    """What is around the kernels of a chip's library, in LLVM's own form."""
    made = binding.parse_assembly(text_of(__package__, "shim.ll"))
    made.link_in(binding.parse_assembly(definitions(arch)))
    return made


def _used(arch: Arch) -> int:
    """Bytes of a tile's record that every program uses: all up to what a trace notes."""
    fields = state_type(arch).fields
    assert fields is not None
    kind, at = fields["engine"][:2]
    assert kind.fields is not None
    return _padded(HEADER_BYTES + int(at) + int(kind.fields["trace_clock"][1]))


def _object(arch: Arch, late: bool) -> bytes:
    """The chip's kernels and the shim, as one object file for this processor."""
    kernels = compiled.module(arch, "late" if late else "prompt", apart=False)
    llvm = optimised(kernels.whole, shim(arch))
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


def _patches(records: Sequence[npt.NDArray[np.uint8]]) -> bytes:
    """Where chips' records are not as the first one's, and what they have there."""
    words = [record[HEADER_BYTES : _image_bytes()].view("<u4") for record in records]
    found = [np.flatnonzero(own != words[0]) for own in words]
    made = np.zeros(sum(map(len, found)) + 1, PATCH)  # one without a place is the end
    assert len(made) <= PATCHES
    made["chip"][:-1] = np.repeat(np.arange(len(words)), [len(one) for one in found])
    made["at"][:-1] = 4 * np.concatenate(found)
    made["value"][:-1] = np.concatenate([own[at] for own, at in zip(words, found, strict=True)])
    return made.tobytes()


def shared_library(
    arch: Arch,
    tiles: Sequence[Place] | None = None,
    python: str = sys.executable,
    late: bool = False,
    in_step: bool = False,
    chips: int = 1,
) -> bytes:
    """The shared library for ``chips`` chips with these tiles each, all by default.

    ``python``: what explains when something goes wrong; ``late``, ``in_step``: as :class:`Chip`
    says. BadInputError on anything but 64-bit x86 Linux.
    """
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise BadInputError(f"{NAME} can be made for x86-64 Linux, not for {platform.machine()}")
    chosen = arch.layout.tensix if tiles is None else tuple(tiles)
    among = members(arch, chips, None)
    image = chip_record(arch, chosen, in_step, among[0])
    chip = image[HEADER_BYTES:].view(record.CHIP).reshape(())
    words = initial_words(arch)
    chip["late"] = late
    chip["initial_words"] = len(words)
    chip["initial_at"][: len(words)] = list(words)
    chip["initial_value"][: len(words)] = list(words.values())
    named = None if tiles is None else list(chosen)
    texts = {"python": python, "chip_text": explain.chip_text(arch.name, named, in_step, chips)}
    filled = {
        "image": image[: _image_bytes()].tobytes(),
        "chips": chips.to_bytes(8, "little"),
        "patch": _patches([chip_record(arch, chosen, in_step, one) for one in among]),
    }
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
