"""The mechanisms of the cycle clock, and how well each is known.

``spread``: so many percent the time that a mechanism gives may be off. That is what it was off by
most among the published figures of silicon that it was held to (``docs/cycles.md``), and at least
what figures of one thing differ by between runs of a card. ``rows``: how many figures those are;
where there are none, the spread is what the mechanism's source leaves open.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: its name, by how many percent it may be off, of how many figures."""

    name: str
    spread: float
    rows: int


MATRIX: Final = Mechanism("matrix unit and Dst's blocks", 1.5, 12)
VECTOR: Final = Mechanism("vector unit, in turns", 3.5, 26)
SCALAR: Final = Mechanism("scalar unit: 3 cycles, in turns", 1.5, 18)
SHARED: Final = Mechanism("a unit of one word a cycle, in turns", 3.5, 18)
RDCFG: Final = Mechanism("RDCFG", 3, 4)
CONFIGURATION: Final = Mechanism("configuration unit", 10, 0)
WAITS: Final = Mechanism("waits and their release", 12.5, 5)
EXPANDERS: Final = Mechanism("MOP and replay expanders", 3.5, 2)
PUSH: Final = Mechanism("push of a word", 6, 6)
PUSHES: Final = Mechanism("pushes among other instructions", 3, 8)
QUEUE: Final = Mechanism("queue of Tensix words", 5, 1)
UNPACKERS: Final = Mechanism("unpackers: reads of L1", 25, 4)
PACKERS: Final = Mechanism("packers: writes to L1", 7.5, 3)
MOVER: Final = Mechanism("mover", 25, 0)
INTEGER: Final = Mechanism("RISC-V integer instructions", 0.5, 4)
MULTIPLY: Final = Mechanism("multiply", 1, 4)
DIVIDE: Final = Mechanism("divide", 1, 3)
LOADS: Final = Mechanism("loads of the cores", 10, 2)
LOAD_LATENCY: Final = Mechanism("L1 load latency", 2, 2)
LOADS_UNDER_WAY: Final = Mechanism("L1 loads in flight", 18, 2)
LOCAL_RAM: Final = Mechanism("loads and stores of local RAM", 1, 4)
STORES: Final = Mechanism("L1 stores", 13, 4)
BRANCHES: Final = Mechanism("branches", 5, 14)
FETCH: Final = Mechanism("instruction fetch", 3, 9)
CSR: Final = Mechanism("CSR instructions", 10, 0)
MAILBOXES: Final = Mechanism("mailboxes and semaphores", 10, 0)
SFPU_KERNEL: Final = Mechanism("vector kernel, built by the stand-in compiler", 18, 35)
MATMUL_TILES: Final = Mechanism("matmul_tiles: unpackers and matrix unit", 11, 4)
LLK_KERNEL: Final = Mechanism("whole kernel, built by the stand-in compiler", 25, 8)
COUNTERS: Final = Mechanism("performance counters of whole kernels", 40, 8)
NOC: Final = Mechanism("NoC: ways, links", 5, 10)
ISSUE_LOOP: Final = Mechanism(
    "NoC: a loop that asks, with a stand-in of the vendor's header", 30, 4
)
NOC_ZONE: Final = Mechanism("NoC: a loop and its barrier, with the vendor's headers", 50, 48)
NOC_PACKET: Final = Mechanism("NoC: packets and streams, a loop of ours", 10, 24)
DRAM_CHANNEL: Final = Mechanism("one DRAM channel", 10, 12)
DRAM_SPREAD: Final = Mechanism("DRAM by many tiles, not placed", 11, 12)
GEMM: Final = Mechanism("matrix products of ttnn on a whole chip", 20, 8)
DOCUMENTED: Final = Mechanism("documented", 10, 29)
UNKNOWN: Final = Mechanism("", 25, 0)
