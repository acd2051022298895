"""Mistyped commands, files and options: one clear line, exit code 2, nothing done, no traceback."""

from pathlib import Path

import pytest
from tests.cli.command import tilelab

KERNEL = str(Path(__file__).parents[2] / "examples" / "datacopy")
LINES = """
nope |
rn ok.s |
RUN ok.s |
run | run -- | run nosuch | run nosuch.toml | run dir | run empty.s | run empty | run
empty.elf | run trunc.elf | run bin | run k.toml | run t.toml | run k.py | run ok.s
--max-cycle 3 | run ok.s --max-cycles | run ok.s --max-cycles 0 | run ok.s --max-cycles x |
run ok.s --max-cycles -1 | run ok.s --max-cycles 1e3 | run ok.s --engine Fast | run ok.s
--engine | run ok.s --arch grayskull | run ok.s --arch tilext | run ok.s --clock cycles | run
ok.s --clock functional --cycles | run ok.s --trace nodir/deep/x | run ok.s --trace dir | run
ok.s --lines x | run ok.s --lines x.txt | run ok.s --lines dir | run ok.s --page x.html | run
ok.s --view x.html | run ok.s --jobs 0 | run ok.s --jobs x | run ok.s --jobs 2 --trace t | run
ok.s --cluster nowhere:1 --jobs 2 | run ok.s --policy race-l1=maybe | run ok.s --policy x |
run ok.s --policy ebreak=no | run ok.s -D x | run ok.s -D x=1 | run K -D x= | run K -D
num=1,,2 | run K -D nosuch=1 | run K -D 3=1 | run K -D x=1 --build | run K --compiler /nope |
run K --compiler /nope --build | run K --arch wormhole | run ok.s --junk x | run ok.s --junk
-1 | run ok.s --save-outputs ok.s | run ok.s --watch --json | run - --watch | run nosuch
--watch | run ok.s --json=1 | run ok.s --cycles=yes | run ok.s -x | run ok.s --build
--compiler | run K/kernel.toml/x | run K/a.npy |
asm nosuch | asm bad.s | asm dir | asm bin | asm ok.s -o dir | asm ok.s -o nodir/deep/x | asm
ok.s --arch vax | asm ok.s ok.s | asm ok.s --ttinsn --arch tilext | asm --json bad.s |
disasm zz | disasm 0x1ffffffff | disasm -1 | disasm 1 zz | disasm nosuch | disasm dir | disasm
trunc.elf | disasm empty.elf | disasm --json zz | disasm 1 --arch x |
expand nosuch | expand bad.s | expand | expand ok.s --max-words x | expand ok.s --max-words 0
| expand ok.s --arch tilext |
build nosuch | build nosuch.cpp | build ok.s | build x.cpp -o ok.s | build K --arch x | build
x.cpp --compiler nope | build x.cpp -D 1=2 | build K --compile-commands -o x | build K
--compile-commands --compiler zig | build |
new ok.s | new dir | new nodir/deep/a/b | new | new a b | new x --no-build --compiler zig |
new q --compiler nope |
examples nosuch | examples --copy ok.s |
check nosuch | check ok.s --schedules x | check ok.s --schedules -1 | check ok.s --schedules
all | check ok.s --schedule nosuch --save-schedule x | check ok.s --schedule ok.s | check ok.s
--bound 2 | check ok.s --bound 0 --schedules 3 | check ok.s --seed 3 | check ok.s --places |
check ok.s --save x | check ok.s --sarif dir | check ok.s --page nodir/deep/x | check ok.s
--junk 3 | check ok.s --cycles | check |
view nosuch | view ok.s -o dir | view ok.s -o nodir/deep/x.html | view ok.s ok.s | view ok.s
--page - --json | view ok.s --watch --json | view ok.s --clock cycle | view |
compare ok.s | compare ok.s nosuch | compare ok.s ok.s ok.s | compare ok.s ok.s --page dir |
compare ok.s ok.s -o nodir/deep/x |
debug nosuch -c q | debug ok.s -x nosuch | debug ok.s --clock x -c q | debug ok.s --schedule
nosuch -c q | debug ok.s ok.s -c q |
gdb nosuch | gdb ok.s --port 99999 | gdb ok.s --port x |
dap --port x | dap --port 70000 |
serve nosuch | serve ok.s | serve --grid 0x0 | serve --grid 3 | serve --grid 1x1 --clock cycle
| serve --folder nodir/deep/x | serve --grid 99x99 |
sfpi | sfpi ok.s | sfpi x --compiler clang |
libttsim | libttsim ok.s | libttsim x --arch x | libttsim x --late --ahead |
ttnn nosuch.py | ttnn k.py --late --page x | ttnn k.py --arch q | ttnn k.py --trace x.txt |
explain-matmul -a n.npy | explain-matmul -a n.npy -b n.npy | explain-matmul --format x |
explain-matmul --fidelity 3 | explain-matmul --dst 8 | explain-matmul --k 0 | explain-matmul
--k 5000 | explain-matmul --row 5 | explain-matmul --samples 3 | explain-matmul --picture x |
explain-matmul --distribution odd | explain-matmul --distribution normal --row 1 |
explain-matmul x |
bench --runs 0 | bench --size 0 | bench --runs x |
calibrate | calibrate nosuch | calibrate rows.tsv --split x |
doctor x |
pto nope | pto run | pto run nosuch.py | pto run ok.s | pto run k.py --arch a9 | pto run k.py
--protocol x | pto run k.py --hazards x | pto run k.py --schedule x | pto run k.py --timeout x
| pto run k.py --arg x | pto cc | pto cc x.cpp | pto cc nosuch.cpp --pto-isa dir | pto cc
x.cpp --pto-isa dir --cores x | pto cc x.cpp --pto-isa dir --flag-bits 0 | pto explore --slots
x | pto explore --slots 0 | pto explore --slots 5-2 | pto explore --direction x | pto explore
--protocol x | pto explore --arch x | pto explore --vec 3 | pto explore --cube foo | pto
explore --nosplit | pto explore nosuch.py | pto explore k.py --slots 3 | pto explore --timeout
3 | pto explore --max-states 0 |
tilext nope | tilext asm nosuch | tilext asm ok.s | tilext asm ok.s --style x | tilext asm
ok.s --gas --style hex | tilext asm ok.s --gas --json | tilext disasm nosuch | tilext disasm
trunc.elf | tilext check --profile x | tilext check --seed 3 | tilext check --overlay nosuch |
tilext check --random x | tilext export | tilext export nope | tilext export sail | tilext
export json -o dir | tilext elf nosuch | tilext elf ok.s | tilext run nosuch | tilext run
trunc.elf | tilext run ok.s --threads 9 | tilext run ok.s --max-steps 0 | tilext run ok.s --in
x | tilext run ok.s --out x | tilext run ok.s --reg x | tilext reference -o ok.s |
--nope |
-x |
"""
"""Command lines, a bar between them; K is a kernel's folder."""
FILES = {
    "ok.s": b"ttnop\n",
    "bad.s": b"ttfoo 1\n",
    "empty.s": b"",
    "empty": b"",
    "empty.elf": b"",
    "trunc.elf": b"\x7fELF\x01\x01\x01",
    "bin": bytes(range(256)),
    "k.py": b"x=1\n",
    "k.toml": b"x = 1\n",
    "t.toml": b"[[[",
    "x.cpp": b"int main(){}\n",
    "n.npy": b"x",
}


def commands() -> list[str]:
    return [" ".join(line.split()) for line in LINES.split("|") if line.strip()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mistyped")
    for name, data in FILES.items():
        (made / name).write_bytes(data)
    (made / "dir").mkdir()
    return made


def test_the_table_is_long() -> None:
    assert len(set(commands())) == len(commands()) > 220


@pytest.mark.parametrize("line", commands())
def test_it_is_refused_in_one_line(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    outcome = tilelab(capsys, *line.replace("K", KERNEL, 1 if " K" in line else 0).split())
    assert outcome.code == 2
    assert outcome.out == ""
    said = [text for text in outcome.err.splitlines() if "compiling the fast engine" not in text]
    assert len(said) == 1, said
    assert said[0].startswith("tilelab: ")
    assert "Traceback" not in said[0]
    assert "defect of tilelab" not in said[0]
    assert sorted(folder.rglob("*")) == before
