"""``tilelab tilext run``: what it prints, writes and how it ends."""

import json
import random

import ml_dtypes
import numpy as np
import pytest
from typer.testing import CliRunner

from tilelab.cli.main import application
from tilelab.sim.errors import TilelabError

app = application(("tilext",))
COPY = """
_start: tgld.unit tr1, (a0), tilesize=1
        t_wait.all
        tgst.unit tr1, (a1), tilesize=1
        t_wait.all
        li a0, 0
        li a7, 93
        ecall
        .data
here:   .zero 8
"""

PRODUCT = "[mma.x]\ncode={1}\na='fp16'\nb='fp16'\nd='{0}'\nshape={2}"


def run(*arguments, stdin=None):
    return CliRunner().invoke(app, ["tilext", "run", *[str(a) for a in arguments]], input=stdin)


@pytest.fixture
def program(tmp_path):
    (tmp_path / "copy.s").write_text(COPY)
    return tmp_path / "copy.s"


def test_data_goes_in_and_comes_out(program, tmp_path):
    given = np.arange(256, dtype=np.int32).reshape(16, 16)
    np.save(tmp_path / "in.npy", given)
    out = tmp_path / "out.npy"
    result = run(program, "--reg", "a0=0x4000", "--reg", "a1=0x8000", "--in",
                 f"0x4000={tmp_path / 'in.npy'}", "--out", f"0x8000={out},int32,16x16", "--diff",
                 "--show", "tr1,int32,2x3")  # fmt: skip
    assert result.exit_code == 0, result.exception
    assert np.array_equal(np.load(out), given)
    assert result.stdout.splitlines() == [
        "7 instructions, 4 of the Tile Extension",
        f"thread 0: tr1, {np.count_nonzero(given.view(np.uint8))} bytes",
        "tr1:",
        "[[0 1 2]",
        " [3 4 5]]",
    ]


def test_one_json_document(program):
    found = json.loads(run(program, "--json", "--reg", "a0=_start", "--reg", "a1=0x8000").stdout)
    assert found["instructions"] == 7
    assert found["tile_instructions"] == 4
    assert found["statuses"] == [0]
    assert found["changed"][0]["tile"] == 1


def test_bfloat16_comes_out_as_its_bits(program, tmp_path):
    np.save(tmp_path / "in.npy", np.array([1.5, -2.0], ml_dtypes.bfloat16).view(np.uint16))
    out = tmp_path / "out.npy"
    asked = ["--in", f"0x4000={tmp_path / 'in.npy'}", "--reg", "a0=0x4000", "--reg", "a1=0x8000"]
    assert run(program, *asked, "--out", f"0x8000={out},bf16,1x2").exit_code == 0
    assert np.load(out).view(ml_dtypes.bfloat16).tolist() == [[1.5, -2.0]]


def test_an_exit_status_and_output_are_passed_on():
    steps = "la a1, m;li a0, 1;li a2, 3;li a7, 64;ecall;li a0, 7;li a7, 93;ecall"
    text = steps.replace(";", "\n") + '\n.data\nm: .ascii "hi\\n"'
    result = run("-", stdin=text)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "hi")
    assert "exit status 7" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--in", "0x4000"], "is not ADDRESS=FILE.npy"),
        (["--in", "0x4000=none.npy"], "none.npy: No such file"),
        (["--in", "moon:0=none.npy"], "'moon' is neither global nor share"),
        (["--in", "nowhere=none.npy"], "'nowhere' is not a number"),
        (["--out", "0x4000=x.npy"], "is not ADDRESS=FILE.npy,TYPE"),
        (["--out", "0x4000=x.npy,int9,4"], "unknown type 'int9'"),
        (["--out", "0x4000=x.npy,int8,0x4"], "has a side below 1"),
        (["--out", "0xffff0=x.npy,int8,9999"], "do not fit 0x100000 bytes"),
        (["--out", "-8=x.npy,int8,1"], "do not fit"),
        (["--reg", "b0=3"], "is not REGISTER=NUMBER"),
        (["--reg", "a0=x"], "'x' is not a number"),
        (["--machine", "none.toml"], "none.toml: No such file"),
    ],
)
def test_bad_options_are_one_line(program, options, message):
    error = run(program, *options).exception
    assert isinstance(error, TilelabError)
    assert error.exit_code == 2
    assert message in error.summary
    assert "\n" not in error.summary


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frob = 3", "unknown key frob"),
        ("[parameters]\ntiles = 3", "parameters has no tiles"),
        ("[parameters]\ntile_bytes = 33", "tile_bytes=33 is not a multiple of 32"),
        ("[parameters]\ntile_bytes = 'x'", "wrong type"),
        ("[mma.x]\ncode = 1", "mma.x wants a, b, code, d, shape"),
        ("[mma.x]\ncode=1\na='int8'\nb='int8'\nd='int7'\nshape=[1,1,1]", "unknown type 'int7'"),
        ("[mma.x]\ncode=1\na='int8'\nb='int8'\nd='int8'\nshape=[0,1,1]", "is not m, n, k"),
        ("[mma.x]\ncode=1\na='int8'\nb='int8'\nd='int8'\nshape=3", "mma.x: shape is"),
        ("[vectors]\nw1 = [3]", "vectors.w1 is not v0 to v31"),
        (PRODUCT.format("fp16", 1, [4, 4]), "mma.x: shape is [m, n, k]"),
        (PRODUCT.format("fp16", 1, [4, 4, 0.5]), "mma.x: shape is [m, n, k]"),
        (PRODUCT.format("fp16", -1, [4, 4, 4]), "mma.x: code is a number"),
        (
            PRODUCT.format("int32", 1, [4, 4, 4]),
            "a product of float16 and float16 does not go into",
        ),
        ("[vectors]\nv1 = [3, 4, 5, 6, 7, 8, 9, 10, 11]", "at most vlen bits"),
        ("[vectors]\nv1 = [-1]", "lists of 32-bit numbers"),
        ("operations = 'none.py'", "no such Python file"),
        ("operations = 'bad.py'", "ZeroDivisionError"),
        ("operations = 'empty.py'", "has no function register"),
        ("[overlay.codes]\nnothing = { a = 1 }", "is not an operand"),
        ("a = [[[", "Invalid value"),
    ],
)
def test_a_bad_machine_file_is_one_line(program, tmp_path, text, message):
    (tmp_path / "chip.toml").write_text(text)
    (tmp_path / "bad.py").write_text("1 / 0\n")
    (tmp_path / "empty.py").write_text("")
    error = run(program, "--machine", tmp_path / "chip.toml").exception
    assert isinstance(error, TilelabError), error
    assert error.exit_code == 2
    assert message in error.summary


