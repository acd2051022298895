"""The terminal's commands on an example: what they print, and what they refuse."""

import io
from functools import cache
from pathlib import Path

import pytest

from tilelab.cli.debug import folders_of, session_of
from tilelab.cli.main import main
from tilelab.cli.prepared import single
from tilelab.debug.session import Session
from tilelab.debug.terminal import HELP, Terminal
from tilelab.runs.targets import Target
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import CLOCKS

EXAMPLES = Path(__file__).parents[2] / "examples"
TRISC = Path(__file__).parents[2] / "src/tilelab/include/tilelab/trisc.cpp"


@cache
def target() -> Target:
    return single([str(EXAMPLES / "matmul")], "blackhole", "debug")


class Shell:
    """A terminal whose output is kept."""

    def __init__(self, clock: str = "functional") -> None:
        self.output = io.StringIO()
        self.session: Session = session_of(target(), "blackhole", "fast", clock)
        self.terminal = Terminal(
            self.session, stdout=self.output, folders=folders_of(target()), strict=True
        )

    def do(self, *commands: str) -> str:
        self.output.seek(0)
        self.output.truncate()
        for command in commands:
            self.terminal.onecmd(command)
        return self.output.getvalue()


def test_a_function_its_lines_and_its_calls() -> None:
    shell = Shell()
    assert "TRISC1 pc 0xa054 (kernel.cpp:4" in shell.do("break math_main")
    assert "breakpoint 1: math_main\ncycle 114  TRISC1 0x0a054" in shell.do("c")
    begun = 1 + TRISC.read_text().splitlines().index("    NAMESPACE::MAIN;")
    assert shell.do("bt").splitlines()[-1] == f"#1  0x0a274  trisc_main at trisc.cpp:{begun}"
    assert "kernel.cpp:13 → mm_init" in shell.do("step")
    assert "->   13      mm_init(" in shell.do("list").replace("    mm", "      mm")
    assert "breakpoint 1: math_main\ncycle 114" in shell.do("step", "step", "reverse-continue")


def test_a_stop_names_the_core_that_hit_and_says_where_it_is() -> None:
    shell = Shell()
    shell.do("break unpack_main")
    said = shell.do("continue").splitlines()
    assert said[0] == "breakpoint 1: unpack_main on TRISC0"
    assert "  TRISC0 0x0" in said[1]
    assert "unpack_main" in said[1]
    assert "  TRISC1 0x0" in said[2]  # the chosen core's place follows
    shell.do("core TRISC0")
    again = shell.do("reverse-continue", "continue").splitlines()
    assert again[-2] == "breakpoint 1: unpack_main"
    assert "  TRISC0 0x0" in again[-1]


@pytest.mark.parametrize("command", ["step", "next", "reverse-step"])
def test_steps_end_where_there_is_nothing_more(command: str) -> None:
    shell = Shell()
    shell.do("break math_main", "continue")
    assert shell.do(f"{command} 0") == ""
    said = shell.do(f"{command} {10**18}")
    assert ("beginning" if command == "reverse-step" else "the kernel is done") in said


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("command", ["step", "next", "stepi", "stepw", "stepp", "stepc"])
def test_as_many_steps_back_as_forward(clock: str, command: str) -> None:
    shell = Shell(clock)
    shell.do("break math_main", "continue", command)
    places = [shell.do(command) for _ in range(4 if command == "next" else 8)]
    assert len(set(places)) > 1
    assert [shell.do(f"reverse-{command}") for _ in places[1:]] == places[-2::-1]


def test_watchpoints_and_who_wrote() -> None:
    shell = Shell()
    assert "breakpoint 1: watch dst[0]" in shell.do("watch dst[0]", "c")
    assert "cycle 291" in shell.do("c")
    text = shell.do("last-write dst[0]")
    assert "dst[0] changed last in cycle 291" in text
    assert "thread 1: ttmvmul 0,0,0,0" in text
    assert "replay slot 24" in text
    assert "has not changed" in shell.do("last-write lreg[3]")
    assert "cycle 291" in shell.do("stepc 0", "info history")
    assert "TRISC1: lui a0" in shell.do("last-write $a0")
    assert "cycle 283" in shell.do("rc")
    assert "beginning of what was recorded" in shell.do("rc")


def test_a_condition_decides() -> None:
    shell = Shell()
    shell.do("watch semaphore[1] if semaphore[1].value == 1 and clock > 100")
    assert "semaphore[1].value = 1" in shell.do("c", "print semaphore[1].value")
    first = shell.session.debugger.clock
    shell.do("c")
    assert shell.session.debugger.clock > first
    assert f"cycle {first} " in shell.do("reverse-continue")


