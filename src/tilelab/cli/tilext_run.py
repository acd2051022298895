"""``tilelab tilext run``: a program on the model, with data in and out."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer

from tilelab.cli.streams import complain, print_json, read_bytes, shown
from tilelab.cli.usage import JSON, Only, argument, command, flag, option
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.matrices import dtype_of
from tilelab.tilext.program import Run, load_machine, load_program
from tilelab.tilext.registers import Kind, register_number
from tilelab.tilext.state import XLEN_MASK

MACHINE = "--machine FILE.toml states parameters, codes and operations (docs/tilext/README.md)"


@dataclass(frozen=True)
class Place:
    """A file's place in a memory, and for outputs what is read there."""

    file: Path
    space: str
    address: int
    dtype: np.dtype
    shape: tuple[int, ...]


def _number(text: str, what: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise BadInputError(f"{what}: {text[:40]!r} is not a number") from None


def _where(text: str, what: str, symbols: dict[str, int]) -> tuple[str, int]:
    """Return the memory and the address that ``0x2000``, ``name`` or ``share:0x40`` name."""
    space, colon, rest = text.partition(":")
    if not colon:
        space, rest = "global", text
    if space not in ("global", "share"):
        raise BadInputError(f"{what}: {space[:40]!r} is neither global nor share")
    return space, symbols[rest] if rest in symbols else _number(rest, what)


def _inputs(given: list[str], symbols: dict[str, int]) -> list[tuple[str, int, bytes]]:
    found = []
    for text in given:
        where, equals, name = text.partition("=")
        if not equals:
            raise BadInputError(f"--in {text[:60]!r} is not ADDRESS=FILE.npy")
        space, address = _where(where, "--in", symbols)
        found.append((space, address, _array(Path(name)).tobytes()))
    return found


def _array(path: Path) -> np.ndarray:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        reason = isinstance(error, OSError) and error.strerror
        raise BadInputError(f"{path}: {reason or 'not a .npy file'}") from None
    if not isinstance(array, np.ndarray):
        raise BadInputError(f"{path}: not a .npy file")
    return np.ascontiguousarray(array)


def _outputs(given: list[str], symbols: dict[str, int]) -> list[Place]:
    """Read ADDRESS=FILE.npy,TYPE,ROWSxCOLUMNS."""
    found = []
    for text in given:
        where, equals, rest = text.partition("=")
        parts = rest.split(",")
        if not equals or len(parts) != 3:
            raise BadInputError(f"--out {text[:60]!r} is not ADDRESS=FILE.npy,TYPE,ROWSxCOLUMNS")
        space, address = _where(where, "--out", symbols)
        shape = tuple(_number(side, "--out") for side in parts[2].split("x"))
        if min(shape) < 1:
            raise BadInputError(f"--out: shape {parts[2][:40]} has a side below 1")
        found.append(Place(Path(parts[0]), space, address, dtype_of(parts[1]), shape))
    return found


def _registers(given: list[str], symbols: dict[str, int]) -> dict[int, int]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        number = register_number(Kind.GPR, name)
        if not equals or number is None:
            raise BadInputError(f"--reg {text[:60]!r} is not REGISTER=NUMBER")
        known = symbols.get(value)
        found[number] = (_number(value, "--reg") if known is None else known) & XLEN_MASK
    return found


def _content(run: Run, place: Place) -> np.ndarray:
    memory = run.cores[0].memory[place.space]
    size = int(np.prod(place.shape)) * place.dtype.itemsize
    return memory[place.address : place.address + size].view(place.dtype).reshape(place.shape)


def _check_places(run: Run, outputs: list[Place]) -> None:
    for place in outputs:
        size = int(np.prod(place.shape, dtype=object)) * place.dtype.itemsize
        held = len(run.cores[0].memory[place.space])
        if place.address < 0 or place.address + size > held:
            raise BadInputError(f"--out: {size} B at {place.address:#x} do not fit {held:#x} bytes")


def _changes(run: Run, tiles: list[np.ndarray]) -> list[dict[str, int]]:
    """Return which tile registers have changed, and in how many bytes."""
    found = []
    for core, before in zip(run.cores, tiles, strict=True):
        counts = (core.tiles != before).sum(axis=1)
        found += [
            {"thread": core.thread, "tile": int(t), "bytes": int(counts[t])}
            for t in np.flatnonzero(counts)
        ]
    return found


def _tile_text(run: Run, text: str) -> list[str]:
    """Return a tile register's contents: ``tr8,int32,16x16``."""
    parts = text.split(",")
    number = register_number(Kind.TILE, parts[0])
    if len(parts) != 3 or number is None or number >= run.cores[0].parameters.tile_count:
        raise BadInputError(f"--show {text[:60]!r} is not TILE,TYPE,ROWSxCOLUMNS")
    dtype, shape = dtype_of(parts[1]), [_number(side, "--show") for side in parts[2].split("x")]
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    data = run.cores[0].tiles[number]
    if min(shape) < 1 or size > len(data):
        raise BadInputError(f"--show {text}: {size} B of a register of {len(data)}")
    return [f"{parts[0]}:", str(data[:size].view(dtype).reshape(shape))]


def _prepare(run: Run, given: list[str], registers: list[str]) -> None:
    """Put inputs into memory and numbers into registers."""
    symbols = run.program.symbols
    for space, address, data in _inputs(given, symbols):
        memory = run.cores[0].memory[space]
        if address < 0 or address + len(data) > len(memory):
            raise BadInputError(
                f"--in: {len(data)} B at {address:#x} do not fit {len(memory):#x} bytes"
            )
        memory[address : address + len(data)] = np.frombuffer(data, np.uint8)
    for core in run.cores:
        for number, value in _registers(registers, symbols).items():
            core.write_x(number, value)


@command("tilext", rules=(Only("diff show", "json", without=True),))
def run_(
    program: str = argument("FILE", "A linked RV64 ELF, or assembly; - is stdin."),
    machine: Path | None = option("FILE.toml", "Parameters, overlay, operations."),
    given: list[str] | None = option("--in", "[share:]ADDRESS|SYMBOL=FILE.npy"),
    wanted: list[str] | None = option("--out", "[share:]ADDRESS|SYMBOL=FILE.npy,TYPE,ROWSxCOLUMNS"),
    registers: list[str] | None = option("--reg", "REGISTER=NUMBER|SYMBOL at the start."),
    threads: int = option("Threads that run it.", default=1, min=1, max=8),
    limit: int = option(
        "--max-steps", "Instructions before it is given up.", default=20_000_000, min=1
    ),
    show: list[str] | None = option("Print a tile register: tr8,int32,16x16."),
    diff: bool = flag("Which tile registers have changed."),
    json: bool = JSON,
) -> None:
    """Run a program: scalar RV64IM around tile instructions, with data in and out as .npy."""
    chosen = load_machine(machine)
    loaded = load_program(read_bytes(program), shown(program), chosen.profile)
    run = Run(chosen, loaded, threads)
    outputs = _outputs(wanted or [], loaded.symbols)
    _check_places(run, outputs)
    _prepare(run, given or [], registers or [])
    before = [core.tiles.copy() for core in run.cores]
    try:
        outcome = run.run(limit)
    except MissingSpecification as missing:
        missing.detail += f"\n{MACHINE}"
        raise
    finally:
        if not json:
            sys.stdout.write(run.output.decode("utf-8", "replace"))
    for place in outputs:
        _save(place.file, _content(run, place))
    changed = _changes(run, before)
    if json:
        document = {"statuses": outcome.statuses, "instructions": outcome.executed}
        document |= {"tile_instructions": outcome.tiles, "changed": changed}
        print_json(document | {"output": run.output.decode("utf-8", "replace")})
    else:
        typer.echo(f"{outcome.executed:,} instructions, {outcome.tiles:,} of the Tile Extension")
        for change in changed if diff else []:
            typer.echo(f"thread {change['thread']}: tr{change['tile']}, {change['bytes']} bytes")
        for text in show or []:
            typer.echo("\n".join(_tile_text(run, text)))
    if any(outcome.statuses):
        complain(f"exit status {', '.join(str(status) for status in outcome.statuses)}")
        raise typer.Exit(1)


def _save(path: Path, array: np.ndarray) -> None:
    """Write an array; types that NumPy has no name for (bf16) as their bits."""
    if array.dtype.kind == "V":
        array = array.view(f"<u{array.dtype.itemsize}")
    with writing(path) as at, at.open("wb") as stream:
        np.save(stream, array)
