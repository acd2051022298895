"""How a chip under the cycle clock grows with tiles, with size and with traffic.

``python benchmarks/bench_timed_chip.py --ttnn PYTHON``, a Python that has ``ttnn``. Each program is
recorded once and replayed with time and without, in processes of their own: processor time and
memory of the whole process, which takes half a second to start. ``--write`` puts what was measured
into ``benchmarks/timed_chip.json``, of which ``docs/performance.md`` has a table.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "timed_chip.json"
PROGRAM = """
import sys
import numpy as np, ttnn
size, x, y, times = map(int, sys.argv[1:])
device = ttnn.open_device(device_id=0)
a = np.random.default_rng(1).standard_normal((size, size)).astype(np.float32)
t = ttnn.Tensor(a, ttnn.bfloat16, device, ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG)
for _ in range(times):
    {work}
ttnn.synchronize_device(device)
ttnn.close_device(device)
"""
PRODUCT = "ttnn.matmul(t, t, core_grid=ttnn.CoreGrid(y=y, x=x))"
SUM = "ttnn.add(t, t)"
PROGRAMS = {
    "tiles": [("product", PRODUCT, 512, x, y, 1) for x, y in ((1, 1), (2, 2), (4, 4), (8, 8))],
    "size": [("product", PRODUCT, size, 8, 8, 1) for size in (256, 512, 1024, 2048)],
    "traffic": [("sum", SUM, 1024, 8, 8, times) for times in (1, 2, 4, 8)],
}


def measured(command: list[str], environment: dict[str, str]) -> tuple[float, float, str]:
    """Processor seconds, MiB at most, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = (
        "import resource, subprocess, sys\n"
        "made = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)\n"
        "sys.stdout.write(made.stdout)\n"
        "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(peak, file=sys.stderr)\n"
        "sys.exit(made.returncode)\n"
    )
    inner = [sys.executable, "-c", code, *command]
    made = subprocess.run(inner, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if made.returncode:
        sys.exit(f"{' '.join(command)}: {made.stdout[-500:]}{made.stderr[-500:]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(made.stderr.split()[-1]) / 1024, made.stdout


def main() -> None:
    """Measure and print a table for each kind of growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ttnn", required=True, help="a Python that has ttnn")
    parser.add_argument("--kinds", default=",".join(PROGRAMS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    environment = {name: value for name, value in os.environ.items() if name != "TT_METAL_HOME"}
    tilelab = [sys.executable, "-m", "tilelab"]
    rows = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    rows = [row for row in rows if row["kind"] not in options.kinds.split(",")]
    for kind in options.kinds.split(","):
        for name, work, size, x, y, times in PROGRAMS[kind]:
            with tempfile.TemporaryDirectory() as folder:
                program, recording = Path(folder) / "program.py", Path(folder) / "calls.bin"
                program.write_text(PROGRAM.format(work=work), encoding="utf-8")
                record = [*tilelab, "ttnn", "--python", options.ttnn, "--record", str(recording)]
                arguments = [str(n) for n in (size, x, y, times)]
                measured([*record, str(program), *arguments], environment)
                untimed, _, _ = measured([*tilelab, "run", str(recording)], environment)
                timed, memory, text = measured(
                    [*tilelab, "run", str(recording), "--cycles", "--json"], environment
                )
            found = json.loads(text)
            row = {
                "kind": kind,
                "program": f"{times} {name}{'s' * (times > 1)} of {size} x {size}",
                "tiles": x * y,
                "cycles": found["cycles"],
                "requests": found["noc_requests"],
                "untimed": round(untimed, 1),
                "timed": round(timed, 1),
                "mib": round(memory),
            }
            rows.append(row)
            print(*row.values(), sep="\t", flush=True)
    if options.write:
        lines = ",\n".join(json.dumps(row) for row in rows)
        RESULTS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
