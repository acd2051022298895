"""Runs probe programs on one tile under the cycle clock and reads what they measured."""

import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.build.standin.backends import BACKENDS
from tilelab.build.standin.layout import lay_out
from tilelab.calibrate.programs import ARGUMENTS, done_at
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.riscv.elf import program_of
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, SOFT_RESET_0
from tilelab.tensix.tile.tile import Tile

BARRIER, RESULTS, SCRATCH = 0x80400, 0x81000, 0x84000
MAX_CYCLES = 20_000_000
BROKEN_ON_PURPOSE = ("vector-multiply-addend", "srca-already-valid", "srcb-already-valid")
"""Checks that the probes fail on purpose: what a vector multiply adds is no concern of theirs, and
they give Src banks that nobody took back.
"""


RESETS = DEBUG_REGISTERS + SOFT_RESET_0
"""The register that holds cores in reset."""


class NotRunError(Exception):
    """Why a row has no prediction."""


@contextmanager
def vendors_folder(compiler: str, files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder with these files, in which a compiler takes the vendor's options.

    ``compiler``: the name of ours. NotRunError if it cannot.
    """
    if compiler not in BACKENDS:
        known = " or ".join(BACKENDS)
        raise NotRunError(f"the vendor's headers are built by {known}, not by {compiler}")
    with TemporaryDirectory() as place:
        folder = Path(place)
        try:
            lay_out(folder, compiler)
        except BadInputError as error:
            raise NotRunError(error.summary) from None
        for at, content in files.items():
            (folder / at).parent.mkdir(parents=True, exist_ok=True)
            (folder / at).write_bytes(content)
        yield folder


def build(command: Sequence[str], what: str, folder: Path | None = None) -> None:
    """Run a compiler; NotRunError, with its first error, if it does not build."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr.strip() or "no message").splitlines()
        said = next((line for line in lines if "error" in line), lines[0])
        raise NotRunError(f"{what} does not build: {said[:160]}")


def run(
    arch: str,
    images: Mapping[str, bytes],
    arguments: Sequence[int],
    words: int,
    before: Mapping[str, bytes] | None = None,
) -> tuple[int, ...]:
    """Run programs, by core, until all are done; returns the first words of the results.

    ``before``: programs that run on the tile before these. NotRunError if they do not end, or fail
    a check.
    """
    tile = Tile(arch, clock="cycle")
    for check in BROKEN_ON_PURPOSE:
        tile.set_policy(check, "off")
    if before:
        held = tile.reg_read(RESETS)
        _run(tile, before, arguments)
        tile.reg_write(RESETS, held)
        for core in before:
            tile.write(done_at(core), bytes(4))
    _run(tile, images, arguments)
    return struct.unpack(f"<{words}I", tile.read(RESULTS, 4 * words))


def _run(tile: Tile, images: Mapping[str, bytes], arguments: Sequence[int]) -> None:
    programs = {core: program_of(image, Path(f"{core}.elf")) for core, image in images.items()}
    try:
        tile.load_programs(programs)
        tile.write(ARGUMENTS, struct.pack(f"<{len(arguments)}I", *arguments))
        tile.start(*images)
        tile.run(max_cycles=MAX_CYCLES, watch={done_at(core): 1 for core in images})
    except TilelabError as error:
        raise NotRunError(f"the program failed: {error.summary}") from None
    ended = all(tile.read(done_at(core), 4) == b"\1\0\0\0" for core in images)
    if not ended:
        raise NotRunError(f"the program did not end within {MAX_CYCLES:,} cycles")
