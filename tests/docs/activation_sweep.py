"""What the headers' activations give for every bf16 number, and for fp32 numbers of each octave.

usage: python tests/docs/activation_sweep.py --update
       python tests/docs/activation_sweep.py FOLDER [FUNCTION…]

The first writes the two tables of docs/activations.md that sum it up. The second writes
FUNCTION.csv for each function of one number: the input's bits as fp32, the input, the result's
bits, the result, the exact result, and how far apart they are in units in the last place of fp32.
The numbers are unpacked into a Dst of 32 bits as they are, so that nothing is lost on the way.
"""

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.activations import FUNCTIONS, PAGE
from kernel_maker import Buffer, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.arrays import read_array
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.score.ulp import numbers_of, ulps, without_subnormal
from tilelab.tensix import Tile

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float64]

UNEVEN = ("gelu_derivative", "lgamma_stirling", "tanh_derivative")
"""Functions whose errors are small beside the largest results, not beside each: near a zero, or
where results are the least numbers."""
SWEPT = tuple(
    name
    for name, function in FUNCTIONS.items()
    if function.operands == 1 and not function.parameter and name not in UNEVEN
)
"""Functions of one number alone."""
SPECIAL = {
    **{"−∞": 0xFF800000, "−1": 0xBF800000, "−0": 0x80000000, "0": 0, "2^−126": 0x00800000},
    **{"2^126": 0x7E800000, "∞": 0x7F800000, "NaN": 0x7FC00000},
}
"""Numbers whose results the page shows, by their bits."""
OF_SUBNORMAL = ("sign", "ceil", "floor")
"""Functions that see them: they ask by bits."""
CLASSES = (1, 16, 256)
"""Bounds of errors, in ulp, by which the page puts octaves together; what is beyond is wrong."""
GAP = 4
"""Octaves of a better class that may lie between two that are put together."""
SPECIALS_TABLE = re.compile(r"\| function \| −∞ .*?\n\n", re.DOTALL)
OCTAVES_TABLE = re.compile(r"\| function \| largest over .*?\n\n", re.DOTALL)
CHOICE = 0x20000
"""Where the kernel reads which function it computes."""
SOURCE = """
#include <tilelab/special.h>
namespace NAMESPACE {
void MAIN {
    constexpr auto in = tt::CBIndex::c_0, out = tt::CBIndex::c_16;
    copy_tile_init(in, out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(in, 1);
        copy_tile(in, 0, 0);
        cb_pop_front(in, 1);
        switch (*reinterpret_cast<volatile uint32_t*>(choice)) {
%s
        }
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


def swept_numbers() -> Floats:
    """All bf16 numbers, by their bits, then some fp32 numbers of each sign and exponent."""
    with np.errstate(invalid="ignore"):
        return numbers_of("fp32").astype(np.float32)


@lru_cache
def kernel_folder(functions: tuple[str, ...], tiles: int, arch: str) -> Path:
    """A built kernel of these functions, and of a number of tiles."""
    folder = Path(tempfile.mkdtemp(prefix="activations-"))
    cases = [
        f"            case {i}: {FUNCTIONS[name].call(name)} break;"
        for i, name in enumerate(functions)
    ]
    empty = np.zeros((32 * tiles, 32), np.float32)
    write_kernel(
        folder,
        SOURCE % "\n".join(cases),
        [Buffer(0, empty, "fp32")],
        [Buffer(16, empty, "fp32", tolerance=1e38)],
        arch,
        {"num_tiles": tiles, "choice": CHOICE},
        'fp32_dest_acc_en = true\nunpack_to_dest_mode = ["c_0"]',
    )
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler("zig"))
    return folder


def results(
    name: str, numbers: Floats, arch: str = "blackhole", functions: Sequence[str] = SWEPT
) -> Floats:
    """A function of each of these numbers, whole tiles of them."""
    folder = kernel_folder(tuple(functions), numbers.size // 1024, arch)
    np.save(folder / "c_0.npy", numbers.reshape(-1, 32))
    tile = Tile(arch)
    tile.write(CHOICE, int(functions.index(name)).to_bytes(4, "little"))
    kernel = read_kernel_file(folder)
    run_kernel(kernel, tile)
    return read_array(tile, kernel.outputs[0]).ravel()


def exact(name: str, numbers: Floats) -> Numbers:
    """The exact results; to the vector unit's arithmetic, subnormal numbers are zeros."""
    with np.errstate(all="ignore"):
        x = numbers.astype(np.float64)
        return FUNCTIONS[name].exact(x if name in OF_SUBNORMAL else without_subnormal(x))


