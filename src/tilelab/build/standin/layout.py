"""Lays out a folder as the vendor's own compiler is unpacked: ``compiler/bin`` and ``include``."""

import sys
from dataclasses import dataclass
from pathlib import Path

from tilelab.build.standin.backends import BACKENDS
from tilelab.build.standin.binutils import TOOLS
from tilelab.sim.errors import BadInputError

CHOICES = " or ".join(BACKENDS)
PREFIX = "riscv-tt-elf-"
HEADERS = ("sfpi.h", "lltt.h")
_SCRIPT = """\
#!/bin/sh
# tilelab's stand-in for the vendor's compiler; made by `tilelab sfpi`
exec {python} -P -c 'from tilelab.build.standin.{module} import main; \
raise SystemExit(main("{name}"))' "$@"
"""
_FORWARD = "// made by `tilelab sfpi`: the compiler brings its own\n#include_next <{name}>\n"


@dataclass(frozen=True)
class LaidOut:
    """The files written, and what the compiler says of itself."""

    files: list[Path]
    version: str


def lay_out(folder: Path, compiler: str) -> LaidOut:
    """Write the commands and headers into a folder; what is there under their names is replaced.

    The commands run with the Python that runs this. BadInputError if the compiler is not one of
    BACKENDS or not installed, or the folder cannot be written.
    """
    if compiler not in BACKENDS:
        raise BadInputError(f"--compiler {compiler}: not {CHOICES}")
    version = BACKENDS[compiler]().version()
    commands = {"g++": ("driver", compiler), **{tool: ("binutils", tool) for tool in TOOLS}}
    texts = {f"include/{name}": _FORWARD.format(name=name) for name in HEADERS}
    python = "'" + sys.executable.replace("'", "'\\''") + "'"
    for command, (module, name) in commands.items():
        script = _SCRIPT.format(python=python, module=module, name=name)
        texts[f"compiler/bin/{PREFIX}{command}"] = script
    try:
        return LaidOut([_write(folder / name, text) for name, text in texts.items()], version)
    except OSError as error:
        raise BadInputError(f"{error.filename}: {error.strerror}") from None


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")
    if path.parent.name == "bin":
        path.chmod(0o755)
    return path
