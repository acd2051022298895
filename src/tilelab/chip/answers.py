"""What answers at a place of the NoC: Tensix tiles, DRAM, Ethernet, ARC, the host behind PCIe.

An access moves up to STAGE bytes between a place and ``c.stage``. Host memory is not here: the
kernel says WANT_HOST_READ or WANT_HOST_WRITE, and is called again when that is done.
"""

from typing import Final

from tilelab.chip import problems
from tilelab.chip.launch import launch
from tilelab.chip.problems import report
from tilelab.chip.rest import catch_up, something_happened
from tilelab.chip.state import (
    ARC,
    DRAM,
    ETHERNET,
    HOST,
    REGIONS,
    TENSIX,
    WANT_HOST_READ,
    WANT_HOST_WRITE,
    ChipState,
)
from tilelab.sim.array import Array1
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.riscv.host import host_read, host_write
from tilelab.tensix.run.stuck import look_again
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import LOCAL_RAM

ADDRESS_BITS: Final = 62
"""No place has longer addresses; those that have cannot be computed with."""
REGISTERS: Final = LOCAL_RAM
REGISTERS_END: Final = 1 << 32
SOFT_RESET: Final = 0
"""Of an Ethernet tile's registers."""
FIRST_CORE: Final = 1 << 11
"""Of an Ethernet tile: its firmware releases the others."""
CONTROL, BASE, BASE_HIGH, LIMIT, TARGET, TARGET_HIGH = 1, 2, 3, 4, 5, 6
"""Words of an outbound region."""


@kernel
def wake(c: ChipState, i: int) -> int:
    """Something was written to a tile: it may have something to do."""
    if c.in_step:
        return something_happened(c, i)
    s = c.tile[i]
    look_again(s)
    c.written[i] = 1
    if not c.is_awake[i]:
        c.is_awake[i] = 1
        c.awake += 1
        s.clock = max(s.clock, c.time)
    return OK


@kernel
def word_of(c: ChipState, at: int) -> int:
    """A word of the stage."""
    return c.stage[at] | c.stage[at + 1] << 8 | c.stage[at + 2] << 16 | c.stage[at + 3] << 24


@kernel
def put_word(c: ChipState, at: int, value: int) -> int:
    """Set a word of the stage."""
    for i in range(4):
        c.stage[at + i] = value >> 8 * i & 0xFF
    return OK


@kernel
def words_exist(c: ChipState, place: int, address: int, count: int) -> int:
    """Whether these are whole registers of a Tensix tile: OK, or PROBLEM."""
    if address & 3 or count & 3 or not REGISTERS <= address < REGISTERS_END:
        return report(c, problems.OUTSIDE, place, address, count)
    return OK


@kernel
def read_tile(c: ChipState, s: State, place: int, address: int, count: int) -> int:
    """Read L1, or whole registers."""
    if address + count <= s.arch.l1_size:
        return move(c, s.l1, address, count, 0)
    code = words_exist(c, place, address, count)
    if code != OK:
        return code
    for i in range(0, count, 4):
        status, value = host_read(s, address + i)
        if status != OK:
            return report(c, status, place, address + i, 0)
        put_word(c, i, value)
    return OK


@kernel
def write_tile(c: ChipState, s: State, place: int, address: int, count: int) -> int:
    """Write to a Tensix tile, which may wake it."""
    catch_up(c, s, c.index[place])
    code = store_tile(c, s, place, address, count)
    return wake(c, c.index[place]) if code == OK else code


@kernel
def store_tile(c: ChipState, s: State, place: int, address: int, count: int) -> int:
    """Write L1, or whole registers."""
    if address + count <= s.arch.l1_size:
        return move(c, s.l1, address, count, 1)
    code = words_exist(c, place, address, count)
    if code != OK:
        return code
    for i in range(0, count, 4):
        status = host_write(s, address + i, word_of(c, i))
        if status != OK:
            return report(c, status, place, address + i, 0)
    return OK


@kernel
def dram_byte(c: ChipState, place: int, address: int, count: int) -> int:
    """Where in ``c.dram`` bytes of a bank begin; PROBLEM if they are not within it."""
    if address + count > c.arch.layout.dram_bytes:
        return report(c, problems.OUTSIDE_DRAM, place, address, count)
    return c.index[place] * c.arch.layout.dram_bytes + address


@kernel
def index_of(values: Array1, count: int, value: int) -> int:
    """Which of the first values of an array is the given one, or -1."""
    for i in range(count):
        if values[i] == value:
            return i
    return -1


@kernel
def host_wanted(c: ChipState, place: int, address: int, count: int) -> int:
    """Say where in host memory an address of the PCIe tile is: OK, or PROBLEM."""
    flag = c.arch.layout.pcie_flag
    if not address >> flag & 1:
        return report(c, problems.NOT_HOST_MEMORY, place, address, count)
    address &= (1 << flag) - 1
    for i in range(REGIONS):
        base = c.region[i, BASE] | c.region[i, BASE_HIGH] << 32
        limit = c.region[i, BASE_HIGH] << 32 | c.region[i, LIMIT]
        if c.region[i, CONTROL] >> 31 and base <= address and address + count - 1 <= limit:
            target = c.region[i, TARGET] | c.region[i, TARGET_HIGH] << 32
            c.host_address = address - base + target
            c.host_count = count
            return OK
    return report(c, problems.NO_REGION, place, address, count)


