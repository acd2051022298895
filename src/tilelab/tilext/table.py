"""Every instruction of the encoding document as it is printed: one row each, word by word.

Nothing is corrected here: corrections are rows of :mod:`tilelab.tilext.repairs`. The cells are in
the notation of :mod:`tilelab.isa.multiword`. ``header`` and ``line`` are the seed's lines of a
word's bit numbers and of its values; header 0 means that the bit numbers were lost and the columns
are those of a sibling, which the question ``places`` asks about. A word that cannot be used as
printed says why in ``lost``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PrintedWord:
    """One word's row in the document."""

    slot: int
    header: int
    line: int
    cells: str
    lost: str = ""
    places: str = ""


@dataclass(frozen=True)
class Row:
    """One instruction of the document: our mnemonic, its heading, the heading's line."""

    name: str
    title: str
    line: int
    words: tuple[PrintedWord, ...]


W = PrintedWord

_ASP = "_=31=0 _=30=1(input_data)"
_INDEX = f"{_ASP} mode=29:28=00(index_vector) addrCtl=26 func6=25:20 tuop=14:12=111 vs2=11:7"
_ENABLES = "rs2_en=8=0 rd_en=7=0"
_OFFSET = "offset(offseten:rs3|imm2[4:0])=24:20"


_FORMS = {
    "unit": ("Unit-stride", "imm[9:5]", "00"),
    "stride": ("Stride", "rs2", "01"),
    "index": ("Index Vector", "vs2", "10"),
}
"""Of an access to memory by rows: its name, the third operand and ``lsuop``."""


def _access(
    name: str, line: int, lines: tuple[int, ...], tile: str, enables: str = _ENABLES
) -> Row:
    """A load or a store: ``t``, global or share, ``ld`` or ``st``, the form; the words' lines."""
    form, third, lsuop = _FORMS[name[5:]]
    scope, tuop = ("Global", "000") if name[1] == "g" else ("Share", "001")
    verb, memuop = ("Load", "000000") if name[2:4] == "ld" else ("Store", "001000")
    cells = (
        f"offseten=31 memuop=30:25={memuop} {_OFFSET} {third}=19:15 tuop=14:12=110 tmask=9"
        f" lsuop=8:7={lsuop}",
        f"rs1_en=31=1 {tile}=30:23 tilesize=22:20 rs1=19:15 tuop=14:12={tuop} {enables}",
        _INDEX,
    )
    places = zip(lines[-2::-2], lines[::-2], strict=True)  # of word 0 first
    words = [W(slot, *place, cells[slot]) for slot, place in enumerate(places)]
    return Row(name, f"{scope} Memory {form} {verb}", line, tuple(reversed(words)))


MEMORY = (
    _access("tgld.unit", 30, (33, 34, 35, 36), "ts1", "_=8=0 _=7=0"),
    _access("tgst.unit", 38, (41, 42, 43, 44), "ts1"),
    _access("tsld.unit", 46, (49, 51, 52, 53), "ts1"),
    _access("tsst.unit", 55, (58, 59, 60, 61), "ts1"),
    _access("tgld.stride", 67, (70, 71, 72, 73), "td"),
    _access("tgst.stride", 75, (78, 79, 80, 81), "ts1"),
    _access("tsld.stride", 83, (86, 87, 88, 89), "td"),
    _access("tsst.stride", 91, (94, 95, 96, 97), "ts1"),
    _access("tgld.index", 107, (110, 111, 112, 113, 114, 115), "td"),
    _access("tgst.index", 117, (120, 121, 122, 123, 125, 126), "ts1"),
    _access("tsld.index", 128, (131, 132, 133, 134, 135, 136), "td"),
    _access("tsst.index", 138, (141, 142, 143, 144, 145, 146), "ts1"),
)

_ATOMIC = "memuop=30:25=1xxxxx"

