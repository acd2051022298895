"""How tiles, results and expansions look in a notebook: small HTML, no script, no network."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from tilelab.tensix.cycle.breakdown import Breakdown, PartTime
from tilelab.tensix.cycle.causes import CAUSES, CORE_CAUSES
from tilelab.tensix.frontend.expand import Word
from tilelab.tensix.programs.expansions import ExpansionTally, PushSite
from tilelab.tensix.programs.run import KernelResult
from tilelab.tensix.report import palette
from tilelab.tensix.tile import Tile
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import CORE_NAMES

SHOWN = 64
"""Rows of a long table that are shown."""
THREADS = {CAUSES[i][0]: palette.CAUSES[i][0] for i in CAUSES}
CORES = {CORE_CAUSES[i][0]: palette.CORES[i][0] for i in CORE_CAUSES}
"""The colour of each cause, by its name, for a light ground."""


def table(heads: Iterable[str], rows: Iterable[Iterable[object]], caption: str = "") -> str:
    """A table; what it holds is escaped."""
    top = "".join(f"<th style='text-align:left'>{escape(head)}</th>" for head in heads)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{_cell(c)}</td>" for c in row) + "</tr>"
        for row in rows
    )
    title = f"<caption style='text-align:left'>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, Html):
        return value.text
    return escape(f"{value:,}" if isinstance(value, int) else str(value))


class Html:
    """Text that is HTML already."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return self.text


def tile_html(tile: Tile) -> str:
    """A tile: where its threads and cores are, semaphores, bank owners."""
    s = tile.state.s
    clock = "cycle" if s.cycle.on else "functional"
    threads = []
    for t in range(3):
        f = s.frontend[t]
        word = disassemble(f.gate_word, tile.arch.name) if f.gate_full else "empty"
        threads.append([f"T{t}", f.pushed, f.issued, f.input_count, word])
    cores = [
        [name, "runs" if s.riscv[core].running else "in reset", f"{s.riscv[core].pc:#x}"]
        for core, name in CORE_NAMES.items()
        if core < 4
    ]
    semaphores = [[i, s.semaphore[i].value, s.semaphore[i].max] for i in range(8)]
    owner = ("unpackers", "matrix unit")
    banks = [
        [f"{name} bank {bank}", owner[valid[bank]]]
        for name, valid in (("SrcA", s.src_a_valid), ("SrcB", s.src_b_valid))
        for bank in range(2)
    ]
    parts = (
        table(("thread", "pushed", "issued", "in FIFO", "wait gate"), threads),
        table(("core", "", "pc"), cores),
        table(("semaphore", "value", "max"), semaphores),
        table(("", "owner"), banks),
    )
    columns = "".join(f"<div>{part}</div>" for part in parts)
    title = f"Tile: {escape(tile.arch.name)}, {clock} clock, at {int(s.clock):,}"
    flex = "display:flex;gap:24px;flex-wrap:wrap"
    return f"<div><b>{title}</b><div style='{flex}'>{columns}</div></div>"


def result_html(result: KernelResult) -> str:
    """A run: verdict, threads, what its MOPs became."""
    verdict = "PASS" if result.passed else "FAIL"
    if not result.outputs:
        verdict = "ran"
    threads = [
        [
            f"T{t}",
            c.pushed,
            c.expanded,
            c.issued,
            ", ".join(f"{u} {n:,}" for u, n in c.units.items()),
        ]
        for t, c in enumerate(result.threads)
    ]
    return (
        f"<div><b>{escape(result.name)}: {verdict}, {result.cycles:,} cycles</b>"
        + table(("thread", "pushed", "expanded", "issued", "by unit"), threads)
        + tally_html(result.expansions, result.line_of)
        + "</div>"
    )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def tally_html(
    tally: ExpansionTally, line_of: Callable[[int, int], str] = lambda core, pc: ""
) -> str:
    """What pushed words became, the largest first; ``line_of`` names source lines."""
    ordered = sorted(tally.sites.items(), key=lambda item: -item[1].issued)[:SHOWN]
    rows = [
        [f"T{site.thread}", _pushed_at(site, line_of), found.runs, found.issued]
        for site, found in ordered
    ]
    return table(("thread", "pushed at", "times", "issued"), rows, "expansions") if rows else ""


def _pushed_at(site: PushSite, line_of: Callable[[int, int], str]) -> str:
    line = line_of(site.core, site.pc)
    return f"{line} ({site.pc:#x})" if line else f"{site.pc:#x}"


def words_html(words: list[Word], chip: str) -> str:
    """Words that left the expanders, and through which loop and slot they came."""
    rows = []
    for number, word in enumerate(words[:SHOWN]):
        mop = word.mop
        how = f"{mop.role}, outer {mop.outer}, inner {mop.inner}" if mop else ""
        slot = word.replay.slot if word.replay else ""
        rows.append([number, f"{word.word:#010x}", disassemble(word.word, chip), how, slot])
    more = f" (the first {SHOWN})" if len(words) > SHOWN else ""
    heads = ("", "word", "assembly", "MOP", "replay slot")
    return table(heads, rows, f"{len(words):,} words{more}")


def breakdown_html(made: Breakdown) -> str:
    """Where the time went: bars by cause, and what bounds the run."""
    rows: list[list[Any]] = []
    kinds = (made.threads, THREADS), ([core for core in made.cores if core.active], CORES)
    for parts, colours in kinds:
        for part in parts:
            share = f"{part.utilisation:.1%}"
            rows.append([part.name, Html(_bar(part, colours)), share, _counted(part.idle)])
    flops = ""
    if made.flop:
        flops = f", {made.flops / 1e12:.2f} of {made.peak_flops / 1e12:.2f} TFLOP/s"
    chain = "".join(f"<div>{escape(line)}</div>" for line in made.chain)
    return (
        f"<div><b>{made.cycles:,} cycles{flops}</b>"
        + table(("", "", "active", "bubbles"), rows)
        + "".join(_legend(parts, colours) for parts, colours in kinds)
        + f"<b>bound by</b>{chain}</div>"
    )


def _bar(part: PartTime, colours: dict[str, str]) -> str:
    """A part's cycles as a bar, each cause in its own colour, which is the page's."""
    active = next(iter(colours))
    counts = {active: part.active, **part.idle}
    spans = "".join(
        f"<span title='{escape(name)} {n:,}' style='display:inline-block;height:14px;"
        f"width:{260 * n / max(part.cycles, 1):.1f}px;background:{colours[name]}'></span>"
        for name, n in counts.items()
    )
    return f"<span style='display:inline-flex;width:260px'>{spans}</span>"


def _legend(parts: list[PartTime], colours: dict[str, str]) -> str:
    """The colours of those causes that occur."""
    used = {name for part in parts for name in part.idle}
    if not parts:
        return ""
    square = "display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:5px"
    entries = "".join(
        f"<span style='margin-right:16px'><span style='{square};background:{colour}'></span>"
        f"{escape(name)}</span>"
        for i, (name, colour) in enumerate(colours.items())
        if i == 0 or name in used
    )
    return f"<div>{entries}</div>"
