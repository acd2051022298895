"""`pto cc --protocol library`: the credits are the checkout's own, and so are its mistakes."""

import json
import os
import shutil
from pathlib import Path

import pytest

from pto_harness import pto
from tilelab.pto.native.revision import unknown

ISA = os.environ.get("TILELAB_PTO_ISA", "")
KERNEL = Path(__file__).parent / "native" / "credits.cpp"
DRAIN = "const uint32_t drainCount = countPendingFreeCredits(prod.tileIndex);"

pytestmark = pytest.mark.skipif(
    not ISA, reason="TILELAB_PTO_ISA is not set; git clone https://github.com/hw-native-sys/pto-isa"
)


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def run(isa, *defines, arch="a2a3", protocol="library"):
    words = [word for define in defines for word in ("-D", define)]
    options = ["--pto-isa", str(isa), "--arch", arch, "--protocol", protocol, "--json", *words]
    outcome = pto("cc", str(KERNEL), *options)
    return outcome.exit_code, json.loads(outcome.stdout), outcome.output


def other(tmp_path, old, new):
    """The checkout with another TPush.hpp."""
    shutil.copytree(Path(ISA) / "include", tmp_path / "include")
    file = tmp_path / "include" / "pto" / "npu" / "a2a3" / "TPush.hpp"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return tmp_path


def test_a_pipe_whose_credits_are_right_is_silent():
    code, document, _ = run(ISA, "SLOTS=8", "PUSHES=40")
    assert (code, document["findings"]) == (0, [])


def test_a_pipe_that_drains_more_than_was_freed_is_a_deadlock_at_its_end(tmp_path):
    isa = other(tmp_path, DRAIN, "const uint32_t drainCount = SyncPeriod;")
    code, document, _ = run(isa, "SLOTS=8", "PUSHES=40")
    assert code == 1
    assert document["deadlock"]["waits"][0]["core"] == "cube"
    assert run(isa, "SLOTS=8", "PUSHES=40", protocol="sparse")[0] == 0  # the model's own credits


@pytest.mark.parametrize(("pushes", "hangs"), [(4, True), (5, False)])
def test_a_kernel_without_frees_hangs_after_an_even_number_of_pushes(pushes, hangs):
    _, document, _ = run(ISA, "WITHOUT_FREE", "SLOTS=2", f"PUSHES={pushes}")
    assert (document["deadlock"] is not None) == hangs


def test_too_many_credits_of_a5_show_as_lost_tiles_and_flags_that_are_left():
    code, document, _ = run(ISA, "NOSPLIT", "SLOTS=4", "PUSHES=16", arch="a5")
    assert code == 1
    assert {"H16", "H11"} <= {finding["code"] for finding in document["findings"]}


def test_a_checkout_that_was_not_modelled_is_warned_of(tmp_path):
    assert unknown(Path(ISA), "a2a3") == unknown(Path(ISA), "a5") == ""
    isa = other(tmp_path, DRAIN, "const uint32_t drainCount = 0; // none")
    assert "--protocol library" in unknown(isa, "a2a3")
    assert unknown(other(tmp_path / "2", DRAIN, f"{DRAIN} // as it is"), "a2a3") == ""