ATOMIC = (
    Row(
        "tsatom.rd",
        "(untitled atomic, lsuop 01)",
        148,
        (
            W(1, 149, 150, "rs1_en=31=1 rd=27:23 vec_size=22:21 rtn=20=0 rs1=19:15"
              " tuop=14:12=001 rs2_en=8=1 rd_en=7"),
            W(0, 151, 152, f"cas_en=31 {_ATOMIC} compare(cas_en:rs3|0)=24:20 rs2=19:15"
              " tuop=14:12=110 tmask=9 lsuop=8:7=01"),
        ),
    ),
    Row(
        "tsatom.nord",
        "(untitled atomic, lsuop 11)",
        154,
        (
            W(1, 155, 156, "rs1_en=31=1 vec_size=22:21 rtn=20=0 rs1=19:15"
              " tuop=14:12=001 rs2_en=8=1 rd_en=7=0"),
            W(0, 157, 158, f"cas_en=31 {_ATOMIC} compare(cas_en:rs3|imm2[4:0])=24:20 rs2=19:15"
              " tuop=14:12=110 tmask=9 lsuop=8:7=11"),
        ),
    ),
    Row(
        "tgatom.tile",
        "Global Memory Tile Atomic",
        164,
        (
            W(1, 167, 168, "rs1_en=31=1 ts2=30:23 vec_size=22:21 rtn=20=0 rs1=19:15"
              " tuop=14:12=000 rs2_en=8=0 rd_en=7"),
            W(0, 169, 170, f"offseten=31 {_ATOMIC} {_OFFSET} imm=19:15"
              " tuop=14:12=110 tmask=9 lsuop=8:7=00"),
        ),
    ),
    Row(
        "tsatom.tile",
        "Share Memory Tile Atomic",
        172,
        (
            W(1, 175, 176, "rs1_en=31=1 td=30:23 vec_size=22:21 rtn=20=0 rs1=19:15"
              " tuop=14:12=001 rs2_en=8=0 rd_en=7"),
            W(0, 177, 178, f"offseten=31 {_ATOMIC} {_OFFSET} imm[9:5]=19:15"
              " tuop=14:12=110 tmask=9 lsuop=8:7=00"),
        ),
    ),
)  # fmt: skip

TMA = (
    Row(
        "tma.copy",
        "Tensor Async Copy",
        180,
        (
            W(2, 185, 186, f"{_ASP} mode=29:28=01(TMA) addrCtl=26 func6=25:20"
              " tuop=14:12=111 vs1=11:7"),
            W(1, 187, 188, "rs1_en=31=1 tmauop=30:29 dim=28:27 dsttm=26 srctm=25 dst=24:20"
              " src=19:15 tuop=14:12=000 dstloc=11:10 srcloc=9 rs2_en=8=1 rd_en=7=0"),
            W(0, 189, 190, "offseten=31=1 memuop=30:25 completeobj=24:20! coord/size=19:15!"
              " tuop=14:12=110 multicastl2=10! tmask=9 completion=8:7!"),
        ),
    ),
)  # fmt: skip

TCSR = (
    Row(
        "tcsr",
        "TCSR",
        226,
        (
            W(1, 230, 231, "rs1_en=31=0 rd_en=30=1 csr_uop=29:28=00 csr_idx[4:0]=27:25"
              " csr_idx[9:5]=24:20 tuop=14:12=010 rd=11:7",
              lost="line 231 puts the five bits csr_idx[4:0] under the three bits 27:25"),
        ),
    ),
    Row(
        "tcsrw",
        "TCSRW",
        233,
        (W(1, 237, 238, "", lost="line 238 repeats the bit numbers and has no values"),),
    ),
)  # fmt: skip

_MMA_FLAGS = "transmata=11 neg1=10 reuse1=9 reused=8"


def _mma0(source: str, mmauop: str = "mmauop=22:18", tuop: str = "tuop=14:12=110") -> str:
    return (
        f"_=31=0 {source} {mmauop} tilesize=17:15 {tuop}"
        " transmatb=11 negd=10 reuse2=9 multitile=8 _=7=0"
    )


