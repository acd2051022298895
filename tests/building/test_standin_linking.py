"""What the stand-in links: objects without code, code that is too long; and what a kill leaves."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from standin_harness import OPTIONS, call, laid_out

ROLLED = """
extern "C" void _start() {
#pragma GCC unroll 8
    for (int i = 0; i < %d; ++i) asm volatile("%s" : : "%s"(i));
}
"""
SCRIPT = "MEMORY { CODE : ORIGIN = 0x1000, LENGTH = 40 } SECTIONS { .text : { *(.text*) } > CODE }"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laid_out(tmp_path_factory.mktemp("sfpi"), "zig", SCRIPT)


def linked(tools: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Built from stdin, as the vendor's harness does, for 40 bytes of memory."""
    words = [*options, "-mcpu=tt-bh", "-Os", "-nostdlib", "-nostartfiles", "-Tt.ld"]
    return call(tools, "g++", *words, "-x", "c++", "-", "-o", "short.elf", text=source)


def test_code_that_is_too_long_is_linked_with_its_loops_as_loops(tools: Path) -> None:
    """Eight unrolled rounds of 8 bytes and more do not fit; a loop does."""
    done = linked(tools, ROLLED % (64, "sw zero, 0(%0)", "r"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tools / "short.elf").is_file()


def test_loops_stay_loops_where_that_is_asked_for_and_will_do(tools: Path) -> None:
    made = {}
    for statement in ("sw zero, 0(%0)", "r"), (".word %0", "n"):
        for options in ((), ("-fno-unroll-loops",)):
            done = linked(tools, ROLLED % (4, *statement), *options)
            assert (done.returncode, done.stderr) == (0, "")
            made[(*statement, *options)] = (tools / "short.elf").read_bytes()
    assert made["sw zero, 0(%0)", "r", "-fno-unroll-loops"] != made["sw zero, 0(%0)", "r"]
    assert made[".word %0", "n", "-fno-unroll-loops"] == made[".word %0", "n"]


@pytest.mark.parametrize(
    "source",
    [ROLLED % (8, ".word %0, %0", "n"), ROLLED % (64, "sw zero, 0(%0); .zero 40", "r")],
    ids=["needs-unrolling", "still-too-long"],
)
def test_code_that_stays_too_long_says_so_once(tools: Path, source: str) -> None:
    done = linked(tools, source)
    assert done.returncode == 1
    assert done.stderr.count("error: ") == 1
    assert "will not fit in region" in done.stderr


def test_an_object_of_intermediate_form_alone_is_built_from_its_source(tools: Path) -> None:
    """As tt-metal hands them over: sections that GCC names .gnu.lto_…, and no code."""
    source = tools / "tt_metal/hw/toolchain/substitutes.cpp"
    given = tools / "runtime/hw/lib/blackhole/substitutes.o"
    for path in (source, given):
        path.parent.mkdir(parents=True, exist_ok=True)
    source.write_text('extern "C" int seven() { return 7; }\n')
    (tools / "slim.cc").write_text('asm(".section .gnu.lto_.decls\\n.word 1");\n')
    (tools / "main.cc").write_text(
        'extern "C" int seven();\nextern "C" int _start() { return seven(); }\n'
    )
    for name, out in (("slim.cc", str(given)), ("main.cc", "main.o")):
        assert not call(tools, "g++", "-mcpu=tt-bh", "-Os", "-c", name, "-o", out).stderr
    words = ["-mcpu=tt-bh", "-nostdlib", "-nostartfiles", "main.o", str(given), "-o", "both.elf"]
    done = call(tools, "g++", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert " T seven\n" in call(tools, "nm", "both.elf").stdout


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_compile_leaves_no_folder(
    tools: Path, tmp_path: Path, how: signal.Signals
) -> None:
    words = [str(tools / "compiler" / "bin" / "riscv-tt-elf-g++"), "-mcpu=tt-bh-tensix", *OPTIONS]
    words += ["-x", "c++", "-", "-c", "-o", str(tmp_path / "k.o")]
    given = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, stdin=subprocess.PIPE, cwd=tools, env=given) as process:
        until = time.monotonic() + 60
        while not list(tmp_path.glob("tilelab-*")) and time.monotonic() < until:
            time.sleep(0.001)  # it has a folder, and may not know it yet
        assert list(tmp_path.glob("tilelab-*"))
        process.send_signal(how)
        process.wait(60)
    assert process.returncode
    until = time.monotonic() + 60
    while list(tmp_path.glob("tilelab-*")) and time.monotonic() < until:
        time.sleep(0.05)  # another process sees that this one is gone
    assert not list(tmp_path.glob("tilelab-*"))
