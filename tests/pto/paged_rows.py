"""pto-isa#99's paged attention on PTO's clock, beside the four figures that silicon gave.

``python tests/pto/paged_rows.py`` prints them. A core takes whole sequences one after another, so
the busiest of 24 gives the time: 11 of Case 1's 256 sequences, 3 of Case 2's 64. The flags' version
has no flag back at all; credits never wait for theirs, which takes the same time.
"""

import re
from pathlib import Path

from tilelab.pto import Cluster
from tilelab.pto.cycles.clock import clock
from tilelab.pto.cycles.figures import figures
from tilelab.pto.program import Program

EXAMPLE = Path(__file__).parents[2] / "examples" / "pto" / "paged_attention.py"
# sequences of the busiest core, blocks, rows and keys; microseconds by TPUSH and TPOP, by flags
CASES = {"Case 1": (11, 64, 16, 128, 2892.6, 1495.0), "Case 2": (3, 128, 64, 64, 1458.1, 760.4)}


def microseconds(case: str, protocol: str, given: list[str] | None = None) -> float:
    """What the busiest core takes under a protocol of its rings."""
    sequences, blocks, rows, keys, *_ = CASES[case]
    shapes = f"BLOCKS, ROWS, KEYS, HEAD = {blocks}, {rows}, {keys}, 128"
    source, found = re.subn("BLOCKS, ROWS.*", shapes, EXAMPLE.read_text(encoding="utf-8"))
    assert found == 1
    clusters: list[Cluster] = []
    options = {"cycles": True, "constraints": "record", "hazards": "record", "protocol": protocol}
    result = Program(str(EXAMPLE), source, {}, options).run("rr", clusters.append).result
    timed = clock(result, clusters[0].arch, clusters[0].vec, figures("a2a3", given))
    return sequences * timed.microseconds


if __name__ == "__main__":
    for case, (*_, slow, quick) in CASES.items():
        ours = [microseconds(case, protocol) for protocol in ("rendezvous", "ack/1")]
        print(
            f"{case}: rendezvous {ours[0]:.1f} us (silicon {slow}), credits {ours[1]:.1f} "
            f"({quick}); {ours[0] / ours[1]:.2f} times ({slow / quick:.2f})"
        )
