"""Mistakes that compile and run: what `tilelab run` says of them, at the author's line."""

from pathlib import Path

import numpy as np
import pytest
from test_compute_api import CHIPS

from kernel_maker import Buffer, Ran, build_and_run, write_kernel
from tilelab.sim.errors import BadInputError, TilelabError

COPY = """\
#include "compute_kernel_api.h"
namespace NAMESPACE {
constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1;
constexpr auto out = tt::CBIndex::c_16, other = tt::CBIndex::c_17;
void MAIN {
    copy_tile_init(a, out);
    for (uint32_t i = 0; i < 2; ++i) {
        tile_regs_acquire();
        cb_wait_front(a, 1);
        copy_tile(a, 0, 0);
        cb_pop_front(a, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, 1);
        pack_tile(0, out);
        cb_push_back(out, 1);
        tile_regs_release();
    }
}
}
"""
ARRAY = (np.arange(2048).reshape(32, 64) % 61).astype(np.float32)
A, B = Buffer(0, ARRAY), Buffer(1, ARRAY, "fp32")
OUT, OTHER = Buffer(16, ARRAY), Buffer(17, ARRAY, "fp32")


def run(folder: Path, source: str, arch: str = "blackhole", **build: str) -> Ran:
    """Run a kernel of c_0 and c_16 in bf16, c_1 and c_17 in fp32."""
    inputs, outputs = [A, B], [OTHER if "c_16" not in source else OUT]
    text = build.get("build", "fp32_dest_acc_en = true")
    write_kernel(folder, source, inputs, outputs, arch, {}, text)
    return build_and_run(folder)


def told(ran: Ran) -> str:
    assert not ran.passed
    return "\n".join(ran.result.outputs[0].lines())


@pytest.mark.parametrize("arch", CHIPS)
def test_nothing_is_told_of_a_right_kernel(arch: str, tmp_path: Path) -> None:
    ran = run(tmp_path, COPY, arch)
    assert ran.passed
    assert len(ran.result.outputs[0].lines()) == 1


@pytest.mark.parametrize("arch", CHIPS)
def test_an_output_that_is_never_pushed_fails(arch: str, tmp_path: Path) -> None:
    source = COPY.replace("cb_push_back(out, 1);", "").replace("cb_reserve_back(out, 1);", "")
    text = told(run(tmp_path, source, arch))
    assert "c_16: no tile of 2 pushed, so the host does not get any" in text


def test_an_output_of_which_a_tile_is_not_pushed_fails(tmp_path: Path) -> None:
    source = COPY.replace("cb_push_back(out, 1);", "if (i == 0) cb_push_back(out, 1);")
    source = source.replace("cb_reserve_back(out, 1);", "")
    assert "c_16: 1 of 2 pushed" in told(run(tmp_path, source))


@pytest.mark.parametrize("arch", CHIPS)
def test_another_format_than_the_inits_is_named(arch: str, tmp_path: Path) -> None:
    source = COPY.replace("copy_tile(a", "copy_tile(b").replace("(a, 1)", "(b, 1)")
    text = told(run(tmp_path, source, arch))
    assert (
        "kernel.cpp:10: copy_tile of c_1, fp32: the unpacker is prepared for another format "
        "(kernel.cpp:6: copy_tile_init of c_0, bf16)"
    ) in text


@pytest.mark.parametrize("arch", CHIPS)
def test_a_missing_reconfiguration_of_the_packer_is_named(arch: str, tmp_path: Path) -> None:
    source = COPY.replace("constexpr auto out = tt::CBIndex::c_16, other", "constexpr auto other")
    source = source.replace("(a, out)", "(a, ready)").replace("out", "other")
    source = source.replace("other = tt", "ready = tt::CBIndex::c_0, other = tt")
    text = told(run(tmp_path, source, arch))
    assert (
        "kernel.cpp:15: pack_tile of c_17, fp32: the packer is prepared for another format "
        "(kernel.cpp:6: copy_tile_init of c_0, bf16)"
    ) in text


def test_no_init_at_all_is_named(tmp_path: Path) -> None:
    text = told(run(tmp_path, COPY.replace("    copy_tile_init(a, out);\n", "\n")))
    assert "kernel.cpp:10: copy_tile of c_0: no …_init prepares the unpacker (TRISC0)" in text
    assert "kernel.cpp:15: pack_tile of c_16: no …_init prepares the packer (TRISC2)" in text


@pytest.mark.parametrize("call", ["cb_wait_front(40, 1)", "copy_tile(a, 0, 0); pack_tile(0, 32)"])
def test_a_number_of_no_circular_buffer_does_not_compile(call: str, tmp_path: Path) -> None:
    source = COPY.replace("        cb_wait_front(a, 1);", f"        {call};")
    with pytest.raises(BadInputError, match=r"kernel\.cpp:9: circular buffers have numbers from"):
        run(tmp_path, source)


@pytest.mark.parametrize("arch", CHIPS)
def test_such_a_number_at_run_time_ends_the_run_at_its_line(arch: str, tmp_path: Path) -> None:
    number = "*reinterpret_cast<volatile uint32_t*>(0x20000) + 40"
    source = COPY.replace("cb_wait_front(a, 1)", f"cb_wait_front({number}, 1)")
    with pytest.raises(TilelabError) as error:
        run(tmp_path, source, arch)
    assert "kernel.cpp:9 → cb_wait_front" in str(error.value)
    assert "circular_buffers_are_0_to_31" in str(error.value)


def test_a_stack_that_overflows_is_named(tmp_path: Path) -> None:
    array = "volatile uint32_t large[1536]; for (auto& each : large) each = i;"
    source = COPY.replace(
        "        tile_regs_acquire();", f"        {{ {array} }} tile_regs_acquire();"
    )
    with pytest.raises(TilelabError, match="stack has overflowed its local RAM: nothing is mapped"):
        run(tmp_path, source)
