"""The mechanisms of the cycle clock that single figures test, and how well each is known.

``spread``: so many percent a figure that a mechanism gives may be off. That is what it was off by
most among the public rows and raw points that it was held to (``docs/cycles.md``), and at least
what figures of one thing differ by between runs of a card; without rows, what its source leaves
open.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: the probes that it decides, as a pattern of their names."""

    name: str
    probes: str
    spread: float


MECHANISMS = (
    Mechanism("matrix unit, one Dst block", r"MVMUL|ELW\w+", 100),
    Mechanism("matmul_tiles: unpackers and matrix unit", r"matmul_tiles", 60),
    Mechanism("scalar unit: 3 cycles, in turns", r"(ADD|MUL|SHIFT|CMP)DMAREG|tt_adddmareg", 1.5),
    Mechanism("RDCFG", r"RDCFG\w*", 3),
    Mechanism("push of a word", r"NOP|tt_nop", 6),
    Mechanism("vector unit, in turns", r"SFP\w+|tt_sfpnop", 3.5),
    Mechanism("a unit of one word a cycle, in turns", r"\w+DMAREG|DMANOP|\w+RWC|tt_setd\w+", 3.5),
    Mechanism("RISC-V integer instructions", r"rv_addi_\w+|alu_\w+", 0.5),
    Mechanism("multiply", r"rv_mul\w*|mul_\w+", 1),
    Mechanism("divide", r"rv_div|div\w*", 1),
    Mechanism("L1 load latency", r"rv_load_chase|load_dep", 2),
    Mechanism("L1 loads in flight", r"rv_load_indep|load_ind", 18),
    Mechanism("loads and stores of local RAM", r"rv_(load|store)_stack", 1),
    Mechanism("L1 stores", r"rv_store\w*|store_\w+", 13),
    Mechanism("pushes among other instructions", r"tt_(pad|fuse\w*|spread\w*)", 3),
    Mechanism("branches", r"c_\w+|branch_\w+", 5),
    Mechanism("instruction fetch", r"[fg]_\d+|footprint", 3),
    Mechanism("queue of Tensix words", r"queue", 5),
    Mechanism("CSR instructions", r"marker_null", 10),
    Mechanism("documented", r"documented", 10),
)


def mechanism_of(probe: str) -> Mechanism:
    """The mechanism that a probe tests."""
    for mechanism in MECHANISMS:
        if re.fullmatch(mechanism.probes, probe):
            return mechanism
    return Mechanism("", probe, 25)
