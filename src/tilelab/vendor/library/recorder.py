"""Builds a library between a host and a ``libttsim.so`` that writes down every call, as a log.

It is made like the library itself (``shim``): by LLVM and our linker, for x86-64 Linux. It goes in
the place of the other one, opens that when it is first called, hands everything on, and appends
records to a file (``calls``), which is there with its beginning before the host runs. A host whose
calls cannot be written down, on a full disk, ends with a line on stderr and exit code 1.
"""

from pathlib import Path
from typing import Final

from llvmlite import binding

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.traffic import calls
from tilelab.traffic.sniff import LOG
from tilelab.vendor.library.linker import link
from tilelab.vendor.library.shim import NAME, machine

LONGEST: Final = 4096
"""Bytes of a path, its end included."""
DATA: Final = "i64 %address, ptr %data, i32 %size"
FUNCTIONS: Final = {
    "init": ("", calls.INIT),
    "exit": ("", calls.EXIT),
    "clock": ("i32 %size", calls.CLOCK),
    "pci_mem_rd_bytes": (DATA, calls.READ),
    "pci_mem_wr_bytes": (DATA, calls.WRITE),
    "pci_config_rd32": ("i32 %size, i32 %offset", calls.CONFIG_READ),
    "pci_config_wr32": ("i32 %size, i32 %offset, i32 %value", calls.CONFIG_WRITE),
    "tile_rd_bytes": (f"i32 %x, i32 %y, {DATA}", 0),
    "tile_wr_bytes": (f"i32 %x, i32 %y, {DATA}", 0),
    "set_pci_dma_mem_callbacks": ("ptr %reader, ptr %writer", calls.HOST_MEMORY),
}
"""Of the library: arguments, and the kind of record; 0: no host calls it, and it has none."""
ANSWERED: Final = (calls.READ, calls.CONFIG_READ)
"""Written down when the answer is there; the others before the call, as what it causes follows."""

SOURCE: Final = """
@library = hidden global <{ i8, [4095 x i8] }> <{ i8 1, [4095 x i8] zeroinitializer }>, align 16
@log = hidden global <{ i8, [4095 x i8] }> <{ i8 1, [4095 x i8] zeroinitializer }>, align 16
@append = private constant [3 x i8] c"ab\\00"
@lost = private constant [53 x i8] c"tilelab: the recorder does not find what it records\\0A\\00"
@unwritten = private constant [45 x i8] c"tilelab: the host's calls cannot be recorded\\00"
@file = internal global ptr null
@handle = internal global ptr null
@read_host = internal global ptr null
@write_host = internal global ptr null

declare ptr @dlopen(ptr, i32) nonlazybind
declare ptr @dlsym(ptr, ptr) nonlazybind
declare ptr @fopen(ptr, ptr) nonlazybind
declare i64 @fwrite(ptr, i64, i64, ptr) nonlazybind
declare i32 @fflush(ptr) nonlazybind
declare i32 @fileno(ptr) nonlazybind
declare i32 @ftruncate(i32, i64) nonlazybind
declare void @perror(ptr) nonlazybind
declare i64 @write(i32, ptr, i64) nonlazybind
declare void @_exit(i32) nonlazybind

define internal ptr @real(ptr %name) {
  %old = load ptr, ptr @handle
  %there = icmp ne ptr %old, null
  br i1 %there, label %look, label %open
open:
  %new = call ptr @dlopen(ptr @library, i32 2)
  store ptr %new, ptr @handle
  %stream = call ptr @fopen(ptr @log, ptr @append)
  store ptr %stream, ptr @file
  %opened = icmp ne ptr %new, null
  %logs = icmp ne ptr %stream, null
  %both = and i1 %opened, %logs
  br i1 %both, label %look, label %fail
look:
  %h = load ptr, ptr @handle
  %f = call ptr @dlsym(ptr %h, ptr %name)
  %found = icmp ne ptr %f, null
  br i1 %found, label %done, label %fail
done:
  ret ptr %f
fail:
  %said = call i64 @write(i32 2, ptr @lost, i64 52)
  call void @_exit(i32 1)
  unreachable
}

; End the host where its record cannot go on: half of one is none, so the file is emptied.
define internal void @need(i1 %fine) {
  br i1 %fine, label %done, label %fail
fail:
  call void @perror(ptr @unwritten)
  %f = load ptr, ptr @file
  %number = call i32 @fileno(ptr %f)
  %cut = call i32 @ftruncate(i32 %number, i64 0)
  call void @_exit(i32 1)
  unreachable
done:
  ret void
}

define internal void @flush() {
  %f = load ptr, ptr @file
  %flushed = call i32 @fflush(ptr %f)
  %fine = icmp eq i32 %flushed, 0
  call void @need(i1 %fine)
  ret void
}

define internal void @note(i32 %kind, i32 %size, i64 %address, ptr %data, i64 %count) {
  %record = alloca { i32, i32, i64 }
  store i32 %kind, ptr %record
  %second = getelementptr i8, ptr %record, i64 4
  store i32 %size, ptr %second
  %third = getelementptr i8, ptr %record, i64 8
  store i64 %address, ptr %third
  %f = load ptr, ptr @file
  %wrote = call i64 @fwrite(ptr %record, i64 1, i64 16, ptr %f)
  %whole = icmp eq i64 %wrote, 16
  call void @need(i1 %whole)
  %wrote.more = call i64 @fwrite(ptr %data, i64 1, i64 %count, ptr %f)
  %whole.more = icmp eq i64 %wrote.more, %count
  call void @need(i1 %whole.more)
  ret void
}

define internal void @host_read(i64 %address, ptr %data, i32 %size) {
  %f = load ptr, ptr @read_host
  call void %f(i64 %address, ptr %data, i32 %size)
  %count = zext i32 %size to i64
  call void @note(i32 {DMA_READ}, i32 %size, i64 %address, ptr %data, i64 %count)
  ret void
}

define internal void @host_write(i64 %address, ptr %data, i32 %size) {
  %count = zext i32 %size to i64
  call void @note(i32 {DMA_WRITE}, i32 %size, i64 %address, ptr %data, i64 %count)
  %f = load ptr, ptr @write_host
  call void %f(i64 %address, ptr %data, i32 %size)
  ret void
}
"""


