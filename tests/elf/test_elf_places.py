"""Where an ELF may put what it holds: everything is checked before anything is written."""

import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilelab.elf.reader import NOBITS, PROGBITS
from tilelab.elf.writer import ElfBuilder
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import LARGEST
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.tile.tile import CORE_IDS, Tile

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CODE = b"\x13\0\0\0" * 16
NAME, TYPE, FLAGS, ADDRESS, OFFSET, SIZE = range(6)
COMPRESSED = 0x800
RESET_PC, SOFT_RESET = 0xFFB12228, 0xFFB121B0


def headers(image: bytes) -> dict[str, int]:
    """Where each section's header is, by name."""
    table, size, count, names = struct.unpack_from("<I", image, 32) + struct.unpack_from(
        "<HHH", image, 46
    )
    start = struct.unpack_from("<I", image, table + size * names + 4 * OFFSET)[0]
    found = {}
    for at in range(table, table + size * count, size):
        name = start + struct.unpack_from("<I", image, at)[0]
        found[image[name : image.index(b"\0", name)].decode()] = at
    return found


def changed(image: bytes, *changes: tuple[str, int, int]) -> bytes:
    """An image with fields of section headers changed."""
    made = bytearray(image)
    for section, field, value in changes:
        struct.pack_into("<I", made, headers(image)[section] + 4 * field, value)
    return bytes(made)


def good() -> bytes:
    return (
        ElfBuilder()
        .add(".init", 0x6000, CODE)
        .add(".text", 0x6040, CODE)
        .add(".loader_init", 0x12000, bytes(64), NOBITS)
        .add(".ldm_data", 0xFFB00000, b"data" * 4)
        .build()
    )


@pytest.fixture(scope="module")
def tile() -> Tile:
    return Tile(engine="reference")


def everything(tile: Tile) -> bytes:
    return tile.state.record.tobytes() + tile.state.l1.tobytes()


def refusal(tile: Tile, path: Path, core: str = "trisc0") -> str:
    """Why a file is not loaded, in one line; nothing of the tile has changed."""
    before = everything(tile)
    programs = dict(tile.programs)
    with pytest.raises(BadInputError) as raised:
        tile.load_elf(path, core)
    assert everything(tile) == before
    assert tile.programs == programs
    assert "\n" not in str(raised.value)
    return str(raised.value).partition(f"{path.name}: ")[2]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ([(".text", ADDRESS, RESET_PC)], ".text is at 0xffb12228: cores run code in L1 only"),
        (
            [(".text", ADDRESS, SOFT_RESET), (".loader_init", ADDRESS, 0xFFB00000)],
            ".text is at 0xffb121b0: cores run code in L1 only",
        ),
        (
            [(".loader_init", ADDRESS, 0xFFB12228)],
            ".ldm_data would be loaded at [0xffb12228, 0xffb12238), outside L1",
        ),
        (
            [(".ldm_data", ADDRESS, 0xFFB12228), (".loader_init", ADDRESS, 0xFFB00000)],
            ".ldm_data is at [0xffb12228, 0xffb12238), and no local RAM goes beyond 0xffb02000",
        ),
        (
            [(".text", ADDRESS, 0xFFAFFFFC)],
            ".text would be loaded at [0xffaffffc, 0xffb0003c), outside L1",
        ),
        ([(".text", ADDRESS, 0xFFFFFFFC)], ".text is at 0xfffffffc: cores run code in L1 only"),
        (
            [(".text", ADDRESS, 0x17FFFC)],
            "[0x17fffc, 0x18003c) is outside L1, which ends at 0x180000",
        ),
        (
            [(".loader_init", ADDRESS, 0x180000)],
            "[0x180000, 0x180010) is outside L1, which ends at 0x180000",
        ),
        ([(".init", ADDRESS, 0x6001)], ".init is at 0x6001, where no instruction can be"),
        ([(".text", ADDRESS, 0x6042)], ".text is at 0x6042, where no instruction can be"),
        ([(".init", SIZE, 0)], ".init is empty: a program starts there"),
        ([(".init", TYPE, NOBITS)], ".init is empty: a program starts there"),
        ([(".text", TYPE, NOBITS)], ".text has a size but no contents"),
        (
            [(".text", ADDRESS, 0x603C)],
            ".text [0x603c, 0x607c) overlaps .init [0x6000, 0x6040)",
        ),
        (
            [(".loader_init", ADDRESS, 0x6040)],
            ".ldm_data [0x6040, 0x6050) overlaps .text [0x6040, 0x6080)",
        ),
        ([(".text", SIZE, 0xFFFFFFFF)], "is a truncated ELF file"),
        ([(".text", OFFSET, 0xFFFFFFF0)], "is a truncated ELF file"),
        (
            [(".text", FLAGS, COMPRESSED | 6)],
            ".text is compressed, which no section that is loaded may be",
        ),
    ],
)
def test_what_cannot_be_loaded_leaves_no_trace(
    tile: Tile, tmp_path: Path, changes: list[tuple[str, int, int]], complaint: str
) -> None:
    path = tmp_path / "kernel.elf"
    path.write_bytes(changed(good(), *changes))
    assert refusal(tile, path) == complaint


