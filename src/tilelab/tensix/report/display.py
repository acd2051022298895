"""How tiles and expanded words look in a notebook."""

from html import escape

from tilelab.tensix.frontend.expand import Word
from tilelab.tensix.report.html import SHOWN, table
from tilelab.tensix.state import TensixState
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import CORE_NAMES


def tile_html(state: TensixState) -> str:
    """A tile: where its threads and cores are, semaphores, bank owners."""
    s = state.s
    clock = "cycle" if s.cycle.on else "functional"
    threads = []
    for t in range(3):
        f = s.frontend[t]
        word = disassemble(f.gate_word, state.arch.name) if f.gate_full else "empty"
        threads.append([f"T{t}", f.pushed, f.issued, f.input_fifo.count, word])
    cores = [
        [name, "runs" if s.riscv[core].running else "in reset", f"{s.riscv[core].pc:#x}"]
        for core, name in CORE_NAMES.items()
        if core < 4
    ]
    semaphores = [[i, s.semaphore[i].value, s.semaphore[i].max] for i in range(8)]
    owner = ("unpackers", "matrix unit")
    banks = [
        [f"{name} bank {bank}", owner[valid[bank]]]
        for name, valid in (("SrcA", s.src[0].valid), ("SrcB", s.src[1].valid))
        for bank in range(2)
    ]
    parts = (
        table(("thread", "pushed", "issued", "in FIFO", "wait gate"), threads),
        table(("core", "", "pc"), cores),
        table(("semaphore", "value", "max"), semaphores),
        table(("", "owner"), banks),
    )
    columns = "".join(f"<div>{part}</div>" for part in parts)
    title = f"Tile: {escape(state.arch.name)}, {clock} clock, at {int(s.clock):,}"
    flex = "display:flex;gap:24px;flex-wrap:wrap"
    return f"<div><b>{title}</b><div style='{flex}'>{columns}</div></div>"


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
