"""Random programs whose threads hand Src banks to each other, and a tile to run them on.

One thread fills and clears banks and gives them away in every way there is, one uses them and gives
them back, one works beside them; semaphores order what would otherwise be a race.
"""

import random
from collections import Counter

import numpy as np

from riscv_program import HALT, RESET_BITS, RESET_PC
from tilelab.sim.checks import CHECKS, Policy
from tilelab.tensix.arch import arch
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.state import ALL_CORES_IN_RESET
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, SOFT_RESET_0
from tilelab.tensix.tile.tile import Tile

CHIPS = ("blackhole", "wormhole")
UNPACK, MATH, OTHER = range(3)
EVERYTHING = 0x1FF
BASE, TILES = 0x20000, 8
BANKS = 2
MATRIX_IDLE = {"blackhole": 1 << 4, "wormhole": 1 << 7}
PLACE, DATA, ZERO = 60, 56, 63
"""GPRs that no thread counts in: of STOREIND."""
POSTED, TAKEN = 0, 1
"""Semaphores: banks' users post the first, which the thread beside them takes, and so back."""


def of_core(word: int) -> int:
    """A word as ``.ttinsn`` has it in a core's program: rotated by two bits."""
    return (word << 2 | word >> 30) & 0xFFFFFFFF


class Writer:
    """Writes a random program for three threads."""

    def __init__(self, chip: str, seed: int) -> None:
        self.random = random.Random(f"{chip} {seed}")
        self.chip, self.arch = chip, arch(chip)
        self.given = [0, 0]
        """How many banks of SrcA and SrcB the matrix unit has been given, up to two."""
        self.made = Counter[str]()

    def word(self, name: str, **fields: int) -> int:
        self.made[name] += 1
        return self.arch.instructions[name].encode(**fields)

    def bank_wait(self, condition: int) -> int:
        """STALLWAIT of everything for SrcA cleared, SrcB cleared, SrcA valid or SrcB valid.

        For a valid bank it drains the matrix unit as well, which may still turn to that bank.
        """
        drains = MATRIX_IDLE[self.chip] if condition & 2 else 0
        bit = 1 << self.arch.condition_src_a_cleared + condition
        return self.word("STALLWAIT", stall_res=EVERYTHING, wait_res=bit | drains)

    def unpack(self, u: int, give: int) -> list[int]:
        tile = self.word("SETADC", cnt_set_mask=1 << u, channel_index=0, dimension_index=2,
                         value=self.random.randrange(TILES))  # fmt: skip
        return [
            tile,
            self.word(
                "UNPACR", unpack_block_selection=u, ovrd_thread_id=1, last=1, set_dat_valid=give
            ),
        ]

    def clear(self, u: int, give: int, like_unpacr: int) -> list[int]:
        """UNPACR_NOP that clears, waiting like UNPACR or until the matrix unit's bank is free."""
        both = int(not like_unpacr and self.random.random() < 0.4)  # then all has been used
        if self.chip == "blackhole":
            value = self.random.choice([0, 0, 1, 2])
            return [
                self.word(
                    "UNPACR_NOP", unpacker_select=u, unpack_pop=1, set_dvalid=give,
                    stall_clr_cntrl=like_unpacr, bank_clr_ctrl=both, src_clr_val_ctrl=value,
                    clr_to1_fmt_ctrl=value == 2 and self.random.randrange(2),
                )
            ]  # fmt: skip
        negative = 4 if u == 0 and self.random.random() < 0.3 else 0
        kind = 1 | negative | both << 3 | like_unpacr << 4
        words = [self.word("UNPACR_NOP", unpack_block_selection=u, no_op=kind)]
        if give:
            words.append(self.word("UNPACR_NOP", unpack_block_selection=u, no_op=7))
        return words

    def bare_gift(self, u: int) -> list[int]:
        """A gift that looks at nothing: who gives has waited for the bank."""
        wait = self.bank_wait(u)
        kinds = [[self.word("SETDVALID", setvalid=1 << u)]]
        if self.chip == "blackhole":
            nop = {"unpacker_select": u, "unpack_pop": 2, "set_dvalid": 1}
        else:
            nop = {"unpack_block_selection": u, "no_op": 7}
        kinds.append([self.word("UNPACR_NOP", **nop)])
        return [wait, *self.random.choice(kinds)]

    def store(self, u: int) -> list[int]:
        """STOREIND of four data to a bank: waits like UNPACR."""
        row, data = self.random.randrange(4), 2 * self.random.randrange(8)
        place = self.word("SETDMAREG", reg_index_16b=2 * PLACE, payload_sig_sel=4 * (4 + row))
        if u:
            place = self.word("SETDMAREG", reg_index_16b=2 * PLACE, payload_sig_sel=4 * row)
        return [
            place,
            self.word("SETDMAREG", reg_index_16b=2 * DATA, payload_sig_sel=0x3F80 + data),
            self.word("STOREIND", reg_size_sel=u, offset_index=2 * ZERO, data_reg_index=DATA,
                      addr_reg_index=PLACE),
        ]  # fmt: skip

    def fill(self) -> list[int]:
        """What the first thread can do next, with a bank that is not the matrix unit's."""
        u = self.random.choice([u for u in range(2) if self.given[u] < BANKS])
        give = int(self.random.random() < 0.6)
        kind = self.random.randrange(12)
        if kind < 4:
            words = self.unpack(u, give)
        elif kind < 8:
            words = self.clear(u, give, int(self.given[u] > 0 or self.random.random() < 0.5))
        elif kind < 10:
            words, give = self.bare_gift(u), 1
        elif kind < 11:
            words, give = self.store(u), 0
        else:
            words, give = [self.bank_wait(u)], 0
        self.given[u] += give
        return words

    def use(self) -> list[int]:
        """What the second thread can do next, with banks that it has been given."""
        choose, given = self.random, self.given
        dst = 16 * choose.randrange(8)
        if all(given) and choose.random() < 0.6:
            gone = choose.choice([0, 0, 1, 2, 3])
            for u in range(2):
                given[u] -= gone >> u & 1
            name = choose.choice(["MVMUL", "ELWADD", "ELWMUL", "ELWSUB"])
            return [self.word(name, clear_dvalid=gone, dst=dst)]
        u = choose.choice([u for u in range(2) if given[u]])
        wait = self.bank_wait(2 + u)
        if choose.random() < 0.3:
            name = ("MOVA2D", "MOVB2D")[u]
            return [wait, self.word(name, dst=dst)]
        given[u] -= 1
        if choose.random() < 0.5:
            return [wait, self.word("SETRWC", clear_ab_vld=1 << u)]
        return [wait, self.word("CLEARDVALID", cleardvalid=1 << u)]

    def count(self) -> list[int]:
        """What the third thread does by itself."""
        register = 2 * self.random.randrange(4, 12)
        return [
            self.word("ADDDMAREG", op_b_is_const=1, op_b_reg_index=self.random.randrange(8),
                      op_a_reg_index=register, result_reg_index=register)
        ]  # fmt: skip

    def semaphore_wait(self, which: int) -> int:
        return self.word("SEMWAIT", stall_res=EVERYTHING, sem_sel=1 << which, wait_sem_cond=1)

    def program(self) -> tuple[list[int], list[int], list[int]]:
        """The three threads' words, which could be issued in the order in which they are written.

        So none waits for ever, unless the last gift is left out.
        """
        fill: list[int] = []
        use: list[int] = []
        beside = self.count()
        for _ in range(self.random.randrange(10, 80)):
            can_fill, can_use = min(self.given) < BANKS, any(self.given)
            if can_fill and not (can_use and self.random.random() < 0.5):
                fill += self.fill()
            else:
                use += self.use()
            if self.random.random() < 0.1:  # the thread beside has a turn, and is waited for
                use += [self.word("SEMPOST", sem_sel=1 << POSTED)]
                beside += [self.semaphore_wait(POSTED), self.word("SEMGET", sem_sel=1 << POSTED)]
                beside += [*self.count(), self.word("SEMPOST", sem_sel=1 << TAKEN)]
                use += [self.semaphore_wait(TAKEN), self.word("SEMGET", sem_sel=1 << TAKEN)]
        return fill, use, beside