def test_random_files_end_in_one_line(tmp_path):
    rng = random.Random(2)
    for number in range(24):
        data = rng.randbytes(rng.randrange(400))
        if number % 3 == 0:
            data = b"\x7fELF" + data
        if number % 3 == 1:
            data = bytes(rng.choice(b' \n\tabtlx0123(),.:#"=') for _ in data)
        (tmp_path / "p").write_bytes(data)
        for command in ("run", "disasm", "asm"):
            result = CliRunner().invoke(app, ["tilext", command, str(tmp_path / "p")])
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                assert isinstance(result.exception, TilelabError), (command, data)
                assert "\n" not in result.exception.summary


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("core.operations.talu['talu.3op', 0, 5] = lambda i: 1 / 0", 1,
         "line 1 (0x1000): a registered operation raised ZeroDivisionError: division by zero"),
        ("core.operations.talu['talu.3op', 0, 5] = lambda i: i.sources[0][:5]", 1,
         "line 1 (0x1000): talu.3op: the operation returns 5 B, not 1024"),
        ("core.nothing.here = 1", 2, "register(core) raised AttributeError"),
    ],
)  # fmt: skip
def test_what_the_users_operations_raise_is_one_line(tmp_path, body, code, message):
    (tmp_path / "ops.py").write_text(f"def register(core):\n    {body}\n")
    (tmp_path / "chip.toml").write_text("operations = 'ops.py'\n")
    text = "talu.3op tr1, tr2, tr3, tr4, vecuop2=5, vecuop1=0\nt_wait.all\nret\n"
    error = run("-", "--machine", tmp_path / "chip.toml", stdin=text).exception
    assert isinstance(error, TilelabError), error
    assert (error.exit_code, error.summary[: len(message)]) == (code, message)


def test_a_talu_1op_of_every_code_runs(tmp_path):
    (tmp_path / "ops.py").write_text(
        "import itertools\n"
        "def register(core):\n"
        "    for code, kind in itertools.product(range(4), range(64)):\n"
        "        value = 64 * code + kind\n"
        "        core.operations.talu['talu.1op', code, kind] = (\n"
        "            lambda i, value=value: i.sources[0] * 0 + value)\n"
    )
    (tmp_path / "chip.toml").write_text("operations = 'ops.py'\n")
    for code in range(4):
        lines = [f"talu.1op tr2, tr1, vecuop2={k}, vecuop1={code}\nt_wait.alu" for k in range(64)]
        text = "\n".join([*lines, "li a7, 93", "li a0, 0", "ecall", ""])
        done = run("-", "--machine", tmp_path / "chip.toml", "--show", "tr2,uint8,1x2", stdin=text)
        assert done.exit_code == 0, done.exception
        value = 64 * code + 63
        assert done.stdout.splitlines()[-1] == f"[[{value} {value}]]"


def test_what_a_machine_would_state_is_said():
    error = run("-", stdin="t_wait.mem st_cnt=0, ld_cnt=0, ld_en\nret\n").exception
    assert error.summary.endswith("not specified (t_wait-space)")
    assert error.detail.splitlines()[1:] == [
        "The model wants the parameter `global_space`.",
        "--machine FILE.toml states parameters, codes and operations (docs/tilext/README.md)",
    ]
