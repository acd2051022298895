"""What each track of the page is, in a sentence: for the help, and where a name is pointed at."""

GLOSSARY = {
    "TRISC0": "The core that runs the kernel's UNPACK part and pushes into thread 0.",
    "TRISC1": "The core that runs the kernel's MATH part and pushes into thread 1.",
    "TRISC2": "The core that runs the kernel's PACK part and pushes into thread 2.",
    "BRISC": "The core that starts the others; its words pass no MOP expander.",
    "pushes": "Words that a core stores into the thread's frontend.",
    "MOP expander": "Turns a MOP into the words of its loops, one each cycle.",
    "replay expander": "Records words into the replay buffer and plays them back, one each cycle.",
    "wait gate": "Holds the next word until its unit, its operands and waits allow; else a bubble.",
    "input FIFO": "Words between the core and the MOP expander.",
    "FIFO behind MOP": "Words between the MOP expander and the replay expander.",
    "replay slots": "The replay buffer's 32 slots; a colour for each word that is recorded.",
    "unpacker 0": "Brings tiles from L1 into SrcA, or into Dst.",
    "unpacker 1": "Brings tiles from L1 into SrcB.",
    "matrix unit": "Multiplies, adds and moves between SrcA, SrcB and Dst.",
    "vector unit": "32 lanes that compute on Dst through the LRegs.",
    "packers": "Bring tiles from Dst to L1.",
    "scalar unit": "Computes with the threads' GPRs, and loads and stores them.",
    "configuration unit": "Writes the configuration registers.",
    "sync unit": "Semaphores, mutexes and waits.",
    "misc unit": "Address counters, NOPs and what belongs to no other unit.",
    "mover": "Copies within L1.",
    "SrcA bank 0": "Drawn while the matrix unit owns the bank; else the unpackers may fill it.",
    "SrcA bank 1": "As bank 0: unpackers fill one while the matrix unit reads the other.",
    "SrcB bank 0": "Drawn while the matrix unit owns the bank; else the unpackers may fill it.",
    "SrcB bank 1": "As bank 0.",
}
BUFFER = (
    "Tiles in a circular buffer: cb_push_back, or the host, puts them in; "
    "cb_pop_front takes them out."
)
"""Of the tracks that are called as circular buffers are."""
SEMAPHORE = "A semaphore's value: SEMPOST raises it, SEMGET lowers it, SEMWAIT waits for it."
"""Of the tracks that are called by a number and a name."""
