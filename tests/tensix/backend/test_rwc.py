import pytest

from matrix_harness import THREAD, Bench
from tilelab.tensix.chips.config_registers import config_fields

CHIPS = ["blackhole", "wormhole"]
SETC16 = {
    # mode: (SrcA/SrcB word, Dst word) as the vendor's 32x32x32 matmul sets them
    0: (0x0800, 0x0008),
    1: (0x4010, 0x0008),
    2: (0x6040, 0x0008),
    4: (0x7060, 0x0400),
    5: (0xC0C0, 0x0C00),
}
MODES = (0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5)
TRACE = [
    (0, 0, 0), (0, 8, 8), (16, 0, 16), (16, 8, 24),
    (0, 32, 32), (0, 40, 40), (16, 32, 48), (16, 40, 56),
    (32, 16, 0), (32, 24, 8), (48, 16, 16), (48, 24, 24),
    (32, 48, 32), (32, 56, 40), (48, 48, 48), (48, 56, 56),
]  # fmt: skip


def set_mode(bench: Bench, mode: int, ab: int, dst: int, bias: int = 0) -> None:
    """Write a mode's three words, as SETC16 does."""
    fields = config_fields(bench.state.arch.name)
    words = bench.record["thread_config"][THREAD]
    words[fields[f"ADDR_MOD_AB_SEC{mode}_SrcAIncr"].word] = ab
    words[fields[f"ADDR_MOD_DST_SEC{mode}_DestIncr"].word] = dst
    words[fields[f"ADDR_MOD_BIAS_SEC{mode}_BiasIncr"].word] = bias


def fidelity(bench: Bench) -> int:
    return int(bench.record["rwc"][THREAD]["fidelity"])


def test_lofi_matmul_walks_the_tile() -> None:
    bench = Bench()
    for mode, (ab, dst) in SETC16.items():
        set_mode(bench, mode, ab, dst)
    trace = []
    for mode in MODES:
        trace.append(bench.counters())
        bench.run("MVMUL", addr_mode=mode)
    assert trace == TRACE
    rwc = bench.record["rwc"][THREAD]
    assert all(int(rwc[name]) == 0 for name in rwc.dtype.names)


def test_hifi_matmul_steps_the_fidelity_phase_once_per_replay() -> None:
    bench = Bench()
    for mode, (ab, dst) in SETC16.items():
        set_mode(bench, mode, ab, 0x2C00 if mode == 5 else dst)
    phases = []
    for _ in range(4):
        phases.append(fidelity(bench))
        for mode in MODES:
            bench.run("MVMUL", addr_mode=mode)
    assert phases == [0, 1, 2, 3]
    assert fidelity(bench) == 0


@pytest.mark.parametrize("chip", CHIPS)
def test_words_of_a_mode_have_one_layout(chip: str) -> None:
    fields = config_fields(chip)
    layout = {
        "AB": {"SrcAIncr": 0, "SrcACR": 6, "SrcAClear": 7, "SrcBIncr": 8, "SrcBCR": 14,
               "SrcBClear": 15},
        "DST": {"DestIncr": 0, "DestCR": 10, "DestClear": 11, "DestCToCR": 12,
                "FidelityIncr": 13, "FidelityClear": 15},
        "BIAS": {"BiasIncr": 0, "BiasClear": 4},
    }  # fmt: skip
    for section in range(8):
        for kind, members in layout.items():
            found = [fields[f"ADDR_MOD_{kind}_SEC{section}_{name}"] for name in members]
            assert [field.lo for field in found] == list(members.values())
            assert len({field.word for field in found}) == 1


def test_clear_beats_carry_return_and_c_to_cr_beats_cr() -> None:
    bench = Bench()
    rwc = bench.record["rwc"][THREAD]
    for name in ("src_a", "src_b", "dst"):
        rwc[name], rwc[f"{name}_cr"] = 5, 3
    set_mode(bench, 0, ab=0x40C4, dst=0x1402)
    bench.run("ZEROACC")
    assert [int(rwc[n]) for n in ("src_a", "src_a_cr")] == [0, 0]  # clear, though CR is set too
    assert [int(rwc[n]) for n in ("src_b", "src_b_cr")] == [3, 3]  # carry return by 0
    assert [int(rwc[n]) for n in ("dst", "dst_cr")] == [7, 7]  # 5 + 2, copied


def test_counters_wrap_at_their_widths() -> None:
    bench = Bench()
    rwc = bench.record["rwc"][THREAD]
    rwc["src_a"], rwc["src_b"], rwc["dst"], rwc["fidelity"] = 48, 63, 1020, 3
    set_mode(bench, 0, ab=0x0120, dst=0x2008)
    bench.run("ZEROACC")
    assert bench.counters() == (16, 0, 4)
    assert fidelity(bench) == 0


def test_wormhole_reaches_the_upper_modes_by_bias_or_base() -> None:
    bench = Bench("wormhole")
    rwc = bench.record["rwc"][THREAD]
    set_mode(bench, 1, ab=1, dst=0, bias=1)
    set_mode(bench, 5, ab=2, dst=0, bias=0x10)
    bench.run("ZEROACC", addr_mode=1)
    assert (bench.counters()[0], int(rwc["bias"])) == (1, 1)
    bench.run("ZEROACC", addr_mode=1)  # now section 5, which clears the bias
    assert (bench.counters()[0], int(rwc["bias"])) == (3, 0)
    bench.config("ADDR_MOD_SET_Base", 1)
    bench.run("ZEROACC", addr_mode=1)
    assert bench.counters()[0] == 5


def test_blackhole_reaches_all_modes_and_refuses_a_bias() -> None:
    bench = Bench("blackhole")
    set_mode(bench, 6, ab=9, dst=0)
    bench.run("ZEROACC", addr_mode=6)
    assert bench.counters()[0] == 9
    bench.record["rwc"][THREAD]["bias"] = 1
    for name in ("MVMUL", "ELWADD", "MOVA2D", "MOVB2D", "MOVD2A", "MOVD2B", "ZEROACC", "SHIFTXB"):
        assert bench.refusal(name) == "rwc-bias"


def test_setrwc_sets_adds_and_copies() -> None:
    bench = Bench()
    rwc = bench.record["rwc"][THREAD]
    rwc["src_a_cr"], rwc["dst"], rwc["dst_cr"], rwc["fidelity"] = 60, 100, 50, 2
    bench.run("SETRWC", rwc_cr=1, rwc_a=8, rwc_b=3, rwc_d=4, bit_mask=0b0011)
    assert bench.counters() == (4, 3, 100)
    bench.run("SETRWC", rwc_cr=4, rwc_d=4, bit_mask=4)
    assert bench.counters()[2] == 54
    bench.run("SETRWC", rwc_cr=8, rwc_d=6)  # C to CR counts without the Dst bit
    assert (bench.counters()[2], int(rwc["dst_cr"])) == (60, 60)
    assert fidelity(bench) == 2
    bench.run("SETRWC", bit_mask=8)
    assert fidelity(bench) == 0


def test_incrwc_steps_counters_or_their_copies() -> None:
    bench = Bench()
    rwc = bench.record["rwc"][THREAD]
    rwc["src_a"], rwc["src_a_cr"], rwc["src_b"], rwc["src_b_cr"], rwc["dst_cr"] = 1, 2, 3, 4, 1023
    bench.run("INCRWC", rwc_cr=0b101, rwc_a=5, rwc_b=6, rwc_d=2)
    assert bench.counters() == (7, 9, 1)
    assert [int(rwc[n]) for n in ("src_a_cr", "src_b_cr", "dst_cr")] == [7, 4, 1]
