"""What a kernel's build and its run agree on: places in L1, and what ``kernel.toml`` tells the C++.

:mod:`tilelab.build` compiles; the run asks here whether ELFs are of the source that there is.
"""

from hashlib import sha256

from tilelab.formats.l1 import l1_size
from tilelab.formats.layout import TILE
from tilelab.kernels.descriptors import SEMAPHORES_AT, constants_by_name, descriptors, named, ring
from tilelab.kernels.kernel_toml.building import Build
from tilelab.kernels.kernel_toml.file import Input, KernelFile
from tilelab.sim.errors import BadInputError
from tilelab.sim.texts import text_of
from tilelab.tensix.tables.cores import FIXED_RESET_PC

SOURCE_SECTION = ".tilelab_source"
"""Section of an ELF that says what it was built of; nothing loads it."""

ROLES = {
    **{"trisc0": "TRISC_UNPACK", "trisc1": "TRISC_MATH", "trisc2": "TRISC_PACK"},
    **{"brisc": "COMPILE_FOR_BRISC", "ncrisc": "COMPILE_FOR_NCRISC"},
}
"""The macro that tells a core's compilation from others', in the order of the cores' numbers."""
COMPUTE = tuple(ROLES)[:3]
SOURCE_ROLES = {
    "source": f"!defined({ROLES['brisc']}) && !defined({ROLES['ncrisc']})",
    "reader": f"defined({ROLES['ncrisc']})",
    "writer": f"defined({ROLES['brisc']})",
}
"""When a source of [build] is being compiled."""
CODE = {
    **{core: range(at, at + 0x4000) for core, at in zip(COMPUTE, FIXED_RESET_PC, strict=False)},
    "brisc": range(0x3000),
    "ncrisc": range(0x3000, 0x6000),
}
"""Where a core's code lies: from the hardware's reset PC, but for NCRISC, whose place is chosen."""
BEHIND_FIRMWARE = {"brisc": 0x20}
"""Where code goes on behind its first instruction: firmware has words in between."""
DATA_IMAGE = {
    **{"trisc0": 0x12000, "trisc1": 0x13000, "trisc2": 0x14000},
    **{"brisc": 0x15000, "ncrisc": 0x16000},
}
"""Where a core's initialised data waits for start-up to copy it; 4 KiB each."""

DATA_FORMATS = {
    **{"fp32": "Float32", "tf32": "Tf32", "fp16": "Float16", "bf16": "Float16_b"},
    **{"bfp8": "Bfp8_b", "bfp4": "Bfp4_b", "bfp2": "Bfp2_b"},
    **{"bfp8a": "Bfp8", "bfp4a": "Bfp4", "bfp2a": "Bfp2"},
    **{"int8": "Int8", "uint8": "UInt8", "int16": "UInt16", "uint16": "UInt16"},
    **{"int32": "Int32", "uint32": "UInt32", "int32sm": "Int32"},
}
"""The vendor's names of the formats that circular buffers may hold."""
ONLY_DST_HOLDS = ("int16", "uint16", "int32", "uint32", "int32sm")
"""Of these, what copy_tile unpacks into Dst."""
SIGNED = {"int32": "I32", "int32sm": "SM32", "int8": "SM32"}
"""How integers with a sign lie in a Dst of 32 bits, as sfpi's DataLayout names it."""


def _signed_in_dst(kernel: KernelFile) -> list[str]:
    """The layout that a vInt of the vector unit has in Dst, where the buffers tell."""
    layouts = {SIGNED[item.format] for item in kernel.circular_buffers if item.format in SIGNED}
    if not layouts:
        return []
    return [f"#define TILELAB_SIGNED_IN_DST {layouts.pop() if len(layouts) == 1 else 'Default'}"]


def _buffers(kernel: KernelFile) -> list[str]:
    """The initialisers of the circular buffers c_0 to c_31."""
    lines = ["    {},"] * 32
    for index, item in enumerate(kernel.circular_buffers):
        assert item.buffer is not None
        if item.format not in DATA_FORMATS:
            raise BadInputError(
                f"{kernel.shown}: c_{item.buffer} holds {item.format}; the headers offer "
                f"{', '.join(DATA_FORMATS)} only"
            )
        assert kernel.build
        direct = item.buffer in kernel.build.unpack_to_dest_mode
        if direct and (item.format != "fp32" or not kernel.build.fp32_dest_acc_en):
            raise BadInputError(
                f"{kernel.shown}: build.unpack_to_dest_mode: c_{item.buffer} holds {item.format}; "
                "it is for fp32 and a Dst of 32 bits (fp32_dest_acc_en)"
            )
        tiles = item.capacity
        filled = tiles if isinstance(item, Input) else 0
        size = l1_size((TILE, TILE), item.format)
        what = f"{item.address:#x}, {tiles}, {filled}, {size}"
        direct = direct or item.format in ONLY_DST_HOLDS
        facts = f"DataFormat::{DATA_FORMATS[item.format]}, {index}, {str(direct).lower()}"
        lines[item.buffer] = f"    {{{what}, {facts}}},"
    return lines


