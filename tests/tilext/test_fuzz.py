"""Round trips of random instances, in both profiles and under an overlay."""

import pytest

from tilelab.isa.multiword import MultiWord
from tilelab.tilext.fuzz import RoundTripError, round_trips
from tilelab.tilext.profile import load_profile

ROW = "rs1_en=31=1 rd_en=30=1 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15 tuop=14:12=010 rd=11:7"
OVERLAY = {
    "opcode": {"2": 0x0B, "1": 0x2B, "0": 0x5B},
    "order": [0, 1, 2],
    "codes": {"mmauop": {"bf16": 3, "int8": 9}, "tilesize": {"1": 0, "2": 1, "4": 3, "8": 7}},
    "rows": {"tcsrw": {"1": ROW}},
}


@pytest.mark.parametrize(
    ("name", "overlay", "count"),
    [("repaired", {}, 20_000), ("printed", {}, 20_000), ("repaired", OVERLAY, 4_000)],
)
def test_every_instance_makes_the_round_trip(name, overlay, count):
    profile = load_profile(name, overlay)
    tally = round_trips(profile, count, seed=1)
    assert sum(tally.instances.values()) == count
    assert tally.instances.keys() == profile.instructions.keys()
    assert not tally.ambiguous
    print({name: tally.instances[name] for name in sorted(tally.instances)})


def test_what_is_ambiguous_under_an_overlay_is_counted():
    fields = {name: {"1": "_=7=0"} for name in ("talu.3op", "talu.3op.f")}
    tally = round_trips(load_profile("repaired", {"fields": fields}), 4_000, seed=1)
    assert tally.ambiguous.keys() == {("talu.1op", "talu.3op"), ("talu.2op.v", "talu.3op.f")}


def test_a_failing_round_trip_is_found(monkeypatch):
    encode = MultiWord.encode
    monkeypatch.setattr(
        MultiWord, "encode", lambda self, v: {s: w ^ 1 << 23 for s, w in encode(self, v).items()}
    )
    with pytest.raises(RoundTripError):
        round_trips(load_profile("repaired", {"order": [2, 1, 0]}), 50)
