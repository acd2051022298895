"""Lays out a folder as the vendor's own compiler is unpacked: ``compiler/bin`` and ``include``."""

import sys
from pathlib import Path

from tilelab.build.standin.backends import BACKENDS
from tilelab.build.standin.binutils import TOOLS
from tilelab.sim.errors import BadInputError

PREFIX = "riscv-tt-elf-"
_SCRIPT = """\
#!/bin/sh
# tilelab's stand-in for the vendor's compiler; made by `tilelab sfpi`
exec '{python}' -P -c 'from tilelab.build.standin.{module} import main; raise SystemExit(main("{name}"))' "$@"
"""
_FORWARD = "// made by `tilelab sfpi`: the compiler brings its own\n#include_next <{name}>\n"
HEADERS = ("sfpi.h", "lltt.h")


def lay_out(folder: Path, compiler: str) -> list[Path]:
    """Write the commands into a folder and return their paths.

    BadInputError if the compiler is not one of BACKENDS or not installed, or nothing can be written.
    """
    if compiler not in BACKENDS:
        raise BadInputError(f"--compiler {compiler}: not one of {', '.join(BACKENDS)}")
    BACKENDS[compiler]().version()
    commands = {"g++": ("driver", compiler), **{tool: ("binutils", tool) for tool in TOOLS}}
    written = []
    try:
        (folder / "include").mkdir(parents=True, exist_ok=True)
        for name in HEADERS:
            (folder / "include" / name).write_text(_FORWARD.format(name=name), encoding="ascii")
        where = folder / "compiler" / "bin"
        where.mkdir(parents=True, exist_ok=True)
        for command, (module, name) in commands.items():
            path = where / f"{PREFIX}{command}"
            path.unlink(missing_ok=True)
            text = _SCRIPT.format(python=sys.executable, module=module, name=name)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
            written.append(path)
    except OSError as error:
        raise BadInputError(f"{error.filename}: {error.strerror}") from None
    return written
