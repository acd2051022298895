"""Every departure from the print: what changes in which words, and which open question it answers.

Profile ``repaired`` is the printed table after these rows, in order. A row applies to the words
whose ``name.slot`` matches its pattern; an empty ``old`` replaces the whole word.
"""

from dataclasses import dataclass
from fnmatch import fnmatch

from tilelab.tilext.questions import EVERY


@dataclass(frozen=True)
class Repair:
    """One correction: in words ``where``, the text ``old`` becomes ``new``."""

    key: str
    where: str
    old: str
    new: str

    def apply(self, name: str, slot: int, cells: str) -> str:
        """Return the word's cells after this repair."""
        if not fnmatch(f"{name}/{slot}", self.where):
            return cells
        if not self.old:
            return self.new
        if self.old not in cells:
            raise ValueError(f"repair {self.key}: {name}/{slot} has no {self.old!r}")
        return cells.replace(self.old, self.new)


REPAIRS = (
    Repair("load-td", "t?ld.unit/1", "ts1=30:23", "td=30:23"),
    Repair("anonymous-enables", "tgld.unit/1", "_=8=0 _=7=0", "rs2_en=8=0 rd_en=7=0"),
    Repair("offset-immediate", "t??[dt].*/0", "imm2[4:0]", "imm[4:0]"),
    Repair("offset-immediate", "tsatom.nord/0", "imm2[4:0]", "imm[4:0]"),
    Repair("offset-immediate", "t?atom.tile/0", "imm2[4:0]", "imm[4:0]"),
    Repair("atomic-imm", "tgatom.tile/0", "imm=19:15", "imm[9:5]=19:15"),
    Repair("tma-memuop", "tma.copy/0", "memuop=30:25", "memuop=30:25=000001"),
    Repair("tma-coord", "tma.copy/0", "coord/size=19:15!", "vs1=19:15"),
    Repair(
        "csr-index",
        "tcsr/1",
        "",
        "rs1_en=31=0 rd_en=30=1 csr_uop=29:28=00 csr_idx[4:0]=24:20 csr_idx[9:5]=19:15"
        " tuop=14:12=010 rd=11:7",
    ),
    Repair(
        "mma-tile-tile",
        "mma.tt/1",
        "",
        "mem_mata=31=0 td=30:23 ts1=22:15 tuop=14:12=011 transmata=11 neg1=10 reuse1=9 reused=8"
        " mem_matb=7=0",
    ),
    Repair("mma-td", "mma.vt/1", "td=27:23", "td=30:23"),
    Repair("mma-vector-operand", "mma.v?/1", "rs1=22:15", "vs1=19:15"),
    Repair("mma-vector-operand", "mma.?v/0", "rs2=27:23", "vs2=27:23"),
    Repair("talu-tuop", "talu.2op.v/1", "tuop=14:12=011", "tuop=14:12=100"),
    Repair("talu-tuop", "talu.3op/1", "tuop=14:12=011", "tuop=14:12=100"),
    Repair(
        "talu-1op-word0",
        "talu.1op/0",
        "",
        "_=31=0 vecuop2[1:0]=30:29 tuop=14:12=110 tmask=11 vecuop1=10:9 asp_en=8=0 _=7=0",
    ),
    Repair("src-type", "talu.2op.v/0", "src_type=20(vec)", "src_type=20=1(vec)"),
    Repair(
        "talu-3op-scalar",
        "talu.3op.f/2",
        "",
        "_=31=0 _=30=1(input_data) mode=29:28=11(ALU) vec_en=27 addrCtl=26 func6=25:20"
        " tuop=14:12=111 frs2=11:7",
    ),
    Repair(
        "talu-3op-scalar",
        "talu.3op.f/1",
        "",
        "_=31=0 td=30:23 ts1=22:15 tuop=14:12=100 vecuop2[3:0]=11:8 _=7=0",
    ),
    Repair("talu-class", "talu.3op*/1", "_=7=0", "_=7=1"),
    Repair(
        "t_sync-mask",
        "t_sync.reg/1",
        "nonblk=28",
        "rs2_en=29 nonblk=28 mask(rs2_en:rs2|0)=24:20",
    ),
    Repair("t_sync-mask", "t_sync.imm/1", "rs2_en=29", "rs2_en=29=0"),
    Repair("t_wait-enables", "t_wait.mem/1", "ctrluop", "st_en=11 ld_en=10 ctrluop"),
)

if unknown := {repair.key for repair in REPAIRS} - EVERY.keys():
    raise ValueError(f"repairs without a question: {sorted(unknown)}")
