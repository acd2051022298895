"""The vendor's kernels under the checker: silent, or what is found is explained and true.

And its own contract: a kernel whose uninit lost one of the words that restore state is told so.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from llk_kernels import VECTORS, elfs_of, index, recorded
from tilelab.check.contract import Contract
from tilelab.check.engine import CheckedTile
from tilelab.check.run import Checked, checked, set_policies
from tilelab.kernels.expansions import ExpansionTally
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import collect
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import CORE_NAMES, pushed_at, pusher
from tilelab.vendor.llk.harness import TileBackend, replay

OFFSET = (
    "select_packer_dest_registers writes PACK_SEC0_Offset behind a MOP of PACRs with no STALLWAIT "
    "between; PACR.md: a packer reads its configuration as long as it works"
)
NO_STALL = (
    "the pack thread's vector unit stores to Dst, and its packer reads that with no STALLWAIT "
    "blocking PACK until SFPU has drained"
)
EXPLAINED: dict[str, dict[str, str]] = {
    "test_fast_untilize.test_fast_untilize.83ee9e59": {"race-config": OFFSET},
    "test_fast_untilize.test_fast_untilize.ebc5687e": {"race-config": OFFSET},
    "test_fast_untilize.test_fast_untilize_wide_full_ct_dim_133_fp32.6fc42899": {
        "race-config": OFFSET
    },
    "test_fast_untilize.test_fast_untilize_wide_full_ct_dim_137_fp32.6ce2b922": {
        "race-config": OFFSET
    },
    "test_sdpa_reduce_row.test_sdpa_reduce_row.e569a229": {"race-dst": NO_STALL},
    "test_sfpu_reduce_sdpa.test_sfpu_reduce_sdpa.13c263bc": {
        "race-dst": NO_STALL + "; and the SEMWAIT for math blocks TDMA, not the vector unit"
    },
    "test_sdpa_bcast_col_srca_srcb_reuse.test_sdpa_bcast_col_srca_srcb_reuse.46846abf": {
        "semaphore-left": "the test has one half of a protocol: math posts FPU_SFPU, and there is "
        "no SFPU kernel that gets it"
    },
    "test_topk.test_topk_sfpu.c5df18a6": {
        "uninit-private": "configure_pack copies a whole word of its stack, of which it has set "
        "a part"
    },
}
"""What is found, by kernel and check, and why it is true."""
NO_THCON = (
    "WRCFG behind SETDMAREG with no STALLWAIT on the scalar unit between: the vendor's designers "
    "say that Blackhole needs one (tt-isa-documentation#58, tt-metal#48585)"
)
OVERTAKEN = (
    "test_eltwise_unary_datacopy.test_eltwise_unary_datacopy.cc371458",
    "test_fast_tilize_metal_api.test_fast_tilize_metal_api.1287e184",
    "test_fast_untilize.test_fast_untilize.83ee9e59",
    "test_fast_untilize.test_fast_untilize.ebc5687e",
    "test_fast_untilize.test_fast_untilize_wide_full_ct_dim_133_fp32.6fc42899",
    "test_fast_untilize.test_fast_untilize_wide_full_ct_dim_137_fp32.6ce2b922",
    "test_hash_cb.test_hash_cb_sfpu_determinism.2ec92972",
    "test_pack.test_pack.27f64c22",
    "test_reduce.test_reduce.07312aac",
    "test_reduce.test_reduce.bc909731",
    "test_reduce.test_reduce.f14dbd74",
    "test_reduce.test_reduce_bfp4_b.d416ee85",
    "test_reduce_block_max.test_reduce_block_max_reinit.1c78fb20",
    "test_sdpa_reinits.test_sdpa_reinits.3a5b6a8c",
    "test_sfpu_reduce.test_int32_reduce_column_average_exact.8e8ad180",
    "test_topk_finalize_uint16.test_topk_finalize_uint16.90bfa7a9",
    "test_unpack_reduce_col_tilizeA_strided.test_unpack_reduce_col_tilizeA_strided.d1be455e",
)
for slug in OVERTAKEN:
    EXPLAINED.setdefault(slug, {})["setdmareg-overtaken"] = NO_THCON
NO_DRAIN = (
    "the tile's description is changed behind a MOP of UNPACRs with no STALLWAIT between: the "
    "vendor's list of inits and uninits that need one (tt-llk#747); decision 17"
)
UNDRAINED = (
    "test_fast_tilize_full.test_fast_tilize_full.5d37e6cd",
    "test_fast_tilize_full.test_fast_tilize_overflow_guard.cafaf93c",
    "test_matmul_unpack_tilize.test_matmul_unpack_tilize.81b14180",
    "test_matmul_unpack_tilize.test_matmul_unpack_tilize.d62e4054",
    "test_tilize_calculate_untilize_L1.test_tilize_calculate_untilize_L1.689e5841",
    "test_tilize_calculate_untilize_L1.test_tilize_calculate_untilize_L1.97144135",
    "test_unpack_tilize_sweep.test_unpack_tilize_comprehensive.91661bc6",
)
for slug in UNDRAINED:
    EXPLAINED.setdefault(slug, {})["config-under-unpacker"] = NO_DRAIN

NO_MATH = (
    "ALU_ACC_CTRL_Zero_Flag_disabled_src, or the format, is changed behind the matrix unit's words "
    "with no STALLWAIT between (tt-llk#1683); decision 17"
)
UNDER_MATH = (
    "test_reduce.test_reduce.07312aac",
    "test_reduce.test_reduce.f14dbd74",
    "test_reduce.test_reduce_bfp4_b.d416ee85",
    "test_transpose_dest.test_transpose_dest_float.1109592b",
    "test_transpose_dest.test_transpose_dest_float.6674a322",
)
for slug in UNDER_MATH:
    EXPLAINED.setdefault(slug, {})["config-under-math"] = NO_MATH
EXPLAINED.setdefault("test_fast_tilize_metal_api.test_fast_tilize_metal_api.1287e184", {})[
    "uninit-rwc"
] = "the test calls no init with a SETRWC: counters are as reset leaves them"


def run(slug: str, elfs: Path) -> tuple[CheckedTile, Checked]:
    """Replay a recorded run under the checker."""
    tile = CheckedTile()
    set_policies(tile, ())
    for core, number in CORE_IDS.items():
        if (path := elfs / f"{core}.elf").is_file():  # none runs on NCRISC
            tile.programs[number] = load_elf(path)

    def once(tile: CheckedTile) -> KernelResult:
        replay(TileBackend(tile), VECTORS / slug, elfs)
        return collect(slug, tile, [], ExpansionTally())

    def outputs(seed: int) -> bytes:
        """Whether the outputs are the recorded ones on a tile that begins with junk."""
        differ = replay(TileBackend(Tile(junk=seed)), VECTORS / slug, elfs).differ
        return bytes([seed]) if differ else b""

    return tile, checked(slug, tile, once, outputs)


@pytest.mark.llk
@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["slug"])
def test_a_vendors_kernel_is_silent_or_explained(entry: dict[str, Any]) -> None:
    _, made = run(entry["slug"], elfs_of(entry["slug"]))
    print(entry["slug"], [str(finding) for finding in made.findings], made.notes)
    assert {finding.check for finding in made.findings} == set(EXPLAINED.get(entry["slug"], {}))


def restoring(contract: Contract) -> dict[tuple[int, int], list[int]]:
    """Where words of an uninit change configuration: by core and place, the bits changed."""
    places: dict[tuple[int, int], list[int]] = {}
    for change in contract.changes:
        origin = int(change["origin"])
        if any(phase == "uninit" for _, phase in contract.phases(origin)):
            changed = int(change["before"] ^ change["after"])
            places.setdefault((pusher(origin), pushed_at(origin)), []).append(changed)
    return places


@pytest.mark.llk
def test_an_uninit_that_lost_a_word_is_told(tmp_path: Path) -> None:
    elfs = elfs_of(slug := recorded("uninit_restore_block"))
    tile, made = run(slug, elfs)
    assert made.findings == ()
    told = 0
    places = [place for place, bits in restoring(Contract(tile)).items() if any(bits)]
    for core, pc in places:
        shutil.copytree(elfs, tmp_path, dirs_exist_ok=True)
        path = tmp_path / f"{CORE_NAMES[core].lower()}.elf"
        start, data = next(s for s in load_elf(path).segments if s[0] <= pc < s[0] + len(s[1]))
        image = bytearray(path.read_bytes())
        at = bytes(image).index(data) + pc - start
        image[at : at + 4] = (0x13).to_bytes(4, "little")  # nop
        path.write_bytes(image)
        _, broken = run(slug, tmp_path)
        told += "llk-state-leaked" in {finding.check for finding in broken.findings}
    # one word is the first that ever sets its register: nothing says what it was before
    assert (len(places), told) == (5, 4)


def test_every_explanation_is_of_a_kernel() -> None:
    known = {entry["slug"] for entry in index()}
    if os.environ.get("TILELAB_LLK_VECTORS"):
        assert set(EXPLAINED) <= known
