"""What the checker remembers beside a tile's state: who touched what last, and who knows of it.

An *actor* is what acts by itself: a pipeline of a unit for one thread (``pipeline * 4 + thread``),
a core, the host. An *epoch* numbers an actor's acts; acts of threads are numbered together, acts of
each core on their own. What a thread or core knows is the latest epoch of every actor that is sure
to lie behind it (a vector clock). A *mark* packs who, when and, for a core, where:
``pc << 40 | epoch << 8 | actor``; the mark 0 is nobody's.

It is memory of its own, which only the code compiled for checking has.
"""

from typing import Any, Final

import numpy as np

from tilelab.sim.record import record_type
from tilelab.tensix.backend.mailboxes import CAPACITY
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.figures import PIPES, SHORT_PIPE
from tilelab.tensix.tables.noc_registers import NIUS

CORE_PIPE: Final = PIPES
HOST_PIPE: Final = PIPES + 2
NOC_READ_PIPE: Final = PIPES + 3
NOC_WRITE_PIPE: Final = PIPES + 4
"""What brings a NoC read's data to L1, and what takes a NoC write's from there: plus interface."""
OTHER_PIPE: Final = PIPES + 5
"""Another tile, which writes over the NoC; or this one, to itself."""
STORE_PIPE: Final = PIPES + 6
"""A core's stores to configuration and GPRs, which take effect some time after the core's act."""
L1_STORE_PIPE: Final = PIPES + 7
"""A core's stores to L1, likewise: plus core."""
ISSUE_ACTOR: Final = SHORT_PIPE * 4
"""Of thread 0: what is over once an instruction is issued."""
CORE_ACTOR: Final = CORE_PIPE * 4
HOST_MARK: Final = HOST_PIPE * 4
OTHER_ACTOR: Final = OTHER_PIPE * 4
NOC_LAND_PIPE: Final = PIPES + 9
"""What brings a NoC write's data to where they go, in this tile: plus interface."""
STORE_ACTOR: Final = STORE_PIPE * 4
L1_STORE_ACTOR: Final = L1_STORE_PIPE * 4
ACTORS: Final = 88
KNOWERS: Final = THREADS + CORES
"""Who knows: threads 0 to 2, cores at 3 to 7."""

EPOCH_SHIFT: Final = 8
EPOCH_MASK: Final = 0xFFFFFFFF
PC_SHIFT: Final = 40
ACTOR_MASK: Final = 0xFF

# Cells: everything but L1 that is watched, one number for each
DST: Final = 0
SRC: Final = 1024
SRC_SHIFT: Final = 7
"""SrcA's cells are followed by as many of SrcB's: rows of both banks."""
GPR: Final = SRC + (2 << SRC_SHIFT)
CONFIG: Final = GPR + 3 * 64
THREAD_CONFIG: Final = CONFIG + 2 * 256
THREAD_WORDS: Final = 72
"""Of ThreadConfig, for each thread."""
CELLS: Final = THREAD_CONFIG + 3 * THREAD_WORDS

TO_UNPACKERS: Final = 0
TO_MATRIX: Final = 1
"""Whom a Src bank is given to."""

GRANULE_SHIFT: Final = 4
"""L1 is watched by 16 bytes, each with the bytes that were written."""

