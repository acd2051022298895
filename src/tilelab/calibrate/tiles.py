"""``NAME_tile`` of the vendor's compute API on the math core alone, a tile of Dst again and again.

As the harnesses of published figures have it that call the production functions (tt-metal#57292).
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.calibrate import compute_api, machine
from tilelab.calibrate.compute_api import Call
from tilelab.calibrate.machine import RESULTS, NotRunError
from tilelab.calibrate.measure import slope
from tilelab.calibrate.perfbench import POINTS, Perfbench
from tilelab.calibrate.programs import ARGUMENTS, STANDIN, start_up, symbols
from tilelab.tensix.tables.tile_registers import INSTRN_BUF

CORE = "trisc1"
VECTORS = (4, 8)
"""Of the two calls whose difference is what vectors take: kernels unroll loops up to eight."""
TILES = 16
"""Of the shortest burst; the others are two, three and four times as long."""
OWN = "own.h"
"""A header with a function that the API does not have."""
MAIN = Path(__file__).parent / "standin_tiles/main.cpp"
COMPILER = "from tilelab.build.standin.driver import main; raise SystemExit(main('zig'))"


def cycles_a_tile(bench: Perfbench, arch: str, name: str) -> float:
    """Cycles of one ``NAME_tile``: the slope over bursts; NotRunError if it does not build."""
    return cycles_a_call(bench, arch, _function(bench, name))


def cycles_if_exact(bench: Perfbench, arch: str, name: str) -> float:
    """The same of one whose template asks first whether it may approximate: it may not."""
    function = _function(bench, name)
    init, call = (text.replace("(", "<false>(", 1) for text in (function.init, function.call))
    return cycles_a_call(bench, arch, replace(function, init=init, call=call))


def cycles_in_one_call(bench: Perfbench, arch: str, name: str) -> float:
    """The same with the kernel's loop over the whole tile, as tt-llk's tests have it.

    A call for each face where the API does not say how many vectors its kernel is to compute.
    """
    function = _function(bench, name)
    if (whole := compute_api.in_one_call(function)) is None:
        return cycles_a_call(bench, arch, function)
    text, call = whole
    return cycles_a_call(bench, arch, replace(function, header=OWN, call=call, text=text))


def cycles_of(bench: Perfbench, arch: str, name: str, types: str) -> float:
    """Cycles of one ``NAME_tile<types>``; NotRunError if it does not build.

    Where the types say 32 vectors they are of one call, else there is a call for each face.
    """
    function = _function(bench, name)
    known = compute_api.INITS if types.startswith("true") else {}
    init = known.get(name, function.init)
    mode = "None" if str(compute_api.WHOLE) in types.split(",") else "RC"
    call = f"{name}_tile<{types}>(0, VectorMode::{mode})"
    return cycles_a_call(bench, arch, replace(function, init=init, call=call))


def cycles_a_vector(bench: Perfbench, arch: str, function: Call) -> float:
    """Cycles of a vector more in one call, which has {vectors} left open.

    NotRunError if it does not build.
    """
    calls = [replace(function, call=function.call.format(vectors=n)) for n in VECTORS]
    spent = [cycles_a_call(bench, arch, call) for call in calls]
    return (spent[1] - spent[0]) / (VECTORS[1] - VECTORS[0])


def same_kernel(one: Perfbench, other: Perfbench, arch: str, name: str) -> bool:
    """Whether two releases have one kernel for ``NAME_tile``; NotRunError if one has none."""
    texts = [
        compute_api.kernel_text(bench.llk.metal, arch, _function(bench, name))
        for bench in (one, other)
    ]
    return texts[0] == texts[1] != ""


def _function(bench: Perfbench, name: str) -> Call:
    """A function of the compute API; NotRunError if there is none, or it cannot be called."""
    metal = bench.llk.metal
    function = bench.once(("api", metal), lambda: compute_api.calls(metal)).get(f"{name}_tile")
    if function is None or function.strange:
        why = f"takes {function.strange.strip()}" if function else "is not in tt-metal's API"
        raise NotRunError(f"{name}_tile {why}")
    return function


def cycles_a_call(bench: Perfbench, arch: str, function: Call) -> float:
    """Cycles of one call: the slope over bursts; NotRunError if it does not build."""
    metal = bench.llk.metal

    def measured() -> tuple[int, ...]:
        image = _built(metal, arch, function)
        counts = [TILES * (number + 1) for number in range(POINTS)]
        return machine.run(arch, {CORE: image}, counts, POINTS)

    spent = bench.once(("tile", metal, arch, function), measured)
    return slope([(TILES * (number + 1), cycles) for number, cycles in enumerate(spent)])


def _built(metal: Path, arch: str, function: Call) -> bytes:
    """The math core's program; of formats for which a function asks, bfloat16's."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        own = {OWN: function.text} if function.header == OWN else {}
        for name, text in (compute_api.headers(wide=False) | own).items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "begin.s").write_text(start_up(arch))

        def run(words: list[str]) -> None:
            machine.build([sys.executable, "-c", COMPILER, *words], function.call, folder)

        options = compute_api.words(metal, arch, folder)
        names = {
            "HEADER": f'"{function.header}"',
            "INIT": function.init.format(format="Float16_b"),
            "CALL": function.call.format(format="Float16_b"),
            "ARGS_ADDRESS": f"{ARGUMENTS:#x}",
            "RESULTS": f"{RESULTS:#x}",
        }
        defines = [f"-D{key}={value}" for key, value in names.items()]
        before = ["-include", "defines_generated.h", "-include", "chlkc_descriptors.h"]
        run([*options, *defines, *before, "-c", str(MAIN), "-o", "main.o"])
        run([options[0], "-c", "begin.s", "-o", "begin.o"])
        known = symbols(arch, CORE) | {"__instrn_buffer": INSTRN_BUF}
        linking = [f"-Wl,--defsym={symbol}={value:#x}" for symbol, value in known.items()]
        script = f"-T{STANDIN / 'link.ld'}"
        run([options[0], *linking, script, "begin.o", "main.o", "-lgcc", "-lc", "-o", "tile.elf"])
        return (folder / "tile.elf").read_bytes()
