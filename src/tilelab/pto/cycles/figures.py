"""The figures that PTO's clock rests on: each a row with its unit, how it is known, and its source.

``measured``: on a device. ``stated``: by the vendor, without an instrument. ``derived``: by us,
from published rows that the source names. ``assumed``: nothing is public; a round figure that the
user is to set.
"""

from dataclasses import dataclass, field, replace
from typing import Final, Literal

from tilelab.sim.errors import BadInputError

Known = Literal["measured", "stated", "derived", "assumed"]
_ISA: Final = "hw-native-sys/pto-isa@3186c38"
_PYPTO: Final = "hw-native-sys/pypto@e2d0f78 include/pypto/backend"
_COST: Final = f"{_ISA} tests/costmodel/st"
_ASC: Final = "mirror-cann/asc-devkit@82b89a1 examples/01_simd_cpp_api/05_best_practices"
_910B3: Final = f"{_ISA} include/pto/costmodel/a2a3/cce_costmodel (910B3)"


@dataclass(frozen=True)
class Figure:
    """One row."""

    name: str
    value: float
    unit: str
    known: Known
    source: str


def _rows(known: Known, source: str, *rows: tuple[str, float, str]) -> tuple[Figure, ...]:
    return tuple(Figure(name, value, unit, known, source) for name, value, unit in rows)


def _vector(known: Known, source: str, **ops: tuple[float, float]) -> tuple[Figure, ...]:
    """What an instruction of PIPE_V costs for every 256 bytes, and once."""
    return tuple(
        Figure(f"{op}.{part}", value, unit, known, source)
        for op, pair in ops.items()
        for part, value, unit in zip(
            ("slope", "fixed"), pair, ("cycles/256 B", "cycles"), strict=True
        )
    )


_DRAIN = f"{_PYPTO}/common/backend_handler.h, on-device sweep"
_SHARED = (
    *_rows("stated", f"{_ISA} include/pto/costmodel/arch_config.hpp", ("clock", 1850, "MHz")),
    *_rows(
        "derived", "pto-isa#99, Case 1: 1,495.0 us with flags, 2,892.6 with a flag back from "
        "MTE2 for each tile (tests/pto/paged_rows.py)",
        ("cross_core_flag", 2290, "cycles"), ("free_flag", 4540, "cycles"),
    ),
    *_rows("assumed", "no figure is public", ("issue", 4, "cycles"), ("control", 20, "cycles")),
    *_rows(
        "derived", f"{_COST}/tload: 776, 519 and 392 cycles for 128 rows of 512, 254 and 127 "
        "bytes, 8576 for 32 copies",
        ("gm_ub_fixed", 264, "cycles"), ("gm_ub", 128, "B/cycle"),
    ),
    *_rows(
        "derived", f"{_COST}/tloadconv: 116 cycles for 12,800 bytes",
        ("gm_l1_fixed", 16, "cycles"), ("gm_l1", 128, "B/cycle"),
    ),
    *_rows(
        "stated", f"{_ISA} include/pto/costmodel/arch_config.hpp: 188.46 GiB/s at 1.85 GHz",
        ("ub_gm", 109.4, "B/cycle"),
    ),
    *_rows(
        "derived", f"{_ASC}/00_vector_compute/add_high_performance: one core's MTE3 takes 2,613 us "
        "for 16,384 stores of 8,192 bytes", ("ub_gm_fixed", 220, "cycles"),
    ),
    *_rows(
        "derived", f"{_ASC}/04_memory_access/data_copy: 548.161 us for 49,152 loads of 128 bytes a "
        "core, none awaited", ("transfer", 19.6, "cycles"),
    ),
    *_rows(
        "derived", f"{_COST}/tcolmax: 390 cycles for a row of 12,288 bytes",
        ("ub_ub", 32, "B/cycle"), ("ub_ub_fixed", 6, "cycles"),
    ),
    *_rows(
        "derived", f"{_COST}/trowexpand: 933 cycles for 64 rows, each with two flags and a "
        "scalar read",
        ("flag", 4, "cycles"), ("row_scalar", 14.5, "cycles/row"),
    ),
    *_rows(
        "derived", f"{_COST}/tcolmax: 2,589 cycles for 64 rows of one repeat",
        ("row_step", 39, "cycles/row"),
    ),
    *_rows(
        "derived", f"{_COST}/tcolsum: 1,263 cycles for 64 rows, by halves",
        ("row_apart", 16, "cycles/row"), ("level", 19, "cycles/level"),
    ),
    *_rows(
        "derived", f"{_COST}/tsel: 67 cycles for four rows of 256 bytes",
        ("row_select", 16, "cycles/row"),
    ),
    *_rows(
        "derived", f"{_COST}/tadds, tmins: 40 to 70 cycles for whole numbers",
        ("whole_fixed", 8, "cycles"),
    ),
)  # fmt: skip
_VECTOR = (
    *_vector(
        "measured", _910B3,
        TADD=(2.11, 24), TSUB=(2.11, 24), TMUL=(2.3, 25), TDIV=(4.03, 31), TMAX=(2.01, 23),
        TMIN=(2.01, 23), TEXP=(2.0, 31), TLOG=(2.0, 33), TRSQRT=(1.07, 24), TRELU=(1.0, 23),
        TLRELU=(1.03, 26), TMULS=(1.0, 26), TMAXS=(1.0, 23), TAND=(2.03, 20), TOR=(2.03, 20),
        TXOR=(2.03, 20),
    ),
    *_vector(
        "stated", _910B3.replace(" (910B3)", ""),
        group_max=(1, 31), group_sum=(1, 38), TSQRT=(2, 39), TCVT=(2, 32), TMOV=(1, 24),
        TEXPANDS=(1, 24), TCMP=(2, 36), TNOT=(2, 20),
    ),
    *_vector(
        "derived", f"{_COST}: tabs, tadds, tmins, tdivs, trowmax, trowsum",
        TABS=(1, 4), TADDS=(1, 25), TSUBS=(1, 25), TMINS=(1, 23), TDIVS=(5, 45), TROWMAX=(7, 32),
        TROWMIN=(7, 32), TROWSUM=(7, 46),
    ),
    *_vector("assumed", "no figure of this instruction is public", other=(2, 30)),
)  # fmt: skip
_A2A3 = (
    *_rows(
        "measured", _DRAIN,
        ("l1_l0a", 129.7, "B/cycle"), ("l1_l0b", 85.4, "B/cycle"), ("drain", 118.0, "B/cycle"),
        ("drain_fixed", 164, "cycles"), ("drain_row", 4.45, "cycles/row"),
        ("mad_head", 21, "cycles"), ("mad_fp32", 2, "passes"),
    ),
)  # fmt: skip
_A5 = (
    *_rows(
        "stated", f"{_PYPTO}/950/backend_950_handler.h, the vendor's simulator",
        ("l1_l0a", 206.3, "B/cycle"), ("l1_l0b", 223.8, "B/cycle"), ("drain", 30.0, "B/cycle"),
        ("drain_fixed", 343.4, "cycles"), ("mad_head", 25, "cycles"), ("mad_fp32", 8, "passes"),
    ),
    *_rows("assumed", "no figure is public", ("drain_row", 0, "cycles/row")),
    *_rows(
        "assumed", "as global memory's store",
        ("ub_l1", 109.4, "B/cycle"), ("ub_l1_fixed", 220, "cycles"),
    ),
)  # fmt: skip