def configure(tile: Tile, *checks: str) -> None:
    """Both unpackers for bf16 tiles of 256 data, tile n of each all (n + 1) / 4; without a check.

    ``checks`` are others that are off.
    """
    state, chip = tile.state, tile.arch.name
    fields = config_fields(chip)

    def put(**values: int) -> None:
        for name, value in values.items():
            for bank in range(1 if fields[name].space == "c" else 3):
                state.set_config_field(name, value, bank)

    put(ALU_FORMAT_SPEC_REG0_SrcA=5, ALU_FORMAT_SPEC_REG1_SrcB=5)
    for u in range(2):
        section = f"THCON_SEC{u}"
        put(**{f"{section}_REG2_Out_data_format": 5, f"{section}_REG2_Throttle_mode": 2 * u})
        put(**{f"{section}_REG3_Base_address": (BASE >> 4) - 1})
        put(**{f"{section}_REG2_Disable_zero_compress_cntx0": 1})
        descriptor = fields[f"{section}_REG0_TileDescriptor"].word
        state.record["config"][0, descriptor] = 5 | 1 << 4 | 256 << 16
        state.record["config"][0, descriptor + 1] = 1 | TILES << 16
        state.record["adc"]["x"][0, u] = (0, 255)
    put(THCON_SEC0_REG5_Dest_cntx0_address=64, THCON_SEC0_REG5_Tile_x_dim_cntx0=256)
    put(SRCA_SET_SetOvrdWithAddr=1)
    if chip == "blackhole":
        put(DISABLE_IMPLIED_SRCA_FMT_Base=1, DISABLE_IMPLIED_SRCB_FMT_Base=1)
    values = np.repeat(np.arange(1, TILES + 1, dtype=np.float32), 256) / 4
    tile.write(BASE, (values.view(np.uint32) >> 16).astype("<u2").tobytes())
    state.semaphore["max"] = 15
    for code, made in CHECKS.items():
        if made.name in ("unpacr-nop-clear-one", *checks):
            state.record["fault"]["policy"][code] = Policy.OFF


def boot(tile: Tile, programs: tuple[list[int], ...]) -> None:
    """Have the TRISCs of a tile push these words, each to its thread."""
    if tile.arch.name == "wormhole":  # it takes reset addresses from Config
        tile.state.config[:, tile.arch.reset_pc_config :][:, :3] = RESET_PC[:3]
        tile.state.config[:, tile.arch.reset_pc_config + 3] = 7
    for core, words in enumerate(programs):
        code = [*map(of_core, words), HALT]
        tile.write(RESET_PC[core], np.array(code, "<u4").tobytes())
    released = sum(1 << RESET_BITS[core] for core in range(len(programs)))
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~released)
