"""The messages between the vendor's driver and a simulation server.

A frame is its length (32 bits, little-endian) and one FlatBuffers table. Every request is
answered by one frame, in order.

Source: tt-umd, device/simulation/simulation_server_protocol.fbs and
simulation_server_transport.cpp, of August 2026.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tilelab.vendor.serve.flat_tables import (
    DamagedFrameError,
    Field,
    Kind,
    decode,
    encode,
)

LENGTH: Final = struct.Struct("<I")
MAX_FRAME: Final = 1 << 26
"""Bytes of the longest frame taken; the driver allows 1 GiB and sends no more than L1 or so."""
MAX_READ: Final = 1 << 25
"""Bytes that one request may read."""
ARCH_NUMBERS: Final = {"wormhole": 2, "blackhole": 3}
"""The driver's numbers of the chips (tt::ARCH)."""
STATUS_FAILED: Final = 1


class Command(IntEnum):
    """What a request asks for."""

    READ = 0
    WRITE = 1
    GET_DEVICE_INFO = 2
    GET_CLUSTER_DESCRIPTOR = 3
    SHUTDOWN = 4


REQUEST: Final = (
    Field("command", Kind.INT8),
    Field("x", Kind.UINT32),
    Field("y", Kind.UINT32),
    Field("address", Kind.UINT64),
    Field("size", Kind.UINT32),
    Field("data", Kind.BYTES),
)
RESPONSE: Final = (Field("status", Kind.INT32), Field("data", Kind.BYTES))
DEVICE_INFO: Final = (
    Field("status", Kind.INT32),
    Field("arch", Kind.INT32),
    Field("backend_type", Kind.INT8),
    Field("soc_descriptor_yaml", Kind.TEXT),
    Field("noc_translation_enabled", Kind.BOOL),
    Field("tensix_harvesting_mask", Kind.UINT32),
    Field("dram_harvesting_mask", Kind.UINT32),
    Field("eth_harvesting_mask", Kind.UINT32),
    Field("l2cpu_harvesting_mask", Kind.UINT32),
    Field("pcie_harvesting_mask", Kind.UINT32),
)
CLUSTER_DESCRIPTOR: Final = (Field("status", Kind.INT32), Field("yaml", Kind.TEXT))


@dataclass(frozen=True)
class Request:
    """One request. ``size`` counts what is read; of a write, it is the length of ``data``."""

    command: Command
    x: int = 0
    y: int = 0
    address: int = 0
    size: int = 0
    data: bytes = b""


def parse_request(payload: bytes) -> Request:
    """Read a request; DamagedFrameError if the payload is none."""
    fields = decode(REQUEST, payload)
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    data = fields["data"]
    assert isinstance(data, bytes)
    try:
        command = Command(numbers.pop("command"))
    except ValueError as error:
        raise DamagedFrameError(f"there is no command {fields['command']!r}") from error
    request = Request(command, **numbers, data=data)
    if command is Command.WRITE and request.size != len(data):
        raise DamagedFrameError(f"a write of {request.size} bytes brings {len(data)}")
    return request


def frame(payload: bytes) -> bytes:
    """Return a payload behind its length."""
    return LENGTH.pack(len(payload)) + payload


def response(data: bytes = b"", status: int = 0) -> bytes:
    """Answer a read or a write."""
    return encode(RESPONSE, {"status": status, "data": data})


def device_info(arch: str, soc_descriptor: str) -> bytes:
    """Answer what the chip is: nothing is harvested, no coordinate is translated."""
    values = {"status": 0, "arch": ARCH_NUMBERS[arch], "backend_type": 0}
    masks = {field.name: 0 for field in DEVICE_INFO if field.name.endswith("_mask")}
    return encode(
        DEVICE_INFO,
        {**values, "soc_descriptor_yaml": soc_descriptor, "noc_translation_enabled": 0, **masks},
    )


def cluster_descriptor() -> bytes:
    """Answer what chips there are: empty, which lets the driver make a description of one."""
    return encode(CLUSTER_DESCRIPTOR, {"status": 0, "yaml": ""})
