"""SrcA's and SrcB's banks on a tile: unpackers fill, the matrix unit empties (T30)."""

import numpy as np
import pytest
from tdma_bench import BASE, Bench

from tilelab.formats import DataFormat, to_l1_bytes
from tilelab.sim.errors import UnimplementedFunctionalityError, UnsupportedFunctionalityError
from tilelab.tensix import Tile
from tilelab.tensix.words.waits import WAIT_SRC_A_MATRIX, WAIT_SRC_A_UNPACK

UNPACK, MATH = 0, 1


class TileBench(Bench):
    """A bench whose state is a tile's, so that words go through frontends."""

    def __init__(self, chip: str) -> None:
        super().__init__(chip)
        self.tile = Tile(chip, engine="reference")
        self.state, self.record, self.s = (
            self.tile.state,
            self.tile.state.record,
            self.tile.state.s,
        )

    def push(self, name: str, thread: int, **fields: int) -> None:
        self.tile.push(self.state.arch.instructions[name].encode(**fields), thread)

    def push_unpacks(self, count: int) -> None:
        """Unpack the next tiles in L1 to SrcA and SrcB."""
        for _ in range(count):
            for u in (0, 1):
                self.push(
                    "UNPACR",
                    UNPACK,
                    unpack_block_selection=u,
                    ovrd_thread_id=1,
                    last=1,
                    set_dat_valid=1,
                )

    def head(self, thread: int) -> int:
        return int(self.state.engine["gate_wait"][thread])


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_t30_unpackers_and_matrix_unit_take_turns(chip: str) -> None:
    bench = TileBench(chip)
    face = np.full((16, 16), 2.0, np.float32)
    bench.put(to_l1_bytes(face, "bf16", "row_major"), BASE)
    for u in (0, 1):
        bench.unpacker(u, DataFormat.BF16, DataFormat.BF16)
    bench.set(ALU_FORMAT_SPEC_REG0_SrcA=5, ALU_FORMAT_SPEC_REG1_SrcB=5)

    bench.push("MVMUL", MATH)
    assert bench.tile.settle(1000)
    assert bench.head(MATH) == WAIT_SRC_A_MATRIX, "no bank is the matrix unit's yet"

    bench.push_unpacks(1)
    assert bench.tile.settle(1000)
    assert bench.state.frontend[MATH]["issued"] == 1
    assert bench.state.src_a_valid.tolist() == [1, 0]
    bench.put(to_l1_bytes(face / 2, "bf16", "row_major"), BASE)
    bench.push_unpacks(1)
    assert bench.tile.settle(1000)
    assert bench.state.src_a_valid.tolist() == bench.state.src_b_valid.tolist() == [1, 1]
    assert bench.state.src_a.view(np.float32)[:, 0, 0].tolist() == [2, 1]

    bench.put(to_l1_bytes(face * 4, "bf16", "row_major"), BASE)
    bench.push_unpacks(1)
    assert bench.tile.settle(1000)
    assert bench.head(UNPACK) == WAIT_SRC_A_UNPACK, "both banks are full: the third waits"

    bench.push("MVMUL", MATH, clear_dvalid=1)
    assert bench.tile.settle(1000)
    assert bench.state.src_a.view(np.float32)[:, 0, 0].tolist() == [8, 1], "into bank 0 again"
    assert bench.state.src_b.view(np.float32)[:, 0, 0].tolist() == [2, 1], "SrcB is still full"
    bench.push("MVMUL", MATH, clear_dvalid=2)
    assert bench.tile.settle(1000)
    assert bench.state.src_b.view(np.float32)[:, 0, 0].tolist() == [8, 1]
    assert [int(bench.state.src_a_matrix_bank), int(bench.state.src_b_matrix_bank)] == [1, 1]
    assert bench.state.src_a_valid.tolist() == bench.state.src_b_valid.tolist() == [1, 1]

    bench.push("MVMUL", MATH, clear_dvalid=3)
    bench.push("MVMUL", MATH, clear_dvalid=3)
    bench.push("MVMUL", MATH)
    assert bench.tile.settle(1000)
    assert bench.head(MATH) == WAIT_SRC_A_MATRIX, "it never reads a bank of the unpackers'"


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
@pytest.mark.parametrize("unpacker", [0, 1])
@pytest.mark.parametrize("owned", [None, 0, 1])
def test_both_banks_are_cleared_only_if_the_matrix_unit_owns_neither(
    chip: str, unpacker: int, owned: int | None
) -> None:
    bench = TileBench(chip)
    letter = "ab"[unpacker]
    for side in "ab":
        bench.record[f"src_{side}"] = 7
    fields = {"unpack_block_selection": unpacker, "no_op": 0b01001}
    if chip == "blackhole":
        fields = {"unpacker_select": unpacker, "unpack_pop": 1, "bank_clr_ctrl": 1}
    word = bench.state.arch.instructions["UNPACR_NOP"].encode(**fields)
    if owned is not None:
        # the wait covers the bank that the matrix unit is at: only the other one can race
        bench.record[f"src_{letter}_matrix_bank"] = owned ^ 1
        bench.record[f"src_{letter}_valid"][owned] = 1
        with pytest.raises(UnsupportedFunctionalityError, match=f"owns bank {owned}"):
            bench.tile.execute(word, UNPACK)
        assert (bench.record[f"src_{letter}"] == 7).all()
        return
    bench.tile.execute(word, UNPACK)
    assert not bench.record[f"src_{letter}"].any()
    assert (bench.record["src_b" if letter == "a" else "src_a"] == 7).all()


@pytest.mark.parametrize(
    ("one_format", "one"), [(0, 0x0F << 23), (1, 0x7F << 23)], ids=["fp16", "bf16"]
)
def test_blackhole_clears_to_the_number_one_of_a_format(one_format: int, one: int) -> None:
    """By the names of tt-llk's header; its list of instructions calls these bits reserved."""
    bench = TileBench("blackhole")
    row = bench.state.arch.instructions["UNPACR_NOP"]
    fields = {"unpack_pop": 1, "src_clr_val_ctrl": 2, "clr_to1_fmt_ctrl": one_format}
    bench.tile.execute(row.encode(**fields), UNPACK)
    assert (bench.record["src_a"][0] == one).all()
    assert not bench.record["src_a"][1].any()
    assert bench.record["fault"]["warnings"] == 1


@pytest.mark.parametrize(("control", "one_format"), [(2, 2), (2, 3), (3, 0), (0, 1)])
def test_what_no_document_tells_of_clearing_is_refused(control: int, one_format: int) -> None:
    bench = TileBench("blackhole")
    row = bench.state.arch.instructions["UNPACR_NOP"]
    fields = {"unpack_pop": 1, "src_clr_val_ctrl": control, "clr_to1_fmt_ctrl": one_format}
    with pytest.raises(UnimplementedFunctionalityError, match=f"value {control}, format"):
        bench.tile.execute(row.encode(**fields), UNPACK)
