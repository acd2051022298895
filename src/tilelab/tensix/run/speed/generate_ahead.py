"""Writes how a core that is alone runs ahead on the cycle clock, as kernel Python, from the table.

``cycle.cores.run_ahead`` says what that is. What an instruction does and what it costs are at one
place; those that others may notice, or that cost what depends on more, end it before they begin.
"""

from functools import cache
from types import FunctionType

from tilelab.riscv.fields import access_bytes
from tilelab.riscv.table import Extension, Format, Instruction
from tilelab.tensix.arch import Arch
from tilelab.tensix.cycle.cores import load_latency
from tilelab.tensix.cycle.fetch import LINE, enter_line, follow
from tilelab.tensix.cycle.stores import begin_load, begin_store, load_waits, pass_alone, store_waits
from tilelab.tensix.riscv.core import fetch_index
from tilelab.tensix.run.speed.generate_cores import (
    VALUES,
    alone,
    called,
    chosen,
    cores,
    fetched,
    function,
    known_rows,
    operand,
    value,
)
from tilelab.tensix.run.speed.source_text import Source
from tilelab.tensix.run.stuck import all_effects
from tilelab.tensix.tables.causes import CORE_FETCH, CORE_OPERAND, CORE_RETIRED
from tilelab.tensix.tables.tile_registers import LOCAL_RAM


def _timed(source: Source, row: Instruction) -> list[str]:
    """What a row does in a core that runs ahead on the cycle clock, and what it costs."""
    form = row.format
    ends = ["hart.x[0] = 0", "pc = pc + 4"]
    if form is Format.BRANCH:
        return [
            "target = 0",
            "then = pc + 4",
            f"if {value(source, row)}:",
            f"    target = (pc + {operand('target')}) & WORD",
            "    then = target",
            "follow(s, core, pc, target)",
            "pc = then",
        ]
    if form not in (Format.LOAD, Format.STORE):
        booked = [f"at[core, {operand('rd')}] = clock + 1", "at[core, 0] = 0"]
        return [*booked, *alone(source, row)]
    own = "own >= 0 and own < s.arch.local_ram[core]"
    lines = [
        f"address = (hart.x[{operand('rs1')}] + {operand('offset')}) & WORD",
        "own = address - LOCAL_RAM",
        f"if address & {access_bytes(row.match) - 1}:",
        "    break",
    ]
    if form is Format.STORE:
        return [
            *lines,
            "if address >= s.arch.l1_size:",
            f"    if not ({own}):",
            "        break",
            "elif store_waits(s, core, address):",
            "    break",
            *called(source, row, "core"),
            "if address < s.arch.l1_size:",
            f"    begin_store(s, core, address, {access_bytes(row.match)})",
            "if all_effects(s) != effects:",
            "    last = clock + 1",
            *ends,
        ]
    return [
        *lines,
        f"if address >= s.arch.l1_size and not ({own}):",
        "    break",
        "latency = load_latency(s, core, address)",
        "if load_waits(s, core, latency):",
        "    break",
        *called(source, row, "core"),
        f"at[core, {operand('rd')}] = clock + begin_load(s, core, address, latency)",
        "at[core, 0] = 0",
        *ends,
    ]


def _passed(until: str, why: str) -> list[str]:
    """A core waits until a cycle, why is counted."""
    return [
        f"if {until} > clock:",
        f"    until = min({until}, last)",
        f"    cycle.core_cycles[core, {why}] = cycle.core_cycles[core, {why}] + until - clock",
        "    pass_alone(s, core, until)",
        "    clock = until",
        "    if clock == last:",
        "        break",
    ]


def _run_ahead(source: Source, known: dict[int, Instruction]) -> list[str]:
    """The body of ``run_ahead(s, core, end)``: see ``cycle.cores``."""
    kept = {*VALUES, Format.UPPER, Format.BRANCH, Format.LOAD, Format.STORE}
    rows = {
        number: row
        for number, row in known.items()
        if row.format in kept and row.extension != Extension.M
    }
    bodies = ((number, row.name, _timed(source, row)) for number, row in rows.items())
    source.names |= {
        "CORE_FETCH": CORE_FETCH,
        "CORE_OPERAND": CORE_OPERAND,
        "CORE_RETIRED": CORE_RETIRED,
        "LINE": LINE,
        "all_effects": all_effects,
        "begin_load": begin_load,
        "begin_store": begin_store,
        "enter_line": enter_line,
        "follow": follow,
        "load_latency": load_latency,
        "load_waits": load_waits,
        "pass_alone": pass_alone,
        "store_waits": store_waits,
    }
    one = [
        *_passed("cycle.core_free[core]", "cycle.core_why[core]"),
        "line = (pc + cycle.code_at) // LINE + 1",
        "if line != cycle.fetch_line[core]:",
        "    enter_line(s, core, line)",
        *_passed("cycle.fetch_ready[core]", "CORE_FETCH"),
        *fetched("core", ["break"]),
        f"late = max(at[core, {operand('rs1')}], at[core, {operand('rs2')}])",
        *_passed("late", "CORE_OPERAND"),
        *chosen(bodies, ["break"]),
        *("count += 1", "clock += 1", "pass_alone(s, core, clock)", "if pc == seen:", "    break"),
    ]
    return [
        *("cycle = s.cycle", "hart = s.riscv[core]"),
        *("at = cycle.register_at", "pc = hart.pc", "start = s.clock", "clock = start"),
        *("last = end", "count = 0", "effects = all_effects(s)", "seen = s.engine.seen_pc[core]"),
        *("while clock < last:", *(f"    {line}" for line in one)),
        *("if clock > start:", "    s.engine.core_wait[core] = OK"),
        *("hart.pc = pc", "hart.retired = hart.retired + count"),
        "cycle.core_cycles[core, CORE_RETIRED] = cycle.core_cycles[core, CORE_RETIRED] + count",
        "return OK",
    ]


@cache
def ahead(arch: Arch) -> FunctionType:
    """``run_ahead`` for a chip; always the same, for a module compiles a function but once."""
    source = Source()
    source.names |= {
        "fetch_index": fetch_index,
        "LOCAL_RAM": LOCAL_RAM,
        "decode": cores(arch)["decode"],
    }
    function(source, "run_ahead(s, core, end)", _run_ahead(source, known_rows(arch)))
    made = source.compile(f"<tilelab ahead {arch.name}>")["run_ahead"]
    assert isinstance(made, FunctionType)
    return made
