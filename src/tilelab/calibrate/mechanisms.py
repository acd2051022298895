"""Which mechanism of the cycle clock a probe tests."""

import re

from tilelab.tensix.tables import mechanisms as known
from tilelab.tensix.tables.mechanisms import Mechanism

PROBES = (
    (known.MATRIX, r"MVMUL|ELW\w+"),
    (known.MATMUL_TILES, r"matmul_tiles"),
    (known.SFPU_KERNEL, r"SFPU kernel"),
    (known.LLK_KERNEL, r"LLK kernel|eltwise|pack_\w+"),
    (known.COUNTERS, r"counters"),
    (known.ISSUE_LOOP, r"NoC issue loop"),
    (known.NOC_ZONE, r"NoC zone"),
    (known.NOC_PACKET, r"NoC packet"),
    (known.NOC, r"NoC"),
    (known.DRAM_CHANNEL, r"DRAM"),
    (known.GEMM, r"GEMM"),
    (known.DRAM_SPREAD, r"DRAM of many"),
    (known.SCALAR, r"(ADD|MUL|SHIFT|CMP)DMAREG|tt_adddmareg"),
    (known.RDCFG, r"RDCFG\w*"),
    (known.PUSH, r"NOP|tt_nop"),
    (known.VECTOR, r"SFP\w+|tt_sfpnop"),
    (known.SHARED, r"\w+DMAREG|DMANOP|\w+RWC|tt_setd\w+"),
    (known.INTEGER, r"rv_addi_\w+|alu_\w+"),
    (known.MULTIPLY, r"rv_mul\w*|mul_\w+"),
    (known.DIVIDE, r"rv_div|div\w*"),
    (known.LOAD_LATENCY, r"rv_load_chase|load_dep"),
    (known.LOADS_UNDER_WAY, r"rv_load_indep|load_ind"),
    (known.LOCAL_RAM, r"rv_(load|store)_stack"),
    (known.STORES, r"rv_store\w*|store_\w+"),
    (known.PUSHES, r"tt_(pad|fuse\w*|spread\w*)"),
    (known.BRANCHES, r"c_\w+|branch_\w+"),
    (known.FETCH, r"[fg]_\d+|footprint"),
    (known.QUEUE, r"queue"),
    (known.CSR, r"marker_null"),
    (known.DOCUMENTED, r"documented"),
)
"""Each with the probes that it decides, as a pattern of their names; the first counts."""


def mechanism_of(probe: str) -> Mechanism:
    """The mechanism that a probe tests."""
    return next((found for found, names in PROBES if re.fullmatch(names, probe)), known.UNKNOWN)