def _function(name: str, arguments: str, kind: int) -> str:
    """One of the library's functions: it is handed on, and noted before or after."""
    symbol = f"libttsim_{name}"
    body = [f"  %f = call ptr @real(ptr @name.{name})"]
    size, address, data, count = "i32 0", "i64 0", "ptr null", "i64 0"
    handed = arguments
    if "%size" in arguments:
        size = "i32 %size"
    if arguments == DATA:
        body.append("  %count = zext i32 %size to i64")
        address, data, count = "i64 %address", "ptr %data", "i64 %count"
    if "%offset" in arguments:
        body += ["  %at = zext i32 %offset to i64", "  %word = alloca i32"]
        address, data, count = "i64 %at", "ptr %word", "i64 4"
    if "%value" in arguments:
        body.append("  store i32 %value, ptr %word")
    if kind == calls.HOST_MEMORY:
        body += ["  store ptr %reader, ptr @read_host", "  store ptr %writer, ptr @write_host"]
        handed = "ptr @host_read, ptr @host_write"
    noted = [f"  call void @note(i32 {kind}, {size}, {address}, {data}, {count})"] if kind else []
    result = "i32" if kind == calls.CONFIG_READ else "void"
    made = [f"  {'%result = ' if result == 'i32' else ''}call {result} %f({handed})"]
    if result == "i32":
        made.append("  store i32 %result, ptr %word")
    body += [*made, *noted] if kind in ANSWERED else [*noted, *made]
    if kind in (calls.EXIT, calls.INIT):
        body.append("  call void @flush()")
    body.append("  ret i32 %result" if result == "i32" else "  ret void")
    text = f'@name.{name} = private constant [{len(symbol) + 1} x i8] c"{symbol}\\00"\n'
    return text + f"define {result} @{symbol}({arguments}) {{\n" + "\n".join(body) + "\n}\n"


def recorder_source() -> str:
    """The recorder in LLVM's assembly language."""
    fixed = SOURCE.replace("{DMA_READ}", str(calls.DMA_READ))
    fixed = fixed.replace("{DMA_WRITE}", str(calls.DMA_WRITE))
    made = [_function(name, *about) for name, about in FUNCTIONS.items()]
    return fixed + "\n".join(made)


def lay_out_recorder(folder: Path, library: Path, log: Path) -> Path:
    """Put a recorder into a folder, for a library elsewhere; returns the recorder's path.

    The log begins anew. BadInputError where a file cannot be written, or has too long a name.
    """
    filled = {}
    for name, path in (("library", library), ("log", log.resolve())):
        filled[name] = str(path).encode("utf-8", "surrogateescape") + b"\0"
        if len(filled[name]) > LONGEST:
            raise BadInputError(f"{path}: too long a name for the recorder")
    with writing(log) as at:
        at.write_bytes(LOG)
    target = machine()
    made = link(target.emit_object(binding.parse_assembly(recorder_source())), NAME, filled)
    with writing(folder / NAME) as at:
        at.write_bytes(made)
    return (folder / NAME).resolve()