def rows(name: str, numbers: Floats) -> Iterator[str]:
    """The lines of a function's table."""
    got, want = results(name, numbers), exact(name, numbers)
    yield "bits,input,result_bits,result,exact,ulp\n"
    for x, y, z, away in zip(numbers, got, want, ulps(got, want, "fp32"), strict=True):
        bits = f"{x.view(np.uint32):#010x},{x:.9g},{y.view(np.uint32):#010x}"
        yield f"{bits},{y:.9g},{z:.17g},{away:.2f}\n"


@lru_cache
def away(name: str, arch: str = "blackhole") -> tuple[Floats, Floats, Numbers]:
    """All swept numbers, a function's results, and how far they are from exact, in ulp."""
    numbers = swept_numbers()
    got = results(name, numbers, arch)
    return numbers, got, ulps(got, exact(name, numbers), "fp32")


def specials_table() -> str:
    """What each function gives for SPECIAL."""
    lines = [f"| function | {' | '.join(SPECIAL)} |", "|---" * (len(SPECIAL) + 1) + "|"]
    for name in SWEPT:
        _, got, _ = away(name)
        shown = [_number(got[bits >> 16]) for bits in SPECIAL.values()]
        lines.append(f"| `{name}_tile` | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n\n"


def _number(x: np.float32) -> str:
    if np.isnan(x):
        return "NaN"
    text = "∞" if np.isinf(x) else f"{abs(x):.4g}"
    return f"−{text}" if np.signbit(x) else text


def octaves_table() -> str:
    """The largest errors, and in which octaves they are beyond one ulp."""
    lines = [
        "| function | largest over bf16 | largest over fp32 | octaves with more than 1 ulp |",
        "|---|---|---|---|",
    ]
    for name in SWEPT:
        numbers, _, apart = away(name)
        finite = np.isfinite(numbers)
        by_format = [apart[: 1 << 16][finite[: 1 << 16]], apart[1 << 16 :][finite[1 << 16 :]]]
        largest = [f"{each[each <= CLASSES[-1]].max():.2f}" for each in by_format]
        lines.append(f"| `{name}_tile` | {' | '.join(largest)} | {'; '.join(_octaves(name))} |")
    return "\n".join(lines) + "\n\n"


def _octaves(name: str) -> Iterator[str]:
    """Octaves whose largest errors are of one class, with the largest of all."""
    numbers, _, apart = away(name)
    worst = np.zeros(512)
    np.maximum.at(worst, numbers.view(np.uint32) >> 23, apart)
    for sign, first in (("−", 256), ("", 0)):
        classes = list(np.searchsorted(CLASSES, worst[first : first + 255]))
        for i in range(2, 254 - GAP):
            if classes[i] < classes[i - 1] and classes[i - 1] in classes[i + 1 : i + GAP + 1]:
                classes[i] = classes[i - 1]
        start = 1
        for end in range(2, 256):
            if end < 255 and classes[end] == classes[start]:
                continue
            if classes[start]:
                low, high = (f"2^{exponent - 127}".replace("^-", "^−") for exponent in (start, end))
                most = float(worst[first + start : first + end].max())
                shown = f"{most:.2f}" if most <= CLASSES[-1] else "wrong"
                yield f"{sign}{low} to {sign}{high}: {shown}"
            start = end


def update() -> None:
    """Write the page's two tables."""
    page = PAGE.read_text(encoding="utf-8")
    page = SPECIALS_TABLE.sub(lambda _: specials_table(), page)
    PAGE.write_text(OCTAVES_TABLE.sub(lambda _: octaves_table(), page), encoding="utf-8")


def main() -> int:
    """Write the tables; return the exit code."""
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1:] == ["--update"]:
        update()
        return 0
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    numbers = swept_numbers()
    for name in sys.argv[2:] or SWEPT:
        with (folder / f"{name}.csv").open("w", encoding="ascii") as file:
            file.writelines(rows(name, numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
