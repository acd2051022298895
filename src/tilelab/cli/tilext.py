"""``tilelab tilext``: reference, open questions, checks, exports, and the objdump filter."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from tilelab.cli.console import complain, print_json, read_bytes, read_text, shown
from tilelab.cli.tilext_run import run_program
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import reason, writing
from tilelab.tilext import export as formats
from tilelab.tilext.assembler import Assembler, assemble_text, format_words, to_bytes
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.exports.decodetree import decodetree
from tilelab.tilext.exports.opcode_table import opcode_table
from tilelab.tilext.exports.sail import sail
from tilelab.tilext.exports.tablegen import tablegen
from tilelab.tilext.fuzz import round_trips
from tilelab.tilext.gas import translate
from tilelab.tilext.header import header
from tilelab.tilext.objdump import ELF_MAGIC, CodeLine, elf_code, read_words
from tilelab.tilext.objdump import annotate as annotate_lines
from tilelab.tilext.profile import Profile, load_profile
from tilelab.tilext.questions import QUESTIONS
from tilelab.tilext.reference import pages, questions_page
from tilelab.tilext.validate import Report, validate

app = typer.Typer(help="The RISC-V Tile Extension: reference and exports.")

ProfileName = Annotated[str, typer.Option("--profile", help="repaired or printed")]
Overlay = Annotated[Path | None, typer.Option(help="TOML file of codes the document lacks")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="where to write")]
Json = Annotated[bool, typer.Option("--json", help="one JSON document on stdout")]


class Format(StrEnum):
    """What ``export`` can write."""

    C_HEADER = "c-header"
    DECODETREE = "decodetree"
    JSON = "json"
    OPCODE_TABLE = "opcode-table"
    RISCV_OPCODES = "riscv-opcodes"
    SAIL = "sail"
    TABLEGEN = "tablegen"
    UNIFIED_DB = "unified-db"


def _write(target: Path, text: str) -> None:
    with writing(target) as at:
        at.write_text(text, encoding="utf-8")


def _fill(folder: Path, texts: dict[str, str]) -> None:
    """Write files into a folder, which is made if the one that it is in is there."""
    for path, text in texts.items():
        target = folder / path
        try:
            folder.mkdir(exist_ok=True)
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInputError(f"{folder}: {reason(error)}") from None
        _write(target, text)


def _put(target: Path | None, text: str) -> None:
    """Write a text to a file, or to stdout for none or ``-``."""
    if target is None or str(target) == "-":
        typer.echo(text, nl=False)
    else:
        _write(target, text)


@app.command()
def reference(
    output: Annotated[Path, typer.Option("-o", "--output")] = Path("docs/tilext"),
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
) -> None:
    """Write the reference pages in English and Chinese with their bit diagrams."""
    found = pages(load_profile(profile, overlay))
    _fill(output, found)
    typer.echo(f"{len(found)} files in {output}", err=True)


@app.command("open-questions")
def open_questions(as_json: Json = False) -> None:
    """Print what the document leaves open, in English and Chinese."""
    if as_json:
        print_json([asdict(question) for question in QUESTIONS.values()])
    else:
        typer.echo(questions_page(), nl=False)


@app.command()
def check(
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    random: Annotated[int, typer.Option(min=0, help="random instances to round-trip")] = 0,
    seed: int = 0,
    as_json: Json = False,
) -> None:
    """Count and validate the table; with --random N also round-trip N random instances."""
    chosen = load_profile(profile, overlay)
    report = validate(chosen)
    tally = _with_progress(chosen, random, seed)
    counts = {"random_instances": sum(tally.values()), "open_questions": len(QUESTIONS)}
    if as_json:
        print_json({**asdict(report), **counts, "instances": tally})
        return
    for line in _report_lines(report):
        typer.echo(line)
    typer.echo(f"{counts['open_questions']} open questions (tilelab tilext open-questions)")
    if random:
        typer.echo(f"{counts['random_instances']} random instances made the round trip")


def _with_progress(profile: Profile, count: int, seed: int) -> dict[str, int]:
    if not (count and sys.stderr.isatty()):
        return dict(round_trips(profile, count, seed).instances)
    with Progress() as bar:
        task = bar.add_task("round trips", total=count)

        def step(number: int) -> None:
            if number % 1000 == 0:
                bar.update(task, completed=number)

        return dict(round_trips(profile, count, seed, step).instances)


def _report_lines(report: Report) -> Iterator[str]:
    yield (
        f"profile {report.profile}: {report.instructions} instructions, {report.words} words, "
        f"{report.encodable} encodable"
    )
    for name, lost in report.not_encodable.items():
        yield f"  not encodable: {name}: {'; '.join(lost)}"
    origins = ", ".join(f"{count} {kind}" for kind, count in report.origins.items())
    yield f"cells: {origins}; {report.unassigned_bits} bits not assigned"
    for pair in report.overlaps:
        when = "also" if pair.strict else "only unless"
        yield f"ambiguous: {pair.first} | {pair.second} ({when} where unassigned bits are 0)"
    if not report.overlaps:
        yield "no words fit two instructions"


@app.command()
def export(
    what: Annotated[Format, typer.Argument()],
    output: Output = None,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
) -> None:
    """Export a C header or the table as JSON (one file), or files for other tools (a folder)."""
    texts = {Format.C_HEADER: header, Format.JSON: formats.as_json}
    folders: dict[Format, Callable[[Profile], dict[str, str]]] = {
        Format.RISCV_OPCODES: formats.riscv_opcodes,
        Format.UNIFIED_DB: formats.unified_db,
        Format.TABLEGEN: tablegen,
        Format.DECODETREE: decodetree,
        Format.OPCODE_TABLE: opcode_table,
        Format.SAIL: sail,
    }
    chosen = load_profile(profile, overlay)
    if what in texts:
        text = texts[what](chosen)
        _put(output, text)
        return
    if output is None:
        raise BadInputError(f"{what.value} is several files: name a folder with -o")
    _fill(output, folders[what](chosen))


@app.command()
def asm(
    file: Annotated[str, typer.Argument(help="assembly, or - for stdin")] = "-",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="little-endian binary; the .s with --gas")
    ] = None,
    gas: Annotated[
        bool, typer.Option("--gas", help="a whole .s: tile lines become .insn, the rest stays")
    ] = False,
    style: Annotated[str, typer.Option(help="hex, word (.word) or insn (.insn r)")] = "hex",
    lenient: Annotated[bool, typer.Option("--lenient", help="let illegal codes pass")] = False,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
) -> None:
    """Assemble under a profile and an overlay, in any of the output styles; or a mixed .s."""
    chosen = load_profile(profile, overlay)
    if gas:
        _put(output, translate(read_text(file), Assembler(chosen, strict=not lenient)))
        return
    words = assemble_text(read_text(file), chosen, strict=not lenient)
    lines = format_words(words, style)
    if output is None:
        typer.echo("".join(f"{line}\n" for line in lines), nl=False)
        return
    with writing(output) as at:
        at.write_bytes(to_bytes(words))


@app.command()
def disasm(
    file: Annotated[
        str, typer.Argument(help="words as text, little-endian binary, an ELF, or - for stdin")
    ] = "-",
    lenient: Annotated[
        bool, typer.Option("--lenient", help="illegal codes and unassigned bits may be anything")
    ] = False,
    check_words: Annotated[
        bool, typer.Option("--check", help="exit 1 if a word is not part of a legal instruction")
    ] = False,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    as_json: Json = False,
) -> None:
    """Disassemble words or an ELF's code under a profile and an overlay."""
    disassembler = Disassembler(load_profile(profile, overlay), strict=not lenient)
    data, name = read_bytes(file), shown(file)
    if data.startswith(ELF_MAGIC):
        _print_elf(elf_code(data, name, disassembler), as_json=as_json, check_words=check_words)
        return
    items = list(disassembler.decode(read_words(data, name)))
    if as_json:
        print_json([{**asdict(item), "text": disassembler.text(item)} for item in items])
    else:
        for item in items:
            typer.echo(disassembler.text(item))
    if check_words:
        wrong = [f"word {item.index}: {item.problem}" for item in items if item.problem]
        _fail_on(wrong, len(items))


