"""Logs of a host's calls: of our own firmware, and of real programs where recordings are."""

import json
import lzma
import os
from pathlib import Path

import pytest

from chip_program import CHIPS, PLACES, READ, SOFT_RESET, WRITE, at, counter, request, wait_register
from chip_traffic import SHARED
from riscv_program import HALT, store
from tilelab.bench.traffic import aim
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.traffic import calls
from tilelab.traffic.calls import (
    RECORD,
    Call,
    CallLog,
    parse_log,
    read_any,
    replay_any,
)
from tilelab.traffic.sniff import LOG, is_recording

DONE = 0x7000
BUFFER = 0x4_0000
"""Where host memory begins that the chip may use; its region maps 0x1000 of the PCIe tile there."""
DATA = bytes(range(64))
U32 = 4


def firmware(chip: str) -> list[int]:
    """Copies 64 bytes of host memory to 64 bytes behind them, and says that it is done."""
    layout, own = arch(chip).layout, at(PLACES[chip][0])
    there = 1 << layout.pcie_flag | 0x1000
    made = request(arch(chip), READ, (there, at(layout.pcie)), (0x4000, own), 64)
    made += wait_register(counter(0, n.READ_RESPONSES), 1)
    made += request(arch(chip), WRITE, (0x4000, own), (there + 64, at(layout.pcie)), 64)
    made += wait_register(counter(0, n.WRITE_ACKS), 1)
    return [*made, *store(DONE, 0xC0DE), HALT]


def word(value: int) -> bytes:
    return value.to_bytes(4, "little")


def log(chip: str) -> list[Call]:
    """The calls of a host that boots it and polls; an instruction is a clock, by the NoC none."""
    layout, place = arch(chip).layout, PLACES[chip][0]
    host, program = layout.host, firmware(chip)
    made = [Call(calls.INIT, 0, 0, b""), Call(calls.HOST_MEMORY, 0, 0, b"")]
    made.append(Call(calls.CONFIG_READ, 0, 0, word(host.config[0])))
    made.append(Call(calls.CONFIG_READ, 8, 0, word(0xFFFFFFFF)))
    base = host.bar2 + host.translation
    for offset, value in ((4, 1 << 31), (8, 0x1000), (0x10, 0x1FFF), (0x14, BUFFER)):
        made.append(Call(calls.WRITE, 4, base + offset, word(value)))

    def reach(kind: int, address: int, data: bytes) -> None:
        where, aims = aim(host, place, address)
        made.extend(Call(calls.WRITE, len(entry), to, entry) for _, to, entry in aims)
        made.append(Call(kind, len(data), where, data))

    reach(calls.WRITE, 0, b"".join(map(word, program)))
    reach(calls.WRITE, SOFT_RESET, word(0x47000))
    reads = len(request(arch(chip), READ, (0, 0), (0, 0), 64))
    waits = len(wait_register(0, 0))
    transfers = {
        reads: Call(calls.DMA_READ, 64, BUFFER, DATA),
        2 * reads + waits: Call(calls.DMA_WRITE, 64, BUFFER + 64, DATA),
    }
    for clock in range(1, len(program)):  # its last one only halts
        reach(calls.READ, DONE, bytes(4))
        made.append(Call(calls.CLOCK, 1, 0, b""))
        if clock in transfers:
            made.append(transfers[clock])
    reach(calls.READ, DONE, word(0xC0DE))
    made.append(Call(calls.EXIT, 0, 0, b""))
    return made


def as_bytes(made: list[Call]) -> bytes:
    return LOG + b"".join(RECORD.pack(c.kind, c.size, c.address) + c.data for c in made)


def differences(made: list[Call]) -> str:
    return "; ".join(map(str, replay_any(parse_log("log", as_bytes(made))).differences))


@pytest.mark.parametrize("chip", CHIPS)
def test_our_own_log_replays_call_by_call(
    chip: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{chip}.bin.xz"
    path.write_bytes(lzma.compress(as_bytes(log(chip))))
    assert is_recording(path)
    assert main(["run", str(path), "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)["recordings"]
    polls = len(firmware(chip))
    assert document["replies"] == polls + 2 + 1  # two words of configuration, one transfer
    assert (document["tiles"], document["rounds"]) == (1, polls - 1)
    assert main(["run", str(path), "--engine", "reference"]) == 0
    assert "PASS" in capsys.readouterr().out


def test_a_poll_that_was_answered_otherwise_is_told() -> None:
    made = log("blackhole")
    last = max(i for i, call in enumerate(made) if call.kind == calls.READ)
    early = max(i for i in range(last) if made[i].kind == calls.READ)
    made[early] = Call(calls.READ, 4, made[early].address, word(0xC0DE))
    assert differences(made).startswith(f"call {early}: read at 0x")
    assert differences(made).endswith("00000000 instead of dec00000")


def test_transfers_come_in_their_place() -> None:
    made = log("blackhole")
    (read,) = [i for i, call in enumerate(made) if call.kind == calls.DMA_READ]
    (write,) = [i for i, call in enumerate(made) if call.kind == calls.DMA_WRITE]
    other = [*made]
    other[write] = Call(calls.DMA_WRITE, 64, BUFFER + 64, DATA[::-1])
    assert "write to host memory at 0x40040: 000102" in differences(other)
    other = made[:read] + made[read + 1 :]
    assert "a read of host memory, 64 bytes at 0x40000, came before it" in differences(other)
    other = [*made[: read - 1], made[read], made[read - 1], *made[read + 1 :]]
    assert "the recorded chip did this here, ours did not" in differences(other)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (LOG, "no call reads which chip it is"),
        (LOG + b"\x06", "ends within a record, at byte 8"),
        (LOG + RECORD.pack(calls.READ, 8, 0) + b"1234", "ends within a record, at byte 24"),
        (LOG + RECORD.pack(99, 0, 0), "no record is of kind 99, at byte 8"),
        (LOG + RECORD.pack(4, 0, 0) + b"1234", "no call reads which chip it is"),
    ],
)
def test_what_is_no_log_is_one_message(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "log.bin"
    path.write_bytes(data)
    with pytest.raises(BadInputError, match=message):
        read_any(path)
    assert main(["run", str(path)]) == 2


def recorded() -> list[Path]:
    named = os.environ.get("TILELAB_TTNN")
    found = sorted((Path(named) if named else SHARED).glob("*.bin*"))
    return [path for path in found if is_recording(path)]


@pytest.mark.parametrize("path", recorded() or [None], ids=lambda path: path and path.name)
def test_every_reply_of_the_vendors_simulator_is_equal(path: Path | None) -> None:
    if path is None:
        pytest.skip("set TILELAB_TTNN to a folder of logs (*.bin.xz)")
    read = read_any(path)
    assert isinstance(read, CallLog)
    made = replay_any(read)
    assert made.passed, str(made.differences[0])
    assert made.replies > 3000
