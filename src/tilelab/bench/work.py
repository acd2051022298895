"""What is measured: instructions replayed by a MOP, or RISC-V loops."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tilelab.bench.program import program, sync
from tilelab.formats.data_format import DataFormat
from tilelab.riscv.words import S1, T0, T1, T2, addi, li, lw, store, sw, xor
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.chips import opcodes
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.chips.opcodes import REPLAY
from tilelab.tensix.tables.tile_registers import (
    INSTRN_BUF,
    MOP_CFG,
    PC_BUF,
    TENSIX_CFG,
    TENSIX_SYNC,
)
from tilelab.tensix.words.origin import NCRISC

CHIP = "blackhole"
THREAD = 0
OUTER, INNER = 1, 16
NOP, MOP = opcodes.NOP.word(), opcodes.MOP.word(mop_type=1)
IN_A, IN_B, OUT = 0x20000, 0x30000, 0x40000
REPLAY_SLOTS = 16
BF16 = int(DataFormat.BF16)
NUMBERS = (0x3FA0, 0xBFC0, 0x3FD0)
"""1.25, -1.5 and 1.625 as bf16: operands of ordinary sums."""
DATA = b"".join(
    (i % 2 << 15 | 126 + i % 3 << 7 | i * 37 % 128).to_bytes(2, "little") for i in range(1024)
)
"""A tile of bf16 numbers between 0.5 and 4, of both signs, with all mantissas."""


@dataclass(frozen=True)
class Work:
    """One benchmark: a loop of Tensix instructions on thread 0, or of RISC-V ones on some cores.

    A run of ``repeats`` is ``repeats`` × :attr:`per_repeat` units.
    """

    name: str
    unit: str
    words: tuple[int, ...] = ()
    per_unit: int = 1
    before: tuple[int, ...] = ()
    config: dict[str, int] = field(default_factory=dict)
    cores: tuple[int, ...] = (THREAD,)
    riscv: tuple[int, ...] = ()
    repeats: int = 1

    @property
    def per_repeat(self) -> float:
        """Units in one pass of the loop."""
        if self.riscv:
            return len(self.cores) * (len(self.riscv) + 2)
        return OUTER * INNER * len(self.words) / self.per_unit

    def config_words(self) -> dict[int, int]:
        """The Config words that the fields make."""
        return self._words("c")

    def thread_words(self) -> dict[int, int]:
        """The ThreadConfig words that the fields make."""
        return self._words("t")

    def _words(self, space: str) -> dict[int, int]:
        made: dict[int, int] = {}
        for name, value in self.config.items():
            place = config_fields(CHIP)[name]
            if place.space == space:
                made[place.word] = made.get(place.word, 0) | value << place.lo
                if name.endswith("_TileDescriptor"):
                    made[place.word + 1] = 1 | 1 << 16  # one row of Z, one of W
        return made

    def mop_cfg(self) -> list[int]:
        """The nine MopCfg registers: a loop over the replayed words."""
        replay = REPLAY.word(len=len(self.words))
        return [OUTER, INNER, NOP, NOP, NOP, replay, NOP, replay, replay]

    def setup(self) -> list[int]:
        """Every Tensix word that comes before the loop, in order."""
        encode = arch(CHIP).instructions["SETC16"].encode
        thread = [encode(setc16_reg=at, setc16_value=v) for at, v in self.thread_words().items()]
        record = REPLAY.word(len=len(self.words), load_mode=1)
        return [*thread, *self.before, record, *self.words]

    def programs(self) -> dict[int, bytes]:
        """The program of each core."""
        if self.riscv:
            return {core: program(core, [], self.riscv, []) for core in self.cores}
        start = []
        for at, value in self.config_words().items():
            start += store(TENSIX_CFG + 4 * at, value)
        for at, value in enumerate(self.mop_cfg()):
            start += store(MOP_CFG + 4 * at, value)
        for word in self.setup():
            start += store(INSTRN_BUF, word)
        # one MOP at a time: not every simulator holds a core back at a full FIFO
        wait = [*li(T2, PC_BUF + TENSIX_SYNC), lw(T2, T2)]
        return {THREAD: program(THREAD, start, [*li(T1, MOP), sw(T1, T0), *wait], sync())}


def _encode(name: str) -> Callable[..., int]:
    return arch(CHIP).instructions[name].encode


def _tiles() -> dict[str, int]:
    """Both unpackers take tiles of 1024 bf16 data to SrcA and SrcB."""
    fields = {
        "THCON_SEC0_REG5_Dest_cntx0_address": 64,
        "THCON_SEC0_REG5_Tile_x_dim_cntx0": 1024,
        "SRCA_SET_SetOvrdWithAddr": 1,
        "ALU_FORMAT_SPEC_REG0_SrcA": BF16,
        "ALU_FORMAT_SPEC_REG1_SrcB": BF16,
        "ALU_FORMAT_SPEC_REG2_Dstacc": BF16,
    }
    for unpacker, address in ((0, IN_A), (1, IN_B)):
        section = f"THCON_SEC{unpacker}"
        fields |= {
            f"{section}_REG0_TileDescriptor": BF16 | 1 << 4 | 1024 << 16,
            f"{section}_REG2_Out_data_format": BF16,
            f"{section}_REG2_Disable_zero_compress_cntx0": 1,
            f"{section}_REG3_Base_address": (address >> 4) - 1,
        }
    return fields


def _unpack(unpacker: int, valid: int) -> list[int]:
    span = _encode("SETADCXX")(cnt_set_mask=1 << unpacker, x_start=0, x_end2=1023)
    fields = {"unpack_block_selection": unpacker, "ovrd_thread_id": 1, "last": 1}
    return [span, _encode("UNPACR")(**fields, set_dat_valid=valid)]


def _matrix(name: str, repeats: int, **fields: int) -> Work:
    words = tuple(_encode(name)(dst=8 * (i % 8), **fields) for i in range(REPLAY_SLOTS))
    before = (*_unpack(0, 1), *_unpack(1, 1))
    return Work(name, "instructions", words, 1, before, _tiles(), repeats=repeats)


def _fill_dst() -> list[int]:
    """Put the sums of both tiles into the first 64 rows of Dst."""
    add = _encode("ELWADD")
    return [*_unpack(0, 1), *_unpack(1, 1), *(add(dst=8 * i) for i in range(8))]


def _vector(name: str, word: int, numbers: tuple[int, ...], repeats: int) -> Work:
    """A vector instruction on registers that hold numbers."""
    load = _encode("SFPLOADI")
    before = tuple(load(lreg_ind=i, imm16=number) for i, number in enumerate(numbers))
    return Work(name, "instructions", (word,) * REPLAY_SLOTS, before=before, repeats=repeats)


def _load_dst(repeats: int) -> Work:
    load = _encode("SFPLOAD")
    words = tuple(load(lreg_ind=1, dest_reg_addr=4 * i) for i in range(REPLAY_SLOTS))
    before = tuple(_fill_dst())
    return Work("SFPLOAD", "instructions", words, 1, before, _tiles(), repeats=repeats)


def _pack() -> Work:
    encode = _encode("PACR")
    words = tuple(encode(addr_mode=i // 15, last=i // 15) for i in range(REPLAY_SLOTS))
    before = (*_fill_dst(), _encode("SETADCXX")(cnt_set_mask=4, x_start=0, x_end2=15))
    fields = _tiles() | {
        "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 32,
        "PCK_EDGE_OFFSET_SEC0_mask": 0xFFFF,
        "ADDR_MOD_PACK_SEC0_YsrcIncr": 4,
        "ADDR_MOD_PACK_SEC1_YsrcClear": 1,
        "THCON_SEC0_REG1_In_data_format": BF16,
        "THCON_SEC0_REG1_Out_data_format": BF16,
        "THCON_SEC0_REG1_L1_Dest_addr": (OUT >> 4) - 1,
        "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 16,
    }
    return Work("PACR", "tiles", words, REPLAY_SLOTS, before, fields, repeats=2000)


def _riscv(name: str, body: Sequence[int], count: int, repeats: int = 800_000) -> Work:
    assert S1 not in (T0, T1, T2)  # the run's number
    title = f"RISC-V {name}{count} core{'s'[: count - 1]}"
    cores = tuple(range(count))
    return Work(title, "instructions", cores=cores, riscv=tuple(body), repeats=repeats // count)


REGISTERS_ALONE = (addi(T1, T1, 1), addi(T2, T2, 3), xor(T0, T1, T2), addi(T1, T0, 1)) * 4
STORES = (*li(T1, OUT), *((addi(T2, T2, 1), sw(T2, T1)) * 7))
"""Each store changes the word, which all cores share."""
LOADS = (*li(T1, OUT), *((addi(T2, T2, 1), lw(T2, T1)) * 7))


def catalogue() -> dict[str, Work]:
    """Every benchmark by name."""
    unpack = _unpack(0, 0)
    mad = _encode("SFPMAD")(lreg_src_a=0, lreg_src_b=1, lreg_src_c=2, lreg_dest=3)
    add = _encode("SFPIADD")(lreg_c=0, lreg_dest=3, instr_mod1=4)
    works = [
        _matrix("MVMUL", 1200),
        _matrix("ELWADD", 1200),
        _matrix("ELWMUL", 1200),
        _matrix("GAPOOL", 1200, instr_mod19=1),
        _vector("SFPMAD", mad, NUMBERS, 6000),
        _vector("SFPMAD of zeros", mad, (), 6000),
        _vector("SFPIADD", add, NUMBERS[:1], 6000),
        _load_dst(6000),
        Work("UNPACR", "tiles", (unpack[1],), 1, (unpack[0],), _tiles(), repeats=4000),
        _pack(),
        Work("expansion", "words", (_encode("SFPNOP")(),) * REPLAY_SLOTS, repeats=20_000),
        *(_riscv("", REGISTERS_ALONE, cores) for cores in range(1, NCRISC + 1)),
        *(_riscv("loads ", LOADS, cores) for cores in (1, NCRISC)),
        *(_riscv("stores ", STORES, cores) for cores in (1, NCRISC)),
    ]
    return {work.name: work for work in works}


def chosen(names: list[str], others: tuple[str, ...] = ()) -> list[Work]:
    """The benchmarks whose names begin as one of ``names``, all if there are none.

    BadInputError, which lists ``others`` too, for a name that none begins with.
    """
    every = catalogue()
    for name in names:
        if not any(key.lower().startswith(name.lower()) for key in every):
            choice = ", ".join((*every, *others))
            raise BadInputError(f"no benchmark is called {name!r}: choose from {choice}")
    heads = tuple(name.lower() for name in names) or ("",)
    return [work for key, work in every.items() if key.lower().startswith(heads)]
