"""The log of a server that many lines are written to at once."""

import random

from test_damage import connected

from tilelab.tensix import Tile
from tilelab.vendor.serve import Server, TileDevice
from tilelab.vendor.serve.flood import QUIET, Flood


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_flood_is_one_line_and_its_count() -> None:
    said: list[str] = []
    clock = Clock()
    flood = Flood(said.append, clock)
    for number in range(10_000):
        flood("noise", f"noise {number}")
        clock.now += QUIET / 2
    assert said == ["noise 0"]
    clock.now += 2 * QUIET
    flood("noise", "noise again")
    assert said == ["noise 0", "noise: 9,999 more like it", "noise again"]
    flood.close()
    assert len(said) == 3


def test_lines_far_apart_are_all_written() -> None:
    said: list[str] = []
    clock = Clock()
    flood = Flood(said.append, clock)
    for number in range(5):
        flood("noise", f"noise {number}")
        clock.now += 2 * QUIET
    assert said == [f"noise {number}" for number in range(5)]


def test_kinds_do_not_hide_each_other_and_what_is_held_is_told_at_the_end() -> None:
    said: list[str] = []
    flood = Flood(said.append, Clock())
    for number in range(20):
        flood("reads", f"read {number}", 3)
        flood("noise", f"noise {number}")
    assert said == ["read 0", "noise 0", "read 1", "read 2"]
    flood.close()
    assert said[4:] == ["reads: 17 more like it", "noise: 19 more like it"]


def test_a_server_flooded_with_damage_writes_a_few_lines() -> None:
    said: list[str] = []
    rng = random.Random(3)
    with Server(TileDevice(Tile("blackhole", "reference")), log=said.append) as server:
        for _ in range(300):
            with connected(server) as bad:
                bad.sendall(bytes([rng.randrange(1, 256)]) * 64)
                for _ in range(3):
                    server._serve_once(0.01)
    told = [line for line in said if line.startswith("a client sent what is no request")]
    assert len(told) == 1
    assert said[-1].startswith("no request: ")
    assert len(said) == 2
