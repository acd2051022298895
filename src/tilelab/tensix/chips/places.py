"""Where kernels find the fields of the configuration registers: ``s.f.NAME``."""

from types import SimpleNamespace


class Places(SimpleNamespace):
    """Packed places by field name, see ``config_registers.places``; ``places.pyi`` names them."""
