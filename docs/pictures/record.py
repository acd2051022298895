"""Records what one MOP of a kernel becomes, from a trace of the kernel's run."""

from dataclasses import dataclass
from pathlib import Path

from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.tensix import Tile
from tilelab.tensix.chips.opcodes import REPLAY
from tilelab.tensix.cycle.events import ISSUE, MOP_OUT, PUSH
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.mop import MopStep
from tilelab.tensix.words.origin import unpack_origin
from tilelab.trace import recording as trace

THREAD = 1


@dataclass(frozen=True)
class Issued:
    """An issued word: which word of the MOP's expansion, which slot, and the counters it used."""

    word: int
    step: int
    slot: int | None
    dst: int
    src_a: int
    src_b: int
    fidelity: int

    @property
    def rows(self) -> tuple[int, int, int]:
        """First row of Dst, SrcB and SrcA."""
        return self.dst, self.src_b, self.src_a


@dataclass(frozen=True)
class Recording:
    """One expansion: the pushed MOP, what the MOP expander emitted, what was issued."""

    kernel: str
    core: str
    pc: int
    source: str
    mop: int
    times: int
    mop_cfg: list[int]
    emitted: list[tuple[int, MopStep]]
    issued: list[Issued]
    pushed: int
    """The cycle of the push."""
    cycles: tuple[int, int]
    """The cycles in which the first and the last word passed the wait gate."""

    def played(self, step: int) -> list[Issued]:
        """What one word of the MOP's expansion became."""
        return [item for item in self.issued if item.step == step]


def record(folder: Path) -> Recording:
    """Run a kernel and return the first MOP of the math thread, with how often it came again."""
    kernel = read_kernel_file(folder)
    tile = Tile(kernel.arch, clock="cycle")
    events = trace.Recording(tile, folder.name)
    load(tile, kernel)
    rwc = tile.state.record["rwc"][THREAD]
    frontend = tile.state.record["frontend"][THREAD]
    before = rwc.copy()
    issued: list[Issued] = []
    found: dict[str, int] = {}

    def observe(_clock: int, thread: int, word: int, origin: int) -> None:
        nonlocal before
        if thread != THREAD:
            return
        counters, before = before, rwc.copy()
        where = unpack_origin(origin)
        if where.mop_step is None:
            return
        if not found:
            found.update(core=where.core, pc=where.pc, mop=int(frontend["mop_word"]), times=1)
        elif where.mop_step < found["step"]:
            found["times"] += 1
        found["step"] = where.mop_step
        if found["times"] == 1:
            numbers = (int(counters[name]) for name in ("dst", "src_a", "src_b", "fidelity"))
            issued.append(Issued(word, where.mop_step, where.replay_slot, *numbers))

    tile.observe(observe)
    done = dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value)
    tile.run(until=lambda _: False, watch=done)  # round by round: observers see each one's state
    mop_cfg = [int(value) for value in frontend["mop_snapshot"]]
    first, last, push, emitted = _expansion(events)
    recording = Recording(
        kernel=folder.name,
        core=tile.sources.describe_pc(found["core"], found["pc"]).split()[0],
        pc=found["pc"],
        source=_statement(folder, tile.sources.line(found["core"], found["pc"])),
        mop=found["mop"],
        times=found["times"],
        mop_cfg=mop_cfg,
        emitted=emitted,
        issued=issued,
        pushed=push,
        cycles=(first, last),
    )
    _check(recording)
    return recording


def _expansion(events: trace.Recording) -> tuple[int, int, int, list[tuple[int, MopStep]]]:
    """The first MOP of the thread: first and last issue, the push, what the expander emitted."""
    found, links = events.events, events.links
    made = events.indices(MOP_OUT, THREAD)
    push = next(int(links.made_by[i]) for i in made if links.place(int(i)))
    emitted = [int(i) for i in made if links.made_by[i] == push]
    issues = [i for i in events.indices(ISSUE, THREAD) if links.origin(int(i), PUSH) == push]
    clock, word = found["clock"], found["value"]
    places = [(int(word[i]), step) for i in emitted if (step := links.place(i))]
    return int(clock[issues[0]]), int(clock[issues[-1]]), int(clock[push]), places


def _check(recording: Recording) -> None:
    """What was issued must be what the emitted words say; ValueError if not."""
    for step, (word, _) in enumerate(recording.emitted):
        played = recording.played(step)
        if word >> 24 == REPLAY:
            start, length = word >> 14 & 31, word >> 4 & 63
            agrees = [item.slot for item in played] == list(range(start, start + length))
        else:
            agrees = [item.word for item in played] == [word]
        if not agrees:
            raise ValueError(f"word {step} of the expansion, {word:#010x}, was not what was issued")


def _statement(folder: Path, line: str) -> str:
    """A source line with what stands there: ``file:line  statement``."""
    name, number = line.split(":")
    text = (folder / name).read_text(encoding="utf-8").split("\n")[int(number) - 1]
    return f"{line}  {text.strip().rstrip(';')}"


def spell(word: int) -> str:
    """A word's assembly."""
    return disassemble(word)
