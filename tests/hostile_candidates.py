"""Candidates that are hostile or broken: `python tests/hostile_candidates.py --count 1000`.

Each is a source, a kernel.toml or an ELF that does what must not end a tuner: endless loops, wild
stores, megabytes of messages, memory without end, processes without end, other people's files,
damaged text. All go through one service. Each gets a verdict within its limits, and afterwards
nothing is left: no process, no file, and the folder is as it was.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tilelab.score.apart import limits_of
from tilelab.score.service import Service
from tilelab.sim.confined import version

KERNEL = Path(__file__).resolve().parents[1] / "examples" / "datacopy"
SECONDS = 10.0
MEMORY = 2048
SLACK = 15.0
"""Seconds that a verdict may come after its limit, on a busy machine."""
MARK = f"TILELAB_HOSTILE_{os.getpid()}"
"""A variable that whatever a candidate starts inherits."""
LINE = "    for"
FORKS = """import os, time
def f(a):
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(600)
    while True:
        pass
"""
HOARDS = "def f(a):\n    hoard = []\n    while True:\n        hoard.append(bytearray(1 << 26))\n"
LOUD = "def f(a):\n    while True:\n        print('x' * 1000000)\n"


@dataclass
class Candidate:
    """What is put into the kernel's folder, and the source that is sent."""

    kind: str
    code: str | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    def number(self, number: int) -> None:
        """Make it another one than all before: what was scored is remembered."""
        if self.code is not None:
            self.code += f"\n// {number}\n"
        elif "reference.py" in self.files:
            self.files["reference.py"] += b"\n# %d\n" % number


def _inside(line: str) -> Callable[[str, random.Random], Candidate]:
    """A line in the kernel's own loop."""

    def make(source: str, rng: random.Random) -> Candidate:
        at = rng.choice([i for i, text in enumerate(source.splitlines()) if text.startswith(LINE)])
        lines = source.splitlines()
        return Candidate(line[:30], "\n".join([*lines[:at], line, *lines[at:]]))

    return make


def _before(text: str) -> Callable[[str, random.Random], Candidate]:
    """Text before the kernel."""
    return lambda source, rng: Candidate(text[:30], text + "\n" + source)


def _scrambled(source: str, rng: random.Random) -> Candidate:
    some = list(source)
    for _ in range(rng.randint(1, 40)):
        some[rng.randrange(len(some))] = chr(rng.choice((0x21, 0x7B, 0x7D, 0x3B, 0xE9, 9, 0x22)))
    return Candidate("scrambled source", "".join(some))


def _cut(source: str, rng: random.Random) -> Candidate:
    return Candidate("cut source", source[: rng.randrange(len(source))])


def _toml(source: str, rng: random.Random) -> Candidate:
    said = bytearray((KERNEL / "kernel.toml").read_bytes())
    for _ in range(rng.randint(1, 20)):
        said[rng.randrange(len(said))] = rng.randrange(256)
    return Candidate("damaged kernel.toml", None, {"kernel.toml": bytes(said)})


def _elf(source: str, rng: random.Random) -> Candidate:
    name = rng.choice(("unpack.elf", "math.elf", "pack.elf"))
    said = bytearray((KERNEL / name).read_bytes())
    for _ in range(rng.randint(1, 200)):
        said[rng.randrange(len(said))] = rng.randrange(256)
    kept = rng.choice((len(said), rng.randrange(len(said))))
    return Candidate("damaged ELF", None, {name: bytes(said[:kept])})


def _reference(code: str) -> Callable[[str, random.Random], Candidate]:
    def make(source: str, rng: random.Random) -> Candidate:
        said = (KERNEL / "kernel.toml").read_text().replace('"a"', '"reference.py:f"', 1)
        files = {"kernel.toml": said.encode(), "reference.py": code.encode()}
        return Candidate("reference: " + code[:20], None, files)

    return make


