"""The reference engine: runs the tile's kernels as they stand, in Python."""

from tilelab.tensix.run.engine import Engine
from tilelab.tensix.run.execute import execute
from tilelab.tensix.run.speed import settle


class ReferenceEngine(Engine):
    """Runs a tile's state in Python."""

    def execute(self, t: int, word: int) -> int:
        """Execute one word at its unit; returns OK, a wait code or a check's code."""
        return execute(self.s, t, word)

    def rounds(self, count: int) -> int:
        """Run rounds (or cycles): OK, a STOP code or a failed check's code, see ``rounds``."""
        return settle.run(self.s, count)

    def settled(self, count: int, address: int, words: int) -> int:
        """Run rounds to the first change of words of L1, see ``settle``."""
        return settle.settle(self.s, count, address, words)
