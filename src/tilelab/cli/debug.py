"""``tilelab debug``: run one kernel or program forwards and backwards, in a terminal."""

import sys
from pathlib import Path

import typer

from tilelab.cli.console import stderr
from tilelab.cli.prepared import single, start
from tilelab.cli.streams import read_text
from tilelab.cli.usage import ARCH, CLOCK, ENGINE, ONE_TARGET, SCHEDULE, command, option
from tilelab.debug.debugger import Debugger
from tilelab.debug.gdb import serve
from tilelab.debug.gdb_link import listen
from tilelab.debug.session import Session
from tilelab.debug.terminal import Terminal
from tilelab.explore.held import Held
from tilelab.explore.prepare import push_all
from tilelab.explore.schedule import read_schedule
from tilelab.kernels.moment import Moment
from tilelab.runs.job import arch_of, name_of, readings_of
from tilelab.runs.targets import ElfSet, Target
from tilelab.sim.errors import BadInputError
from tilelab.tensix.run.reference import ReferenceEngine
from tilelab.tensix.tile.feeder import Feeder
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program


def session_of(
    target: Target, arch: str | None, engine: str, clock: str, schedule: Path | None = None
) -> Session:
    """A target on a fresh tile, at its beginning, under a debugger, and under a schedule."""
    tile = Tile(arch_of(target, arch), engine, clock, **readings_of(target))
    if schedule is not None:
        return held_session(target, tile, schedule)
    if isinstance(target, Program):
        return Session(Debugger(tile, feed=Feeder(target, tile.state, tile.sources)))
    return Session(Debugger(tile, start(target, tile)))


def held_session(target: Target, tile: Tile, schedule: Path) -> Session:
    """A target under a debugger and a schedule: schedules count rounds of compiled code."""
    if tile.state.s.cycle.on or tile.engine.__class__ is ReferenceEngine:
        raise BadInputError("--schedule wants the fast engine and the functional clock")
    wanted = read_schedule(schedule)
    done: dict[int, int] = {}
    if isinstance(target, Program):
        push_all(target, tile)
    else:
        done = start(target, tile)
    return Session(Debugger(tile, done, Held(tile, wanted)))


def folders_of(target: Target) -> list[Path]:
    """Where a target's sources may be."""
    if isinstance(target, Program):
        return [Path(target.file).parent]
    if isinstance(target, ElfSet):
        return [program.path.parent for program in target.elfs.values()]
    if isinstance(target, Moment):
        return [program.path.parent for program in target.programs.values()]
    return [target.path.parent]


@command()
def debug(
    targets: list[str] = ONE_TARGET,
    arch: str | None = ARCH,
    engine: str = ENGINE,
    clock: str = CLOCK,
    command: list[str] | None = option("--command -c", "Carry out this command first; repeatable."),
    script: str | None = option("--script -x FILE", "Carry out this file's commands, then end."),
    schedule: Path | None = SCHEDULE,
) -> int:
    """Step a kernel or program forwards and backwards; help lists the commands.

    Commands come from a terminal, a pipe, --command or --script. Of the last three, one that
    cannot be carried out ends it: exit 2.
    """
    target = single(targets, arch, "debug")
    session = session_of(target, arch, engine, clock, schedule)
    for note in session.debugger.tile.sources.notes:
        stderr.print(f"note: {note}", markup=False, highlight=False)
    interactive = script is None and not command and sys.stdin.isatty()
    terminal = Terminal(session, folders=folders_of(target), strict=not interactive)
    if interactive:
        terminal.say([f"{name_of(target)}; help lists the commands"])
        while True:
            try:
                terminal.cmdloop()
                return 0
            except KeyboardInterrupt:
                terminal.say([""])
    lines = list(command or ())
    if script is not None:
        lines += read_text(script).splitlines()
    elif not command:
        lines += sys.stdin.read().splitlines()
    for line in lines:
        terminal.say([f"{terminal.prompt}{line}"])
        if terminal.onecmd(line):
            break
    return 0


@command()
def gdb(
    targets: list[str] = ONE_TARGET,
    arch: str | None = ARCH,
    engine: str = ENGINE,
    clock: str = CLOCK,
    port: int = option("0: any that is free.", default=0, min=0, max=65535),
    schedule: Path | None = SCHEDULE,
) -> int:
    """Let gdb debug a kernel, one thread for each core, forwards and backwards.

    The port goes to stdout: gdb-multiarch math.elf -ex "target remote :PORT". It is served to one
    gdb after the other, until one kills the program.
    """
    session = session_of(single(targets, arch, "gdb"), arch, engine, clock, schedule)
    with listen(port) as listener:
        typer.echo(listener.getsockname()[1])
        serve(session, listener)
    return 0