MMA = (
    Row(
        "mma.tt",
        "(MMA, ts1/ts2)",
        240,
        (
            W(1, 0, 0, "", lost="word 1 is not in the document"),
            W(0, 0, 240, _mma0("ts2=30:23", tuop="tuop=14:12=110!"), places="mma-tile-tile"),
        ),
    ),
    Row(
        "mma.tv",
        "MMA async(ts1/vs2)",
        255,
        (
            W(1, 258, 259, f"mem_mata=31=0 td=30:23 ts1=22:15 tuop=14:12=011 {_MMA_FLAGS}"
              " mem_matb=7=1"),
            W(0, 260, 261, _mma0("rs2=27:23", tuop="tuop=14:12=110!")),
        ),
    ),
    Row(
        "mma.vt",
        "MMA async(ts2/vs1)",
        263,
        (
            W(1, 266, 267, f"mem_mata=31=1 td=27:23 rs1=22:15 tuop=14:12=011 {_MMA_FLAGS}"
              " mem_matb=7=0"),
            W(0, 270, 271, _mma0("ts2=30:23", "mmauop=22:18!")),
        ),
    ),
    Row(
        "mma.vv",
        "MMA async",
        273,
        (
            W(1, 276, 277, f"mem_mata=31=1 td=30:23 rs1=22:15 tuop=14:12=011 {_MMA_FLAGS}"
              " mem_matb=7=1"),
            W(0, 278, 279, _mma0("rs2=27:23", "mmauop=22:18!")),
        ),
    ),
)  # fmt: skip


def _asp_move(mvop: str, register: str, addr_ctl: str = "addrCtl=26") -> str:
    return (
        f"_=31=0 _=30=0(move) mvop=29:27={mvop} {addr_ctl} func6=25:20 bc=19"
        f" tuop=14:12=111 {register}=11:7"
    )


_MOVE_TO = "_=31=0 td=30:23 tuop=14:12=110 _=7=0"
_MOVE_FROM = "_=31=0 ts1=30:23 tuop=14:12=110 _=7=0"
_INDEXED_MOVE = "_=31=0 {}=30:23 index(rs2_en:rs2|imm)=19:15 tuop=14:12=110 rs2_en=7"

MOVE = (
    Row("tmv.t.v", "Tile Move(Vector)", 335,
        (W(2, 338, 340, _asp_move("101", "vs1", "addrCtl=26=0")), W(0, 341, 342, _MOVE_TO))),
    Row("tmv.v.t", "Tile Move(Vector)", 335,
        (W(2, 345, 346, _asp_move("100", "vd")), W(0, 347, 348, _MOVE_FROM))),
    Row("tmv.t.x", "Tile Move(integer scalar)", 350,
        (W(2, 353, 354, _asp_move("001", "rs1")), W(0, 355, 356, _MOVE_TO))),
    Row("tmv.x.t", "Tile Move(integer scalar)", 350,
        (W(2, 359, 360, _asp_move("000", "rd")), W(0, 361, 362, _MOVE_FROM))),
    Row("tmv.t.f", "Tile Move(float scalar)", 364,
        (W(2, 367, 368, _asp_move("011", "frs1")), W(0, 369, 370, _INDEXED_MOVE.format("td")))),
    Row("tmv.f.t", "Tile Move(float scalar)", 364,
        (W(2, 373, 374, _asp_move("010", "frd")), W(0, 375, 376, _INDEXED_MOVE.format("ts1")))),
)  # fmt: skip

