"""What a tile's programs do over the NoC, on both chips and both engines."""

import pytest

from chip_program import (
    ATOMIC,
    BRISC,
    BROADCAST,
    CHIPS,
    DRAM,
    INCREMENT,
    INLINE,
    PLACES,
    READ,
    RESULT,
    WRITE,
    at,
    boot,
    counter,
    keep,
    make,
    niu_register,
    request,
    results,
    wait_register,
    word,
)
from riscv_program import store
from tilelab.chip.chip import Chip
from tilelab.sim.errors import TilelabError, UndefinedBehaviorError
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.tile_registers import STREAMS

DATA = bytes(range(1, 65))
BOTH = pytest.mark.parametrize("engine", ["reference", "fast"])
EACH = pytest.mark.parametrize("chip", CHIPS)


def run(chip: Chip, programs: dict[int, list[int]], tile: int = 0) -> None:
    boot(chip, PLACES[chip.arch.name][tile], programs)
    assert chip.run(100_000), "the program does not come to rest"


@BOTH
@EACH
@pytest.mark.parametrize("initiator", range(4))
def test_a_read_brings_dram_to_l1_and_counts(chip: str, engine: str, initiator: int) -> None:
    made = make(chip, engine)
    own, dram = PLACES[chip][0], DRAM[chip]
    made.write(dram, 0x10_0040, DATA)
    program = request(
        *(made.arch, READ, (0x10_0040, at(dram)), (0x4040, at(own)), 64),
        initiator=initiator,
        tag=5 << 10,
    )
    program += wait_register(counter(0, n.READ_RESPONSES), 1)
    counted = (n.ACCEPTED, n.READS_STARTED, n.READS_SENT, n.OUTSTANDING + 5, n.WRITE_ACKS)
    for slot, index in enumerate(counted):
        program += keep(counter(0, index), slot)
    program += keep(niu_register(0, initiator * made.arch.noc.stride + made.arch.noc.go), 5)
    run(made, {BRISC: program})
    assert made.read(own, 0x4040, 64) == DATA
    assert results(made, own, 6) == [1, 1, 1, 0, 0, 0]
    assert made.requests == 1


@BOTH
@EACH
@pytest.mark.parametrize("posted", [False, True])
def test_a_write_takes_l1_to_dram_and_counts(chip: str, engine: str, posted: bool) -> None:
    made = make(chip, engine)
    own, dram = PLACES[chip][0], DRAM[chip]
    made.write(own, 0x4010, DATA)
    control = WRITE & ~n.RESPONSE if posted else WRITE
    sent = n.POSTED_WRITES_SENT if posted else n.WRITES_SENT
    program = request(made.arch, control, (0x4010, at(own)), (0x20_0010, at(dram)), 48)
    program += wait_register(counter(0, sent), 1)
    for slot, index in enumerate((n.WRITE_ACKS, n.WRITES_STARTED, n.POSTED_WRITES_STARTED)):
        program += keep(counter(0, index), slot)
    run(made, {BRISC: program})
    assert made.read(dram, 0x20_0010, 48) == DATA[:48]
    assert made.read(dram, 0x20_0040, 4) == bytes(4)
    assert results(made, own, 3) == ([0, 0, 1] if posted else [1, 1, 0])


@BOTH
@EACH
def test_an_atomic_adds_at_another_tile_and_brings_the_old_value(chip: str, engine: str) -> None:
    made = make(chip, engine, tiles=2)
    own, other = PLACES[chip][:2]
    made.write(other, 0x9008, (40).to_bytes(4, "little"))
    control, length = ATOMIC, INCREMENT | 2  # the third word of 16 bytes
    program = request(
        made.arch, control, (0x9008, at(other)), (RESULT + 4, at(own)), length, data=2
    )
    program += wait_register(counter(0, n.ATOMIC_RESPONSES), 1)
    program += keep(counter(0, n.ATOMICS_STARTED), 0)
    run(made, {BRISC: program})
    assert word(made, other, 0x9008) == 42
    assert results(made, own, 2) == [1, 40]


@BOTH
@EACH
@pytest.mark.parametrize("niu", [0, 1])
@pytest.mark.parametrize("include", [0, n.INCLUDE_SELF])
def test_a_broadcast_reaches_its_rectangle(chip: str, engine: str, niu: int, include: int) -> None:
    made = make(chip, engine, tiles=3)
    own, right, below = PLACES[chip]
    made.write(own, 0x4000, DATA)
    corners = (own, right) if niu == 0 else (right, own)  # NoC 1 goes the other way
    control = WRITE | BROADCAST | include
    own_at = at(own)
    program = request(
        made.arch, control, (0x4000, own_at), (0x9000, at(corners[1], corners[0])), 16, niu=niu
    )  # fmt: skip
    acks = 2 if include else 1
    program += wait_register(counter(niu, n.WRITE_ACKS), acks)
    run(made, {BRISC: program})
    assert made.read(right, 0x9000, 16) == DATA[:16]
    assert made.read(own, 0x9000, 16) == (DATA[:16] if include else bytes(16))
    assert made.read(below, 0x9000, 16) == bytes(16)


@BOTH
@EACH
def test_an_inline_write_gives_credits_to_a_stream_of_another_tile(chip: str, engine: str) -> None:
    made = make(chip, engine, tiles=2)
    _, other = PLACES[chip][:2]
    stream = STREAMS + 0x1000 * 48
    target = stream + made.arch.noc.stream_update, at(other)
    program = request(made.arch, WRITE | INLINE, target, (0, 0), 0xF, data=7 << 6)
    run(made, {BRISC: program + wait_register(counter(0, n.WRITE_ACKS), 1)})
    assert word(made, other, stream + made.arch.noc.stream_space) == 7
    made.write(other, target[0], (-9 << 6 & 0xFFFFFFFF).to_bytes(4, "little"))
    assert word(made, other, stream + made.arch.noc.stream_space) == 0x1FFFE


