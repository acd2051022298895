"""``tilelab asm``, ``disasm``, ``expand`` and ``case``."""

from pathlib import Path

from tilelab.cli.usage.shared import CHIP, ENGINES, JSON, argument, command, flag, option

ANY_CHIP = option(
    "--arch",
    "The chip; tilext is the RISC-V Tile Extension.",
    ("blackhole", "wormhole", "tilext"),
    "blackhole",
)

asm = command(
    "asm.asm",
    "Assemble: print one word a line, or write them with -o.",
    argument("file", "FILE", "Assembly; - is stdin.", str, "-"),
    option("-o --output FILE", "Write little-endian words here.", Path),
    flag("--ttinsn", "Words as they stand in a RISC-V instruction stream."),
    ANY_CHIP,
    JSON,
)

disasm = command(
    "asm.disasm",
    "Disassemble: print one instruction a line; of an ELF its code, RISC-V's as comments.",
    argument(
        "source",
        "[WORD...|FILE|-]",
        "Words; or a file: words as text (one a line), binary (little-endian), or an ELF.",
        list[str],
        None,
    ),
    flag("--ttinsn", "Words are as in a RISC-V instruction stream."),
    ANY_CHIP,
    JSON,
)

expand = command(
    "expand.expand",
    "Expand a program's MOPs and REPLAYs: what each thread's wait gate gets.",
    argument("file", "FILE", "Assembly; - is stdin."),
    CHIP,
    JSON,
    flag("--provenance", "Say where each word came from."),
    option(
        "--max-words",
        "Refuse a program that expands to more words than this.",
        int,
        10_000_000,
        min=0,
    ),
)

case = command(
    "case.case",
    "Execute words on a state and compare what they leave; exit 1 if it is not as a file says.",
    argument("files", "FILE...", "State, words, what they leave: .case.", list[Path]),
    option("--engine", "What executes them; both unless given.", ENGINES, show_default=False),
    JSON,
)
