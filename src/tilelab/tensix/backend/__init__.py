"""The units that execute Tensix instructions; importing this binds every instruction's kernel."""

from tilelab.tensix.backend import (  # noqa: F401 - importing a unit binds its kernels
    adc,
    configuration_unit,
    matrix_unit,
    misc_unit,
    mover,
    packers,
    refused,
    scalar_memory,
    scalar_reg2flop,
    scalar_unit,
    sync_unit,
    unpackers,
    vector_unit,
)
from tilelab.tensix.backend.semantics import SEMANTICS

__all__ = ["SEMANTICS"]
