"""Rows that the vendor's performance tests give: which variant, which zone, and what of its report.

A row names a test, and parameters of the test in words of its reports; a parameter that it does not
name is as in the plainest variant.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from statistics import fmean

from tilelab.calibrate import tiles
from tilelab.calibrate.arithmetic import evaluate
from tilelab.calibrate.compute_api import Call
from tilelab.calibrate.llk import How, Lines, Variant
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.rewritten import around, as_published, having
from tilelab.calibrate.rows import AFTER, BEFORE, Part, Row

UNARY, BINARY, SCALAR = (
    "perf_eltwise_unary_sfpu.py",
    "perf_eltwise_binary_sfpu.py",
    "perf_sfpu_binop_scalar.py",
)
SFPU = (UNARY, BINARY, SCALAR, "perf_sfpu_ternary.py")
PREFIXES = ("", "sfpu", "sfpuelw")
"""What tests put before the name of an operation."""
ZONES = r"\b(INIT|KERNEL|TILE_LOOP)\b"
EXACT = "exact"
"""Of a function whose template asks first whether it may approximate: it may not."""
RUNS = r"\b(L1_TO_L1|(?:UNPACK|MATH|PACK)_ISOLATE|L1_CONGESTION)\b"
PARAMETERS = (
    ("format", r"(\w+ ?-> ?\w+)"),
    ("math_fidelity", r"\b(LoFi|HiFi[2-4])\b"),
    ("dest_sync", r"\b(?:DestSync\.)?(Half|Full)\b"),
    ("dest_acc", r"\b(?:dest_)?acc(?:=|:| )(Yes|No)\b"),
    *((n, rf"\b{n}[ =]?(\d+)") for n in ("rt", "ct", "kt", "tile_cnt", "in0_r", "throttle")),
    ("num_blocks", r"\b(?:num_)?blocks[ =]?(\d+)"),
    ("dimensions", r"(\(\[\d+, \d+\], \[\d+, \d+\]\))"),
)
LOOP = r"\bloop(?: factor)?[ =]?(\d+)"
CHECKED = {"tile_cnt": "tile_cnt", "in0_r": "in0_r_dim"}
"""Columns of reports that must say what a row says, whether or not the test has the parameter."""
COUNTED = {
    "FPU util": "fpu_utilization_pct",
    "Packer util": "pack_utilization_pct",
    "T0 (unpack) stall": "unpack_thread_stall_pct",
    "T1 (math) stall": "math_thread_stall_pct",
    "T2 (pack) stall": "pack_thread_stall_pct",
}
COUNTED_ON = "blackhole"
"""The card of tt-metal#56320, which does not name it: its T0 waits for the scalar unit."""
VECTOR_PLACES = {
    "where": ("0, 1, 2, 0", "0, 1, 2, 3"),
    "mul_int": ("0, 0, 0", "0, 1, 0", "0, 1, 2"),
}
"""Tiles that kernels read, and the last: that they write. Published figures are in that order."""
RECIPROCALS = {"fp32": "24b_5c", "bf16": "8b_3c", "bf16 approx": "7b"}
"""What kernels of the reciprocal are called by, which give so many bits."""
VERBS = ("init", "calculate")


