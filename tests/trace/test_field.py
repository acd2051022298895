"""A timed chip in the formats of the field's tools, and each tool reads what was written."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from chip_traffic import write_recording
from tilelab.cli.main import main

TOOLS = os.environ.get("TILELAB_REPORTS")
"""A Python that has tt-perf-report and ttnn-visualizer installed."""
NEEDS_TOOLS = pytest.mark.skipif(
    not TOOLS, reason="TILELAB_REPORTS: a Python with tt-perf-report and ttnn-visualizer"
)
READ_ZONES = """
import json, sys
from ttnn_visualizer.csv_queries import DeviceLogProfilerQueries as Queries
from types import SimpleNamespace
with Queries(SimpleNamespace(performance_path=sys.argv[1])) as found:
    print(json.dumps(found.get_all_entries(as_dict=True)))
"""
READ_OPERATIONS = """
import json, sys
from ttnn_visualizer.csv_queries import OpsPerformanceQueries as Queries
from types import SimpleNamespace
with Queries(SimpleNamespace(performance_path=sys.argv[1])) as found:
    print(json.dumps(found.get_all_entries(as_dict=True)))
"""


def written(tmp_path: Path, name: str, chip: str = "blackhole") -> Path:
    """What our own firmware's run becomes in a file of that name."""
    path = tmp_path / name
    source = write_recording(tmp_path, chip)
    assert main(["run", str(source), "--trace", str(path)]) == 0
    return path


def asked(program: str, *arguments: str) -> list[dict[str, object]]:
    """What a program of a tool's Python prints."""
    assert TOOLS
    done = subprocess.run(
        [TOOLS, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_zones_begin_and_end_in_the_order_of_the_profiler(tmp_path: Path) -> None:
    head, *lines = written(tmp_path, "profile_log_device.csv").read_text().splitlines()
    assert head == "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 140"
    rows = list(csv.DictReader(lines, skipinitialspace=True))
    brisc = [row for row in rows if row["RISC processor type"] == "BRISC"]
    assert [(row["zone name"], row["type"]) for row in brisc] == [
        ("BRISC-FW", "ZONE_START"),
        ("BRISC-FW", "ZONE_END"),
        ("BRISC-KERNEL", "ZONE_START"),
        ("BRISC-KERNEL", "ZONE_END"),
    ]
    start, end, *kernel = [int(row["time[cycles since reset]"]) for row in brisc]
    assert start <= kernel[0] < kernel[1] <= end
    assert {(row["core_x"], row["core_y"]) for row in rows} == {("1", "2")}


def test_a_program_is_an_operation(tmp_path: Path) -> None:
    (row,) = csv.DictReader(written(tmp_path, "ops_perf_results.csv").open())
    cycles = int(row["DEVICE FW END CYCLE"]) - int(row["DEVICE FW START CYCLE"])
    assert int(row["DEVICE FW DURATION [ns]"]) == round(cycles / 1.35)
    assert (row["CORE COUNT"], row["DEVICE ARCH"]) == ("1", "blackhole")
    assert row["INPUT_0_MEMORY"] == ""


def test_a_trace_of_another_name_is_bad_input(tmp_path: Path) -> None:
    source = write_recording(tmp_path, "blackhole")
    assert main(["run", str(source), "--trace", str(tmp_path / "x.txt")]) == 2


@NEEDS_TOOLS
def test_tt_perf_report_reads_operations(tmp_path: Path) -> None:
    path, out = written(tmp_path, "ops_perf_results.csv"), tmp_path / "report.csv"
    tool = Path(str(TOOLS)).parent / "tt-perf-report"
    done = subprocess.run(
        [tool, path, "--csv", out, "--no-stacked-report"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = csv.DictReader(out.open())
    (own,) = csv.DictReader(path.open())
    assert float(row["Device Time"]) == pytest.approx(int(own["DEVICE FW DURATION [ns]"]) / 1000)
    assert float(row["Cores"]) == 1


@NEEDS_TOOLS
def test_ttnn_visualizer_reads_zones_and_operations(tmp_path: Path) -> None:
    for name in ("profile_log_device.csv", "ops_perf_results.csv"):
        written(tmp_path, name, "wormhole")
    zones = asked(READ_ZONES, str(tmp_path))
    names = {str(zone.get("zone_name") or zone.get("zone name")) for zone in zones}
    assert {"BRISC-FW", "BRISC-KERNEL"} <= names
    (row,) = asked(READ_OPERATIONS, str(tmp_path))
    assert "firmware" in str(row)