def _fail_on(wrong: list[str], count: int) -> None:
    """Exit 1, with the first of what is wrong."""
    if wrong:
        what = "is not a legal instruction" if len(wrong) == 1 else "are not legal instructions"
        complain(f"{len(wrong)} of {count} {what}; {wrong[0]}")
        raise typer.Exit(1)


def _print_elf(found: list[CodeLine], *, as_json: bool, check_words: bool) -> None:
    if as_json:
        print_json([asdict(line) for line in found])
    else:
        for line in found:
            comment = "" if "#" in line.text else " #"
            typer.echo(f"{line.text}{comment} {line.section} {line.address:#x}")
    if check_words:
        wrong = [f"{line.section} {line.address:#x}: {line.problem}" for line in found]
        _fail_on(
            [text for text, line in zip(wrong, found, strict=True) if line.problem], len(found)
        )


@app.command()
def annotate(
    file: Annotated[str, typer.Argument(help="output of objdump -d, or - for stdin")] = "-",
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
) -> None:
    """Filter objdump -d output: say what the words of the Tile Extension are."""
    disassembler = Disassembler(load_profile(profile, overlay))
    for line in annotate_lines(read_text(file).splitlines(), disassembler):
        typer.echo(line)


@app.command()
def elf(
    file: Path,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    as_json: Json = False,
) -> None:
    """Disassemble the Tile Extension's instructions in an ELF's executable sections."""
    disassembler = Disassembler(load_profile(profile, overlay))
    found = elf_code(read_bytes(str(file)), str(file), disassembler)
    if as_json:
        print_json([asdict(line) for line in found])
        return
    for line in found:
        typer.echo(f"{line.section} {line.address:#010x}  {line.text}")


app.command("run")(run_program)
