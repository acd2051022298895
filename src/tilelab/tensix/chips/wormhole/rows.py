"""The Wormhole instruction table: Blackhole's, without what is new there and with what differs.

Most rows differ in the address mode alone, which :func:`with_short_modes` says once; those that
differ otherwise stand here. Sources: as the Blackhole table. Wormhole's STALLWAIT.md has SEMWAIT
wait only for B1, Blackhole's for every block bit.
"""

from dataclasses import replace
from typing import Any

from tilelab.isa.field import Field
from tilelab.isa.figure import InstructionTiming, documented, measured
from tilelab.isa.instruction import Instruction, InstructionSet, derived
from tilelab.isa.syntax import Operand
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE
from tilelab.tensix.chips.blackhole.rows import NEW
from tilelab.tensix.tables.figures import TTSIM
from tilelab.tensix.tables.rows import SFPU, changed
from tilelab.tensix.tables.units import Block


def with_short_modes(row: Instruction) -> Instruction:
    """A row of Blackhole with Wormhole's address mode of two bits instead of three.

    ``addr_mode`` and ``sfpu_addr_mode`` lack the lowest bit, by which the assembler's operand and
    the macro's parameter below grow; ``pool_addr_mode`` lacks the highest, and is ``addr_mode``.
    """
    mode = next((f for f in row.fields if f.name.endswith("addr_mode") and f.width == 3), None)
    if mode is None:
        return row

    def shortened(field: Field) -> Field:
        if field.name == "pool_addr_mode":
            return Field("addr_mode", field.hi - (field == mode), field.lo)
        if field.name == mode.name:
            return Field(field.name, field.hi, field.lo + 1)
        return field

    def grown(field: Field) -> Field:
        above = mode.name != "pool_addr_mode" and field.hi == mode.lo - 1
        return Field(field.name, field.hi + 1, field.lo) if above else shortened(field)

    def operand(old: Operand) -> Operand:
        new = shortened(old.field) if old.field in row.fields else grown(old.field)
        limit = 1 << new.width if old.limit == 1 << old.field.width else old.limit
        return replace(old, field=new, limit=limit)

    return replace(
        row,
        fields=tuple(map(shortened, row.fields)),
        operands=tuple(map(operand, row.operands)),
        macro=tuple(map(grown, row.macro)),
    )


def differs(
    name: str, bits: str | None = None, syntax: str | None = None, **more: Any
) -> Instruction:
    """Wormhole's row: Blackhole's with these columns."""
    return changed(with_short_modes(BLACKHOLE[name]), bits, syntax, **more)


RDCFG = InstructionTiming(
    measured(2, f"{TTSIM}: two cycles of each thread, whatever the others do"),
    documented(2, "ConfigurationUnit.md"),
)

# fmt: off
ROWS = (
    differs("MOVDBGA2D", None, "dest_32b_lo src addr_mode instr_mod=14:12 dst=11:0"),
    differs("ZEROACC", "clear_mode=21:19 addr_mode=16:15 dst=9:0", "clear_mode=23:19 addr_mode=18:15 dst=14:0"),
    differs("MOVB2D", "dest_32b_lo=23 src=22:17 addr_mode=16:15 instr_mod=14:12 dst=9:0", "dest_32b_lo src addr_mode instr_mod dst=11:0"),
    differs("TRNSPSRCA", mnemonic="tttrnspsrca"),
    differs("PACR", "addr_mode=16:15 zero_write=12 pack_sel=11:8 ovrd_thread_id=7 concat=4 flush=1 last=0", "addr_mode=23:15 zero_write=14:12 pack_sel ovrd_thread_id concat=6:4 flush=3:1 last"),
    differs("UNPACR", "unpack_block_selection=23 addr_mode=22:15 cfg_context_cnt_inc=13 cfg_context_id=12:10 addr_cnt_context_id=9:8 ovrd_thread_id=7 set_dat_valid=6 rareb_en=5 zero_write2=4 auto_inc_context_id=3 row_search=2 search_cache_flush=1 last=0", "unpack_block_selection addr_mode cfg_context_cnt_inc=13:12 cfg_context_id addr_cnt_context_id=10:8 ovrd_thread_id set_dat_valid rareb_en zero_write2 auto_inc_context_id row_search search_cache_flush last", macro="cfg_context_cnt_inc=14:13 addr_cnt_context_id=9:8"),
    differs("UNPACR_NOP", "unpack_block_selection=23 no_op=4:0", "unpack_block_selection no_op=22:0"),
    differs("PACR_SETREG", "push=23 addr_sel=22 wr_data=21:12 pack_sel=11:8 stream_id=7:2 flush=1 last=0"),
    differs("ATSWAP", None, "mem_hier_sel swap_mask=22:14 data_reg_index addr_reg_index", macro="data_reg_index=13:6"),
    differs("SFPLOAD", None, "lreg:lreg_ind<8 int:dest_reg_addr=13:0 mod:instr_mod0(ffff) sfpu_addr_mode", macro="dest_reg_addr=13:0"),
    differs("SFPSTORE", None, "lreg:lreg_ind int:dest_reg_addr=13:0 mod:instr_mod0(ffff) sfpu_addr_mode", macro="dest_reg_addr=13:0"),
    differs("SFPSHFT", None, "lreg:lreg_dest<8 lreg:lreg_c bymod:imm12_math mod:instr_mod1(1-2)"),
    differs("SFPAND", None, "lreg:lreg_dest<8 lreg:lreg_c", macro=SFPU, registers="vb=7:4@ffff vc=11:8 -> vd=7:4", vb_modifier=0),
    differs("SFPOR", None, "lreg:lreg_dest<8 lreg:lreg_c", macro=SFPU, registers="vb=7:4@ffff vc=11:8 -> vd=7:4", vb_modifier=0),
    differs("SFPMAD", None, "lreg:lreg_dest<8 lreg:lreg_src_a lreg:lreg_src_b lreg:lreg_src_c mod:instr_mod1(1)", macro="lreg_src_a=23:16"),
    differs("SFPADD", None, "lreg:lreg_dest<8 lreg:lreg_src_b lreg:lreg_src_c mod:instr_mod1(1) fixed:lreg_src_a(a)", macro="lreg_src_a=23:16"),
    differs("SFPMUL", None, "lreg:lreg_dest<8 lreg:lreg_src_a lreg:lreg_src_b mod:instr_mod1(1) fixed:lreg_src_c(9)", macro="lreg_src_a=23:16"),
    differs("SFP_STOCH_RND", "rnd_mode=21 imm8_math=20:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_src_b lreg:lreg_src_c bymod:imm8_math mod:instr_mod1(ff+3000) rnd_mode", macro="rnd_mode=23:21"),
    differs("SFPCAST", None, "lreg:lreg_dest<8 lreg:lreg_src_c mod:instr_mod1(3)", macro="lreg_src_c=23:8"),
    differs("SFPSHFT2", late_modes=1 << 2 | 1 << 3 | 1 << 4),
    differs("STALLWAIT", "stall_res=23:15 wait_res=14:0"),
    differs("SEMWAIT", block_mask=Block.SYNC),
    differs("RDCFG", each_thread=True, timing=RDCFG),
)
# fmt: on

INSTRUCTIONS = InstructionSet(
    "wormhole",
    (
        replace(row, page=row.page.replace("BlackholeA0", "WormholeB0"))
        for row in map(with_short_modes, derived(BLACKHOLE, (row.name for row in NEW), ROWS))
    ),
)
