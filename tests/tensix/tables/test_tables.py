"""Both chips' tables. (Names, opcodes and fields' low bits were compared with ttsim's by hand.)"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.isa.instruction import Instruction
from tilelab.tensix.tables.blackhole import BLACKHOLE
from tilelab.tensix.tables.units import Block, Unit
from tilelab.tensix.tables.wormhole import ROWS as WORMHOLE_ROWS
from tilelab.tensix.tables.wormhole import WORMHOLE

CHIPS = (BLACKHOLE, WORMHOLE)
EVERY_ROW = [pytest.param(row, id=f"{c.chip}-{row.name}") for c in CHIPS for row in c.values()]


def test_number_of_opcodes() -> None:
    assert len(BLACKHOLE) == 137
    assert len(WORMHOLE) == 128


def test_what_is_new_in_blackhole() -> None:
    assert BLACKHOLE.keys() - WORMHOLE.keys() == {
        *("RESOURCEDECL", "MOVDBGB2D", "SFPLE", "SFPGT", "SFPMUL24", "SFPARECIP"),
        *("STREAMWAIT", "STREAMWRCFG", "CFGSHIFTMASK"),
    }
    assert WORMHOLE.keys() < BLACKHOLE.keys()


def test_wormhole_repeats_no_row() -> None:
    replaced = {row.name for row in WORMHOLE_ROWS}
    for name, row in WORMHOLE.items():
        other = BLACKHOLE[name]
        same = (row.opcode, row.fields, row.operands) == (
            other.opcode,
            other.fields,
            other.operands,
        )
        assert same or name in replaced


def test_address_modes_move_between_the_chips() -> None:
    for name in ("MVMUL", "ELWADD", "MOVA2D", "ZEROACC"):
        places = [str(f) for c in CHIPS for f in c[name].fields if f.name == "addr_mode"]
        assert places == ["addr_mode=16:14", "addr_mode=16:15"]


@pytest.mark.parametrize("row", EVERY_ROW)
def test_the_macro_reaches_every_field(row: Instruction) -> None:
    assert row.used_bits & ~row.macro_bits == 0


@pytest.mark.parametrize("row", EVERY_ROW)
def test_macro_and_fields_agree_where_they_share_a_name(row: Instruction) -> None:
    places = {field.name: field.lo for field in row.fields}
    for parameter in row.macro:
        assert places.get(parameter.name, parameter.lo) == parameter.lo


@pytest.mark.parametrize("row", EVERY_ROW)
def test_only_one_row_has_no_mnemonic(row: Instruction) -> None:
    assert bool(row.mnemonic) == (row is not BLACKHOLE["TRNSPSRCA"])


@given(data=st.data())
def test_decode_inverts_encode(data: st.DataObject) -> None:
    row = data.draw(st.sampled_from([row for chip in CHIPS for row in chip.values()]))
    values = {f.name: data.draw(st.integers(0, f.max)) for f in row.fields}
    word = row.encode(**values)
    assert row.decode(word) == values
    assert word & row.unused_bits == 0
    assert word >> 24 == row.opcode


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("MVMUL", 1 << 6),
        ("SFPMAD", 1 << 8),
        ("UNPACR", 1 << 0 | 1 << 3),
        ("PACR", 1 << 0 | 1 << 2),
        ("XMOV", 1 << 0 | 1 << 4),
        ("SETDMAREG", 1 << 0 | 1 << 5),
        ("DMANOP", 1 << 0 | 1 << 5),
        ("RSTDMA", 1 << 0),
        ("SETADCXY", 1 << 0),
        ("SEMPOST", 1 << 1),
        ("RMWCIB3", 1 << 7),
        ("STALLWAIT", 0x1FF),
        ("MOP", 0),
        ("REPLAY", 0),
    ],
)
def test_block_bits(name: str, block: int) -> None:
    for chip in CHIPS:
        assert chip[name].block_mask == block


def test_semwait_is_blocked_by_everything_on_blackhole_only() -> None:
    assert BLACKHOLE["SEMWAIT"].block_mask == Block.ALL
    assert WORMHOLE["SEMWAIT"].block_mask == Block.SYNC


def test_nop_is_held_only_by_a_wait_that_blocks_everything() -> None:
    assert not BLACKHOLE["NOP"].is_blocked_by(0x1FE)
    assert BLACKHOLE["NOP"].is_blocked_by(0x1FF)


def test_units_are_strings_that_carry_their_block_bits() -> None:
    assert Unit("mover") is Unit.MOVER
    assert Unit.MOVER.block == Block.TDMA | Block.MOVER


@pytest.mark.parametrize("row", EVERY_ROW)
def test_pages_name_a_manual(row: Instruction) -> None:
    folder, _, page = row.page.partition("/")
    assert (folder in ("BlackholeA0", "WormholeB0") and page.endswith(".md")) or row.page == ""


def test_wormhole_pages_are_wormholes() -> None:
    assert not [row.name for row in WORMHOLE.values() if "Blackhole" in row.page]
