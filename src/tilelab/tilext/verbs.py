"""What runs each verb, and which operands it knows: what an overlay adds is never dropped."""

from collections.abc import Callable, Iterator, Mapping

from tilelab.sim.errors import ProgramError
from tilelab.tilext import compute, moves, semantics, transfers
from tilelab.tilext.errors import MissingSpecification, NotEncodable
from tilelab.tilext.state import TileCore

Values = Mapping[str, int]
Run = Callable[[TileCore, str, Values], None]

_MEMORY = {
    *("td", "ts1", "tilesize", "rs1", "rs2", "rs3", "vs2", "offseten", "imm", "imm2"),
    *("tmask", "func6", "addrCtl"),
}
_MOVE = {
    *("td", "ts1", "vs1", "vd", "rs1", "rd", "frs1", "frd", "rs2", "rs2_en", "imm", "bc"),
    *("func6", "addrCtl"),
}
_CSR = {"rd", "rs1", "rd_en", "rs1_en", "csr_idx", "csr_uop"}

VERBS: dict[str, tuple[Run, frozenset[str] | None]] = {
    "load": (semantics.memory_access, frozenset(_MEMORY)),
    "store": (semantics.memory_access, frozenset(_MEMORY)),
    "atomic": (transfers.atomic, None),
    "copy": (transfers.copy, None),
    "csr_read": (semantics.tcsr_read, frozenset(_CSR)),
    "csr_write": (semantics.tcsr_write, frozenset(_CSR)),
    "mma": (compute.mma, None),
    "vector_to_tile": (moves.move_vector_to_tile, frozenset(_MOVE)),
    "tile_to_vector": (moves.move_tile_to_vector, frozenset(_MOVE)),
    "scalar_to_tile": (moves.move_scalar_to_tile, frozenset(_MOVE)),
    "tile_to_scalar": (moves.move_tile_to_scalar, frozenset(_MOVE)),
    "talu": (compute.talu, None),
}
"""A verb's function and the operands it knows; None: all reach what the user registered."""


class Operands(Mapping[str, int]):
    """An instruction's operands; asking for one that its words lack is an error of the profile."""

    def __init__(self, name: str, values: Values) -> None:
        self.name = name
        self.values_ = dict(values)

    def __getitem__(self, key: str) -> int:
        if key not in self.values_:
            raise NotEncodable(f"{self.name}: the model needs {key}, which its words do not have")
        return self.values_[key]

    def __contains__(self, key: object) -> bool:
        return key in self.values_

    def get(self, key: str, default: int = 0) -> int:  # type: ignore[override]
        """Return an operand, or the default where the words have none."""
        return self.values_.get(key, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


def run_verb(core: TileCore, name: str, values: Values) -> None:
    """Run an instruction; ProgramError for an operand that nothing here would use."""
    verb = core.profile.forms[name].verb
    run, known = VERBS[verb]
    refuse_unknown(name, values, known)
    if values.get("addrCtl"):
        raise MissingSpecification("addrctl", f"{name} with addrCtl 1")
    run(core, name, Operands(name, values))


def refuse_unknown(name: str, values: Values, known: frozenset[str] | None) -> None:
    """Raise ProgramError for a set operand that is not among those known."""
    if known is None:
        return
    for operand, value in values.items():
        if value and operand not in known:
            raise ProgramError(f"{name}: the model has no meaning for {operand}={value}")
