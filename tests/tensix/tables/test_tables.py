"""Both chips' tables. (Names, opcodes and fields' low bits were compared with ttsim's by hand.)"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.isa.instruction import Instruction
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE
from tilelab.tensix.chips.wormhole.rows import INSTRUCTIONS as WORMHOLE
from tilelab.tensix.chips.wormhole.rows import ROWS as WORMHOLE_ROWS
from tilelab.tensix.chips.wormhole.rows import with_short_modes
from tilelab.tensix.tables.rows import row as make_row
from tilelab.tensix.tables.units import Block, SubUnit, Unit

CHIPS = (BLACKHOLE, WORMHOLE)
EVERY_ROW = [pytest.param(row, id=f"{c.chip}-{row.name}") for c in CHIPS for row in c.values()]


def test_every_opcode_of_the_vendor_s_list_is_there() -> None:
    assert len(BLACKHOLE) >= 137
    assert len(WORMHOLE) >= 128


def test_what_is_new_in_blackhole() -> None:
    assert BLACKHOLE.keys() - WORMHOLE.keys() >= {
        *("RESOURCEDECL", "MOVDBGB2D", "SFPLE", "SFPGT", "SFPMUL24", "SFPARECIP"),
        *("STREAMWAIT", "STREAMWRCFG", "CFGSHIFTMASK"),
    }
    assert WORMHOLE.keys() < BLACKHOLE.keys()


def test_a_row_of_wormhole_differs_by_its_address_mode_or_stands_in_its_table() -> None:
    replaced = {row.name: row for row in WORMHOLE_ROWS}
    assert len(replaced) < 25
    for name, row in WORMHOLE.items():
        by_rule = with_short_modes(BLACKHOLE[name])
        expected = replaced.get(name, by_rule)
        assert (row.fields, row.operands, row.macro) == (
            expected.fields,
            expected.operands,
            expected.macro,
        )
        assert name not in replaced or replaced[name] != by_rule


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


def test_a_vector_row_without_a_sub_unit_fails_on_import() -> None:
    with pytest.raises(ValueError, match=r"SFPNEW: a vector instruction has a sub-unit"):
        make_row("SFPNEW", 0x9A, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4")
    with pytest.raises(ValueError, match=r"MNEW: a vector instruction has a sub-unit, no other"):
        make_row("MNEW", 0x3F, Unit.MATRIX, sub_unit=SubUnit.MAD)


def test_a_row_reads_and_writes_only_registers_that_it_names() -> None:
    with pytest.raises(ValueError, match=r"registers \['vb'\] are not named"):
        make_row("SFPNEW", 0x9A, Unit.VECTOR, sub_unit=SubUnit.SIMPLE, registers="vb -> vd=7:4")


def test_sub_units_are_those_of_sfploadmacro_md() -> None:
    """Its table of what Simple, MAD, Round and Store execute; loads have their own."""
    mad = "SFPADD SFPADDI SFPLUT SFPLUTFP32 SFPMAD SFPMUL SFPMULI SFPMUL24"
    others = {
        SubUnit.MAD: mad.split(),
        SubUnit.ROUND: ["SFPSHFT2", "SFP_STOCH_RND"],
        SubUnit.STORE: ["SFPSTORE"],
        SubUnit.LOAD: ["SFPLOAD", "SFPLOADI", "SFPLOADMACRO", "SFPNOP"],
    }
    for chip in CHIPS:
        rows = [row for row in chip.values() if row.unit == Unit.VECTOR]
        for sub_unit, names in others.items():
            found = {row.name for row in rows if row.sub_unit == sub_unit}
            assert found == {name for name in names if name in chip}