Kind = Callable[[str, random.Random], Candidate]
KINDS: list[Kind] = [
    _inside("    while (true) { }"),
    _inside("    for (volatile int i = 0;; ++i) { }"),
    _inside("    *(volatile uint32_t*)0xDEADBEEC = 1;"),
    _inside("    *(volatile uint32_t*)0x0 = 1; *(volatile uint32_t*)0x3 = 1;"),
    _inside("    for (uint32_t i = 0;; i += 4) { *(volatile uint32_t*)i = i; }"),
    _inside("    ((void (*)())0xFFFFFFF0)();"),
    _inside("    cb_wait_front(tt::CBIndex::c_0, 1000000);"),
    _inside("    cb_pop_front(tt::CBIndex::c_0, 100000);"),
    _inside("    copy_tile(tt::CBIndex::c_0, 0, 4000000);"),
    _inside("    uint32_t hoard[1 << 20]; for (auto& each : hoard) { each = 1; }"),
    _inside('    asm volatile(".rept 100000000\\nnop\\n.endr");'),
    _inside('    asm volatile(".word 0xffffffff");'),
    _before('#include "/etc/passwd"'),
    _before('asm(".incbin \\"/etc/shadow\\"");'),
    _before('#include "/dev/zero"'),
    _before('#include "kernel.cpp"'),
    _before("#error " + "x" * 2_000_000),
    _before("\n".join(f"int a{i} = nosuch{i};" for i in range(20_000))),
    _before("template <int N> struct T { T<N + 1> t; }; T<0> t;"),
    _before("constexpr int f(int i) { return f(i + 1); } static_assert(f(0));"),
    _before("\n".join(f"#define A{i} {f' A{i + 1}' * 8}" for i in range(9)) + "\nint x = A0;"),
    _before("char hoard[1 << 30] = {1};"),
    _scrambled, _scrambled, _scrambled, _cut, _cut, _toml, _toml, _elf, _elf, _elf,
    _reference(FORKS), _reference(HOARDS), _reference(LOUD),
    _reference("import os\ndef f(a):\n    os.kill(os.getppid(), 0)\n    os._exit(0)\n"),
    _reference("def f(a):\n    raise SystemExit(7)\n"),
    *([_reference("import os\ndef f(a):\n    os.kill(os.getppid(), 9)\n")] * (version() >= 6)),
    *([_reference("import shutil\ndef f(a):\n    shutil.rmtree('@AT@')\n")] * (version() >= 1)),
    _reference("import sys\nsys.setrecursionlimit(1 << 30)\ndef f(a):\n    return f(a)\n"),
]  # fmt: skip


def left() -> list[str]:
    """Processes that a candidate has started and that still run: programs, and copies of this."""
    own = Path("/proc/self/cmdline").read_bytes()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            said = (path / "cmdline").read_bytes()
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            copy = said == own and parent in (1, os.getpid())
            started = copy or MARK.encode() in (path / "environ").read_bytes()
            if started and int(path.name) != os.getpid():
                found.append(said.replace(b"\0", b" ").decode()[:80])
        except OSError:
            continue  # it has ended meanwhile, or is somebody else's
    return found


def verdict(candidate: Candidate, service: Service, folder: Path) -> str:
    """The category that a candidate gets; AssertionError for what must not be."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(KERNEL, folder)
    for name, said in candidate.files.items():
        (folder / name).write_bytes(said.replace(b"@AT@", os.fsencode(folder)))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    asked = {"target": str(folder)}
    if candidate.code is not None:
        asked["code"] = candidate.code
    start = time.monotonic()
    answer = service.answer(asked)
    seconds = time.monotonic() - start
    assert seconds < SECONDS + SLACK, f"{candidate.kind}: {seconds:.0f} s"
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before, f"{candidate.kind}: the folder has changed"
    if "error" in answer:
        return "error"
    message = answer["score"]["message"] or ""
    assert len(message) <= 400, candidate.kind
    assert "root:" not in message, f"{candidate.kind}: {message}"
    return answer["score"]["category"] or "right"


def campaign(count: int, seed: int, kinds: Sequence[Kind] = KINDS) -> Counter[str]:
    """Judge so many candidates; how many had each outcome."""
    os.environ[MARK] = "1"
    rng = random.Random(seed)
    source = (KERNEL / "kernel.cpp").read_text()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as at:
        os.environ["TMPDIR"] = tempfile.tempdir = at
        try:
            service = Service(limits_of(SECONDS, MEMORY), 1_000_000)
            folder = Path(at, "kernel")
            for number in range(count):
                candidate = kinds[number % len(kinds)](source, rng)
                candidate.number(number)
                found[verdict(candidate, service, folder)] += 1
            again = verdict(Candidate("as it was", source), service, folder)
            assert again == "right", again
            found[again] += 1
            until = time.monotonic() + SLACK  # a killed process's folder is removed by a shell
            while stray := [path.name for path in Path(at).iterdir() if path != folder]:
                assert time.monotonic() < until, f"left behind: {stray}"
                time.sleep(0.1)
        finally:
            tempfile.tempdir = None
            del os.environ["TMPDIR"], os.environ[MARK]
    return found


def main() -> None:
    """Run as the module's text says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.monotonic()
    for name, count in campaign(given.count, given.seed).most_common():
        print(f"{count:6,} {name}")
    assert not left(), left()
    print(f"{given.count:,} candidates in {time.monotonic() - start:.0f} s, nothing left behind")


if __name__ == "__main__":
    main()
