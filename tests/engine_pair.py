"""The two engines side by side, from equal random states: what either leaves must be equal."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from reference_data import golden
from tdma_recordings import configure, put_adc, put_state
from tilelab.sim.checks import CHECKS, MAX_CHECKS, Policy
from tilelab.sim.record import differences
from tilelab.tensix.arch import arch
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.state import HEADER_BYTES, NOT_ARCHITECTURE, TensixState
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.waits import WAITS

CHIPS = ("blackhole", "wormhole")
EVERY_REGISTER = arch("blackhole").registers
"""Wormhole has a part of them."""
Bytes = npt.NDArray[np.uint8]

RECORDED = {"UNPACR": ("unpack",), "UNPACR_NOP": ("unpacrnop",), "PACR": ("pack",)}
"""Which recordings have words of a row that hardly ever succeeds at random."""

LIMITS = {
    "mutex": 4, "src_a_valid": 2, "src_b_valid": 2, "src_a_unpack_bank": 2, "src_b_unpack_bank": 2,
    "src_a_matrix_bank": 2, "src_b_matrix_bank": 2, "src_a_format": 16, "src_b_format": 16,
    "unpack_context": 8, "dst": 1 << 16, "dst_valid": 2, "lreg": 1 << 32, "lane_flags": 1 << 32,
    "use_lane_flags": 2, "flag_stack": 1 << 32, "use_flag_stack": 2, "flag_stack_depth": 9,
    "lane_config": 1 << 18, "exchange_columns": 256, "prng": 1 << 32, "vector_rotated": 1 << 32,
}  # fmt: skip
"""How many values each simple part of the state has."""
RWC_LIMITS = {"src_a": 64, "src_a_cr": 64, "src_b": 64, "src_b_cr": 64, "dst": 1024,
              "dst_cr": 1024, "fidelity": 4, "bias": 2}  # fmt: skip
ADC_LIMITS = {"x": 1 << 18, "y": 1 << 13, "z": 256, "w": 256}


def numbers(rng: np.random.Generator, limit: int, shape: Any = (), zero: float = 0.3) -> Any:
    """Random numbers below a limit: many are zero, of the others half are small."""
    anything = rng.integers(0, limit, shape, np.int64)
    small = np.where(rng.random(shape) < 0.5, anything, anything % min(limit, 32))
    return np.where(rng.random(shape) < zero, 0, small)


def shuffle(state: TensixState, rng: np.random.Generator, wild: bool) -> None:
    """Fill the state with values that hardware could hold: anything, or what a kernel might set."""
    record: Any = state.record
    zero = 0 if wild else 0.7
    for name, limit in LIMITS.items():
        record[name] = numbers(rng, limit, record[name].shape, zero)
    for name in ("src_a", "src_b"):
        record[name] = rng.integers(0, 1 << 32, record[name].shape, np.uint32) & 0xFFFFE000
    record["dst"] = rng.integers(0, 1 << 16, record["dst"].shape, np.uint16)
    record["lreg"][:8] = rng.integers(0, 1 << 32, (8, 32), np.uint32)
    record["unpack_src_row"] = rng.integers(0, 4, record["unpack_src_row"].shape) * 16
    for name, limit in RWC_LIMITS.items():
        record["rwc"][name] = numbers(rng, limit, record["rwc"][name].shape, zero)
    for name, limit in ADC_LIMITS.items():
        for suffix in ("", "_cr"):
            counter = record["adc"][name + suffix]
            counter[...] = numbers(rng, limit, counter.shape, zero)
    record["semaphore"]["max"] = rng.integers(0, 16, 8)
    record["semaphore"]["value"] = rng.integers(0, 16, 8)
    record["gpr"] = numbers(rng, 1 << 32, (3, 64)) >> rng.choice([0, 8, 15, 20], (3, 64))
    state.l1[:] = rng.integers(0, 256, len(state.l1), np.uint8)
    state.l1.view("<u4")[:] *= rng.random(len(state.l1) // 4) < 0.5
    if wild:
        configure_wildly(state, rng)
    else:
        configure_as_recorded(state, rng)


def configure_wildly(state: TensixState, rng: np.random.Generator) -> None:
    """Set every field of the configuration to anything."""
    record: Any = state.record
    words = numbers(rng, 1 << 32, (2, 256)) & np.array(state.arch.config_mask, np.int64)
    words[:, state.arch.config_words :] = 0
    words[1, state.arch.global_config :] = words[0, state.arch.global_config :]
    record["config"] = words
    for field in config_fields(state.arch.name).values():
        if field.space == "t":
            for t in range(3):
                value = int(numbers(rng, 2 << field.hi - field.lo))
                record["thread_config"][t, field.word] |= value << field.lo


def configure_as_recorded(state: TensixState, rng: np.random.Generator) -> None:
    """Set the unpackers and packers up as in two recordings, and the matrix unit for one format."""
    record: Any = state.record
    chip = {"blackhole": "bh", "wormhole": "wh"}[state.arch.name]
    for kind, names in (("unpack", "state_names"), ("pack", None)):
        data = golden(f"tdma_{kind}_{chip}.npz")
        case = int(rng.integers(len(data["adc_b"])))
        for t in range(3):
            configure(record, data, case, t)
            put_adc(record, t, data["adc_names"].tolist(), data["adc_b"][case])
        if names:
            put_state(record, data[names].tolist(), data["state_b"][case])
    record["config"][1] = record["config"][0]
    record["rwc"]["bias"] = record["lane_config"] = 0
    record["src_a_valid"] = record["src_b_valid"] = rng.integers(0, 4) > 0
    record["src_a_format"] = record["src_b_format"] = rng.choice([0, 1, 4, 5, 6, 14])


class Pair:
    """A tile of each engine. ``restart`` gives both one of a few random states."""

    def __init__(self, chip: str, states: int = 12, policy: Policy | None = None) -> None:
        self.reference = Tile(chip, engine="reference")
        self.fast = Tile(chip, engine="fast")
        rng = np.random.default_rng(2026)
        self.starts: list[tuple[Bytes, Bytes]] = []
        for i in range(states):
            state = TensixState(self.reference.arch)
            shuffle(state, rng, wild=i % 3 == 0)
            if policy is not None:
                state.record["fault"]["policy"] = np.full(MAX_CHECKS, policy)
            self.starts.append((state.memory[HEADER_BYTES:].copy(), state.l1.copy()))
        self.start = self.starts[0]

    def restart(self, index: int) -> None:
        """Give both tiles the same state."""
        self.start = self.starts[index % len(self.starts)]
        for tile in (self.reference, self.fast):
            tile.state.memory[HEADER_BYTES:] = self.start[0]
            tile.state.l1[:] = self.start[1]

    def row_words(self, name: str, count: int, rng: np.random.Generator | None = None) -> list[int]:
        """Random words of a row: many fields are 0, and no bits are set that mean nothing.

        Without a generator they are the same whatever words were asked for before.
        """
        rng = rng or np.random.default_rng(list(name.encode()))
        row = self.reference.arch.instructions[name]
        words = []
        for i in range(count):
            fields = {f.name: int(numbers(rng, f.max + 1)) for f in row.fields}
            if "reg_addr" in fields and i % 2:
                register = EVERY_REGISTER[i % len(EVERY_REGISTER)]
                fields["reg_addr"] = (register.address & 0xFFFFF) >> 2
            words.append(row.encode(**fields))
        for recorded in RECORDED.get(name, ()):
            words += self._recorded_words(recorded, name, rng)
        return words

    def _recorded_words(self, kind: str, name: str, rng: np.random.Generator) -> list[int]:
        """A few recorded words, and each with one bit flipped."""
        chip = {"blackhole": "bh", "wormhole": "wh"}[self.reference.arch.name]
        data = golden(f"tdma_{kind}_{chip}.npz")
        words = rng.choice(data["words_word" if kind == "pack" else "word"], 12).tolist()
        find = self.reference.arch.instructions.find
        flipped = [word ^ 1 << int(rng.integers(24)) for word in words]
        return [w for w in words + flipped if (row := find(w)) and row.name == name]

    def execute(self, word: int, thread: int) -> int:
        """Execute a word in both; return the code, which must be one that is declared."""
        codes = [tile.engine.execute(thread, word) for tile in (self.reference, self.fast)]
        where = f"{word:#010x} in thread {thread}"
        assert codes[0] == codes[1], f"{where}: codes {codes}"
        assert codes[0] == 0 or codes[0] in WAITS or codes[0] in CHECKS, f"{where}: {codes}"
        return codes[0]

    def compare(self, what: str) -> None:
        """Assert that both tiles' states are equal, but for the engines' own notes."""
        memories = []
        for tile in (self.reference, self.fast):
            forget(tile.state)
            memories.append(tile.state.memory[HEADER_BYTES:])
        if not np.array_equal(*memories):
            found = differences(self.reference.state.record, self.fast.state.record)
            raise AssertionError(f"{what}: reference and fast differ: {found[:8]}")
        assert np.array_equal(self.reference.state.l1, self.fast.state.l1), f"{what}: L1 differs"

    def unchanged(self, what: str) -> None:
        """Assert that the reference tile is as it started, but for the report of a failure."""
        before = TensixState(self.reference.arch)
        before.memory[HEADER_BYTES:] = self.start[0]
        for state in (before, self.reference.state):
            forget(state)
            state.record["fault"] = 0
        if not np.array_equal(
            before.memory[HEADER_BYTES:], self.reference.state.memory[HEADER_BYTES:]
        ):
            found = differences(before.record, self.reference.state.record)
            raise AssertionError(f"{what}: half-done work: {found[:8]}")
        assert np.array_equal(self.start[1], self.reference.state.l1), f"{what}: half-done in L1"


def forget(state: TensixState) -> None:
    """Clear what means nothing between instructions, and the engine's counters."""
    for name in state.record.dtype.names or ():
        if name.startswith(NOT_ARCHITECTURE) and name != "fault":
            part = state.record[name]
            part[...] = np.zeros((), part.dtype)


@cache
def pair(chip: str, policy: Policy | None = None) -> Pair:
    """One pair for each chip and policy: to fill its states takes a moment."""
    return Pair(chip, policy=policy)
