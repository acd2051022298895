"""``NAME_tile`` of the vendor's compute API on the math core alone, a tile of Dst again and again.

As the harnesses of published figures have it that call the production functions (tt-metal#57292).
"""

import sys
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
TILES = 16
"""Of the shortest burst; the others are two, three and four times as long."""
MAIN = Path(__file__).parent / "standin_tiles/main.cpp"
COMPILER = "from tilelab.build.standin.driver import main; raise SystemExit(main('zig'))"


def cycles_a_tile(bench: Perfbench, arch: str, name: str) -> float:
    """Cycles of one ``NAME_tile``: the slope over bursts; NotRunError if it does not build."""
    metal = bench.llk.metal
    function = bench.once(("api", metal), lambda: compute_api.calls(metal)).get(f"{name}_tile")
    if function is None or function.strange:
        why = f"takes {function.strange.strip()}" if function else "is not in tt-metal's API"
        raise NotRunError(f"{name}_tile {why}")

    def measured() -> tuple[int, ...]:
        image = _built(metal, arch, function)
        counts = [TILES * (number + 1) for number in range(POINTS)]
        return machine.run(arch, {CORE: image}, counts, POINTS)

    spent = bench.once(("tile", metal, arch, name), measured)
    return slope([(TILES * (number + 1), cycles) for number, cycles in enumerate(spent)])


def _built(metal: Path, arch: str, function: Call) -> bytes:
    """The math core's program; of formats for which a function asks, bfloat16's."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name, text in compute_api.headers(wide=False).items():
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
