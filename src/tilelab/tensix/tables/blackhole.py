"""The Blackhole instruction table: one row per opcode.

Sources: tt-isa-documentation (field positions, pages), tt-llk assembly.yaml, ttsim (which bits are used).
"""

from tilelab.isa.instruction import Instruction, InstructionSet, fields
from tilelab.tensix.tables.units import Unit


def _row(name: str, opcode: int, unit: Unit, bits: str = "") -> Instruction:
    return Instruction(name, opcode, unit, fields(bits))


# fmt: off
ROWS = (
    _row("MOP", 0x01, Unit.FRONTEND, "mop_type=23 loop_count=22:16 zmask_lo16_or_loop_count=15:0"),
    _row("NOP", 0x02, Unit.MISC),
    _row("MOP_CFG", 0x03, Unit.FRONTEND, "zmask_hi16=15:0"),
    _row("REPLAY", 0x04, Unit.FRONTEND, "start_idx=23:14 len=13:4 execute_while_loading=1 load_mode=0"),
    _row("RESOURCEDECL", 0x05, Unit.FRONTEND),  # fields to come
    _row("MOVD2A", 0x08, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:14 instr_mod=13:12 dst=9:0"),
    _row("MOVDBGA2D", 0x09, Unit.MATRIX),  # fields to come
    _row("MOVD2B", 0x0A, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:14 instr_mod=13:12 dst=9:0"),
    _row("MOVB2A", 0x0B, Unit.MATRIX, "srca=22:17 addr_mode=16:14 instr_mod=13:12 srcb=5:0"),
    _row("MOVDBGB2D", 0x0C, Unit.MATRIX),  # fields to come
    _row("ZEROACC", 0x10, Unit.MATRIX, "clear_mode=20:19 use_32_bit_mode=18 clear_zero_flags=17 addr_mode=16:14 where=9:0"),
    _row("ZEROSRC", 0x11, Unit.MATRIX, "zero_val=4 write_mode=3 bank_mask=2 src_mask=1:0"),
    _row("MOVA2D", 0x12, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:14 instr_mod=13:12 dst=9:0"),
    _row("MOVB2D", 0x13, Unit.MATRIX, "dest_32b_lo=23 src=22:17 addr_mode=16:14 movb2d_instr_mod=13:11 dst=9:0"),
    _row("TRNSPSRCA", 0x14, Unit.MATRIX),  # fields to come
    _row("RAREB", 0x15, Unit.MATRIX),  # fields to come
    _row("TRNSPSRCB", 0x16, Unit.MATRIX),
    _row("SHIFTXA", 0x17, Unit.MATRIX),  # fields to come
    _row("SHIFTXB", 0x18, Unit.MATRIX),  # fields to come
    _row("SETASHRMH0", 0x1A, Unit.MATRIX),  # fields to come
    _row("SETASHRMH1", 0x1B, Unit.MATRIX),  # fields to come
    _row("SETASHRMV", 0x1C, Unit.MATRIX),  # fields to come
    _row("SETPKEDGOF", 0x1D, Unit.MATRIX),  # fields to come
    _row("SETASHRMH", 0x1E, Unit.MATRIX),  # fields to come
    _row("CLREXPHIST", 0x21, Unit.MATRIX),  # fields to come
    _row("CONV3S1", 0x22, Unit.MATRIX),  # fields to come
    _row("CONV3S2", 0x23, Unit.MATRIX),  # fields to come
    _row("MPOOL3S1", 0x24, Unit.MATRIX),  # fields to come
    _row("APOOL3S1", 0x25, Unit.MATRIX),  # fields to come
    _row("MVMUL", 0x26, Unit.MATRIX, "clear_dvalid=23:22 instr_mod19=19 addr_mode=16:14 dst=9:0"),
    _row("ELWMUL", 0x27, Unit.MATRIX, "clear_dvalid=23:22 dest_accum_en=21 instr_mod19=20:19 addr_mode=16:14 dst=9:0"),
    _row("ELWADD", 0x28, Unit.MATRIX, "clear_dvalid=23:22 dest_accum_en=21 instr_mod19=20:19 addr_mode=16:14 dst=9:0"),
    _row("DOTPV", 0x29, Unit.MATRIX),  # fields to come
    _row("ELWSUB", 0x30, Unit.MATRIX, "clear_dvalid=23:22 dest_accum_en=21 instr_mod19=20:19 addr_mode=16:14 dst=9:0"),
    _row("MPOOL3S2", 0x31, Unit.MATRIX),  # fields to come
    _row("APOOL3S2", 0x32, Unit.MATRIX),  # fields to come
    _row("GMPOOL", 0x33, Unit.MATRIX, "clear_dvalid=23:22 instr_mod19=19 pool_addr_mode=17:15 max_pool_index_en=14 dst=9:0"),
    _row("GAPOOL", 0x34, Unit.MATRIX, "clear_dvalid=23:22 instr_mod19=19 pool_addr_mode=17:15 max_pool_index_en=14 dst=9:0"),
    _row("GATESRCRST", 0x35, Unit.MATRIX, "reset_srcb_gate_control=1 reset_srca_gate_control=0"),
    _row("CLEARDVALID", 0x36, Unit.MATRIX, "cleardvalid=23:22 reset=1:0"),
    _row("SETRWC", 0x37, Unit.MATRIX, "clear_ab_vld=23:22 rwc_cr=21:18 rwc_d=17:14 rwc_b=13:10 rwc_a=9:6 bit_mask=3:0"),
    _row("INCRWC", 0x38, Unit.MATRIX, "rwc_cr=20:18 rwc_d=17:14 rwc_b=13:10 rwc_a=9:6"),
    _row("SETIBRWC", 0x39, Unit.MATRIX),  # fields to come
    _row("MFCONV3S1", 0x3A, Unit.MATRIX),  # fields to come
    _row("XMOV", 0x40, Unit.MOVER),  # fields to come
    _row("PACR", 0x41, Unit.PACK, "cfg_context=22:21 row_pad_zero=20:18 dst_access_mode=17 addr_mode=16:15 addr_cnt_context=14:13 zero_write=12 read_intf_sel=11:8 ovrd_thread_id=7 concat=4 ctxt_ctrl=3:2 flush=1 last=0"),
    _row("UNPACR", 0x42, Unit.UNPACK, "unpack_block_selection=23 addr_mode=22:15 cfg_context_cnt_inc=13 cfg_context_id=12:10 addr_cnt_context_id=9:8 ovrd_thread_id=7 set_dat_valid=6 srcb_bcast=5 zero_write2=4 auto_inc_context_id=3 row_search=2 search_cache_flush=1 last=0"),
    _row("UNPACR_NOP", 0x43, Unit.UNPACK, "unpacker_select=23 stream_id=21:16 msg_clr_cnt=14:12 set_dvalid=8 clr_to1_fmt_ctrl=7:6 stall_clr_cntrl=5 bank_clr_ctrl=4 src_clr_val_ctrl=3:2 unpack_pop=1:0"),
    _row("RSTDMA", 0x44, Unit.MISC),  # fields to come
    _row("SETDMAREG", 0x45, Unit.SCALAR, "payload_sig_sel_size=23:22 payload_sig_sel=21:8 set_signals_mode=7 reg_index_16b=6:0"),
    _row("FLUSHDMA", 0x46, Unit.SCALAR),  # fields to come
    _row("REG2FLOP", 0x48, Unit.SCALAR, "size_sel=23:22 target_sel=21:20 byte_offset=19:18 context_id_2=17:16 flop_index=12:6 reg_index=5:0"),
    _row("LOADIND", 0x49, Unit.SCALAR),  # fields to come
    _row("PACR_SETREG", 0x4A, Unit.PACK),  # fields to come
    _row("TBUFCMD", 0x4B, Unit.PACK),  # fields to come
    _row("SETADC", 0x50, Unit.MISC, "cnt_set_mask=23:21 channel_index=20 dimension_index=19:18 value=17:0"),
    _row("SETADCXY", 0x51, Unit.MISC, "cnt_set_mask=23:21 ch1_y=17:15 ch1_x=14:12 ch0_y=11:9 ch0_x=8:6 bit_mask=3:0"),
    _row("INCADCXY", 0x52, Unit.MISC, "cnt_set_mask=23:21 ch1_y=17:15 ch1_x=14:12 ch0_y=11:9 ch0_x=8:6"),
    _row("ADDRCRXY", 0x53, Unit.MISC, "cnt_set_mask=23:21 ch1_y=17:15 ch1_x=14:12 ch0_y=11:9 ch0_x=8:6 bit_mask=3:0"),
    _row("SETADCZW", 0x54, Unit.MISC, "cnt_set_mask=23:21 ch1_y=17:15 ch1_x=14:12 ch0_y=11:9 ch0_x=8:6 bit_mask=3:0"),
    _row("INCADCZW", 0x55, Unit.MISC, "cnt_set_mask=23:21 ch1_y=17:15 ch1_x=14:12 ch0_y=11:9 ch0_x=8:6"),
    _row("ADDRCRZW", 0x56, Unit.MISC, "cnt_set_mask=23:21 ch1_y=17:15 ch1_x=14:12 ch0_y=11:9 ch0_x=8:6 bit_mask=3:0"),
    _row("SETDVALID", 0x57, Unit.MISC, "setvalid=1:0"),
    _row("ADDDMAREG", 0x58, Unit.SCALAR, "op_b_is_const=23 result_reg_index=17:12 op_b_reg_index=11:6 op_a_reg_index=5:0"),
    _row("SUBDMAREG", 0x59, Unit.SCALAR),  # fields to come
    _row("MULDMAREG", 0x5A, Unit.SCALAR, "op_b_is_const=23 result_reg_index=17:12 op_b_reg_index=11:6 op_a_reg_index=5:0"),
    _row("BITWOPDMAREG", 0x5B, Unit.SCALAR),  # fields to come
    _row("SHIFTDMAREG", 0x5C, Unit.SCALAR),  # fields to come
    _row("CMPDMAREG", 0x5D, Unit.SCALAR),  # fields to come
    _row("SETADCXX", 0x5E, Unit.MISC, "cnt_set_mask=23:21 x_end2=19:10 x_start=9:0"),
    _row("DMANOP", 0x60, Unit.SCALAR),
    _row("ATINCGET", 0x61, Unit.SCALAR),  # fields to come
    _row("ATINCGETPTR", 0x62, Unit.SCALAR),  # fields to come
    _row("ATSWAP", 0x63, Unit.SCALAR),  # fields to come
    _row("ATCAS", 0x64, Unit.SCALAR),  # fields to come
    _row("STOREIND", 0x66, Unit.SCALAR),  # fields to come
    _row("STOREREG", 0x67, Unit.SCALAR, "tdma_data_reg_index=23:18 reg_addr=17:0"),
    _row("LOADREG", 0x68, Unit.SCALAR),  # fields to come
    _row("SFPLOAD", 0x70, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 sfpu_addr_mode=15:13 dest_reg_addr=9:0"),
    _row("SFPLOADI", 0x71, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 imm16=15:0"),
    _row("SFPSTORE", 0x72, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 sfpu_addr_mode=15:13 dest_reg_addr=9:0"),
    _row("SFPLUT", 0x73, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16"),
    _row("SFPMULI", 0x74, Unit.VECTOR, "imm16_math=23:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPADDI", 0x75, Unit.VECTOR, "imm16_math=23:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPDIVP2", 0x76, Unit.VECTOR, "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPEXEXP", 0x77, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPEXMAN", 0x78, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPIADD", 0x79, Unit.VECTOR, "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPSHFT", 0x7A, Unit.VECTOR, "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPSETCC", 0x7B, Unit.VECTOR, "imm12_math=12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPMOV", 0x7C, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPABS", 0x7D, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPAND", 0x7E, Unit.VECTOR, "imm12_math=15:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPOR", 0x7F, Unit.VECTOR, "imm12_math=15:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPNOT", 0x80, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4"),
    _row("SFPLZ", 0x81, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPSETEXP", 0x82, Unit.VECTOR, "imm12_math=19:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPSETMAN", 0x83, Unit.VECTOR, "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPMAD", 0x84, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPADD", 0x85, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPMUL", 0x86, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPPUSHC", 0x87, Unit.VECTOR, "lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPPOPC", 0x88, Unit.VECTOR, "lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPSETSGN", 0x89, Unit.VECTOR, "imm12_math=12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPENCC", 0x8A, Unit.VECTOR, "imm12_math=13:12 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPCOMPC", 0x8B, Unit.VECTOR, "lreg_dest=7:4"),
    _row("SFPTRANSP", 0x8C, Unit.VECTOR, "lreg_dest=7:4"),
    _row("SFPXOR", 0x8D, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4"),
    _row("SFP_STOCH_RND", 0x8E, Unit.VECTOR, "rnd_mode=22:21 imm8_math=20:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPNOP", 0x8F, Unit.VECTOR),
    _row("SFPCAST", 0x90, Unit.VECTOR, "lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPCONFIG", 0x91, Unit.VECTOR, "imm16_math=23:8 config_dest=7:4 instr_mod1=3:0"),
    _row("SFPSWAP", 0x92, Unit.VECTOR, "lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPLOADMACRO", 0x93, Unit.VECTOR, "lreg_ind=23:20 instr_mod0=19:16 sfpu_addr_mode=15:13 dest_reg_addr=9:0"),
    _row("SFPSHFT2", 0x94, Unit.VECTOR, "imm12_math=23:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPLUTFP32", 0x95, Unit.VECTOR, "lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPLE", 0x96, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPGT", 0x97, Unit.VECTOR, "lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPMUL24", 0x98, Unit.VECTOR, "lreg_src_a=19:16 lreg_src_b=15:12 lreg_src_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("SFPARECIP", 0x99, Unit.VECTOR, "imm12_math=15:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"),
    _row("ATGETM", 0xA0, Unit.SYNC, "mutex_index=15:0"),
    _row("ATRELM", 0xA1, Unit.SYNC, "mutex_index=15:0"),
    _row("STALLWAIT", 0xA2, Unit.SYNC, "stall_res=23:15 wait_res=11:0"),
    _row("SEMINIT", 0xA3, Unit.SYNC, "max_value=23:20 init_value=19:16 sem_sel=9:2"),
    _row("SEMPOST", 0xA4, Unit.SYNC, "sem_sel=9:2"),
    _row("SEMGET", 0xA5, Unit.SYNC, "sem_sel=9:2"),
    _row("SEMWAIT", 0xA6, Unit.SYNC, "stall_res=23:15 sem_sel=9:2 wait_sem_cond=1:0"),
    _row("STREAMWAIT", 0xA7, Unit.SYNC),  # fields to come
    _row("WRCFG", 0xB0, Unit.CONFIG, "gpr_address=21:16 wr128b=15 cfg_reg=10:0"),
    _row("RDCFG", 0xB1, Unit.CONFIG, "gpr_address=21:16 cfg_reg=10:0"),
    _row("SETC16", 0xB2, Unit.CONFIG, "setc16_reg=23:16 setc16_value=15:0"),
    _row("RMWCIB0", 0xB3, Unit.CONFIG, "mask=23:16 data=15:8 cfg_reg_addr=7:0"),
    _row("RMWCIB1", 0xB4, Unit.CONFIG, "mask=23:16 data=15:8 cfg_reg_addr=7:0"),
    _row("RMWCIB2", 0xB5, Unit.CONFIG, "mask=23:16 data=15:8 cfg_reg_addr=7:0"),
    _row("RMWCIB3", 0xB6, Unit.CONFIG, "mask=23:16 data=15:8 cfg_reg_addr=7:0"),
    _row("STREAMWRCFG", 0xB7, Unit.CONFIG),  # fields to come
    _row("CFGSHIFTMASK", 0xB8, Unit.CONFIG, "disable_mask_on_old_val=23 operation=22:20 mask_width=19:15 right_cshift_amt=14:10 scratch_sel=9:8 cfg_reg=7:0"),
)
# fmt: on

BLACKHOLE = InstructionSet("blackhole", ROWS)
