"""The drop-in library, loaded as the vendor's host software loads it."""

import ctypes
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from chip_program import (
    ATOMIC,
    CHIPS,
    DRAM,
    INCREMENT,
    PLACES,
    READ,
    RESULT,
    SOFT_RESET,
    at,
    counter,
    keep,
    request,
    wait_register,
)
from chip_traffic import recording, write_recording
from riscv_program import HALT, T2, addi, bne, li, store, wait_for
from tilelab.cli.main import main
from tilelab.elf.writer import ElfBuilder
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import STREAMS
from tilelab.traffic.recording import read_recording
from tilelab.vendor.library import shim
from tilelab.vendor.library.folder import lay_out
from tilelab.vendor.library.linker import link

LINUX = sys.platform == "linux" and os.uname().machine == "x86_64"
pytestmark = pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")

NAMES = (
    "init", "exit", "clock", "pci_config_rd32", "pci_config_wr32", "pci_mem_rd_bytes",
    "pci_mem_wr_bytes", "tile_rd_bytes", "tile_wr_bytes", "set_pci_dma_mem_callbacks",
)  # fmt: skip
FLAG, SUM, DONE = 0x8100, 0x8200, 0x8300
U32, U64 = ctypes.c_uint32, ctypes.c_uint64
READER = ctypes.CFUNCTYPE(None, U64, ctypes.c_void_p, U32)