TALU = (
    Row("talu.1op", "1op ALU, SFU, transpose and Conversion", 380, (
        W(1, 385, 386, "_=31=0 td=30:23 ts1=22:15 tuop=14:12=100 vecuop2[5:2]=11:8 _=7=0"),
        W(0, 387, 388, "_=31=0 tmask=11 vecuop1=10:9 _=7=0",
          lost="line 388 leaves tuop (14:12) blank"),
    )),
    Row("talu.2op.v", "(2op ALU, ts1/vs2)", 390, (
        W(2, 391, 392, f"{_ASP} mode=29:28=11(ALU) vec_en=27=1 addrCtl=26 func6=25:20"
          " tuop=14:12=111 vs2=11:7"),
        W(1, 393, 394, "_=31=0 td=30:23 ts1=22:15 tuop=14:12=011 vecuop2[5:2]=11:8 _=7=0"),
        W(0, 395, 396, "_=31=0 vecuop2[1:0]=30:29 neg2=28 neg1=27 reuse2=26 reuse1=25"
          " src_type=20(vec) vs2=19:15 tuop=14:12=110 tmask=11 vecuop1=10:9 asp_en=8=1 _=7=0"),
    )),
    Row("talu.3op", "3op ALU, MAD and Quantization", 398, (
        W(1, 403, 404, "_=31=0 td=30:23 ts1=22:15 tuop=14:12=011 vecuop2[3:0]=11:8 _=7=0"),
        W(0, 405, 406, "_=31=0 ts3=30:23 ts2=22:15 tuop=14:12=110 tmask=11 vecuop1=10:9"
          " asp_en=8=0 _=7=0"),
    )),
    Row("talu.3op.f", "(3op ALU, frs2)", 408, (
        W(2, 0, 0, "", lost="word 2 is not in the document"),
        W(1, 0, 0, "", lost="word 1 is not in the document"),
        W(0, 0, 408, "_=31=0 ts3=30:23 src_type=20=1(vec) frs2=19:15 tuop=14:12=110! tmask=11"
          " vecuop1=10:9 asp_en=8=1 _=7=0", places="talu-3op-scalar"),
    )),
)  # fmt: skip

_CTRL, _WAIT = "tuop=14:12=101 scope=11:10 ctrluop=9:7=000", "tuop=14:12=101 ctrluop=9:7=001"
_NO_REG = "rs0_en=31=0 _=30=0 rs2_en=29=0"

SYNC = (
    Row("t_sync.reg", "t_sync(reg)", 421, (
        W(1, 428, 429, f"rs0_en=31=1 _=30=0 nonblk=28 sync_id=19:15 {_CTRL}"),)),
    Row("t_sync.imm", "t_sync(imm)", 431, (
        W(1, 436, 437, "rs0_en=31=0 _=30=0 rs2_en=29 nonblk=28 imm=27:20 sync_id=19:15"
          f" {_CTRL}"),)),
    Row("t_wait.mem", "t_wait(memory)", 439, (
        W(1, 446, 447, f"{_NO_REG} waitop=28:26=000 global/share=25 st_cnt=24:20 ld_cnt=19:15"
          f" {_WAIT}"),)),
    Row("t_wait.tma", "t_wait(TMA_wait)", 449, (
        W(1, 454, 455, f"{_NO_REG} waitop=28:26=001 commit/wait=25=1 tma_group_id=19:15"
          f" {_WAIT}"),)),
    Row("t_wait.mma", "t_wait(MMA)", 457, (
        W(1, 462, 463, f"{_NO_REG} waitop=28:26=010 {_WAIT}"),)),
    Row("t_wait.alu", "t_wait(ALU/SFU)", 465, (
        W(1, 470, 471, f"{_NO_REG} waitop=28:26=100 {_WAIT}"),)),
    Row("t_wait.all", "t_wait(All)", 473, (
        W(1, 478, 480, f"{_NO_REG} waitop=28:26=111 {_WAIT}"),)),
)  # fmt: skip

TABLE: dict[str, Row] = {
    row.name: row for group in (MEMORY, ATOMIC, TMA, TCSR, MMA, MOVE, TALU, SYNC) for row in group
}
