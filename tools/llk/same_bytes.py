"""Do the vendor's tests leave the same bytes on two devices? (docs/vendor-tests.md)

As a pytest plugin (``-p same_bytes``, this folder on PYTHONPATH) it keeps, for each kernel that
one of the vendor's tests starts, what L1 holds afterwards: all of it from where the tests' own
data begin. ``--same-bytes FOLDER`` says where. As a program it compares two such folders:

A simulator that ends with its process takes pytest along: the same command goes on with the tests
that are not in the folder yet.

usage: same_bytes.py FOLDER FOLDER

A line for each kernel that differs, one for each that only one device has finished, then the
counts. Ends with 1 if anything differs.
"""

import hashlib
import json
import lzma
import os
import sys
from importlib import import_module
from pathlib import Path

DATA = 0x20000
"""Here the tests' parameters, inputs and results begin (tt-llk, helpers/stimuli_config.py)."""
ENDS = {"blackhole": 1536 << 10, "wormhole": 1464 << 10}
CHUNK = 1 << 16
INDEX = "index.jsonl"
DEVICE = "ttexalens.tt_exalens_lib"


def _harness():
    """The vendor's class that runs a kernel, once pytest has found it."""
    return import_module("helpers.test_config").TestConfig


class Keeper:
    """Writes what L1 holds after each kernel of each test."""

    def __init__(self, folder):
        self.folder = folder
        self.test, self.runs = "", 0
        folder.mkdir(parents=True, exist_ok=True)

    def begin(self, test):
        """A test begins: L1 is cleared, for a device may be older than the test."""
        where, device = _harness().TENSIX_LOCATION, import_module(DEVICE)
        self.test, self.runs = test, 0
        self.note(begun=True)
        self.end = ENDS[os.environ.get("CHIP_ARCH", "blackhole")]
        for address in range(DATA, self.end, CHUNK):
            size = min(CHUNK, self.end - address)
            device.write_to_device(where, address, bytes(size))

    def note(self, **what):
        """Add a line to the index."""
        line = json.dumps({"test": self.test, "run": self.runs, **what})
        with (self.folder / INDEX).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def keep(self, config):
        """A kernel of a test has run."""
        harness, device = _harness(), import_module(DEVICE)
        where = harness.TENSIX_LOCATION
        l1 = b"".join(
            bytes(device.read_from_device(where, at, num_bytes=min(CHUNK, self.end - at)))
            for at in range(DATA, self.end, CHUNK)
        )
        elfs = harness.ARTEFACTS_DIR / config.test_name / config.variant_id / "elf"
        code = hashlib.sha1(b"".join(p.read_bytes() for p in sorted(elfs.glob("*.elf"))))
        name = f"{hashlib.sha1(self.test.encode()).hexdigest()[:16]}.{self.runs}.xz"
        (self.folder / name).write_bytes(lzma.compress(l1, preset=0))
        self.note(file=name, elfs=code.hexdigest())
        self.runs += 1


def pytest_addoption(parser):
    """Add the option."""
    parser.addoption("--same-bytes", type=Path, metavar="FOLDER", help="keep what L1 holds here")


def pytest_configure(config):
    """Follow every kernel that a test runs."""
    folder = config.getoption("--same-bytes")
    if folder is None:
        return
    config.pluginmanager.register(Follower(Keeper(folder.absolute())), "same-bytes-follower")


class Follower:
    """The hooks, where there is a folder."""

    def __init__(self, keeper):
        self.keeper = keeper

    def pytest_collection_modifyitems(self, config, items):
        """Tests that are in the folder already are not run again."""
        there = set(read(self.keeper.folder)[1])
        config.hook.pytest_deselected(items=[i for i in items if i.nodeid in there])
        items[:] = [item for item in items if item.nodeid not in there]

    def pytest_collection_finish(self, session):
        """The vendor's harness has been imported: follow it."""
        harness = _harness()
        run = harness.run

        def followed(config, *arguments, **named):
            outcome = run(config, *arguments, **named)
            self.keeper.keep(config)
            return outcome

        harness.run = followed

    def pytest_runtest_call(self, item):
        """The fixtures are there, the test comes."""
        self.keeper.begin(item.nodeid)

    def pytest_runtest_logreport(self, report):
        """What became of a test."""
        if report.when == "call" or report.failed:
            self.keeper.test = report.nodeid
            self.keeper.note(outcome=report.outcome, why=str(report.longrepr or "")[-600:])


def read(folder):
    """``(kernels, outcomes)`` of a folder: lines of the index by test and run, and by test."""
    kernels, outcomes = {}, {}
    path = folder / INDEX
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        item = json.loads(line)
        if "file" in item:
            kernels[item["test"], item["run"]] = item
        elif "begun" in item:
            outcomes[item["test"]] = {"outcome": "ended", "why": "with the process"}
        else:
            outcomes[item["test"]] = item
    return kernels, outcomes


def difference(a, b):
    """Where two images of L1 differ: "" if nowhere."""
    at = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if not at:
        return ""
    return f"{len(at)} bytes differ, {DATA + at[0]:#x} to {DATA + at[-1]:#x}"


def main(first, second):
    """Compare two folders; the exit code."""
    (kernels, outcomes), (others, other_outcomes) = read(first), read(second)
    equal, differ, other_code, data = set(), 0, 0, 0
    for key in sorted(kernels.keys() & others.keys()):
        a, b = kernels[key], others[key]
        if a["elfs"] != b["elfs"]:
            other_code += 1
            continue
        files = first / a["file"], second / b["file"]
        images = [lzma.decompress(file.read_bytes()) for file in files]
        found = "" if images[0] == images[1] else difference(*images)
        data += sum(1 for byte in images[0] if byte)
        if found:
            differ += 1
            print(f"differs: {key[0]} kernel {key[1]}: {found}")
        else:
            equal.add(key[0])
    one = sorted({key[0] for key in kernels.keys() ^ others.keys()})
    for test in one:
        said = " | ".join(
            f"{who[test]['outcome']} {_last(who[test]['why'])}" if test in who else "did not run"
            for who in (outcomes, other_outcomes)
        )
        print(f"one alone: {test}: {said}")
    print(
        f"{len(equal)} tests leave equal bytes ({data} of them not zero), {differ} kernels differ, "
        f"{len(one)} tests ran on one device alone, {other_code} kernels are not the same ELFs"
    )
    return 1 if differ or other_code else 0


def _last(text):
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    return next((line for line in lines if "rror" in line), lines[-1])[:160]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
