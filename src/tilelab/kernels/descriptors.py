"""What kernel.toml tells C++ that is compiled with the vendor's headers.

The vendor's host writes it for each kernel: formats and sizes of the circular buffers
(``chlkc_descriptors.h``), arguments, named ones too. Which formats it tells unpackers and packers
was read from what the host of ``ttnn`` 0.81.1 writes; ``tests/data/descriptors.json`` keeps that.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilelab.formats.l1 import l1_size
from tilelab.formats.layout import TILE
from tilelab.formats.placement import Placement
from tilelab.kernels.kernel_toml.building import Build
from tilelab.kernels.kernel_toml.file import Input, KernelFile
from tilelab.sim.errors import BadInputError
from tilelab.sim.texts import text_of

NUMBERS: Final = {
    **{"fp32": 0, "fp16": 1, "bfp8a": 2, "bfp4a": 3, "tf32": 4, "bf16": 5, "bfp8": 6, "bfp4": 7},
    **{"int32": 8, "int32sm": 8, "int16": 9, "uint16": 9, "bfp2a": 11, "int8": 14, "bfp2": 15},
    **{"uint32": 24, "uint8": 30},
}
"""The vendor's numbers of formats in L1."""
FP16_FAMILY: Final = ("fp16", "bfp8a", "bfp4a", "bfp2a")
"""Exponents of five bits."""
PACKED_AS: Final = {"bfp4": "bfp8", "bfp2": "bfp8", "bfp4a": "bfp8a", "bfp2a": "bfp8a"}
"""What the packer is told that it reads, where that is not the buffer's own format."""
RINGS: Final = 64
NO_FORMAT: Final = 255
NO_TILE: Final = 1088
"""Bytes of a tile of a buffer that nobody has placed, as the host has it."""
FIDELITIES: Final = {"LoFi": 0, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4, "": 4}

CODE_BYTES: Final = 0x10000
CODE_END: Final = 0x140000
"""Where these kernels' programs end in L1, five of CODE_BYTES and their data below it."""
CORES: Final = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")
"""BRISC's comes first: a jump from 0 reaches a MiB."""
DATA_IMAGES: Final = CODE_END - 0x6000
"""Data that wait for start-up to copy them, 4 KiB for each core; then semaphores."""
SEMAPHORES_AT: Final = CODE_END - 0x1000
CODE: Final = {
    core: range(at, at + CODE_BYTES)
    for core, at in zip(
        CORES, range(DATA_IMAGES - 5 * CODE_BYTES, DATA_IMAGES, CODE_BYTES), strict=True
    )
}
DATA_IMAGE: Final = {core: DATA_IMAGES + 0x1000 * i for i, core in enumerate(CORES)}


def unpacked_as(item: Placement, build: Build, fp16: bool) -> str:
    """The format that unpackers are told to make of a buffer's."""
    if item.format != "fp32":
        return item.format
    if not build.fp32_dest_acc_en:
        return "fp16" if fp16 else "bf16"
    return "fp32" if item.buffer in build.unpack_to_dest_mode else "tf32"


def packed_from(item: Placement, build: Build, fp16: bool) -> str:
    """The format that packers are told to read."""
    if item.format != "fp32" or build.fp32_dest_acc_en:
        return PACKED_AS.get(item.format, item.format)
    return "fp16" if fp16 else "bf16"


def _table(
    name: str, kind: str, of: Callable[[Placement], int], other: int, kernel: KernelFile
) -> str:
    placed = {item.buffer: item for item in kernel.circular_buffers}
    words = [of(placed[i]) if i in placed else other for i in range(RINGS)]
    return f"constexpr {kind} {name}[{RINGS}] = {{{', '.join(map(str, words))}}};"


