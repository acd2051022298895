"""``tilelab asm`` and ``tilelab disasm``."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from tilelab.cli.streams import print_json, read_bytes, read_text, shown
from tilelab.cli.usage import CHIPS, JSON, argument, command, flag, option
from tilelab.elf.program import code_of
from tilelab.isa.syntax import NumberTooLargeError, OperandError, parse_number, shorten
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import TEXT, write_whole
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.riscv.listing import listing
from tilelab.tensix.words.assembly import Program, assemble, disassemble, from_ttinsn, to_ttinsn

TILEXT = "tilext"
ARCH_HELP = "blackhole, wormhole or tilext"
ANY_CHIP = option(
    "The chip; tilext is the RISC-V Tile Extension.", choices=(*CHIPS, TILEXT), default="blackhole"
)
ELF_MAGIC = b"\x7fELF"
WORD_BYTES = 4


@command()
def asm(
    file: str = argument("FILE", "Assembly; - is stdin.", default="-"),
    output: Path | None = option("-o FILE", "Write little-endian words here."),
    ttinsn: bool = flag("Words as they stand in a RISC-V instruction stream."),
    arch: str = ANY_CHIP,
    json: bool = JSON,
) -> None:
    """Assemble: print one word a line, or write them with -o."""
    _check_arch(arch, ttinsn)
    name = shown(file)
    text = read_text(file)
    if arch == TILEXT:
        words = [int(word) for word in _tilext().assemble_text(text)]
    else:
        words = _program_words(assemble(text, arch, name), ttinsn)
    if output is not None:
        write_whole(output, b"".join(word.to_bytes(WORD_BYTES, "little") for word in words))
    lines = [f"{word:#010x}" for word in words]
    if json:
        print_json({"arch": arch, "ttinsn": ttinsn, "words": lines})
    elif output is None:
        _echo_lines(lines)


@command()
def disasm(
    source: list[str] | None = argument(
        "[WORD...|FILE|-]",
        "Words; or a file: words as text (one a line), binary (little-endian), or an ELF.",
        default=None,
    ),
    ttinsn: bool = flag("Words are as in a RISC-V instruction stream."),
    arch: str = ANY_CHIP,
    json: bool = JSON,
) -> None:
    """Disassemble: print one instruction a line; of an ELF its code, RISC-V's as comments."""
    _check_arch(arch, ttinsn)
    found = _words(source or ["-"])
    if isinstance(found, Elf):
        _disassemble_elf(found, arch, json=json)
        return
    words = found
    if arch == TILEXT:
        lines = [str(line) for line in _tilext().disassemble_words(words)]
    else:
        lines = [disassemble(_from_ttinsn(word) if ttinsn else word, arch) for word in words]
    if json:
        given = [f"{word:#010x}" for word in words]
        document = {"arch": arch, "ttinsn": ttinsn, "words": given, "assembly": lines}
        print_json(document)
    else:
        _echo_lines(lines)


def _check_arch(arch: str, ttinsn: bool) -> None:
    if arch not in (*ARCHES, TILEXT):
        raise BadInputError(f"unknown architecture {shorten(arch)!r}: choose {ARCH_HELP}")
    if arch == TILEXT and ttinsn:
        raise BadInputError("--ttinsn is for Tensix words: it does not go with --arch tilext")


def _tilext() -> Any:
    """Return the Tile Extension's package, which only its users need to load."""
    return importlib.import_module("tilelab.tilext")


def _program_words(program: Program, ttinsn: bool) -> list[int]:
    """Return a program's words, if they are one thread's instructions only."""
    words = []
    for statement in program.statements:
        where = f"{program.file}:{statement.line}"
        if statement.mop_cfg is not None:
            raise BadInputError(f"{where}: .mopcfg has no word: only expand and run take it")
        if statement.thread != program.statements[0].thread:
            raise BadInputError(f"{where}: a second thread: only expand and run take several")
        try:
            words.append(to_ttinsn(statement.word) if ttinsn else statement.word)
        except ValueError as error:
            raise BadInputError(f"{where}: {error}") from None
    return words


def _from_ttinsn(word: int) -> int:
    try:
        return from_ttinsn(word)
    except ValueError as error:
        raise BadInputError(str(error)) from None


@dataclass(frozen=True)
class Elf:
    """An ELF file's bytes, and what messages call it."""

    data: bytes
    name: str


def _disassemble_elf(file: Elf, arch: str, *, json: bool) -> None:
    """Print a core's code; ``asm`` reads the lines back to the Tensix instructions among them."""
    if arch == TILEXT:
        raise BadInputError(f"{file.name}: an ELF; tilelab tilext disasm reads its code")
    program = code_of(file.data, Path(file.name))
    code = list(listing(program, arch))
    if json:
        ours = [one for one in code if one.tensix]
        words, lines = [f"{one.word:#010x}" for one in ours], [one.text for one in ours]
        document = {"arch": arch, "ttinsn": True, "words": words, "assembly": lines}
        rows = [{**one._asdict(), "line": program.line(one.pc)} for one in code]
        print_json({**document, "code": rows})
        return
    names = dict(program.symbols)
    lines = []
    for one in code:
        if one.pc in names:
            lines.append(f"# {one.pc:#x}: {names[one.pc]}")
        place = f"{one.pc:#x} {program.line(one.pc)}".rstrip()
        lines.append(f"{one.text:<39} # {place}" if one.tensix else f"# {one.text:<37} # {place}")
    _echo_lines(lines)


def _words(source: list[str]) -> list[int] | Elf:
    """Return the words that the arguments give, or those in the file that they name; or an ELF."""
    if len(source) == 1:
        try:
            return [_word(source[0])]
        except OperandError:
            if not Path(source[0]).exists() and source[0] != "-":
                raise BadInputError(f"{shown(source[0])}: neither a word nor a file") from None
            data = read_bytes(source[0])
        if data.startswith(ELF_MAGIC) or source[0].endswith(".elf"):
            return Elf(data, shown(source[0]))
        return _file_words(data, shown(source[0]))
    try:
        return [_word(text) for text in source]
    except OperandError as error:
        raise BadInputError(f"{error}: give words, or one file") from None


def _word(text: str) -> int:
    try:
        word = parse_number(text)
    except NumberTooLargeError:
        word = -1
    if not 0 <= word <= 0xFFFFFFFF:
        raise BadInputError(f"{shorten(text)} is not a 32-bit word")
    return word


def _file_words(data: bytes, name: str) -> list[int]:
    """Return the words of a text, or of anything else as little-endian binary."""
    try:
        lines = data.decode(TEXT).split("\n")
        is_text = all("".join(line.split()).isprintable() for line in lines)
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        if len(data) % WORD_BYTES:
            raise BadInputError(
                f"{name}: neither text nor little-endian words: "
                f"{len(data)} bytes are not a multiple of {WORD_BYTES}"
            )
        parts = range(0, len(data), WORD_BYTES)
        return [int.from_bytes(data[at : at + WORD_BYTES], "little") for at in parts]
    words = []
    for number, line in enumerate(lines, 1):
        if text := line.split("#")[0].strip():
            try:
                words.append(_word(text))
            except (OperandError, BadInputError) as error:
                raise BadInputError(f"{name}:{number}: {error}") from None
    return words


def _echo_lines(lines: list[str]) -> None:
    if lines:
        typer.echo("\n".join(lines))
