"""Every figure says how it is known and from where; the documents' numbers are pinned."""

import dataclasses

import pytest

from tilelab.isa.figure import Figure, Provenance
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables import figures as every_figure
from tilelab.tensix.tables.figures import DST_BLOCKED, MOVE_BLOCKED
from tilelab.tensix.tables.units import Unit

LEGACY = {
    *("MOVDBGB2D", "TRNSPSRCA", "RAREB", "SETASHRMH0", "SETASHRMH1", "SETASHRMV", "SETPKEDGOF"),
    *("SETASHRMH", "CONV3S1", "CONV3S2", "MPOOL3S1", "APOOL3S1", "MPOOL3S2", "APOOL3S2"),
    *("SETIBRWC", "MFCONV3S1", "TBUFCMD", "XMOV", "STREAMWRCFG"),
}
"""Instructions whose timing no page states."""


def figures(owner: object) -> list[Figure]:
    found: list[Figure] = []
    for field in dataclasses.fields(owner):  # type: ignore[arg-type]
        value = getattr(owner, field.name)
        parts = value.values() if isinstance(value, dict) else value
        found += [
            part
            for part in (parts if isinstance(parts, tuple) or isinstance(value, dict) else [value])
            if isinstance(part, Figure)
        ]
    return found


@pytest.mark.parametrize("chip", ARCHES)
def test_every_instruction_has_figures_with_a_source(chip: str) -> None:
    unknown = set()
    for row in ARCHES[chip].instructions.values():
        if row.unit == Unit.FRONTEND:
            continue
        timing = row.timing
        for figure in (timing.interval, timing.latency):
            assert figure.source
            assert figure.value >= 1
            if figure.provenance is Provenance.UNKNOWN:
                unknown.add(row.name)
    assert unknown <= LEGACY


@pytest.mark.parametrize("chip", ARCHES)
def test_every_figure_of_a_chip_has_a_source(chip: str) -> None:
    found = figures(ARCHES[chip].figures)
    assert len(found) > 12
    assert all(figure.source for figure in found)


WHO_MEASURED = ("mesham/tt-sim", "tt-metal#52256")


def test_only_what_was_measured_is_tagged_so_with_who_measured_it() -> None:
    named = [value for value in vars(every_figure).values() if isinstance(value, Figure)]
    found = {f.source for f in named if f.provenance is Provenance.MEASURED}
    assert found
    assert all(source.startswith(WHO_MEASURED) for source in found)


def test_nothing_unknown_is_charged() -> None:
    """An unknown figure is the least that an instruction can take."""
    every = [row.timing for arch in ARCHES.values() for row in arch.instructions.values()]
    unknown = [
        figure
        for timing in every
        for figure in (timing.interval, timing.latency)
        if figure.provenance is Provenance.UNKNOWN
    ]
    assert unknown
    assert {figure.value for figure in unknown} == {1}


@pytest.mark.parametrize(
    ("name", "interval", "latency"),
    [
        ("MVMUL", 1, 5),
        ("SETRWC", 1, 1),
        ("SHIFTXB", 2, 2),
        ("MOVD2A", 1, 2),
        ("MOVA2D", 1, 4),
        ("SFPMAD", 1, 2),
        ("SFPLOAD", 1, 1),
        ("ADDDMAREG", 3, 3),
        ("ATCAS", 15, 15),
        ("WRCFG", 1, 2),
        ("UNPACR", 2, 2),
    ],
)
def test_numbers_of_the_manual(name: str, interval: int, latency: int) -> None:
    timing = ARCHES["blackhole"].instructions[name].timing
    assert (timing.interval.value, timing.latency.value) == (interval, latency)
    assert timing.latency.provenance is Provenance.DOCUMENTED


def test_dst_is_blocked_for_five_cycles_and_moves_for_three() -> None:
    assert (DST_BLOCKED.value, MOVE_BLOCKED.value) == (6, 4)
    assert DST_BLOCKED.provenance is Provenance.MEASURED
    assert ARCHES["blackhole"].instructions["MVMUL"].flop == 2 * 8 * 16 * 16