@pytest.mark.parametrize(
    ("what", "seen"),
    [
        ("opcode MVMUL", "frontend"),
        ("opcode ttmvmul thread 1", "frontend"),
        ("mop thread 1", "frontend"),
        ("replay 20 thread 1", "replay slot 20"),
        ("semaphore 1", ""),
    ],
)
def test_catchpoints(what: str, seen: str) -> None:
    shell = Shell()
    assert f"breakpoint 1: catch {what}" in shell.do(f"catch {what}", "c")
    if seen == "replay slot 20":
        assert seen in shell.do("info threads")


@pytest.mark.parametrize(
    "command",
    [
        "break *0xa058",
        "break kernel.cpp:13",
        "break math_main",
        "catch opcode MVMUL thread 1",
        "catch mop thread 1",
        "catch replay 20 thread 1",
        "catch semaphore 1",
        "watch dst[0]",
        "watch l1[0x2D000:64]",
        "watch config[0,12]",
    ],
)
def test_every_kind_of_stop_takes_a_condition(command: str) -> None:
    free, bound = Shell(), Shell()
    free.do(command)
    assert free.do("c").startswith("breakpoint 1")
    first = free.session.debugger.clock
    assert first > 0
    bound.do(f"{command} if clock >= {first}")
    assert bound.do("c").startswith("breakpoint 1")
    assert bound.session.debugger.clock == first
    bound.do("delete", f"{command} if clock < 0", "goto 0")
    assert "the kernel is done" in bound.do("c")
    # back from the end, to the last at which it held
    bound.do("delete", f"{command} if clock <= {first}", "reverse-continue")
    assert bound.session.debugger.clock == first


def test_looking_around() -> None:
    shell = Shell()
    shell.do("goto 600")
    assert "* trisc1" in shell.do("info cores")
    assert "pc 0x0000" in shell.do("info registers")
    assert "$sp = " in shell.do("p $sp")
    assert "rwc[1].dst" in shell.do("print rwc[1]")
    assert shell.do("x 0x21000 4").count("\n") == 2
    assert "-> 0x0a" in shell.do("disassemble")
    assert "* trisc2" in shell.do("core trisc2", "info cores")
    assert shell.do("mark a", "stepc", "diff a").count("->") > 2
    assert HELP in shell.do("help")


def test_a_change_is_seen_and_can_be_gone_back_before() -> None:
    shell = Shell()
    shell.do("goto 100", "set lreg[2,3] = 0x3f800000")
    assert "0x3f800000" in shell.do("stepc", "print lreg[2,3]")
    assert "lreg[2,3] = 0" in shell.do("goto 99", "print lreg[2,3]")


@pytest.mark.parametrize(
    "command",
    [
        "frobnicate",
        "break",
        "break nowhere",
        "break nowhere.cpp:3",
        "break *x",
        "break kernel.cpp:9999",
        "break math_main if x",
        "watch nothing",
        "catch opcode NOTHING",
        "catch replay 99",
        "delete 7",
        "print nothing[3",
        "print $nothing",
        "stepi many",
        "core trisc7",
        "set lreg[0,0] 5",
        "set lreg[0,0] = 0x100000000",
        "info nothing",
        "diff nothing",
        "goto",
    ],
)
def test_what_is_refused_says_why(command: str) -> None:
    with pytest.raises(BadInputError):
        Shell().do(command)


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("stepi 2  # two\nquit\nfrobnicate\n")
    assert main(["debug", str(EXAMPLES / "matmul"), "--script", str(script)]) == 0
    assert "(tilelab) stepi 2" in capsys.readouterr().out
    assert main(["debug", str(EXAMPLES / "matmul"), "-c", "frobnicate"]) == 2
    assert capsys.readouterr().err.startswith("tilelab: there is no command 'frobnicate'")


def test_assembly(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.s"
    path.write_text("ttnop\nttsetrwc 0,0,0,0,0,0xf\nttincrwc 0,1,2,3\n")
    commands = ["-c", "watch rwc[1]", "-c", "c", "-c", "last-write rwc[1]", "-c", "c", "-c", "rc"]
    assert main(["debug", str(path), *commands]) == 0
    out = capsys.readouterr().out
    assert "thread 1: ttincrwc 0,1,2,3\n    from a.s:3" in out
    assert "nothing is left to do" in out
