"""Matrix products that a user registers for a code of mmauop."""

import numpy as np
import pytest

from tilelab.sim.errors import ProgramError
from tilelab.tilext import MissingSpecification, run
from tilelab.tilext.matrices import matrix_product
from tilext_core import core


@pytest.mark.parametrize("seed", range(4))
def test_registered_products_negate_and_transpose(seed):
    rng, machine = np.random.default_rng(seed), core()
    m, n, k = 4, 5, 6
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((m, k), (k, n)))
    d = rng.integers(-1000, 1000, (m, n)).astype(np.int32)
    machine.operations.mma[3] = matrix_product(a.dtype, b.dtype, d.dtype, (m, n, k))
    flags = rng.integers(0, 2, 4).astype(bool)
    neg1, negd, transmata, transmatb = flags
    machine.tiles[1][: a.size] = (
        np.ascontiguousarray(a.T if transmata else a).view(np.uint8).ravel()
    )
    machine.tiles[2][: b.size] = (
        np.ascontiguousarray(b.T if transmatb else b).view(np.uint8).ravel()
    )
    machine.tiles[0][: d.nbytes] = d.view(np.uint8).ravel()
    names = ("neg1", "negd", "transmata", "transmatb")
    chosen = "".join(f", {name}" for name, on in zip(names, flags, strict=True) if on)
    run(machine, f"mma.tt tr0, tr1, tr2, mmauop=3, tilesize=1{chosen}")
    product = a.astype(np.int32) @ b.astype(np.int32)
    wanted = (-d if negd else d) + (-product if neg1 else product)
    found = machine.tiles[0][: d.nbytes].view(np.int32).reshape(m, n)
    assert np.array_equal(found, wanted)


def test_wide_elements_are_not_transposed_by_guess():
    machine = core()
    machine.operations.mma[3] = matrix_product(*[np.dtype(np.float16)] * 3, (4, 4, 4))
    with pytest.raises(MissingSpecification, match="mma-shape"):
        run(machine, "mma.tt tr0, tr1, tr2, mmauop=3, tilesize=1, transmata")
    machine.operations.mma[3] = matrix_product(*[np.dtype(np.float64)] * 3, (4, 4, 5))
    with pytest.raises(ProgramError, match="160 B, a register has 128"):
        run(machine, "mma.tt tr0, tr1, tr2, mmauop=3, tilesize=1")
