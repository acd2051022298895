"""The cores' loads from L1 and stores to it: ports, banks, and queues.

A core's store holds its port and its bank for five cycles, a load for one; T0, B and NC share a
port, and so do T1 and T2 (L1.md). A port serves its cores, and a bank its ports, in turns. Stores
wait in a queue; Blackhole's gathers neighbours in one entry, which is written when the next store
is no neighbour, or none has come for a while.

Not modelled: the ports' other clients, loads that have to wait for stores still queued.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.cycle.looks import note_look
from tilelab.tensix.cycle.what_if import STORE, spent
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import L1_BANKS, LINE_BYTES, LOADS_UNDER_WAY

BANKS: Final = L1_BANKS.value
LINE: Final = LINE_BYTES.value
QUEUE: Final = 8
"""Room for entries of a core's queue; how many there are is a figure."""
UNDER_WAY: Final = LOADS_UNDER_WAY.value
WHOLE: Final = (1 << LINE) - 1
NEIGHBOUR: Final = 4


@kernel
def load_waits(s: State, core: int, latency: int) -> int:
    """Whether a load has to wait because as many as can be are under way."""
    if latency <= UNDER_WAY:
        return 0
    return 1 if s.cycle.load_until[core, s.cycle.load_next[core]] > s.clock else 0


@kernel
def begin_load(s: State, core: int, address: int, latency: int) -> int:
    """Book a load; returns in how many cycles its result can be used."""
    cycle = s.cycle
    if cycle.buffers:
        note_look(s, core, address)
    if latency <= UNDER_WAY:
        return latency
    if address < s.arch.l1_size:
        port = s.arch.timing.core_port[core]
        bank = address // LINE & BANKS - 1
        start = max(s.clock, cycle.l1_port[port], cycle.l1_bank[bank])
        cycle.l1_port[port] = start + 1
        cycle.l1_bank[bank] = start + 1
        latency += start - s.clock
    at = cycle.load_next[core]
    cycle.load_until[core, at] = s.clock + latency - 1
    cycle.load_next[core] = at + 1 & UNDER_WAY - 1
    return latency


@kernel
def joins(s: State, core: int, address: int) -> int:
    """Whether a store to L1 can be gathered with the one before it."""
    cycle = s.cycle
    if not cycle.store_count[core] or cycle.store_open[core] <= s.clock:
        return 0
    last = cycle.store_last[core]
    if address // LINE != last // LINE:
        return 0
    return 1 if last <= address + NEIGHBOUR and address <= last + NEIGHBOUR else 0


@kernel
def store_waits(s: State, core: int, address: int) -> int:
    """Whether a store to L1 finds the queue full."""
    if s.cycle.store_count[core] < s.arch.timing.store_queue:
        return 0
    return 1 - joins(s, core, address)


@kernel
def begin_store(s: State, core: int, address: int, size: int) -> int:
    """Queue a store of so many bytes to L1."""
    cycle = s.cycle
    bytes_ = ((1 << size) - 1) << (address & LINE - 1)
    if joins(s, core, address):
        cycle.store_bytes[core] = cycle.store_bytes[core] | bytes_
    else:
        if cycle.store_count[core]:
            close(s, core)
        at = cycle.store_first[core] + cycle.store_count[core] & QUEUE - 1
        cycle.store_bank[core, at] = address // LINE & BANKS - 1
        cycle.store_whole[core, at] = 0
        cycle.store_count[core] = cycle.store_count[core] + 1
        cycle.stores = cycle.stores + 1
        cycle.store_bytes[core] = bytes_
    cycle.store_last[core] = address
    if s.arch.timing.store_gathers:
        cycle.store_open[core] = s.clock + s.arch.timing.store_gathers
    return OK


@kernel
def close(s: State, core: int) -> int:
    """The newest entry of a core's queue is gathered no more."""
    cycle = s.cycle
    at = cycle.store_first[core] + cycle.store_count[core] - 1 & QUEUE - 1
    cycle.store_whole[core, at] = 1 if cycle.store_bytes[core] == WHOLE else 0
    cycle.store_open[core] = 0
    return OK


@kernel
def write_one(s: State, core: int, port: int) -> int:
    """Begin a core's oldest store if its bank is free; whether it has one, begun or not."""
    cycle = s.cycle
    count = cycle.store_count[core]
    if count == 0:
        return 0
    if count == 1 and cycle.store_open[core]:
        if cycle.store_open[core] > s.clock:
            return 0
        close(s, core)
    at = cycle.store_first[core]
    bank = cycle.store_bank[core, at]
    if cycle.l1_bank[bank] > s.clock:
        return 1
    until = s.clock + spent(
        s, STORE, 1 if cycle.store_whole[core, at] else s.arch.timing.store_time
    )
    cycle.l1_bank[bank] = until
    cycle.l1_port[port] = until
    cycle.port_last[port] = core
    cycle.l1_last = port
    cycle.store_first[core] = at + 1 & QUEUE - 1
    cycle.store_count[core] = count - 1
    cycle.stores = cycle.stores - 1
    return 1


@kernel
def tick_stores(s: State) -> int:
    """One cycle of the queues: each free port takes a store of the core whose turn it is."""
    cycle = s.cycle
    first = 1 - cycle.l1_last
    for turn in range(2):
        port = first ^ turn
        if cycle.l1_port[port] > s.clock:
            continue
        for k in range(s.arch.cores):
            core = (cycle.port_last[port] + 1 + k) % s.arch.cores
            if s.arch.timing.core_port[core] == port and write_one(s, core, port):
                break  # its turn, even if it has to wait for its bank
    return OK


@kernel
def pass_alone(s: State, core: int, until: int) -> int:
    """:func:`tick_stores` for a core that is alone, up to a cycle, which then is the present."""
    cycle = s.cycle
    port = s.arch.timing.core_port[core]
    while cycle.stores and cycle.stores != cycle.store_count[core] and s.clock < until:
        tick_stores(s)  # others have left some behind
        s.clock = s.clock + 1
    while cycle.stores:
        bank = cycle.store_bank[core, cycle.store_first[core]]
        begin = max(s.clock, cycle.l1_port[port], cycle.l1_bank[bank])
        if cycle.stores == 1:
            begin = max(begin, cycle.store_open[core])
        if begin >= until:
            break
        s.clock = begin
        write_one(s, core, port)
        s.clock = begin + 1
    s.clock = until
    return OK