def test_two_sections_of_one_name(tile: Tile, tmp_path: Path) -> None:
    path = tmp_path / "kernel.elf"
    twice = ElfBuilder().add(".init", 0, CODE).add(".text", 64, CODE).add(".text", 128, CODE)
    path.write_bytes(twice.build())
    assert refusal(tile, path) == "has two .text sections"


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
@pytest.mark.parametrize("core", CORE_IDS)
def test_data_must_fit_the_local_ram_of_its_core(tmp_path: Path, arch: str, core: str) -> None:
    tile = Tile(arch, "reference")
    room = tile.arch.local_ram[CORE_IDS[core]]
    path = tmp_path / "kernel.elf"

    def write(size: int) -> None:
        made = ElfBuilder().add(".init", 0, CODE).add(".loader_init", 0x9000, bytes(4), NOBITS)
        path.write_bytes(made.add(".ldm_data", 0xFFB00000, bytes(size)).build())

    write(room)
    tile.load_elf(path, core)
    write(room + 4)
    assert refusal(tile, path, core).endswith(
        (f"the core has {room:,}", "and no local RAM goes beyond 0xffb02000")
    )


def test_programs_that_are_loaded_together_lie_apart(tmp_path: Path) -> None:
    for core, address in ("trisc0", 0x6000), ("trisc1", 0x6030):
        made = ElfBuilder().add(".init", address, CODE).build()
        (tmp_path / f"{core}.elf").write_bytes(made)
    tile = Tile(engine="reference")
    before = everything(tile)
    with pytest.raises(BadInputError, match=r"overlaps \[0x6000, 0x6040\) of .*trisc0.elf"):
        tile.load_programs(
            {core: load_elf(tmp_path / f"{core}.elf") for core in ("trisc0", "trisc1")}
        )
    assert everything(tile) == before


def test_brisc_starts_where_its_program_does(tmp_path: Path) -> None:
    path = tmp_path / "brisc.elf"
    path.write_bytes(ElfBuilder().add(".init", 0x40, CODE).build())
    tile = Tile(engine="reference")
    tile.load_elf(path, "brisc")
    with pytest.raises(BadInputError, match="brisc starts at 0, but its program begins at 0x40"):
        tile.start("brisc")


def test_packed_debugging_data_is_not_unpacked_without_limit(tmp_path: Path) -> None:
    size = 1 << 30
    packed = zlib.compress(bytes(1 << 20))
    made = ElfBuilder().add(".init", 0, CODE)
    for name in (".debug_line", ".debug_info", ".debug_abbrev"):
        made.add(name, 0, struct.pack("<III", 1, size, 1) + packed, PROGBITS)
    image = changed(made.build(), *((n, FLAGS, COMPRESSED) for n in (".debug_line", ".debug_info")))
    path = tmp_path / "kernel.elf"
    path.write_bytes(image)
    tracemalloc.start()
    assert load_elf(path).describe(0) == ""
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def test_a_huge_file_is_not_read(tile: Tile, tmp_path: Path) -> None:
    path = tmp_path / "kernel.elf"
    with path.open("wb") as file:
        file.write(good())
        file.truncate(40 << 30)
    assert refusal(tile, path) == f"is larger than {LARGEST >> 20} MiB"


def test_a_name_that_no_file_can_have(tile: Tile) -> None:
    with pytest.raises(BadInputError, match="embedded null byte"):
        tile.load_elf("a\0b.elf", "trisc0")


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    source=st.sampled_from([None, "matmul/math.elf", "datacopy/pack.elf"]),
    changes=st.lists(
        st.tuples(
            st.sampled_from([".init", ".text", ".loader_init", ".ldm_data", ".shstrtab"]),
            st.integers(0, 9),
            st.one_of(
                st.integers(0, 64),
                st.sampled_from([0x6000, 0xA000, 0x17FFF0, RESET_PC, SOFT_RESET, 0xFFB00000]),
                st.integers(0, 0xFFFFFFFF),
            ),
        ),
        min_size=1,
        max_size=5,
    ),
)
def test_damaged_headers_are_refused_whole_or_load_into_l1_alone(
    tile: Tile,
    tmp_path: Path,
    source: str | None,
    changes: list[tuple[str, int, int]],
) -> None:
    image = good() if source is None else (EXAMPLES / source).read_bytes()
    known = [change for change in changes if change[0] in headers(image)]
    path = tmp_path / "kernel.elf"
    path.write_bytes(changed(image, *known))
    before, l1, refused = tile.state.snapshot(), tile.state.l1.tobytes(), ""
    try:
        tile.load_elf(path, "trisc0")
    except BadInputError as error:
        refused = str(error)
    assert "\n" not in refused
    assert not tile.state.diff(before)
    assert not refused or tile.state.l1.tobytes() == l1