@BOTH
def test_wormhole_writes_inline_to_l1_by_byte_enables(engine: str) -> None:
    made = make("wormhole", engine, tiles=2)
    own, other = PLACES["wormhole"][:2]
    program = request(made.arch, WRITE | INLINE, (0x9000, at(other)), (0, 0), 0xF0, data=0x01020304)
    run(made, {BRISC: program + wait_register(counter(0, n.WRITE_ACKS), 1)})
    assert made.read(other, 0x9000, 12) == bytes((0, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0))
    assert made.read(own, 0x9000, 12) == bytes(12)


@BOTH
def test_blackhole_refuses_inline_writes_to_l1(engine: str) -> None:
    made = make("blackhole", engine)
    own = PLACES["blackhole"][0]
    program = request(made.arch, WRITE | INLINE, (0x9000, at(own)), (0, 0), 0xF)
    with pytest.raises(UndefinedBehaviorError, match=r"is not safe .*Tensix tile 1,2, BRISC"):
        run(made, {BRISC: program})


@BOTH
@EACH
def test_noc_1_of_wormhole_counts_from_the_other_corner(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own, dram = PLACES[chip][0], DRAM[chip]
    made.write(dram, 0, DATA)
    seen = (9 - dram[0], 11 - dram[1]) if chip == "wormhole" else dram
    program = request(made.arch, READ, (0, at(seen)), (0x4000, at(own)), 64, niu=1)
    run(made, {BRISC: program + wait_register(counter(1, n.READ_RESPONSES), 1)})
    assert made.read(own, 0x4000, 64) == DATA


@BOTH
@EACH
def test_addresses_that_differ_in_their_low_bits_are_refused(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own, dram = PLACES[chip][0], DRAM[chip]
    program = request(made.arch, READ, (0x20, at(dram)), (0x4010, at(own)), 16)
    with pytest.raises(UndefinedBehaviorError) as caught:
        run(made, {BRISC: program})
    x, y = own
    modulo = {"blackhole": 64, "wormhole": 32}[chip]
    what = f"UndefinedBehavior: addresses 0x20 and 0x4010 differ modulo {modulo}"
    assert caught.value.summary.startswith(f"{what} (Tensix tile {x},{y}, BRISC, cycle ")
    asked, target, back, made_by, *rest = caught.value.detail.splitlines()
    assert asked == f"  asked  NoC 0 read of 16 bytes, NOC_CTRL {READ:#x}"
    assert target == f"  target 0x20 at {dram}"
    assert back == f"  return 0x4010 at {own}"
    assert made_by.startswith("  from   BRISC pc 0x")
    assert rest == [
        "  manual tt-isa-documentation: NoC/Alignment.md",
        "  cure   give both addresses the same remainder",
        "  check  chip-alignment",
    ]


@BOTH
@EACH
@pytest.mark.parametrize(
    ("control", "length", "problem"),
    [
        (3, 16, "reserved request type 3"),
        (READ, 0, "a NoC request of 0 bytes"),
        (READ, 16385, "a NoC request of 16385 bytes"),
        (ATOMIC, 0x2000, "atomic operation 0x2000 is not modelled"),
        (WRITE | n.BYTE_ENABLES, 16, "byte enables are not modelled"),
    ],
)
def test_what_is_not_modelled_says_so(
    chip: str, engine: str, control: int, length: int, problem: str
) -> None:
    made = make(chip, engine)
    own = at(PLACES[chip][0])
    with pytest.raises(TilelabError, match=problem):
        run(made, {BRISC: request(made.arch, control, (0x4000, own), (0x5000, own), length)})


@BOTH
@EACH
def test_a_place_without_a_tile_is_named(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own = at(PLACES[chip][0])
    program = request(made.arch, READ, (0, at((33, 33))), (0x4000, own), 16)
    with pytest.raises(TilelabError, match="there is no tile at 33,33"):
        run(made, {BRISC: program})


@BOTH
@EACH
def test_a_tile_knows_its_places(chip: str, engine: str) -> None:
    made = make(chip, engine, tiles=2)
    x, y = PLACES[chip][1]
    program = []
    for niu in (0, 1):
        program += keep(niu_register(niu, made.arch.noc.node_id), 2 * niu)
        program += keep(niu_register(niu, made.arch.noc.logical_id), 2 * niu + 1)
    run(made, {BRISC: program}, tile=1)
    ids = {
        "blackhole": [0x10611000 | 2 | 2 << 6, 0x00611000 | 14 | 9 << 6],
        "wormhole": [0x1060A000 | 2 | 1 << 6, 0x0060A000 | 7 | 10 << 6],
    }[chip]
    assert results(made, (x, y), 4) == [ids[0], at((x, y)), ids[1], at((x, y))]


@BOTH
@EACH
def test_outstanding_requests_can_be_cleared(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own = PLACES[chip][0]
    made.tiles[own].state.record["noc"]["counter"][1, n.OUTSTANDING + 3] = 9
    made.tiles[own].state.record["noc"]["counter"][1, n.OUTSTANDING + 4] = 9
    program = store(niu_register(1, 0x60), 1 << 3)
    for slot in range(2):
        program += keep(counter(1, n.OUTSTANDING + 3 + slot), slot)
    run(made, {BRISC: program})
    assert results(made, own, 2) == [0, 9]
