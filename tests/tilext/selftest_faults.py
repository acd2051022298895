"""That the generated self-checking tests tell a right machine from a wrong one.

``python tests/tilext/selftest_faults.py [--count 10000] [--seed 7]`` generates so many tests, runs
each on the model, and then again on the model with one operand of one instruction misread, for
every such fault, until a test fails. It prints which instructions and faults, and ends with 1 if a
test fails on the model or a fault on none.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tilelab.tilext.profile import load_profile
from tilelab.tilext.program import Machine
from tilelab.tilext.scalar import hart
from tilelab.tilext.selftest import Test, generate, passes, the_machine

# Operands that only tell the hardware what it may keep, or that another field rules out here.
_WITHOUT_EFFECT = ("reuse1", "reuse2", "reused", "multitile", "imm2")


def faults() -> list[tuple[str, str]]:
    """An operand of a covered instruction that the machine reads wrongly, each."""
    profile = load_profile()
    covered = sorted({name for name, _ in generate(60, 7).coverage})
    return [
        (name, operand)
        for name in covered
        if not name.startswith("t_wait")
        for operand in profile.instructions[name].operands
        if operand not in _WITHOUT_EFFECT
    ]


@contextmanager
def misreading(name: str, operand: str) -> Iterator[None]:
    """The model with the lowest bit of an operand wrong."""
    right = hart.execute

    def wrong(core: Any, instruction: Any, group: Any = None) -> Any:
        if instruction.name == name and operand in instruction.values:
            values = instruction.values | {operand: instruction.values[operand] ^ 1}
            instruction = replace(instruction, values=values)
        return right(core, instruction, group)

    hart.execute = wrong
    try:
        yield
    finally:
        hart.execute = right


def fine(test: Test, machine: Machine) -> bool:
    """Whether a test passes on a machine that may break down."""
    try:
        return passes(test, machine)
    except Exception:  # a code that the machine does not have
        return False


def silent(tests: list[Test]) -> list[tuple[str, str]]:
    """The faults that fail no test."""
    machine = the_machine()
    found = []
    for name, operand in faults():
        with misreading(name, operand):
            if all(fine(test, machine) for test in tests if f"{name} " in test.text):
                found.append((name, operand))
    return found


def main() -> int:
    """Generate, run, misread."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    machine, suite = the_machine(), generate(given.count, given.seed)
    failed = [test.name for test in suite.tests if not passes(test, machine)]
    print(f"{len(suite.tests)} tests, {len(failed)} fail on the model {failed[:5]}")
    missed = silent(suite.tests)
    print(f"{len(faults())} faults, {len(missed)} fail no test {missed}")
    return int(bool(failed or missed))


if __name__ == "__main__":
    sys.exit(main())
