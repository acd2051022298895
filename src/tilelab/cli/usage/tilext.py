"""``tilelab tilext``: reference, open questions, checks, exports, programs, the objdump filter."""

from pathlib import Path

import typer

from tilelab.cli.usage.shared import JSON, REQUIRED, Only, argument, command, flag, option

app = typer.Typer(
    help="The RISC-V Tile Extension: reference, programs and exports.", rich_markup_mode=None
)
PROFILE = option("--profile", "Which reading of the document.", ("repaired", "printed"), "repaired")
OVERLAY = option("--overlay FILE.toml", "Codes that the document lacks.", Path)
LENIENT = flag("--lenient", "Let illegal codes and unassigned bits pass.")

reference = command(
    "tilext.reference",
    "Write the reference pages in English and Chinese with their bit diagrams.",
    option("-o --output DIR", "Where to write.", Path, Path("docs/tilext")),
    PROFILE,
    OVERLAY,
    JSON,
)

open_questions = command(
    "tilext.open_questions",
    "Print what the document leaves open, in English and Chinese.",
    JSON,
)

check = command(
    "tilext.check",
    "Count and validate the table; with --random N also round-trip N random instances.",
    PROFILE,
    OVERLAY,
    option("--random N", "Also round-trip so many random instances.", int, 0, min=0),
    option("--seed", "Which random instances.", int, 0, min=0),
    JSON,
    rules=(Only("seed", "random"),),
)

export = command(
    "tilext.export",
    "Export a C header or the table as JSON (one file), or files for other tools (a folder).",
    argument(
        "what",
        "",
        "The format.",
        (
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
    option("-o --output PATH", "A file, or a folder for several.", Path),
    PROFILE,
    OVERLAY,
)

tests = command(
    "tilext.tests",
    "Write self-checking programs for what runs the Tile Extension, and what they cover.",
    option("-o --output DIR", "Where to write.", Path, REQUIRED),
    option("--count N", "So many programs.", int, 100, min=1),
    option("--seed", "Which ones.", int, 0, min=0),
    JSON,
)

asm = command(
    "tilext.asm",
    "Assemble under a profile and an overlay, in any of the output styles; or a mixed .s.",
    argument("file", "FILE", "Assembly; - is stdin.", str, "-"),
    option("-o --output FILE", "Little-endian words; the .s with --gas.", Path),
    flag("--gas", "A whole .s: tile lines become .insn, the rest stays."),
    option("--style", "Numbers, .word or .insn r.", ("hex", "word", "insn"), "hex"),
    LENIENT,
    PROFILE,
    OVERLAY,
    JSON,
    rules=(
        Only("style json", "gas", without=True),
        Only("style", "output", without=True),
    ),
)

disasm = command(
    "tilext.disasm",
    "Disassemble words or an ELF's code under a profile and an overlay.",
    argument("file", "FILE", "Words as text, little-endian binary, an ELF; - is stdin.", str, "-"),
    LENIENT,
    flag("--check", "Exit 1 if a word is not part of a legal instruction.", name="check_words"),
    PROFILE,
    OVERLAY,
    JSON,
)

annotate = command(
    "tilext.annotate",
    "Filter objdump -d output: say what the words of the Tile Extension are.",
    argument("file", "FILE", "Output of objdump -d; - is stdin.", str, "-"),
    PROFILE,
    OVERLAY,
)

elf = command(
    "tilext.elf",
    "Disassemble the Tile Extension's instructions in an ELF's executable sections.",
    argument("file", "FILE", "An ELF.", Path),
    PROFILE,
    OVERLAY,
    JSON,
)

run_program = command(
    "tilext_run.run_program",
    "Run a program: scalar RV64IM around tile instructions, with data in and out as .npy.",
    argument("program", "FILE", "A linked RV64 ELF, or assembly; - is stdin."),
    option("--machine FILE.toml", "Parameters, overlay, operations.", Path),
    option("--in", "[share:]ADDRESS|SYMBOL=FILE.npy", list[str], name="given"),
    option("--out", "[share:]ADDRESS|SYMBOL=FILE.npy,TYPE,ROWSxCOLUMNS", list[str], name="wanted"),
    option("--reg", "REGISTER=NUMBER|SYMBOL at the start.", list[str], name="registers"),
    option("--threads", "Threads that run it.", int, 1, min=1, max=8),
    option(
        "--max-steps", "Instructions before it is given up.", int, 20_000_000, name="limit", min=1
    ),
    option("--show", "Print a tile register: tr8,int32,16x16.", list[str]),
    flag("--diff", "Which tile registers have changed."),
    JSON,
    rules=(Only("diff show", "json", without=True),),
)

for one in (reference, open_questions, check, export, tests, asm, disasm, annotate, elf):
    app.command(one.__name__.replace("_", "-"))(one)
app.command("run")(run_program)
