"""The vendor's compiled kernels, bit for bit, where their ELFs have been built.

``TILELAB_LLK_ELFS`` names a folder ``<slug>/{brisc,trisc0,trisc1,trisc2}.elf``.
"""

from typing import Any

import pytest

from llk_kernels import VECTORS, elfs_of, index
from tilelab.vendor.llk.harness import SOFT_RESET, backend, replay


@pytest.mark.llk
@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["slug"])
def test_kernel_leaves_the_recorded_bytes(entry: dict[str, Any]) -> None:
    elfs = elfs_of(entry["slug"])
    result = replay(backend(), VECTORS / entry["slug"], elfs)
    print(f"{entry['slug']}: {result}")
    # one recorded kernel determines no byte: it must still run to completion
    assert result.differ == 0, str(result)


def test_a_host_may_poll_a_register_as_it_polls_memory() -> None:
    device = backend()
    before = device.read(SOFT_RESET, 4)
    assert device.read(SOFT_RESET, 4) == before == device.reg_read(SOFT_RESET).to_bytes(4, "little")