class Host:
    """Calls a library as the vendor's driver does."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        for name in NAMES:
            getattr(self.library, f"libttsim_{name}").restype = None
        self.library.libttsim_pci_config_rd32.restype = U32
        self.library.libttsim_init()
        self.bar0 = 0x1_0000_0000
        self.id = self.library.libttsim_pci_config_rd32(0, 0) >> 16

    def read(self, place: tuple[int, int], address: int, count: int) -> bytes:
        data = ctypes.create_string_buffer(count)
        self.library.libttsim_tile_rd_bytes(*place, U64(address), data, count)
        self.library.libttsim_clock(1)
        return data.raw

    def write(self, place: tuple[int, int], address: int, data: bytes) -> None:
        self.library.libttsim_tile_wr_bytes(*place, U64(address), data, len(data))

    def pci_read(self, address: int, count: int) -> bytes:
        data = ctypes.create_string_buffer(count)
        self.library.libttsim_pci_mem_rd_bytes(U64(address), data, count)
        return data.raw

    def exit(self) -> None:
        self.library.libttsim_exit()


@pytest.fixture(params=CHIPS)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Host:
    return Host(lay_out(tmp_path / "sim", request.param, PLACES[request.param][:1]))


def chip_of(host: Host) -> str:
    return {0xB140: "blackhole", 0x401E: "wormhole"}[host.id]


def test_every_function_is_there_and_the_description_beside_it(tmp_path: Path) -> None:
    library = lay_out(tmp_path / "sim", "blackhole")
    loaded = ctypes.CDLL(str(library))
    for name in NAMES:
        assert getattr(loaded, f"libttsim_{name}")
    text = (library.parent / "soc_descriptor.yaml").read_text()
    assert "arch_name: BLACKHOLE" in text
    assert text.count("-") > 140


def test_a_host_boots_firmware_and_reads_results(host: Host, tmp_path: Path) -> None:
    traffic = read_recording(write_recording(tmp_path, chip_of(host)))
    for event in traffic.events:
        if event.kind == "W":
            host.write(event.places[0], event.address, event.data)
        else:
            for _ in range(100):
                reply = host.read(event.places[0], event.address, len(event.data))
                if reply == event.data:
                    break
            assert reply == event.data
    host.exit()


def test_state_is_fresh_after_exit_and_init(host: Host) -> None:
    place = DRAM[chip_of(host)]
    host.write(place, 0x100, b"left")
    assert host.read(place, 0x100, 4) == b"left"
    host.exit()
    host.library.libttsim_init()
    assert host.read(place, 0x100, 4) == bytes(4)
    host.exit()


def test_calls_come_from_several_threads_at_once(host: Host) -> None:
    place = DRAM[chip_of(host)]
    wrong: list[int] = []

    def work(number: int) -> None:
        for i in range(50):
            data = bytes((number, i)) * 20_000  # two of them are more than the buffer holds
            host.write(place, number << 20, data)
            if host.read(place, number << 20, len(data)) != data:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not wrong
    host.exit()


def test_only_device_0_answers(host: Host) -> None:
    config = host.library.libttsim_pci_config_rd32
    assert config(0, 0) & 0xFFFF == 0x1E52
    assert config(8, 0) == 0xFFFFFFFF
    assert config(0, 0x3C) == 0xFFFFFFFF


def test_after_a_wrong_access_the_device_reads_as_ones(
    host: Host, capfd: pytest.CaptureFixture[str]
) -> None:
    assert host.pci_read(0x10, 4) == b"\xff" * 4
    assert host.read(DRAM[chip_of(host)], 0, 8) == b"\xff" * 8
    host.exit()
    shown = capfd.readouterr().err
    assert "tilelab: the host reads 4 bytes at 0x10: nothing is there" in shown
    assert shown.count("the simulated chip has stopped") == 1
    host.library.libttsim_init()
    assert host.read(DRAM[chip_of(host)], 0, 4) == bytes(4)
    host.exit()


ACCESSES = {
    "an address beyond all": (lambda h, p: h.read(p, 1 << 63, 4), "do not exist"),
    "beyond L1": (lambda h, p: h.read(p, 0x800000, 8), "8 bytes at 0x800000 of Tensix tile"),
    "an odd register": (lambda h, p: h.read(p, 0xFFB121B1, 4), "4 bytes at 0xffb121b1 of Tensix"),
    "part of a register": (lambda h, p: h.write(p, 0xFFB121B0, b"ab"), "2 bytes at 0xffb121b0"),
    "no tile": (lambda h, p: h.write((3, 0), 0, b"abcd"), "there is no tile at 3,0"),
    "nothing in BAR0": (lambda h, p: h.pci_read(h.bar0 + 0x1FFFFFF0, 4), "BAR0 + 0x1ffffff0"),
    "long, across the end of L1": (
        lambda h, p: h.write(p, 0x160000, bytes(1 << 20)),
        "do not exist",
    ),
}


@pytest.mark.parametrize("access", ACCESSES)
def test_an_absurd_access_is_one_clear_line(
    host: Host, access: str, capfd: pytest.CaptureFixture[str]
) -> None:
    do, expected = ACCESSES[access]
    place = PLACES[chip_of(host)][0]
    do(host, place)
    assert host.read(place, 0, 4) == b"\xff" * 4
    host.exit()
    said = [line for line in capfd.readouterr().err.splitlines() if "reads as ones" not in line]
    assert len(said) == 1
    assert said[0].startswith("tilelab: the host ")
    assert expected in said[0]


def test_what_a_program_does_wrong_names_tile_core_and_request(
    host: Host, capfd: pytest.CaptureFixture[str]
) -> None:
    chip, place = chip_of(host), PLACES[chip_of(host)][0]
    nowhere = PLACES[chip][1]  # exists on the whole chip only
    words = request(arch(chip), READ, (0x100, at(nowhere)), (0x4000, at(place)), 16)
    host.write(place, 0, b"".join(word.to_bytes(4, "little") for word in [*words, HALT]))
    host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    host.read(place, 0, 4)
    assert host.read(place, 0, 4) == b"\xff" * 4
    host.exit()
    said = capfd.readouterr().err
    x, y = nowhere
    what = f"UnimplementedFunctionality: there is no tile at {x},{y}"
    assert f"tilelab: {what} (Tensix tile {place[0]},{place[1]}, BRISC, cycle " in said
    assert "  asked  NoC 0 read of 16 bytes" in said
    assert "  check  chip-no-tile" in said


def test_a_late_library_names_the_read_and_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chip = "blackhole"
    place = PLACES[chip][0]
    host = Host(lay_out(tmp_path / "sim", chip, [place], late=True))
    host.write(DRAM[chip], 0x100, bytes(range(64)))
    words = request(arch(chip), READ, (0x100, at(DRAM[chip])), (0x4000, at(place)), 64)
    words += [*keep(0x4000, 0), *wait_register(counter(0, n.READ_RESPONSES), 1), *keep(0x4000, 1)]
    host.write(place, 0, b"".join(word.to_bytes(4, "little") for word in [*words, HALT]))
    host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    host.read(place, 0, 4)
    assert host.read(place, RESULT, 8) == bytes(4) + bytes(range(4))  # too early, and in time
    host.exit()
    said = capfd.readouterr().err
    assert said.count("before they have come: a barrier is missing") == 1
    assert "stopped" not in said


def test_a_host_that_polls_in_vain_is_told_who_waits(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    chip, place = chip_of(host), PLACES[chip_of(host)][0]
    stream = STREAMS + 3 * STREAM_BYTES + arch(chip).noc.stream_size
    words = [*wait_register(stream, 1), HALT]
    code = b"".join(word.to_bytes(4, "little") for word in words)
    folder = tmp_path / "key" / "kernels" / "reader" / "1" / "brisc"
    folder.mkdir(parents=True)
    built = ElfBuilder().add(".text", 0x61D0, code)
    built.symbols = [("kernel_main", 0x61D0, 2)]
    (folder / "brisc.elf").write_bytes(built.build())
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path))
    host.write(place, 0, code)
    host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    for _ in range(shim.PATIENCE + 10):
        host.library.libttsim_clock(1)
    assert host.read(place, 0, 4) == code[:4]  # it is well, and can go on
    host.exit()
    said = capfd.readouterr().err.splitlines()
    assert said[0] == "tilelab: the host polls, and nothing on the chip can change:"
    assert said[1] == f"  Tensix tile {place[0]},{place[1]}"
    assert "(kernel_main+0x" in said[2]
    assert said[2].endswith("waits for circular buffer 3 for pages (0 received, 0 freed)")
    assert len(said) == 3


def test_zero_bytes_are_no_access(host: Host) -> None:
    assert host.read(PLACES[chip_of(host)][0], 1 << 63, 0) == b""
    host.exit()


def test_two_libraries_in_one_process_are_two_chips(tmp_path: Path) -> None:
    place = DRAM["blackhole"]
    tiles = PLACES["blackhole"][:1]
    hosts = [Host(lay_out(tmp_path / name, "blackhole", tiles)) for name in ("a", "b")]
    hosts[0].write(place, 0x100, b"left")
    assert hosts[1].read(place, 0x100, 4) == bytes(4)
    assert hosts[0].read(place, 0x100, 4) == b"left"
    hosts[0].exit()
    hosts[0] = Host(tmp_path / "a" / "libttsim.so")  # the same one: a fresh chip
    assert hosts[0].read(place, 0x100, 4) == bytes(4)
    for host in hosts:
        host.exit()


def test_a_report_of_what_ran(host: Host, tmp_path: Path) -> None:
    chip, place = chip_of(host), PLACES[chip_of(host)][0]
    host.write(place, 0, HALT.to_bytes(4, "little"))
    host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    host.read(place, 0, 4)
    path = tmp_path / "report.json"
    os.environ["TILELAB_CHIP_REPORT"] = str(path)
    host.exit()
    del os.environ["TILELAB_CHIP_REPORT"]
    report = json.loads(path.read_text())
    assert report["arch"] == chip
    assert [tile["place"] for tile in report["tiles"]] == [list(place)]


def test_nothing_is_left_when_the_host_dies(tmp_path: Path) -> None:
    library = lay_out(tmp_path / "sim", "blackhole", PLACES["blackhole"][:1])
    program = (
        "import ctypes, os, signal\n"
        f"lib = ctypes.CDLL({str(library)!r})\n"
        "lib.libttsim_init()\n"
        "data = ctypes.create_string_buffer(4)\n"
        "lib.libttsim_tile_rd_bytes(17, 12, ctypes.c_uint64(0), data, 4)\n"
        "lib.libttsim_clock(1)\n"
        "children = open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read()\n"
        "print(data.raw.hex(), repr(children), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == ["00000000", "''"]  # the chip is no process, so none is left
    assert ran.stderr == ""


def test_the_command_lays_out_a_chip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["libttsim", str(tmp_path / "a"), "--one-tile", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tiles"] == 1
    assert Path(document["library"]).is_file()
    assert "functional_workers: [1-2]" in (tmp_path / "a" / "soc_descriptor.yaml").read_text()
    (tmp_path / "file").write_text("")
    assert main(["libttsim", str(tmp_path / "file")]) == 2
    assert main(["libttsim", str(tmp_path / "b"), "--arch", "none"]) == 2


def test_other_platforms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shim.platform, "machine", lambda: "aarch64")
    with pytest.raises(BadInputError, match="can be made for x86-64 Linux, not for aarch64"):
        shim.shared_library(arch("blackhole"))


def test_the_shim_is_the_same_each_time() -> None:
    tiles = PLACES["wormhole"][:1]
    made = [shim.shared_library(arch("wormhole"), tiles, "/usr/bin/python") for _ in range(2)]
    assert made[0] == made[1]
    assert made[0] != shim.shared_library(arch("wormhole"), tiles, "/usr/bin/python3")
    with pytest.raises(BadInputError, match="too long a name"):
        shim.shared_library(arch("wormhole"), tiles, "/" + 5000 * "x")
    assert made[0][:4] == b"\x7fELF"
    assert link.__doc__


def test_the_recording_has_a_poll() -> None:
    assert "\nP " in recording("wormhole")


def ring(chip: str, places: Sequence[tuple[int, int]], k: int) -> list[int]:
    """A tile's program: counts for a while, hands a word on around the ring, and increments one."""
    profile = arch(chip)
    here, there = places[k], places[(k + 1) % len(places)]
    made: list[int] = []
    for lap in range(1, 6):
        made += [*li(T2, 50 + 37 * k), addi(T2, T2, -1), bne(T2, 0, -1)]
        if k or lap > 1:
            made += wait_for(FLAG, lap if k else lap - 1)
        for target, value in (((FLAG, at(there)), 1), ((SUM, at(places[0])), k)):
            made += request(profile, ATOMIC, target, (0x5000, at(here)), INCREMENT, value)
    return [*made, *store(DONE, 1), HALT]