def sweep_point(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """Cycles of a zone of a test's variant; of a tile, where the row's unit is that."""
    if re.search(r"\bconfig [A-Z]\b", row.what):
        raise NotRunError("it names its variant by a letter that only its source explains")
    text = f"{row.what} {row.conditions}"
    wanted = {}
    for name, pattern in PARAMETERS:
        if said := re.search(pattern, row.what):
            wanted[name] = said[1].replace(" ", "") if name == "format" else said[1]
    run, zone = re.search(RUNS, text), re.search(ZONES, row.what)
    if run is None:
        raise NotRunError("it names no type of run")
    loop = re.search(LOOP, row.what)
    file = f"perf_{found['test']}.py"
    variant = bench.llk.plainest(arch, file, wanted)
    light = not re.search(r"\b(?:not speed|non-?sol)", f"{text} {row.source}", re.IGNORECASE)
    loops = loop[1] if loop else ""
    reports = bench.llk.reports(How(arch, (run[1],), loops, light), [variant.name])
    zone_name = zone[1] if zone else "TILE_LOOP"
    return _cycles(reports, zone_name, run[1], a_tile="tile" in row.unit, wanted=wanted)


def vector_kernel(
    bench: Perfbench, row: Row, arch: str, found: re.Match[str]
) -> float | list[Part]:
    """Cycles of a tile of an operation of the vector unit alone, bfloat16, Dst of 16 bits.

    Of an earlier release by the compute API, whose harness is ours: the tests of that release want
    the device library of its day.
    """
    if "tt-llk" not in row.conditions:
        raise NotRunError("it was measured by a harness that is not public")
    if found["by"] == "TTI" and bench.older is None:
        raise NotRunError("its kernel was not merged: needs --after with its source's file")
    operation, approximate = found["operation"], found["mode"] == "approx"
    if approximate or found["type"] or bench.older is not None:
        return _vector(bench, arch, operation, approximate, found["type"] or "")
    release = as_published(bench, arch, operation, row.source)
    if row.change is not None and (releases := around(bench, arch, row.source)):
        name = operation.lower()
        with suppress(NotRunError):  # not every operation is a function of the API
            if not tiles.same_kernel(*releases, arch, name):
                cycles = [tiles.cycles_in_one_call(one, arch, name) for one in releases]
                return list(map(Part, (BEFORE, AFTER), row.change, cycles))
    if release is not bench:
        return tiles.cycles_in_one_call(release, arch, operation.lower())
    return _vector(bench, arch, operation, approximate, "")


def averaging(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """Cycles of a tile of the exponential moving average, with the copy into Dst."""
    return _loop(bench, arch, bench.llk.plainest(arch, "perf_sfpu_ema.py", {}), "MATH_ISOLATE")


def two_kernels(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> list[Part]:
    """Cycles of a tile of the compute API's function, of the old kernel and, if given, the new."""
    if row.change is None:
        raise NotRunError("it has no figures of an old and a new kernel")
    (old, new), name, kind = row.change, found["name"], found["kind"]
    older = bench.older or as_published(bench, arch, name, row.source)
    if kind and kind != EXACT:
        older = having(bench.older or bench, name, kind)
    spent = tiles.cycles_if_exact if kind == EXACT else tiles.cycles_a_tile
    parts = [Part(BEFORE, old, spent(older, arch, name))]
    if bench.older is not None:
        parts.append(Part(AFTER, new, spent(bench, arch, name)))
    return parts


def typed_function(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """Cycles of a tile of a compute API's function with named template arguments."""
    types = re.sub(r"\bNone\b", "InputClamping::None", found["types"])
    release = as_published(bench, arch, found["name"], row.source)
    return tiles.cycles_of(release, arch, found["name"], types)


def vectors(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> list[Part]:
    """Cycles of a vector in the middle of a kernel, by which tiles it reads and writes."""
    kernel, numbers = found["kernel"], row.numbers
    name, types = f"_{kernel}_", "false, {vectors}"
    if kernel == "where":
        name, types = "_calculate_where_", "false, DataFormat::Float16_b, {vectors}"
    init = f"sfpu::_init_{kernel}_<false>()"
    parts = []
    for places, silicon in zip(VECTOR_PLACES[kernel][-len(numbers) :], numbers, strict=True):
        call = Call(f"sfpu/ckernel_sfpu_{kernel}.h", init, f"sfpu::{name}<{types}>({places})", "")
        parts.append(Part(f"tiles {places}", silicon, tiles.cycles_a_vector(bench, arch, call)))
    return parts


def element_multiplies(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> list[Part]:
    """Cycles of a tile of ELWMUL, by fidelity."""
    parts = []
    for fidelity, silicon in zip(found["names"].split(" / "), row.numbers, strict=True):
        wanted = {"mathop": "Elwmul", "math_fidelity": fidelity}
        variant = bench.llk.plainest(arch, "perf_eltwise_binary.py", wanted)
        parts.append(Part(fidelity, silicon, _loop(bench, arch, variant, "MATH_ISOLATE")))
    return parts


def reciprocals(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> list[Part]:
    """Cycles of a vector in the middle of the kernels that SFPLOADMACRO schedules, by mode."""
    if arch != "blackhole":
        raise NotRunError("Wormhole has no such kernels")
    release = as_published(bench, arch, "recip", row.source)
    parts = []
    for name, silicon in zip(found["names"].split(" / "), row.numbers, strict=True):
        init, call = (f"sfpu::_{verb}_reciprocal_fast_{RECIPROCALS[name]}_" for verb in VERBS)
        function = Call("ckernel_sfpu_recip.h", f"{init}()", f"{call}({{vectors}})", "")
        parts.append(Part(name, silicon, tiles.cycles_a_vector(release, arch, function)))
    return parts


def pack_law(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> list[Part]:
    """Cycles of packing whole Dst banks, where a formula of tiles and calls gives them."""
    accumulate = "Yes" if "accumulate" in row.what else "No"
    parts = []
    for block in (4, 8):
        wanted = {"l1_acc": accumulate, "num_tiles_in_block": str(block), "loop_factor": "512"}
        variant = bench.llk.plainest(arch, "perf_pack_dest_bank.py", wanted)
        law = evaluate(row.value, {"tiles": 512 * block, "pack_calls": 512})
        cycles = _loop(bench, arch, variant, "PACK_ISOLATE", a_tile=False)
        parts.append(Part(f"{block} tiles a call", law, cycles))
    return parts


def untilize_law(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> list[Part]:
    """Cycles of a tile of packing rows, where a formula of a block's tiles gives them."""
    if arch == "blackhole" and "tt-llk#916" in row.source:
        raise NotRunError("it counts the words of a kernel that tt-metal#44596 has replaced")
    parts = []
    for block in (2, 4, 8):
        wanted = {"format": "Float16_b->Float16_b", "rt": "8", "ct": str(block)}
        variant = bench.llk.plainest(arch, "perf_pack_untilize.py", wanted)
        names = {"PACR": float(found["words"]), "block_ct_dim": block}
        cycles = _loop(bench, arch, variant, "PACK_ISOLATE")
        parts.append(Part(f"blocks of {block}", evaluate(row.value, names), cycles))
    return parts


def counted(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """A share that the hardware's counters give, the mean over a test's variants.

    As many variants as the figure is of, each so far from the next.
    """
    said = re.search(r"mean over (\d+) variants", row.conditions)
    column = COUNTED.get(found["counted"])
    if column is None or said is None:
        raise NotRunError("it is of a counter, or of variants, that are not known")
    lines = _counters(bench, arch or COUNTED_ON, f"{found['test']}.py", int(said[1]))
    values = [line.get(f"{found['run']}_{column}") for line in lines]
    known = [float(value) for value in values if value]
    if not known:
        raise NotRunError("its counters are not all modelled")
    return fmean(known)


def _counters(bench: Perfbench, arch: str, file: str, count: int) -> list[Mapping[str, str]]:
    """Lines of TILE_LOOP of so many variants of a test, with all types of run and counters."""
    variants = bench.llk.variants(arch, file)
    names = [variants[len(variants) * i // count].name for i in range(count)]
    runs = ("L1_TO_L1", "UNPACK_ISOLATE", "MATH_ISOLATE", "PACK_ISOLATE", "L1_CONGESTION")

    (report, *_) = bench.llk.reports(How(arch, runs, counters=True), names)
    return [line for line in report if line["marker"] == "TILE_LOOP"]


def _vector(bench: Perfbench, arch: str, name: str, approximate: bool, kind: str) -> float:
    variant = _operation(bench, arch, name, approximate, kind)
    return _loop(bench, arch, variant, "MATH_ISOLATE")


def _operation(bench: Perfbench, arch: str, name: str, approximate: bool, kind: str) -> Variant:
    """The variant of an operation of the vector unit in whichever test has it."""
    plain = name.replace("_", "").lower()
    called = [prefix + plain for prefix in PREFIXES]
    mode = {"approx_mode": "Yes" if approximate else "No"}
    if kind:
        mode["format"] = f"{kind}->{kind}"
    files = [file for file in SFPU if bench.llk.has(file)]  # older releases have fewer
    bench.llk.variants(arch, *files)  # all that may be needed, at once
    for file in files:
        listed = bench.llk.variants(arch, file)
        own = {variant.parameters.get("mathop", "") for variant in listed}
        if operation := next((one for one in sorted(own) if one.lower() in called), None):
            return bench.llk.plainest(arch, file, {"mathop": operation, **mode})
    raise NotRunError(f"none of tt-llk's tests of the vector unit has {name}")


def _loop(bench: Perfbench, arch: str, variant: Variant, run: str, *, a_tile: bool = True) -> float:
    """Cycles of a variant's loop, in all or a tile."""
    reports = bench.llk.reports(How(arch, (run,)), [variant.name])
    return _cycles(reports, "TILE_LOOP", run, a_tile=a_tile)


def _cycles(
    reports: Iterable[Lines],
    zone: str,
    run: str,
    *,
    a_tile: bool = True,
    wanted: Mapping[str, str] | None = None,
) -> float:
    """The least that reports say of a zone, in all or a tile; NotRunError if none says it."""
    found = []
    for line in (line for report in reports for line in report if line["marker"] == zone):
        value = line.get(f"mean({run})")
        for name, column in CHECKED.items():
            if wanted and name in wanted and line.get(column, wanted[name]) != wanted[name]:
                raise NotRunError(f"the vendor's test has {column} {line[column]} today")
        if value:
            tiles = float(line.get("loop_factor") or 1) * float(line.get("tile_cnt") or 1)
            found.append(float(value) / (tiles if a_tile and zone == "TILE_LOOP" else 1))
    if not found:
        raise NotRunError(f"the vendor's report has no {zone} of {run}")
    return min(found)


FAMILIES = (
    (
        "SFPU kernel",
        r"(?P<operation>\w+)(?: (?P<type>Int32|Float32))?(?: (?P<mode>approx|exact))?(?:, (?P<by>"
        r"sfpi|TTI) [^()]*)?(?: \((?:main -> branch of PR|[A-Z/]+|\d slots)\))? MATH_ISOLATE$",
        vector_kernel,
    ),
    ("SFPU kernel", r"EMA before -> after .*MATH_ISOLATE$", averaging),
    ("SFPU kernel", r"(?P<name>\w+)(?: \((?P<kind>\w+)\))?: old kernel / ", two_kernels),
    ("SFPU kernel", r"reciprocal (?P<names>fp32 / bf16 / bf16 approx) throughput", reciprocals),
    ("SFPU kernel", r"(?P<name>\w+)_tile<(?P<types>[\w, ]+)> .*MATH_ISOLATE$", typed_function),
    (
        "SFPU kernel",
        r"(?P<kernel>where|mul_int) \((?:SFPLOADMACRO\) best / other|[WB]H\))",
        vectors,
    ),
    ("eltwise", r"(?:BH |WH )?ELWMUL math (?P<names>HiFi4 / HiFi2)", element_multiplies),
    ("pack_dest_bank", r"pack_dest_bank PACK_ISOLATE rate law", pack_law),
    ("pack_untilize", r"pack_untilize formula \(bf16 PACR=(?P<words>\d)\)", untilize_law),
    (
        "counters",
        r"(?P<test>perf_\w+) (?P<run>[A-Z][A-Z_0-9]+): (?P<counted>[\w() ]+ (?:util|stall))$",
        counted,
    ),
    (
        "LLK kernel",
        r"(?:perf_)?(?P<test>math_matmul|matmul|unpack_tilize|pack_dest_bank|pack_untilize|"
        r"unpack_transpose|eltwise_binary|eltwise_unary_datacopy|fast_tilize|reduce|pack)\b(?!_)",
        sweep_point,
    ),
)
"""What a row is of, how it is recognised, how it is asked."""