@dataclass
class Figures:
    """The figures of an architecture; ``used`` are those that an answer rested on."""

    arch: str
    rows: dict[str, Figure]
    used: set[str] = field(default_factory=set)

    def __getitem__(self, name: str) -> float:
        """A figure's value; it is noted as used."""
        self.used.add(name)
        return self.rows[name].value

    def __contains__(self, name: str) -> bool:
        return name in self.rows

    def set(self, text: str) -> None:
        """``NAME=VALUE``: a user's own figure; BadInputError where there is none of that name."""
        name, equals, value = text.partition("=")
        if name not in self.rows:
            raise BadInputError(
                f"--set {text}: no figure {name!r}; there are {', '.join(self.rows)}"
            )
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not equals or not 0 <= number < 1e9:
            raise BadInputError(f"--set {text}: write NAME=VALUE, a number of 0 or more")
        if number == 0 and self.rows[name].unit in ("B/cycle", "MHz"):
            raise BadInputError(f"--set {text}: a rate is more than 0")
        self.rows[name] = replace(self.rows[name], value=number, known="stated", source="--set")

    def leaned_on(self) -> list[Figure]:
        """The rows that were used, in the table's order."""
        return [row for name, row in self.rows.items() if name in self.used]


def figures(arch: str, given: list[str] | None = None) -> Figures:
    """The figures of "a2a3" or "a5", with a user's own (``NAME=VALUE``) in place of some.

    A5's vector and memory figures are A2/A3's, as nothing of its own is public: they are
    ``assumed`` there.
    """
    shared = (*_SHARED, *_VECTOR)
    if arch == "a5":
        shared = tuple(
            one if one.known == "assumed"
            else replace(one, known="assumed", source=f"A2/A3's: {one.source}")
            for one in shared
        )  # fmt: skip
    rows = (*shared, *(_A5 if arch == "a5" else _A2A3))
    found = Figures(arch, {one.name: one for one in rows})
    for text in given or []:
        found.set(text)
    return found