def _tables(kernel: KernelFile, unpacks: bool) -> Iterator[str]:
    build = kernel.build
    assert build is not None
    fp16 = any(item.format in FP16_FAMILY for item in kernel.circular_buffers)
    told = unpacked_as if unpacks else packed_from
    side = "unpack" if unpacks else "pack"
    in_l1, in_core = ("src", "dst") if unpacks else ("dst", "src")

    def formats(place: str, of: Callable[[Placement], str]) -> str:
        name = f"{side}_{place}_format"
        return _table(name, "unsigned char", lambda item: NUMBERS[of(item)], NO_FORMAT, kernel)

    yield formats(in_l1, lambda item: item.format)
    yield formats(in_core, lambda item: told(item, build, fp16))
    shape = {
        **{"tile_num_faces": 4, "partial_face": 0, "tile_face_r_dim": 16, "narrow_tile": 0},
        **{"tile_r_dim": 32, "tile_c_dim": 32, "num_faces_r_dim": 2, "num_faces_c_dim": 2},
    }
    for name, value in shape.items():
        yield f"constexpr uint8_t {side}_{name}[{RINGS}] = {{{', '.join([str(value)] * RINGS)}}};"
    yield _table(f"{side}_tile_size", "uint16_t", _tile_bytes, NO_TILE, kernel)


def _tile_bytes(item: Placement) -> int:
    return l1_size((TILE, TILE), item.format)


def descriptors(kernel: KernelFile) -> str:
    """The text of ``chlkc_descriptors.h``."""
    build = kernel.build
    assert build is not None
    for item in kernel.circular_buffers:
        if item.format not in NUMBERS:
            raise BadInputError(
                f"{kernel.shown}: c_{item.buffer} holds {item.format}; the vendor's headers take "
                f"{', '.join(NUMBERS)} only"
            )
    return text_of(
        __package__,
        "heads/descriptors.h",
        fidelity=FIDELITIES[build.math_fidelity],
        approx=str(build.math_approx_mode).lower(),
        tables="\n".join([*_tables(kernel, True), *_tables(kernel, False)]),
        wide=str(build.fp32_dest_acc_en).lower(),
        sync="Full" if build.dst_full_sync_en else "Half",
    )


def named(kernel: KernelFile, source: str) -> str:
    """The text of ``kernel_args_generated.h`` for a source: its arguments and buffers by name.

    "" for a kernel without such names. Every named argument is known when compiling.
    """
    build = kernel.build
    assert build is not None
    arguments = build.named_args.get(source, {})
    if not arguments and not build.buffer_names:
        return ""
    token = "DFBBindingToken<dfb::AccessPattern::STRIDED, dfb::AccessPattern::STRIDED>"
    placed = {item.buffer: item for item in kernel.circular_buffers}
    metadata = {
        name: f", ::binding_details::LLKMetadata{{.format = {NUMBERS[placed[number].format]}u, "
        ".face_r_dim = 16u, .face_c_dim = 16u, .num_faces_r_dim = 2u, .num_faces_c_dim = 2u}"
        for name, number in build.buffer_names.items()
        if number in placed
    }
    buffers = [
        f"constexpr {token} {name}{{{number}{metadata.get(name, '')}}};"
        for name, number in build.buffer_names.items()
    ]
    cases = [
        f'if constexpr (name == "{name}") return &{name}; else ' for name in build.buffer_names
    ]
    return text_of(
        __package__,
        "heads/named.h",
        buffers="\n".join(buffers),
        cases="".join(cases),
        arguments="\n".join(constants_by_name(arguments)),
        words=len(build.compile_time_args.get(source, ())),
    )


def constants_by_name(arguments: Mapping[str, int]) -> list[str]:
    """C++ of named arguments that are known when compiling: ``args::NAME``."""
    values = [
        f"constexpr experimental::CtaVal<uint32_t> {name}{{{value}u}};"
        for name, value in arguments.items()
    ]
    return ["namespace args {", *values, "}"]


def ring(item: Placement) -> str:
    """The initialiser of a circular buffer's facts."""
    filled = item.capacity if isinstance(item, Input) else 0
    page = _tile_bytes(item)
    facts = (item.buffer, hex(item.address), item.capacity * page, item.capacity, page, filled)
    return f"    {{{', '.join(map(str, facts))}}},"
