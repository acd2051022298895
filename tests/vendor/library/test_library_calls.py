"""What a host must not do with the library: one line says it."""

import ctypes
from pathlib import Path

import pytest

from chip_program import CHIPS, PLACES
from tilelab.chip.pci import ODD_OFFSET
from tilelab.vendor.library.folder import lay_out
from vendor.library.test_library import LINUX, U64, Host

pytestmark = pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")
OUTSIDE = "tilelab: the host uses the chip before libttsim_init, or after libttsim_exit"
AGAIN = "tilelab: the host calls libttsim_init again, without libttsim_exit between them"
NOTHING = "tilelab: the host reads or writes 0 bytes"
ODD = f"tilelab: {ODD_OFFSET}"
ORDERS = {
    "read before init": (["exit", "fresh", "read"], OUTSIDE),
    "read after exit": (["exit", "read"], OUTSIDE),
    "clock after exit": (["exit", "clock"], OUTSIDE),
    "exit twice": (["exit", "exit"], OUTSIDE),
    "init twice": (["init"], AGAIN),
    "nothing read": (["nothing"], NOTHING),
    "a word of configuration space between two": (["odd"], ODD),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("chip", CHIPS)
def test_calls_out_of_order_are_one_clear_line(
    chip: str, order: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    calls, expected = ORDERS[order]
    place = PLACES[chip][0]
    host = Host(lay_out(tmp_path / "sim", chip, [place]))
    for call in calls:
        if call == "fresh":
            host.library = ctypes.CDLL(str(lay_out(tmp_path / "other", chip, [place])))
        elif call == "clock":
            host.library.libttsim_clock(1)
        elif call == "odd":
            assert host.library.libttsim_pci_config_rd32(8, 2) == 0xFFFFFFFF  # no device there
            assert host.library.libttsim_pci_config_rd32(0, 2) == 0xFFFFFFFF
        elif call in ("init", "exit"):
            getattr(host.library, f"libttsim_{call}")()
        else:
            data = ctypes.create_string_buffer(4)
            size = 0 if call == "nothing" else 4
            host.library.libttsim_tile_rd_bytes(*place, U64(0), data, size)
            assert data.raw == (bytes(4) if call == "nothing" else b"\xff" * 4)
    first, second, *more = capfd.readouterr().err.splitlines()
    assert first == expected
    assert "reads as ones" in second
    assert not more
    if expected == OUTSIDE:
        host.library.libttsim_init()
        assert host.read(place, 0, 4) == bytes(4)
    host.exit()