def _arguments(build: Build) -> list[str]:
    """Macros of each source: its own, and its arguments, as ``tilelab/arguments.h`` takes them."""
    lines: list[str] = []
    for source, role in SOURCE_ROLES.items():
        macros = [f"#define {name} {text}" for name, text in build.defines.get(source, {}).items()]
        macros += [
            f"#define TILELAB_{name} {', '.join(map(hex, given[source]))}"
            for name, given in (
                ("COMPILE_TIME_ARGS", build.compile_time_args),
                ("RUNTIME_ARGS", build.runtime_args),
                ("COMMON_RUNTIME_ARGS", build.common_runtime_args),
            )
            if source in given
        ]
        if named := build.named_args.get(source):
            pairs = [f'{{"{name}", {value}u}}' for name, value in named.items()]
            macros.append(f"#define KERNEL_COMPILE_TIME_ARG_MAP {', '.join(pairs)}")
        lines += [f"#if {role}", *macros, "#endif"] if macros else []
    return lines


def _names(build: Build) -> list[str]:
    """C++ of the named arguments of each source, and of the buffers' names."""
    lines = []
    for source, role in SOURCE_ROLES.items():
        if named := build.named_args.get(source):
            lines += [f"#if {role}", *constants_by_name(named), "#endif"]
    buffers = [f"constexpr uint32_t {n} = {number};" for n, number in build.buffer_names.items()]
    return [*lines, *(["namespace dfb {", *buffers, "}"] if buffers else [])]


def _constants(build: Build) -> list[str]:
    """C++ of the constants: each also a macro of its own name, so that an #ifndef sees it."""
    return [
        f"constexpr uint32_t {n} = {v:#x};\n#define {n} {n}" for n, v in build.constants.items()
    ]


def _protocol(kernel: KernelFile) -> str:
    """C++ of what start-up has to know: how Dst is used, and how the kernel reports."""
    build, boxes = kernel.build, kernel.done.mailboxes
    assert build is not None
    return text_of(
        __package__,
        "heads/protocol.h",
        wide=str(build.fp32_dest_acc_en).lower(),
        full=str(build.dst_full_sync_en).lower(),
        boxes=", ".join(hex(boxes[core] if core in build.sources else 0) for core in ROLES),
        done=hex(kernel.done.value),
        go=hex(1 if kernel.done.value != 1 else 2),
    ).rstrip()


def _vendors_header(kernel: KernelFile) -> str:
    """The same for the vendor's headers; the compiler is given it before anything else.

    What comes with a macro of its own is what the vendor's host writes into files of its own.
    """
    build = kernel.build
    assert build is not None
    files = [
        *(f'#define TILELAB_HEADERS "{build.headers}"', *(f"// -I{one}" for one in build.include)),
        *_once("TILELAB_DESCRIPTORS", descriptors(kernel)),
    ]
    for source in SOURCE_ROLES:
        if text := named(kernel, source):
            files += _once(f"TILELAB_NAMED_{source.upper()}", text)
    return text_of(
        __package__,
        "heads/vendors.h",
        arch=kernel.arch,
        macros="\n".join([*_constants(build), *_arguments(build)]),
        protocol=_protocol(kernel),
        rings="\n".join(map(ring, kernel.circular_buffers)),
        semaphores=hex(SEMAPHORES_AT),
        files="\n".join(files),
    )


def _once(macro: str, text: str) -> list[str]:
    """Text for whoever asks for it by a macro, the first time that the header is read then."""
    return [f"#ifdef {macro}", f"#undef {macro}", text, "#endif"]


def build_header(kernel: KernelFile) -> str:
    """The text of ``tilelab_build.h``: what the kernel.toml tells the C++ code."""
    if not kernel.build:
        raise BadInputError(f"{kernel.shown}: has no [build] table, so there is nothing to build")
    boxes = kernel.done.mailboxes
    cores = kernel.build.sources
    if missing := [core for core in cores if core not in boxes or core not in kernel.elfs]:
        raise BadInputError(f"{kernel.shown}: {missing[0]} needs an ELF and a mailbox")
    if kernel.build.headers:
        return _vendors_header(kernel)
    fidelity = kernel.build.math_fidelity
    macros = [
        *_constants(kernel.build),
        *_arguments(kernel.build),
        *_names(kernel.build),
        *_signed_in_dst(kernel),
        *([f"#define MATH_FIDELITY MathFidelity::{fidelity}"] if fidelity else []),
    ]
    return text_of(
        __package__,
        "heads/build.h",
        arch=kernel.arch,
        macros="\n".join(macros),
        protocol=_protocol(kernel),
        placed=len(kernel.circular_buffers),
        buffers="\n".join(_buffers(kernel)),
    )


def source_digest(source: bytes, header: str) -> str:
    """What tells one state of a kernel from another: its C++, and what kernel.toml tells it."""
    text = source.replace(b"\r\n", b"\n")
    return sha256(text + b"\0" + header.encode()).hexdigest()[:32]
