"""Running programs on the model: one thread at a time, or several that synchronise.

core = TileCore(Parameters(tile_bytes=1024, tile_count=64, vlen=256, global_space=0))
core.x[10] = 0x1000
run(core, '''
    tgld.unit tr8, (a0), tilesize=4
    t_wait.all
''')
"""

from collections.abc import Sequence

from tilelab.sim.errors import DeadlockError, ProgramError
from tilelab.tilext.assembler import Assembler, source_lines
from tilelab.tilext.disassembler import Decoded
from tilelab.tilext.errors import IllegalInstruction
from tilelab.tilext.profile import Profile
from tilelab.tilext.state import TileCore
from tilelab.tilext.sync import SyncGroup, sync, wait
from tilelab.tilext.verbs import Operands, run_verb


def program(text: str, profile: Profile) -> list[Decoded]:
    """Return the instructions of a text, checked as the assembler checks them."""
    assembler = Assembler(profile)
    found = []
    for number, line in source_lines(text):
        if line.startswith(".word"):
            raise IllegalInstruction(f"line {number}: .word is not run; decode it first")
        found.append(Decoded(*assembler.read(number, line)))
    return found


def execute(core: TileCore, instruction: Decoded, group: SyncGroup | None = None) -> bool:
    """Run one instruction; return False if its thread has to wait and ask again."""
    name, values = instruction.name, instruction.values
    verb = core.profile.forms[name].verb
    if verb == "sync":
        if group is None:
            raise ProgramError(f"{name}: one thread alone has nobody to synchronise with")
        return sync(core, group, name, Operands(name, values))
    if verb == "wait":
        wait(core, name, Operands(name, values))
        return True
    if verb == "user":
        if name not in core.operations.user:
            raise ProgramError(f"{name}: operations.user has no function for it")
        return core.operations.user[name](core, Operands(name, values)) is not False
    run_verb(core, name, values)
    return True


def run(core: TileCore, text: str) -> None:
    """Assemble and run a program of one thread; errors name the line or the instruction."""
    for instruction in program(text, core.profile):
        execute(core, instruction)


def run_threads(cores: Sequence[TileCore], texts: Sequence[str]) -> None:
    """Run one program on each core, an instruction at a time in turn.

    DeadlockError if every thread that is left waits, with who waits for whom. Threads are numbered
    by their cores.
    """
    if len({core.thread for core in cores}) != len(cores):
        raise ProgramError("two cores have the same thread number")
    group = SyncGroup()
    programs = [program(text, core.profile) for core, text in zip(cores, texts, strict=True)]
    places = [0] * len(cores)
    while any(place < len(code) for place, code in zip(places, programs, strict=True)):
        moved = False
        for index, core in enumerate(cores):
            if places[index] < len(programs[index]) and execute(
                core, programs[index][places[index]], group
            ):
                places[index] += 1
                moved = True
        if not moved:
            raise DeadlockError("deadlock: " + "; ".join(group.who_waits()))
