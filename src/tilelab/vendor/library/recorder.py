"""Builds a library between a host and a ``libttsim.so`` that writes down every call, as a log.

It is made of ``recorder.c`` as the library itself is of ``shim.c``: by LLVM and our linker, for
x86-64 Linux. It goes in the place of the other one, opens that when it is first called, hands
everything on, and appends records to a file (``calls``), which is there with its beginning before
the host runs. A host whose calls cannot be written down, on a full disk, ends with a line on stderr
and exit code 1.
"""

from pathlib import Path
from typing import Final

from llvmlite import binding

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import write_whole
from tilelab.sim.texts import text_of
from tilelab.traffic.sniff import LOG
from tilelab.vendor.library.linker import link
from tilelab.vendor.library.shim import NAME, machine

LONGEST: Final = 4096
"""Bytes of a path, its end included."""


def lay_out_recorder(folder: Path, library: Path, log: Path) -> Path:
    """Put a recorder into a folder, for a library elsewhere; returns the recorder's path.

    The log begins anew. BadInputError where a file cannot be written, or has too long a name.
    """
    filled = {}
    for name, path in (("library", library), ("calls", log.resolve())):
        filled[name] = str(path).encode("utf-8", "surrogateescape") + b"\0"
        if len(filled[name]) > LONGEST:
            raise BadInputError(f"{path}: too long a name for the recorder")
    write_whole(log, LOG)
    target = machine()
    code = binding.parse_assembly(text_of(__package__, "recorder.ll"))
    made = link(target.emit_object(code), NAME, filled)
    write_whole(folder / NAME, made)
    return (folder / NAME).resolve()