READERS: Final = 4
"""The last read of each cell is remembered for so many groups of units."""
GROUP_OF_PIPE: Final = (0, 1, 1, 3, 3, 3, 3, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

CHANGES: Final = 1 << 14
"""Writes of configuration that are remembered, from the start."""
LOG: Final = 1 << 16
"""Issued words that are remembered."""
NOC_LOG: Final = 1 << 14
"""NoC requests that are remembered."""
STORES: Final = 32
"""The last stores of a core to L1 that are remembered; a power of two."""
PARTS: Final = 8
"""The last writes of a part of a granule that are remembered; a power of two."""
ARRIVALS: Final = 1024
"""What other tiles put down here that is remembered."""
PEERS: Final = 192
"""Tiles of a chip that may put down something in others."""
WAYS: Final = 33
FOUND: Final = 256
"""Findings that are remembered, those of one place counted as one."""

FINDING = record_type(
    [
        ("rule", "<u4"),
        ("count", "<u4"),
        ("value", "<u8"),
        ("clock", "<u8"),
        ("mark", "<u8"),
        ("word", "<u4"),
        ("origin", "<u8"),
        ("other_mark", "<u8"),
        ("other_word", "<u4"),
        ("other_origin", "<u8"),
        ("issue", "<u4"),  # 1 + which word of its thread each party is; 0: none
        ("other_issue", "<u4"),
        ("let_on_mark", "<u8"),  # what of the other party let the first one go on; 0: none
        ("let_on_word", "<u4"),
        ("let_on_origin", "<u8"),
    ]
)

IN_STREAMS: Final = 64
"""The first counter that is a stream's: tiles received of c_0, then acknowledged, and so on."""
SIDES: Final = 2 * IN_STREAMS
CHANGE = record_type(
    [
        ("cell", "<u4"),
        ("before", "<u4"),
        ("after", "<u4"),
        ("word", "<u4"),
        ("origin", "<u8"),
        ("mark", "<u8"),
        ("now", "<u8"),
        # who read the cell last before that, of each group of units, and which bits
        ("reader", "<u8", (READERS,)),
        ("reader_bits", "<u4", (READERS,)),
        ("used", "<u4"),  # which bits anybody had read since they had changed
    ]
)
"""One write of a word of configuration."""

ACT = record_type([("mark", "<u8"), ("word", "<u4"), ("origin", "<u8")])
"""Who acted: a mark, and the word with its origin."""
MAILERS: Final = 4
"""Cores that have mailboxes."""
TAKEN: Final = 256
"""A power of two."""
TAKES = record_type(
    [("place", "<u4"), ("word", "<u4"), ("origin", "<u8"), ("setter", "<u8"), ("before", "<u8")]
)
"""A word that took what somebody had set, after somebody else before."""
CLOCK = record_type([("of", "<u8", (ACTORS,))])
"""A vector clock: an epoch of each actor."""
BANK = record_type([("of", "<u8", (ACTORS,)), ("fresh", "u1")])
"""The clock that comes with a Src bank, fresh until the bank's new owner has learnt it."""
LET_ON = record_type([("mark", "<u8"), ("word", "<u4"), ("origin", "<u8"), ("now", "<u8")])
"""What let somebody go on: an act, and the epoch of the threads' acts."""
PASSED = record_type(
    [
        ("of", "<u8", (ACTORS,)),
        ("version", "<u8"),
        ("seen", "<u8", (KNOWERS,)),
        ("by", "u1"),
        ("act", LET_ON),
    ]
)
"""What a synchronisation object passes on: how often that has grown, who has learnt which.

``by`` whom last, and by which act."""
OF_MUTEXES: Final = 8
OF_COUNTERS: Final = 16
OF_MAILS: Final = OF_COUNTERS + SIDES
"""Where such records of mutexes begin, behind the semaphores', and those of buffers' counters, and
of the words in mailboxes."""

FIELDS: list[Any] = [
    # who acts now
    ("now", "<u8"),  # epoch of the threads' acts
    ("core_now", "<u8", (CORES,)),
    ("mark", "<u8"),
    ("until", "<u8"),  # what is over once it has read the configuration that it reads
    ("actor", "<u4"),
    ("pipe", "<u4"),
    ("row", "<u4"),  # among who knows
    ("group", "<u4"),
    ("word", "<u4"),
    ("origin", "<u8"),
    # what is known, and what was last done
    ("known", CLOCK, (KNOWERS,)),
    ("stored", "<u8", (CORES,)),  # epoch of a core's last store to L1
    ("stored_at", "<u4", (CORES, STORES)),  # words that it stored to last, in a ring
    ("stored_mark", "<u8", (CORES, STORES)),
    ("stored_count", "<u4", (CORES,)),
    ("version", "<u8", (CORES,)),  # counts how often a core has learnt anything
    ("seen_version", "<u8", (THREADS, CORES)),
    ("last", "<u8", (ACTORS,)),
    ("loads_over", "<u8", (THREADS,)),  # up to when the scalar unit's loads were waited for
    ("half_set", "u1", (3 * 64,)),  # 1 + which half of a GPR was set, and never the other one
    ("waiting", CLOCK, (THREADS,)),  # what a latched STALLWAIT waits for
    ("packed_by", "u1", (THREADS,)),  # packers (Wormhole) since those used were waited for
    ("waiting_blocks", "<u4", (THREADS,)),
    ("waiting_semaphores", "<u4", (THREADS,)),
    ("waiting_banks", "<u4", (THREADS,)),
    # what synchronisation objects pass on
    ("passed", PASSED, (OF_MAILS + CORES * CORES * CAPACITY,)),
    ("let_on", LET_ON, (KNOWERS, KNOWERS)),  # [who][by whom] last
    ("semaphore", ACT, (8, 2)),  # of the last ones who posted, got
    ("limited", "<u4"),  # semaphores on whose maximum anybody has waited
    # Src banks given [to the unpackers, to the matrix unit][SrcA, SrcB][bank]
    ("bank", BANK, (2, 2, 2)),
    # at which epoch of its pusher each word was pushed
    ("input_epoch", "<u8", (THREADS, 64)),
    ("front_epoch", "<u8", (THREADS,)),
    ("late_epoch", "<u8", (THREADS, 64)),
    ("gate_epoch", "<u8", (THREADS,)),
    # cells
    ("writer", "<u8", (CELLS,)),
    ("writer_bits", "<u4", (CELLS,)),  # of configuration: what the last write changed
    ("reader", "<u8", (CELLS, READERS)),
    ("reader_bits", "<u4", (CELLS, READERS)),
    ("used", "<u4", (CELLS,)),  # of configuration: what has been read since it changed
    ("thread_config_set", "u1", (3 * THREAD_WORDS,)),  # written, changed or not
    # who changed a word last, and who before that
    ("thread_setter", "<u8", (3 * THREAD_WORDS,)),
    ("thread_setter_before", "<u8", (3 * THREAD_WORDS,)),
    ("changes", "<u4"),
    ("change", CHANGE, (CHANGES,)),
    # the word of configuration that a core loaded last, and the write that it does not know of
    ("loaded_cell", "<u4", (CORES,)),
    ("loaded_origin", "<u8", (CORES,)),
    ("loaded_over", "<u8", (CORES,)),
    ("dst_issue", "<u8", (1024,)),  # the writing thread's number of issued words
    ("issued", "<u8", (THREADS,)),
    ("drained", "<u8", (THREADS,)),  # issued words at the last STALLWAIT for the matrix unit
    ("wrcfg", "<u8", (THREADS,)),  # mark of a WRCFG that was the thread's last word
    ("fresh", "<u8"),  # that of the thread that issues now
    ("private_written", "u1", (CORES, 2048)),
    ("variables_end", "<u4", (CORES,)),  # in a core's own RAM; 0 once its stack has been there
    # the NoC: reads, writes and what comes from elsewhere are numbered together
    ("noc_now", "<u8"),
    ("noc_origin", "<u8", (NOC_LOG,)),
    ("noc_actor", "u1", (NOC_LOG,)),
    # who looked first at a counter that tells that a request's data are taken or there, that a
    # write has come; and when
    ("noc_seen", "<u8", (2, NOC_LOG)),
    ("noc_seen_at", "<u8", (2, NOC_LOG)),
    ("noc_tagged", "<u8", (2, NIUS, 16)),  # last read, write of each transaction id
    # sources of writes that are less than a granule: which, its bytes, who took them
    ("parts", "<u4"),
    ("part_at", "<u4", (PARTS,)),
    ("part_bytes", "<u4", (PARTS,)),
    ("part_mark", "<u8", (PARTS,)),
    # what other tiles have put down here: 1 + which tile, its epoch, interface and channel
    ("from_tile", "u1", (ARRIVALS,)),
    ("from_epoch", "<u8", (ARRIVALS,)),
    ("from_niu", "u1", (ARRIVALS,)),
    ("from_way", "u1", (ARRIVALS,)),
    # up to which epoch each tile's writes, and then its reads, have surely come
    ("told", "<u8", (PEERS, 2 * NIUS)),
    ("last_way", "<u8", (PEERS, WAYS)),
    ("landing", "u1"),  # what is stored next is a read's data
    # kinds of L1
    ("input_kind", "u1", (256,)),  # the kinds that only the host writes
    ("began", "u1", (len(GROUP_OF_PIPE),)),  # the kind in which a pipeline's tile began
    # what a kernel may leave (``ended.py`` looks at the end): who filled each Src bank last, and as
    # what it was unpacked; who took each mutex; with which word the vector unit last had all lanes
    # on; who wrote each mailbox: to whom, by whom
    ("given", ACT, (2, 2)),
    ("src_holds", "u1", (2, 2)),
    ("mutex", ACT, (8,)),
    ("lanes_on", ACT),
    ("mailed", ACT, (MAILERS, MAILERS)),
    # results
    ("log_origin", "<u8", (LOG,)),
    # the word that last turned to SrcA's, SrcB's other bank, if nothing waited for it since
    ("turned_mark", "<u8", (2,)),
    ("turned_issue", "<u8", (2,)),
    ("log_word", "<u4", (LOG,)),
    ("log_issue", "<u4", (LOG,)),
    ("found", "<u4"),
    ("lost", "<u4"),
    ("finding", FINDING, (FOUND,)),
]
"""Of the shadow's record, beside those of each :class:`.Watch`."""

RECORD_INDEX: Final = 3
WRITER_INDEX: Final = 4
"""Where among the buffers that compiled code finds stand the shadow and the first of L1's four."""

CODE: Final = 1
"""Kind of a granule of L1: a program's text, plus the core."""
COUNTERS_KIND: Final = 8
ARRAYS: Final = 16
"""The kernel's first array; those behind it follow."""
LARGEST_KIND: Final = 255 - ARRAYS

NOBODY: Final = 0
HOST_OWNER: Final = 254
"""Who counts for a circular buffer, if it is no core."""


def granules(l1_size: int) -> int:
    """How many granules L1 has."""
    return l1_size >> GRANULE_SHIFT


def buffers(l1_size: int) -> dict[str, np.ndarray[tuple[int], np.dtype[np.generic]]]:
    """The memory for L1, by the names that kernels use; in the order of the indices."""
    count = granules(l1_size)
    return {
        "shadow_writer": np.zeros(count, np.uint64),
        "shadow_reader": np.zeros(count, np.uint64),
        "shadow_bytes": np.zeros(count, np.uint16),
        "shadow_kind": np.zeros(count, np.uint8),
    }