@kernel
def move_host(c: ChipState, place: int, address: int, count: int, writes: int) -> int:
    """Have host memory read or written: first WANT_HOST_READ or WANT_HOST_WRITE, and OK once that
    is done; or PROBLEM.
    """
    if c.host_done:
        c.host_done = 0
        return OK
    code = host_wanted(c, place, address, count)
    if code != OK:
        return code
    return WANT_HOST_WRITE if writes else WANT_HOST_READ


@kernel
def move(c: ChipState, memory: Array1, at: int, count: int, writes: int) -> int:
    """Read bytes of a memory into the stage, or write them from there."""
    for i in range(count):
        if writes:
            memory[at + i] = c.stage[i]
        else:
            c.stage[i] = memory[at + i]
    return OK


@kernel
def read_place(c: ChipState, place: int, address: int, count: int) -> int:
    """Read into the stage: OK, PROBLEM or WANT_HOST_READ."""
    return access_place(c, place, address, count, 0)


@kernel
def write_place(c: ChipState, place: int, address: int, count: int) -> int:
    """Write from the stage: OK, PROBLEM or WANT_HOST_WRITE."""
    return access_place(c, place, address, count, 1)


@kernel
def access_place(c: ChipState, place: int, address: int, count: int, writes: int) -> int:
    """Read into the stage, or write from there: OK, PROBLEM or a wish for host memory."""
    kind = c.kind[place]
    if address >> ADDRESS_BITS:
        return report(c, problems.OUTSIDE, place, address, count)
    if kind == TENSIX:
        i = c.index[place]
        if writes:
            return write_tile(c, c.tile[i], place, address, count)
        if address >= c.arch.l1_size:
            catch_up(c, c.tile[i], i)
        return read_tile(c, c.tile[i], place, address, count)
    if kind == DRAM:
        at = dram_byte(c, place, address, count)
        return move(c, c.dram, at, count, writes) if at >= 0 else at
    if kind == ETHERNET:
        state = c.ethernet_state[c.index[place]]
        if state:
            return access_core(c, c.tile[state - 1], place, address, count, writes)
        return access_ethernet(c, place, address, count, writes)
    if kind == ARC:
        return access_arc(c, place, address, count, writes)
    if kind == HOST:
        return move_host(c, place, address, count, writes)
    return report(c, problems.NO_TILE, place, address, count)


@kernel
def access_arc(c: ChipState, place: int, address: int, count: int, writes: int) -> int:
    """Read or write words that ARC keeps."""
    for i in range(0, count, 4):
        n = index_of(c.arc_address, c.arc_words, address + i)
        if n < 0:
            return report(c, problems.NOT_MODELLED, place, address + i, count)
        if writes:
            c.arc_value[n] = word_of(c, i)
        else:
            put_word(c, i, c.arc_value[n])
    return OK


@kernel
def access_ethernet(c: ChipState, place: int, address: int, count: int, writes: int) -> int:
    """Read or write an Ethernet tile's memory, or a register.

    A go message is answered as firmware would, at once.
    """
    tile = c.index[place]
    size = c.arch.layout.ethernet.memory
    if address + count <= size:
        move(c, c.ethernet, tile * size + address, count, writes)
        if writes and address == c.arch.layout.ethernet.go_message:
            for i in range(4):
                c.ethernet[tile * size + address + i] = 0
        return OK
    n = index_of(c.ethernet_address, c.ethernet_registers, address) if count == 4 else -1
    if n < 0:
        return report(c, problems.NOT_MODELLED, place, address, count)
    if not writes:
        return put_word(c, 0, c.ethernet_register[tile, n])
    value = word_of(c, 0)
    if n == SOFT_RESET:
        value = c.arch.layout.ethernet.reset_bits & value if value & FIRST_CORE else 0
    c.ethernet_register[tile, n] = value
    return OK


@kernel
def access_core(c: ChipState, s: State, place: int, address: int, count: int, writes: int) -> int:
    """Read or write an Ethernet tile whose cores run: its memory, or registers."""
    i = c.ethernet_state[c.index[place]] - 1
    resets = address == c.ethernet_address[SOFT_RESET]
    if address < s.arch.l1_size and address + count > c.arch.layout.ethernet.memory:
        return report(c, problems.OUTSIDE, place, address, count)
    if writes or address >= s.arch.l1_size:
        catch_up(c, s, i)
    if writes:
        if resets:
            put_word(c, 0, word_of(c, 0) & c.arch.layout.ethernet.reset_bits)
        if s.noc.ethernet and count == 4 and address == c.arch.layout.ethernet.go_message:
            take_message(c, s, place)
        code = store_tile(c, s, place, address, count)
        return wake(c, i) if code == OK else code
    code = read_tile(c, s, place, address, count)
    if code == OK and resets:
        put_word(c, 0, word_of(c, 0) & c.arch.layout.ethernet.reset_bits)
    return code


@kernel
def take_message(c: ChipState, s: State, place: int) -> int:
    """Do what a linked tile's own firmware does with a go message: acknowledge it; in step with
    the vendor's simulator, also start the kernel on the first core, as that does.
    """
    if c.stage[3] == c.arch.layout.ethernet.launch.acknowledged:
        c.stage[3] = 0
    if c.stage[3] == c.arch.layout.ethernet.launch.signal and c.in_step:
        launch(s, place)
    return OK
