"""Tile CSRs: when an access reads and writes (Table 10), and at which cycles it issues.

Source: seed lines 195-224. Not modelled: set, clear and immediate encodings (question csr-uop).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tilelab.sim.errors import BadInputError
from tilelab.tilext.errors import MissingSpecification

READ, WRITE = "read", "write"
READ_INTERVAL = 2  # cycles; throughput 0.5
READ_LATENCY = 1  # issued in cycle 0, written back in cycle 1


@dataclass(frozen=True)
class AccessRule:
    """One line of Table 10; None stands for "-", either."""

    instructions: tuple[str, ...]
    rd_is_x0: bool | None
    source_is_zero: bool | None
    reads: bool
    writes: bool
    line: int


TABLE_10 = (
    AccessRule(("CSRRW",), True, None, False, True, 201),
    AccessRule(("CSRRW",), False, None, True, True, 202),
    AccessRule(("CSRRS", "CSRRC"), None, True, True, False, 203),
    AccessRule(("CSRRS", "CSRRC"), None, False, True, True, 204),
    AccessRule(("CSRRWI",), True, None, False, True, 207),
    AccessRule(("CSRRWI",), False, None, True, True, 208),
    AccessRule(("CSRRSI", "CSRRCI"), None, True, True, False, 209),
    AccessRule(("CSRRSI", "CSRRCI"), None, False, True, True, 210),
)


def access(instruction: str, *, rd_is_x0: bool, source_is_zero: bool) -> AccessRule:
    """Return the rule of a CSR instruction; ``source`` is rs1 (x0) or uimm (0)."""
    for rule in TABLE_10:
        if (
            instruction.upper() in rule.instructions
            and rule.rd_is_x0 in (None, rd_is_x0)
            and rule.source_is_zero in (None, source_is_zero)
        ):
            return rule
    raise BadInputError(f"{instruction!r} is not a CSR instruction of Table 10")


@dataclass(frozen=True)
class Issue:
    """When an access issues, and when a read is written back (0-based cycles)."""

    kind: str
    cycle: int
    written_back: int | None


def issue_cycles(kinds: Iterable[str]) -> list[Issue]:
    """Return when a row of reads and writes issues, each as early as the document allows.

    Reads issue every second cycle, writes every cycle. When a write may follow a read is not
    said: MissingSpecification.
    """
    issues: list[Issue] = []
    for kind in kinds:
        if kind not in (READ, WRITE):
            raise BadInputError(f"{kind!r} is not a read or a write")
        cycle = 0
        if issues:
            last = issues[-1]
            if (last.kind, kind) == (READ, WRITE):
                raise MissingSpecification("csr-timing", "a TCSR write right after a read")
            cycle = last.cycle + (READ_INTERVAL if last.kind == READ else 1)
        issues.append(Issue(kind, cycle, cycle + READ_LATENCY if kind == READ else None))
    return issues
