"""A host's calls, written down by a library before ours; and a whole chip's patience."""

import ctypes
import time
from pathlib import Path

import pytest

from chip_program import CHIPS, DRAM, PLACES, SOFT_RESET, wait_register
from chip_traffic import write_recording
from riscv_program import HALT, store
from tilelab.chip.chip import Chip
from tilelab.elf.writer import ElfBuilder
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import STREAMS
from tilelab.traffic.ahead import compared, replay_ahead
from tilelab.traffic.calls import CallLog, read_any, replay_any
from tilelab.traffic.recording import read_recording
from tilelab.vendor.library import shim
from tilelab.vendor.library.folder import lay_out, lay_out_recorded
from vendor.library.test_library import LINUX, U32, U64, Host

pytestmark = pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")
BOOT_LIMIT = 30
"""Seconds after which tt-metal gives up waiting for the firmware of all tiles."""
DONE = 0x8300


class Windows:
    """A host that reaches tiles through its first window, as the vendor's driver does."""

    def __init__(self, host: Host, chip: str) -> None:
        self.host, self.about = host, arch(chip).layout.host

    def aim(self, place: Place, address: int) -> int:
        """Point the window at a place; the host's address that means the one there."""
        about, windows = self.about, self.about.windows[0]
        high, inside = divmod(address, windows.size)
        bits = about.address_bits - (windows.size.bit_length() - 1)
        entry = high | place[0] << bits | place[1] << bits + 6
        data = entry.to_bytes(about.entry_bytes, "little")
        at = about.bar0 + about.entries + windows.first * about.entry_bytes
        for i in range(0, len(data), 4):
            self.write_at(at + i, data[i : i + 4])
        return about.bar0 + windows.base + inside

    def write_at(self, address: int, data: bytes) -> None:
        self.host.library.libttsim_pci_mem_wr_bytes(address, data, len(data))

    def write(self, place: Place, address: int, data: bytes) -> None:
        self.write_at(self.aim(place, address), data)

    def read(self, place: Place, address: int, count: int) -> bytes:
        data = self.host.pci_read(self.aim(place, address), count)
        self.host.library.libttsim_clock(1)
        return data


def wrapped(host: Host) -> Host:
    """Of which addresses are whole when they are given as numbers."""
    host.library.libttsim_pci_mem_wr_bytes.argtypes = [U64, ctypes.c_char_p, U32]
    return host


def recorded(chip: str, folder: Path) -> CallLog:
    """The calls of a host that runs our firmware and polls for its end."""
    log = folder / "calls.bin"
    host = wrapped(Host(lay_out_recorded(folder / "sim", chip, PLACES[chip][:1], log)))
    windows = Windows(host, chip)
    for event in read_recording(write_recording(folder, chip)).events:
        if event.kind == "W":
            windows.write(event.places[0], event.address, event.data)
            continue
        for _ in range(5000):
            reply = windows.read(event.places[0], event.address, len(event.data))
            if reply == event.data:
                break
        assert reply == event.data
    host.exit()
    found = read_any(log)
    assert isinstance(found, CallLog)
    return found


@pytest.mark.parametrize("chip", CHIPS)
def test_what_is_recorded_replays_equal(chip: str, tmp_path: Path) -> None:
    log = recorded(chip, tmp_path)
    assert log.arch == chip
    assert log.tiles == PLACES[chip][:1]
    made = replay_any(log)
    assert made.passed
    assert made.events["clock"] == made.events["read"] > 20  # it polled
    assert made.events["init"] == made.events["exit"] == 1


@pytest.mark.parametrize("clock", ["functional", "cycle"])
def test_a_chip_that_runs_ahead_gives_the_last_reply_of_a_poll(clock: str, tmp_path: Path) -> None:
    log = recorded("blackhole", tmp_path)
    chip = Chip(log.arch, log.tiles, clock=clock)
    made = replay_ahead(log, chip, lambda text: None)
    assert made.passed
    assert made.replies == len(compared(log)) == 3
    wrong = [call for call in log.calls if call.kind == 6][-1]
    calls = [
        type(call)(call.kind, call.size, call.address, bytes(16)) if call is wrong else call
        for call in log.calls
    ]
    chip = Chip(log.arch, log.tiles, clock=clock)
    made = replay_ahead(CallLog(log.name, log.arch, tuple(calls)), chip, lambda text: None)
    (difference,) = made.differences
    assert "instead of 00000000" in str(difference)


def test_a_recorder_needs_a_place_for_its_log(tmp_path: Path) -> None:
    with pytest.raises(BadInputError):
        lay_out_recorded(tmp_path, "blackhole", PLACES["blackhole"][:1], tmp_path / "no" / "log")
    long = tmp_path / "/".join(["x" * 200] * 21)
    with pytest.raises(BadInputError, match=r"too long a name|File name too long"):
        lay_out_recorded(tmp_path, "blackhole", PLACES["blackhole"][:1], long)


def code_of(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


@pytest.mark.parametrize("chip", CHIPS)
def test_all_tiles_are_up_long_before_the_host_gives_up(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILELAB_THREADS", "1")
    host, places = Host(lay_out(tmp_path / "sim", chip)), arch(chip).layout.tensix
    for place in places:
        host.write(place, 0, code_of([*store(DONE, 1), HALT]))
    begun = time.monotonic()
    for place in places:
        host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    for place in places:
        while host.read(place, DONE, 4) != b"\1\0\0\0":
            assert time.monotonic() - begun < BOOT_LIMIT
    assert time.monotonic() - begun < BOOT_LIMIT / 10
    host.exit()


def test_who_waits_on_all_tiles_is_said_within_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As if firmware never came up: every tile waits, and the host's patience is 30 seconds."""
    chip = "blackhole"
    stream = STREAMS + 3 * STREAM_BYTES + arch(chip).noc.stream_size
    code = code_of([*wait_register(stream, 1), HALT])
    folder = tmp_path / "key" / "kernels" / "reader" / "1" / "brisc"
    folder.mkdir(parents=True)
    (folder / "brisc.elf").write_bytes(ElfBuilder().add(".text", 0x61D0, code).build())
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path))
    host, places = Host(lay_out(tmp_path / "sim", chip)), arch(chip).layout.tensix
    for place in places:
        host.write(place, 0, code)
        host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    begun = time.monotonic()
    for _ in range(shim.PATIENCE + 10):
        host.library.libttsim_clock(1)
    took = time.monotonic() - begun
    assert host.read(DRAM[chip], 0, 4) == bytes(4)  # it is well, and can go on
    host.exit()
    said = capfd.readouterr().err.splitlines()
    assert said[0] == "tilelab: the host polls, and nothing on the chip can change:"
    assert said[1] == "  Tensix tile 1,2 and 139 more like it"
    assert "waits for circular buffer 3 for pages" in said[2]
    print(f"\nsaid after {took:.1f} s")
    assert took < BOOT_LIMIT / 2