def outcome(folder: Path, chip: str, places: Sequence[tuple[int, int]]) -> list[bytes]:
    host = Host(lay_out(folder, chip, places))
    for k, place in enumerate(places):
        code = b"".join(word.to_bytes(4, "little") for word in ring(chip, places, k))
        host.write(place, 0, code)
        host.write(place, SOFT_RESET, (0x47000).to_bytes(4, "little"))
    for place in places:
        assert any(host.read(place, DONE, 4) == b"\1\0\0\0" for _ in range(100))
    left = [host.read(place, 0, 0x9000) for place in places]
    host.exit()
    return left


@pytest.mark.parametrize("chip", CHIPS)
def test_any_number_of_threads_leaves_the_same(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = arch(chip).layout.tensix[:9]
    left = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv(shim.THREADS, threads)
        left += [outcome(tmp_path / f"{threads} {run}", chip, places) for run in range(2)]
    assert all(each == left[0] for each in left)
    total = int.from_bytes(left[0][0][SUM : SUM + 4], "little")
    assert total == 5 * sum(range(len(places)))


def test_no_thread_is_left_when_the_chip_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(shim.THREADS, "4")
    before = len(os.listdir("/proc/self/task"))
    for run in range(3):
        outcome(tmp_path / str(run), "blackhole", arch("blackhole").layout.tensix[:6])
        assert len(os.listdir("/proc/self/task")) == before
