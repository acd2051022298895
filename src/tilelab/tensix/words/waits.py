"""Why an instruction cannot start yet: the codes that kernels return, and what they mean.

A kernel that returns one of these has changed nothing; the engine tries the word again later.
``RELEASED_BY`` says who could end the wait, for the deadlock report.
"""

from typing import Final

WAIT_SRC_A_MATRIX: Final = -1
WAIT_SRC_B_MATRIX: Final = -2
WAIT_SRC_A_UNPACK: Final = -3
WAIT_SRC_B_UNPACK: Final = -4
WAIT_MUTEX: Final = -5
WAIT_LATCHED: Final = -6
WAIT_FIFO_FULL: Final = -7
WAIT_MOP_SYNC: Final = -8
WAIT_TENSIX_SYNC: Final = -9
WAIT_MAILBOX: Final = -10
WAIT_L1: Final = -11
WAIT_NOC: Final = -12

WAIT_SRC_MATRIX: Final = (WAIT_SRC_A_MATRIX, WAIT_SRC_B_MATRIX)
WAIT_SRC_UNPACK: Final = (WAIT_SRC_A_UNPACK, WAIT_SRC_B_UNPACK)

WAITS: dict[int, str] = {
    WAIT_SRC_A_MATRIX: "SrcA's bank at the matrix unit is not valid (the unpackers own it)",
    WAIT_SRC_B_MATRIX: "SrcB's bank at the matrix unit is not valid (the unpackers own it)",
    WAIT_SRC_A_UNPACK: "SrcA's bank at the unpacker is still valid (the matrix unit owns it)",
    WAIT_SRC_B_UNPACK: "SrcB's bank at the unpacker is still valid (the matrix unit owns it)",
    WAIT_MUTEX: "another thread holds the mutex",
    WAIT_LATCHED: "an earlier STALLWAIT or SEMWAIT blocks it",
    WAIT_FIFO_FULL: "the thread's instruction FIFO is full",
    WAIT_MOP_SYNC: "mop_sync: a MOP of the thread is queued or expanding",
    WAIT_TENSIX_SYNC: "tensix_sync: instructions of the thread are in flight",
    WAIT_MAILBOX: "the mailbox is empty (or full, for a store)",
    WAIT_L1: "a word of L1 does not have the value that the atomic instruction waits for",
    WAIT_NOC: "the NoC has not taken the tile's earlier requests",
}

RELEASED_BY: dict[int, str] = {
    WAIT_SRC_A_MATRIX: "an UNPACR to SrcA, UNPACR_NOP or SETDVALID with set-dvalid",
    WAIT_SRC_B_MATRIX: "an UNPACR to SrcB, UNPACR_NOP or SETDVALID with set-dvalid",
    WAIT_SRC_A_UNPACK: "a math instruction that clears SrcA's dvalid (MVMUL, SETRWC, CLEARDVALID)",
    WAIT_SRC_B_UNPACK: "a math instruction that clears SrcB's dvalid (MVMUL, SETRWC, CLEARDVALID)",
    WAIT_MUTEX: "ATRELM by the thread that holds it",
    WAIT_LATCHED: "the condition of that wait coming true",
    WAIT_FIFO_FULL: "the thread's wait gate letting instructions through",
    WAIT_MOP_SYNC: "the MOP expander finishing",
    WAIT_TENSIX_SYNC: "the thread's instructions retiring",
    WAIT_MAILBOX: "the core at the mailbox's other end",
    WAIT_L1: "a store, or an atomic of another thread, to that word of L1",
    WAIT_NOC: "the NoC",
}
