"""Every recorded expansion, through both expanders."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from frontend_harness import StreamingThread
from reference_data import golden, ragged, report
from tilelab.tensix.arch import arch
from tilelab.tensix.frontend.expand import ThreadExpander, thread_expander
from tilelab.tensix.frontend.expand_words import expand

FILES = {
    "expand_sim_bh.npz": "blackhole",
    "expand_sim_wh.npz": "wormhole",
    "expand_functional.npz": "blackhole",
}
PLAIN_NOP = 0x02000000


@pytest.mark.parametrize("name", FILES)
def test_every_mop_expands_as_recorded(name: str) -> None:
    data = golden(name)
    compared: Counter[str] = Counter()
    for i, word in enumerate(data["mop_word"]):
        out = expand([word], data["mop_cfg"][i], FILES[name], int(data["mop_maskhi"][i]))
        if "mop_sha256" in data:
            assert len(out) == data["mop_nout"][i], f"MOP case {i}"
            digest = hashlib.sha256(out.astype("<u4").tobytes()).digest()
            assert digest == data["mop_sha256"][i].tobytes(), f"MOP case {i}"
        else:
            (expected,) = ragged(data, "mop_out", i, "word")
            np.testing.assert_array_equal(out[out != PLAIN_NOP], expected, f"MOP case {i}")
        compared["MOP"] += 1
    report(name, compared)


@pytest.mark.parametrize("streaming", [False, True], ids=["functional", "streaming"])
@pytest.mark.parametrize("name", FILES)
def test_every_program_expands_as_recorded(name: str, streaming: bool) -> None:
    data = golden(name)
    chip = FILES[name]
    keeps_nop = "mop_sha256" in data
    compared: Counter[str] = Counter()
    for i in range(len(data["prog_ev_off"]) - 1):
        threads = [
            StreamingThread(chip, t) if streaming else FunctionalThread(thread_expander(chip))
            for t in range(3)
        ]
        out: list[int] = []
        for thread, kind, index, value, count in zip(
            *ragged(data, "prog_ev", i, "thread", "kind", "index", "value", "nout"), strict=True
        ):
            if kind == 1:
                threads[thread].write_mop_cfg(int(index), int(value))
                continue
            emitted = threads[thread].push(int(value))
            if not keeps_nop:
                emitted = [word for word in emitted if word != PLAIN_NOP]
            assert len(emitted) == count, f"program {i}"
            out += emitted
        (expected,) = ragged(data, "prog_out", i, "word")
        assert out == expected.tolist(), f"program {i}"
        compared["program"] += 1
    report(f"{name} ({'streaming' if streaming else 'functional'})", compared)


class FunctionalThread:
    def __init__(self, thread: ThreadExpander) -> None:
        self.thread = thread

    def write_mop_cfg(self, index: int, value: int) -> None:
        self.thread.write_mop_cfg(index, value)

    def push(self, word: int) -> list[int]:
        return [emitted.word for emitted in self.thread.push(word)]


def test_the_three_files_are_for_chips_that_exist() -> None:
    assert {arch(chip).name for chip in FILES.values()} == {"blackhole", "wormhole"}
