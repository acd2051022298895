"""``tilelab tilext``: reference, open questions, checks, exports, and the objdump filter."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import typer
from rich.progress import Progress

from tilelab.cli.streams import complain, print_json, read_bytes, read_text, shown
from tilelab.cli.usage import JSON, REQUIRED, Only, argument, command, flag, option
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import make_folder, telling, write_whole
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
from tilelab.tilext.mend import apart, mends
from tilelab.tilext.objdump import ELF_MAGIC, CodeLine, elf_code, read_words
from tilelab.tilext.objdump import annotate as annotate_lines
from tilelab.tilext.profile import Profile, load_profile
from tilelab.tilext.questions import QUESTIONS
from tilelab.tilext.reference import pages, questions_page
from tilelab.tilext.selftest import files, generate
from tilelab.tilext.validate import Report, validate

PROFILE = option(
    "Which reading of the document.", choices=("repaired", "printed"), default="repaired"
)
OVERLAY = option("FILE.toml", "Codes that the document lacks.")
LENIENT = flag("Let illegal codes and unassigned bits pass.")


def _fill(folder: Path, texts: dict[str, str]) -> None:
    """Write files into a folder, which is made if the one that it is in is there."""
    make_folder(folder)
    for path, text in texts.items():
        target = folder / path
        with telling(folder):
            target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, text)


def _put(target: Path | None, text: str) -> None:
    """Write a text to a file, or to stdout for none or ``-``."""
    if target is None or str(target) == "-":
        typer.echo(text, nl=False)
    else:
        write_whole(target, text)


@command("tilext")
def reference(
    output: Path = option("-o DIR", "Where to write.", default=Path("docs/tilext")),
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
    json: bool = JSON,
) -> None:
    """Write the reference pages in English and Chinese with their bit diagrams."""
    found = pages(load_profile(profile, overlay))
    _fill(output, found)
    if json:
        print_json({"files": [str(output / name) for name in found]})
    else:
        typer.echo(f"{len(found)} files in {output}", err=True)


@command("tilext")
def open_questions(
    json: bool = JSON,
) -> None:
    """Print what the document leaves open, in English and Chinese."""
    if json:
        print_json([asdict(question) for question in QUESTIONS.values()])
    else:
        typer.echo(questions_page(), nl=False)


@command("tilext", rules=(Only("seed", "random"),))
def check(
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
    random: int = option("N", "Also round-trip so many random instances.", default=0, min=0),
    seed: int = option("Which random instances.", default=0, min=0),
    json: bool = JSON,
) -> None:
    """Count and validate the table; with --random N also round-trip N random instances."""
    chosen = load_profile(profile, overlay)
    report = validate(chosen)
    tally = _with_progress(chosen, random, seed)
    counts = {"random_instances": sum(tally.values()), "open_questions": len(QUESTIONS)}
    bits, found = apart(chosen), mends(chosen)
    if json:
        lint = {"pairs_apart": len(bits), "mends": [asdict(mend) for mend in found]}
        print_json({**asdict(report), **counts, **lint, "instances": tally})
        return
    for line in _report_lines(report):
        typer.echo(line)
    pairs = report.encodable * (report.encodable - 1) // 2
    typer.echo(f"{len(bits)} of {pairs} pairs of instructions differ in a fixed bit")
    for mend in found:
        names = f"{mend.overlap.first} and {mend.overlap.second}"
        typer.echo(f"an overlay that tells {names} apart:\n{mend.overlay}")
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


@command("tilext")
def export(
    what: str = argument(
        "",
        "The format.",
        choices=(
            "c-header",
            "decodetree",
            "json",
            "opcode-table",
            "riscv-opcodes",
            "sail",
            "tablegen",
            "unified-db",
        ),
    ),
    output: Path | None = option("-o PATH", "A file, or a folder for several."),
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
) -> None:
    """Export a C header or the table as JSON (one file), or files for other tools (a folder)."""
    texts = {"c-header": header, "json": formats.as_json}
    folders: dict[str, Callable[[Profile], dict[str, str]]] = {
        "riscv-opcodes": formats.riscv_opcodes,
        "unified-db": formats.unified_db,
        "tablegen": tablegen,
        "decodetree": decodetree,
        "opcode-table": opcode_table,
        "sail": sail,
    }
    chosen = load_profile(profile, overlay)
    if what in texts:
        text = texts[what](chosen)
        _put(output, text)
        return
    if output is None:
        raise BadInputError(f"{what} is several files: name a folder with -o")
    _fill(output, folders[what](chosen))


@command("tilext")
def tests(
    output: Path = option("-o DIR", "Where to write.", default=REQUIRED),
    count: int = option("N", "So many programs.", default=100, min=1),
    seed: int = option("Which ones.", default=0, min=0),
    json: bool = JSON,
) -> None:
    """Write self-checking programs for what runs the Tile Extension, and what they cover."""
    suite = generate(count, seed)
    _fill(output, dict(files(suite)))
    instructions = sorted({name for name, _ in suite.coverage})
    if json:
        covered = [
            {"instruction": n, "boundary": b, "tests": c} for (n, b), c in suite.coverage.items()
        ]
        print_json({"tests": len(suite.tests), "coverage": covered})
    else:
        boundaries = len(suite.coverage)
        typer.echo(
            f"{len(suite.tests)} tests of {len(instructions)} instructions, "
            f"{boundaries} boundaries, in {output}"
        )


@command(
    "tilext",
    rules=(
        Only("style json", "gas", without=True),
        Only("style", "output", without=True),
    ),
)
def asm(
    file: str = argument("FILE", "Assembly; - is stdin.", default="-"),
    output: Path | None = option("-o FILE", "Little-endian words; the .s with --gas."),
    gas: bool = flag("A whole .s: tile lines become .insn, the rest stays."),
    style: str = option(
        "Numbers, .word or .insn r.", choices=("hex", "word", "insn"), default="hex"
    ),
    lenient: bool = LENIENT,
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
    json: bool = JSON,
) -> None:
    """Assemble under a profile and an overlay, in any of the output styles; or a mixed .s."""
    chosen = load_profile(profile, overlay)
    if gas:
        _put(output, translate(read_text(file), Assembler(chosen, strict=not lenient)))
        return
    words = assemble_text(read_text(file), chosen, strict=not lenient)
    lines = format_words(words, style)
    if output is not None:
        write_whole(output, to_bytes(words))
    if json:
        print_json({"profile": profile, "words": format_words(words)})
    elif output is None:
        typer.echo("".join(f"{line}\n" for line in lines), nl=False)


@command("tilext")
def disasm(
    file: str = argument(
        "FILE", "Words as text, little-endian binary, an ELF; - is stdin.", default="-"
    ),
    lenient: bool = LENIENT,
    check_words: bool = flag("--check", "Exit 1 if a word is not part of a legal instruction."),
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
    json: bool = JSON,
) -> None:
    """Disassemble words or an ELF's code under a profile and an overlay."""
    disassembler = Disassembler(load_profile(profile, overlay), strict=not lenient)
    data, name = read_bytes(file), shown(file)
    if data.startswith(ELF_MAGIC):
        _print_elf(elf_code(data, name, disassembler), json=json, check_words=check_words)
        return
    items = list(disassembler.decode(read_words(data, name)))
    if json:
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


def _print_elf(found: list[CodeLine], *, json: bool, check_words: bool) -> None:
    if json:
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


@command("tilext")
def annotate(
    file: str = argument("FILE", "Output of objdump -d; - is stdin.", default="-"),
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
) -> None:
    """Filter objdump -d output: say what the words of the Tile Extension are."""
    disassembler = Disassembler(load_profile(profile, overlay))
    for line in annotate_lines(read_text(file).splitlines(), disassembler):
        typer.echo(line)


@command("tilext")
def elf(
    file: Path = argument("FILE", "An ELF."),
    profile: str = PROFILE,
    overlay: Path | None = OVERLAY,
    json: bool = JSON,
) -> None:
    """Disassemble the Tile Extension's instructions in an ELF's executable sections."""
    disassembler = Disassembler(load_profile(profile, overlay))
    found = elf_code(read_bytes(str(file)), str(file), disassembler)
    if json:
        print_json([asdict(line) for line in found])
        return
    for line in found:
        typer.echo(f"{line.section} {line.address:#010x}  {line.text}")
