"""Generates the C++ headers that state facts of a chip: ``ops.h``, ``cfg.h``, ``noc_registers.h``.

The instruction words come from the chip's rows, the configuration fields from its list of
configuration registers; kernels written in C++ and the simulator thus share one source. A build
writes them for its chip. ``python -m tilelab.build.headers FOLDER`` writes them to look
at, or for an editor that wants to find them.
"""

import argparse
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from tilelab.build.names import forwarding
from tilelab.isa.instruction import Instruction
from tilelab.sim.texts import text_of
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.noc_registers import COUNTERS
from tilelab.tensix.tables.tile_registers import NOC

INCLUDE = Path(str(files("tilelab"))) / "include"
"""The folder to name in a compiler's ``-I``; headers are included as ``<tilelab/NAME.h>``."""
STANDARD = INCLUDE / "std"
"""What little of C++'s library has no other home where none is installed."""
NAMES = "names"
"""Where among a chip's headers those with the vendor's names lie."""


def _macros(row: Instruction) -> Iterator[str]:
    """The three macros of one instruction, an empty line before them."""
    names = [field.name for field in row.macro]
    operands = f"({', '.join(names)})" if names else ""
    bits = [f"tilelab::field({field.name}, {field.hi}, {field.lo})" for field in row.macro]
    word = " | ".join([f"{row.opcode << 24:#010x}u", *bits])
    yield ""
    yield f"#define TT_OP_{row.name}{operands} ({word})"
    yield f"#define TTI_{row.name}{operands} TILELAB_ISSUE_CONSTANT(TT_OP_{row.name}{operands})"
    yield f"#define TT_{row.name}{operands} tilelab::issue(TT_OP_{row.name}{operands})"


def ops_header(chip: str) -> str:
    """The text of ``ops.h`` for a chip."""
    lines = [line for row in ARCHES[chip].instructions.values() for line in _macros(row)]
    return text_of(__package__, "heads/ops.h", chip=chip.capitalize()) + "\n".join(lines) + "\n"


def cfg_header(chip: str) -> str:
    """The text of ``cfg.h`` for a chip."""
    types = {"c": "ConfigField", "t": "ThreadConfigField"}
    lines = [
        f"constexpr {types[field.space]} {field.name}{{{field.word}, {field.hi}, {field.lo}}};"
        for field in ARCHES[chip].config_fields.values()
    ]
    fields = "\n".join(lines)
    return text_of(__package__, "heads/cfg.h", chip=chip.capitalize(), fields=fields)


def noc_header(chip: str) -> str:
    """The text of ``noc_registers.h`` for a chip."""
    about = ARCHES[chip].noc
    facts = {
        "registers": NOC,
        "counters": COUNTERS,
        "stride": about.stride,
        "go": about.go,
        "node_id": about.node_id,
    }
    written = {name: f"{value:#x}" for name, value in facts.items()}
    shift = about.coordinate_shift
    return text_of(
        __package__, "heads/noc_registers.h", chip=chip.capitalize(), shift=shift, **written
    )


def folders(generated: Path) -> tuple[Path, ...]:
    """All folders of headers, those of a chip being in ``generated``.

    The vendor's names come before those for the vendor's own kernels.
    """
    return generated / NAMES, INCLUDE, STANDARD, generated


def write_headers(chip: str, folder: Path) -> list[Path]:
    """Write a chip's headers into a folder: :func:`folders` are then to be named in ``-I``.

    Returned are those in its ``tilelab``; the vendor's names lie beside it.
    """
    makers = {"ops.h": ops_header, "cfg.h": cfg_header, "noc_registers.h": noc_header}
    facts = {folder / "tilelab" / name: make(chip) for name, make in makers.items()}
    names = {folder / NAMES / name: text for name, text in forwarding().items()}
    for path, text in (names | facts).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(facts)


def main() -> int:
    """Write the headers; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the C++ headers of a chip's facts.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--arch", choices=list(ARCHES), default="blackhole")
    arguments = parser.parse_args()
    try:
        for path in write_headers(arguments.arch, arguments.folder):
            print(path)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
