"""The Wormhole instruction table: Blackhole's, without what is new there and with the rows that differ.

Sources: as the Blackhole table. Wormhole's STALLWAIT.md has SEMWAIT wait only for B1, Blackhole's for
every block bit.
"""

from dataclasses import replace

from tilelab.isa.instruction import InstructionSet, derived
from tilelab.tensix.tables.blackhole import BLACKHOLE
from tilelab.tensix.tables.rows import SFPU, row
from tilelab.tensix.tables.units import Block, Unit

# fmt: off
WITHOUT = (
    "RESOURCEDECL", "MOVDBGB2D", "SFPLE", "SFPGT", "SFPMUL24", "SFPARECIP", "STREAMWAIT", "STREAMWRCFG", "CFGSHIFTMASK",
)
ROWS = (
    row("MOVD2A", 0x08, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:15 instr_mod=13:12 dst=9:0", "dest_32b_lo src addr_mode instr_mod dst=11:0", macro="instr_mod=14:12"),
    row("MOVDBGA2D", 0x09, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:15 instr_mod=13:12 dst=9:0", "dest_32b_lo src addr_mode instr_mod=14:12 dst=11:0"),
    row("MOVD2B", 0x0A, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:15 instr_mod=13:12 dst=9:0", "dest_32b_lo src addr_mode instr_mod dst=11:0", macro="instr_mod=14:12"),
    row("MOVB2A", 0x0B, Unit.MATRIX, "srca=22:17 addr_mode=16:15 instr_mod=13:12 srcb=5:0", "srca=23:17 addr_mode instr_mod srcb=11:0", macro="instr_mod=14:12"),
    row("ZEROACC", 0x10, Unit.MATRIX, "clear_mode=21:19 addr_mode=16:15 dst=9:0", "clear_mode=23:19 addr_mode=18:15 dst=14:0"),
    row("MOVA2D", 0x12, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:15 instr_mod=13:12 dst=9:0", "dest_32b_lo src addr_mode instr_mod dst=11:0", macro="instr_mod=14:12"),
    row("MOVB2D", 0x13, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:15 instr_mod=14:12 dst=9:0", "dest_32b_lo src addr_mode instr_mod dst=11:0"),
    row("TRNSPSRCA", 0x14, Unit.MATRIX, page=""),
    row("SHIFTXB", 0x18, Unit.MATRIX, "addr_mode=16:15 rot_shift=10 shift_row=5:0", "addr_mode=23:15 rot_shift=14:10 shift_row=9:0"),
    row("CONV3S1", 0x22, Unit.MATRIX, "clear_dvalid=23:22 rotate_weights=21:17 addr_mode=16:15 dst=9:0", "clear_dvalid rotate_weights addr_mode dst=14:0", page=""),
    row("CONV3S2", 0x23, Unit.MATRIX, "clear_dvalid=23:22 rotate_weights=21:17 addr_mode=16:15 dst=9:0", "clear_dvalid rotate_weights addr_mode dst=14:0", page=""),
    row("MPOOL3S1", 0x24, Unit.MATRIX, "clear_dvalid=23:22 addr_mode=16:15 index_en=14 dst=9:0", "clear_dvalid addr_mode=21:15 index_en dst=13:0", page=""),
    row("APOOL3S1", 0x25, Unit.MATRIX, "clear_dvalid=23:22 addr_mode=16:15 index_en=14 dst=9:0", "clear_dvalid addr_mode=21:15 index_en dst=13:0", page=""),
    row("MVMUL", 0x26, Unit.MATRIX, "clear_dvalid=23:22 instr_mod19=19 addr_mode=16:15 dst=9:0", "clear_dvalid instr_mod19=21:19 addr_mode=18:15 dst=14:0"),
    row("ELWMUL", 0x27, Unit.MATRIX, "clear_dvalid=23:22 dest_accum_en=21 instr_mod19=20:19 addr_mode=16:15 dst=9:0", "clear_dvalid dest_accum_en instr_mod19 addr_mode=18:15 dst=14:0"),
    row("ELWADD", 0x28, Unit.MATRIX, "clear_dvalid=23:22 dest_accum_en=21 instr_mod19=20:19 addr_mode=16:15 dst=9:0", "clear_dvalid dest_accum_en instr_mod19 addr_mode=18:15 dst=14:0"),
    row("DOTPV", 0x29, Unit.MATRIX, "clear_dvalid=23:22 addr_mode=16:15 dst=9:0", "clear_dvalid dest_accum_en=21 instr_mod19=20:19 addr_mode=18:15 dst=14:0"),
    row("ELWSUB", 0x30, Unit.MATRIX, "clear_dvalid=23:22 dest_accum_en=21 instr_mod19=20:19 addr_mode=16:15 dst=9:0", "clear_dvalid dest_accum_en instr_mod19 addr_mode=18:15 dst=14:0"),
    row("MPOOL3S2", 0x31, Unit.MATRIX, "clear_dvalid=23:22 addr_mode=16:15 index_en=14 dst=9:0", "clear_dvalid addr_mode=21:15 index_en dst=13:0", page=""),
    row("APOOL3S2", 0x32, Unit.MATRIX, "clear_dvalid=23:22 addr_mode=16:15 index_en=14 dst=9:0", "clear_dvalid addr_mode=21:15 index_en dst=13:0", page=""),
    row("GMPOOL", 0x33, Unit.MATRIX, "clear_dvalid=23:22 instr_mod19=19 addr_mode=16:15 max_pool_index_en=14 dst=9:0", "clear_dvalid instr_mod19=21:19 addr_mode=18:15 max_pool_index_en dst=13:0"),
    row("GAPOOL", 0x34, Unit.MATRIX, "clear_dvalid=23:22 instr_mod19=19 addr_mode=16:15 max_pool_index_en=14 dst=9:0", "clear_dvalid instr_mod19=21:19 addr_mode=18:15 max_pool_index_en dst=13:0"),
    row("MFCONV3S1", 0x3A, Unit.MATRIX, "clear_dvalid=23:22 rotate_weights=21:17 addr_mode=16:15 dst=9:0", "clear_dvalid rotate_weights addr_mode dst=14:0", page=""),
    row("PACR", 0x41, Unit.PACK, "addr_mode=16:15 zero_write=12 pack_sel=11:8 ovrd_thread_id=7 concat=4 flush=1 last=0", "addr_mode=23:15 zero_write=14:12 pack_sel ovrd_thread_id concat=6:4 flush=3:1 last"),
    row("UNPACR", 0x42, Unit.UNPACK, "unpack_block_selection=23 addr_mode=22:15 cfg_context_cnt_inc=13 cfg_context_id=12:10 addr_cnt_context_id=9:8 ovrd_thread_id=7 set_dat_valid=6 rareb_en=5 zero_write2=4 auto_inc_context_id=3 row_search=2 search_cache_flush=1 last=0", "unpack_block_selection addr_mode cfg_context_cnt_inc=13:12 cfg_context_id addr_cnt_context_id=10:8 ovrd_thread_id set_dat_valid rareb_en zero_write2 auto_inc_context_id row_search search_cache_flush last", macro="cfg_context_cnt_inc=14:13 addr_cnt_context_id=9:8"),
    row("UNPACR_NOP", 0x43, Unit.UNPACK, "unpack_block_selection=23 no_op=4:0", "unpack_block_selection no_op=22:0", aliases=("ttunpacrnop",), page=""),
    row("PACR_SETREG", 0x4A, Unit.PACK, "push=23 addr_sel=22 wr_data=21:12 pack_sel=11:8 stream_id=7:2 flush=1 last=0", mnemonic="ttpacrsetreg", aliases=("ttpacr_setreg",)),
    row("ATSWAP", 0x63, Unit.SCALAR, "mem_hier_sel=23 single_data_reg=22 swap_mask=21:14 data_reg_index=11:6 addr_reg_index=5:0", "mem_hier_sel swap_mask=22:14 data_reg_index addr_reg_index", macro="data_reg_index=13:6"),
    row("SFPLOAD", 0x70, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 sfpu_addr_mode=15:14 dest_reg_addr=9:0", "lreg:lreg_ind<8 int:dest_reg_addr=13:0 mod:instr_mod0(ffff) sfpu_addr_mode", macro="dest_reg_addr=13:0"),
    row("SFPSTORE", 0x72, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 sfpu_addr_mode=15:14 dest_reg_addr=9:0", "lreg:lreg_ind int:dest_reg_addr=13:0 mod:instr_mod0(ffff) sfpu_addr_mode", macro="dest_reg_addr=13:0"),
    row("SFPSHFT", 0x7A, Unit.VECTOR, "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_c bymod:imm12_math mod:instr_mod1(1-2)"),
    row("SFPAND", 0x7E, Unit.VECTOR, "imm12_math=15:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_c", macro=SFPU),
    row("SFPOR", 0x7F, Unit.VECTOR, "imm12_math=15:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_c", macro=SFPU),
    row("SFPMAD", 0x84, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_src_a lreg:lreg_src_b lreg:lreg_src_c mod:instr_mod1(1)", macro="lreg_src_a=23:16"),
    row("SFPADD", 0x85, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_src_b lreg:lreg_src_c mod:instr_mod1(1) fixed:lreg_src_a(a)", macro="lreg_src_a=23:16"),
    row("SFPMUL", 0x86, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_src_a lreg:lreg_src_b mod:instr_mod1(1) fixed:lreg_src_c(9)", macro="lreg_src_a=23:16"),
    row("SFP_STOCH_RND", 0x8E, Unit.VECTOR, "rnd_mode=21 imm8_math=20:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_src_b lreg:lreg_src_c bymod:imm8_math mod:instr_mod1(ff+3000) rnd_mode", macro="rnd_mode=23:21", mnemonic="sfpstochrnd", page="WormholeB0/SFPSTOCHRND.md"),
    row("SFPCAST", 0x90, Unit.VECTOR, "lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0", "lreg:lreg_dest<8 lreg:lreg_src_c mod:instr_mod1(3)", macro="lreg_src_c=23:8"),
    row("SFPLOADMACRO", 0x93, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 sfpu_addr_mode=15:14 dest_reg_addr=9:0", "macro_index=23:22 macroreg:lreg_ind=21:20 int:dest_reg_addr mod:instr_mod0(f3ff) sfpu_addr_mode", macro="dest_reg_addr=13:0"),
    row("STALLWAIT", 0xA2, Unit.SYNC, "stall_res=23:15 wait_res=14:0", block=Block.ALL),
    row("SEMWAIT", 0xA6, Unit.SYNC, "stall_res=23:15 sem_sel=9:2 wait_sem_cond=1:0", "stall_res sem_sel=14:2 wait_sem_cond"),
)
# fmt: on

WORMHOLE = InstructionSet(
    "wormhole",
    (
        replace(row, page=row.page.replace("BlackholeA0", "WormholeB0"))
        for row in derived(BLACKHOLE, WITHOUT, ROWS)
    ),
)
