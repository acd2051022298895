"""The scalar core and its assembler: words as GNU as makes them, results as the manual says."""

import random
import shutil
import subprocess

import numpy as np
import pytest

from tilelab.riscv.table import RV64, Format
from tilelab.sim.errors import BadInputError, ProgramError, TilelabError
from tilelab.tilext.assembler import Assembler
from tilelab.tilext.errors import AssemblyError
from tilelab.tilext.profile import load_profile
from tilelab.tilext.program import Machine, Run, load_program
from tilelab.tilext.scalar.assembler import Program, assemble_program
from tilelab.tilext.scalar.compressed import expand
from tilelab.tilext.scalar.integer import MASK64, RUN
from tilelab.tilext.state import Parameters

PROFILE = load_profile()
AS = "riscv64-unknown-elf-as"
LABELLED = ("BRANCH", "JUMP", "ENVIRONMENT", "FENCE")
"""Formats that want a label, or no operands at all."""
ABI = ("zero", "ra", "sp", "gp", "tp", "t0", "t1", "s0", "s1", "a0", "a1", "a7", "s2", "t6")


def program(text):
    return assemble_program(text, Assembler(PROFILE))


def run(text, threads=1, limit=100_000, **parameters):
    machine = Machine(PROFILE, Parameters(1024, 64, 256, **parameters))
    started = Run(machine, program(text), threads)
    started.outcome = started.run(limit)
    return started


def random_line(rng):
    """Return a random instruction or pseudo-instruction that needs no label."""
    row = rng.choice([r for r in RV64.rows.values() if r.format.name not in LABELLED])
    rd, rs1, rs2 = (rng.choice(ABI) for _ in range(3))
    imm = rng.choice([0, 1, -1, 2047, -2048, rng.randint(-2048, 2047)])
    forms = {
        "REGISTER": f"{rd}, {rs1}, {rs2}",
        "IMMEDIATE": f"{rd}, {rs1}, {imm}",
        "SHIFT_64": f"{rd}, {rs1}, {imm & 63}",
        "SHIFT": f"{rd}, {rs1}, {imm & 31}",
        "LOAD": f"{rd}, {imm}({rs1})",
        "STORE": f"{rd}, {imm}({rs1})",
        "JUMP_REGISTER": f"{rd}, {imm}({rs1})",
        "UPPER": f"{rd}, {rng.getrandbits(20)}",
        "CSR": f"{rd}, 0x340, {rs1}",
        "CSR_IMMEDIATE": f"{rd}, 0x340, {imm & 31}",
    }
    return f"{row.name} {forms[row.format.name]}"


PSEUDO = """\
nop; mv a0, a1; not a0, a1; neg a0, a1; negw a0, a1; sext.w a0, a1; seqz a0, a1; snez a0, a1
sltz a0, a1; sgtz a0, a1; jr a0; ret; csrr a0, 0x340; csrw 0x340, a0; csrs 0x340, a0
csrc 0x340, a0; add a0, a1, 5; and a0, a1, -3; or a0, a1, 5; xor a0, a1, 7; sll a0, a1, 4
1: beqz a0, 1b; bnez a0, 1b; blez a0, 1b; bgez a0, 2f; bltz a0, 1b; bgtz a0, 1b
bgt a0, a1, 1b; ble a0, a1, 2f; bgtu a0, a1, 1b; bleu a0, a1, 1b; j 1b; jal 2f; jal t0, 1b
2: beq a0, a1, 2b; bltu a0, a1, 1b; jalr a0; jalr t0, a0, 8; ecall; ebreak; fence; rdinstret a0
"""


@pytest.mark.skipif(not shutil.which(AS), reason=f"{AS} is not installed")
def test_words_are_gnu_as_words(tmp_path):
    rng = random.Random(12)
    values = [rng.getrandbits(n) * rng.choice([1, -1]) for n in range(1, 65) for _ in range(6)]
    values = [v for v in values if -(1 << 63) <= v < 1 << 64]
    lines = [random_line(rng) for _ in range(3000)]
    text = "\n".join(lines) + "\n" + PSEUDO.replace("jalr a0;", "jalr a0;")
    source = f".option norvc\n.option norelax\n{text}"
    (tmp_path / "a.s").write_text(source)
    command = [AS, "-march=rv64im_zicsr_zifencei", "a.s", "-o", "a.o"]
    subprocess.run(command, cwd=tmp_path, check=True)
    copy = ["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", "a.o", "a.bin"]
    subprocess.run(copy, cwd=tmp_path, check=True)
    wanted = np.frombuffer((tmp_path / "a.bin").read_bytes(), "<u4")
    ((_, found),) = program(text).segments
    got = np.frombuffer(found, "<u4")
    assert len(got) == len(wanted)
    different = np.flatnonzero(got != wanted)
    fences = {int(i) for i in different if got[i] & 0x7F == 0x0F}
    assert set(map(int, different)) == fences  # GNU spells out which accesses a fence orders
    for value in values:
        done = run(f"li a0, {value}\nret")
        assert done.cores[0].x[10] == value & MASK64, value


def squeezable(rng):
    """Return a line that GNU as can often compress: near registers, small immediates."""
    near = ["s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5"]
    rd = rng.choice([*near, "ra", "sp", "t0", "s11"])
    rs = rng.choice([*near, "t6", "ra"])
    base, small = rng.choice([*near, "sp"]), rng.randint(-32, 31)
    double, word = 8 * rng.randrange(64), 4 * rng.randrange(64)
    lines = [
        f"addi {rd}, {rd}, {small}", f"addiw {rd}, {rd}, {small}", f"li {rd}, {small}",
        f"lui {rd}, {rng.choice([1, 31, 0xFFFE0, 0xFFFFF])}", f"mv {rd}, {rs}",
        f"add {rd}, {rd}, {rs}", f"sub {rd}, {rd}, {rs}", f"and {rd}, {rd}, {rs}",
        f"or {rd}, {rd}, {rs}", f"xor {rd}, {rd}, {rs}", f"subw {rd}, {rd}, {rs}",
        f"addw {rd}, {rd}, {rs}", f"andi {rd}, {rd}, {small}",
        f"slli {rd}, {rd}, {small & 63 or 1}",
        f"srli {rd}, {rd}, {small & 63 or 1}", f"srai {rd}, {rd}, {small & 63 or 1}",
        f"lw {rd}, {word}({base})", f"ld {rd}, {double}({base})", f"sw {rs}, {word}({base})",
        f"sd {rs}, {double}({base})", f"addi {rd}, sp, {4 * rng.randrange(1, 256)}",
        f"addi sp, sp, {16 * rng.randrange(-32, 32) or 16}", f"jr {rs}", f"jalr {rs}", "nop",
        "ebreak",
    ]  # fmt: skip
    return rng.choice(lines)


def assembled(tmp_path, text, name):
    (tmp_path / f"{name}.s").write_text(text)
    subprocess.run([AS, "-march=rv64imc", f"{name}.s", "-o", f"{name}.o"], cwd=tmp_path, check=True)
    copy = ["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", f"{name}.o", name]
    subprocess.run(copy, cwd=tmp_path, check=True)
    return (tmp_path / name).read_bytes()


@pytest.mark.skipif(not shutil.which(AS), reason=f"{AS} is not installed")
def test_compressed_instructions_are_those_that_gnu_as_compressed(tmp_path):
    rng = random.Random(21)
    text = "\n".join(squeezable(rng) for _ in range(6000)) + "\n"
    wide = np.frombuffer(assembled(tmp_path, ".option norvc\n" + text, "wide"), "<u4")
    dense = assembled(tmp_path, text, "dense")
    at, kinds = 0, set()
    for word in wide:
        half = int.from_bytes(dense[at : at + 2], "little")
        if half & 3 == 3:
            assert dense[at : at + 4] == int(word).to_bytes(4, "little")
            at += 4
            continue
        kinds.add((half & 3, half >> 13))
        same = {int(word)}
        if word & 0xFFF0707F == 0x00000013:  # mv: addi rd, rs, 0 is c.mv, an add
            same.add(RV64.word("add", int(word) >> 7 & 31, 0, int(word) >> 15 & 31))
        assert expand(half) in same, (hex(half), hex(word))
        at += 2
    assert at == len(dense)
    assert len(kinds) >= 16


@pytest.mark.skipif(not shutil.which(AS), reason=f"{AS} is not installed")
def test_a_compressed_program_runs_as_the_plain_one(tmp_path):
    text = """
_start: mv s1, ra
        li a0, 0
        li s0, 10
1:      add a0, a0, s0
        addi s0, s0, -1
        bnez s0, 1b
        beqz s0, 2f
        li a0, 99
2:      jal double
        j 3f
        nop
3:      mv ra, s1
        ret
double: add a0, a0, a0
        ret
"""
    dense = Program(((0x1000, assembled(tmp_path, text, "dense")),), 0x1000, {}, {})
    assert len(dense.segments[0][1]) < 4 * 15
    found = Run(Machine(PROFILE, Parameters(1024, 64, 256)), dense)
    assert found.run().executed == run(text).outcome.executed
    assert found.cores[0].x[10] == 110 == run(text).cores[0].x[10]


def test_halves_that_stand_for_nothing_are_refused():
    refused = [half for half in range(0, 1 << 16) if half & 3 != 3 and expand(half) is None]
    assert 0 in refused
    assert all(RV64.find(expand(h)) for h in range(1 << 16) if h & 3 != 3 and expand(h) is not None)


def test_every_row_decodes_as_it_encodes():
    values = {"upper": 0x12345000, "target": -64, "imm": 17, "offset": -5, "csr": 0x340}
    for row in RV64.rows.values():
        operands = row.format.value.operands
        given = [values.get(name, number) for number, name in enumerate(operands, 1)]
        word = row.encode(*given)
        assert RV64.find(word) is row, row.name
        assert list(row.operands(word)) == given, row.name
    for word in (0xFFFFFFFF, 0x0000007B, 0x00000001):
        assert RV64.find(word) is None


def reading(name, a, b):
    """Return what NumPy makes of a computing instruction, where it has the operation."""
    wide = np.array([a, b], np.uint64)
    with np.errstate(all="ignore"):
        ua, ub = wide
        sa, sb = wide.view(np.int64)
        wa, wb = wide.astype(np.uint32)
        simple = {
            "add": ua + ub, "sub": ua - ub, "xor": ua ^ ub, "or": ua | ub, "and": ua & ub,
            "mul": ua * ub, "sll": ua << (ub & np.uint64(63)), "srl": ua >> (ub & np.uint64(63)),
            "sra": sa >> (sb & np.int64(63)), "slt": np.int64(sa < sb), "sltu": np.int64(ua < ub),
            "addw": np.int64(np.int32(wa + wb)), "subw": np.int64(np.int32(wa - wb)),
            "mulw": np.int64(np.int32(wa * wb)),
            "sllw": np.int64(np.int32(wa << (wb & np.uint32(31)))),
            "srlw": np.int64(np.int32(wa >> (wb & np.uint32(31)))),
            "sraw": np.int64(np.int32(wa) >> (np.int32(wb) & np.int32(31))),
        }  # fmt: skip
        if b and name in ("divu", "remu"):
            return int(ua // ub if name == "divu" else ua % ub)
    return int(np.uint64(simple[name])) if name in simple else None


def test_computing_rows_are_numpys_on_random_numbers():
    rng, checked = random.Random(1), set()
    edges = [0, 1, MASK64, 1 << 63, (1 << 63) - 1, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFF]
    for _ in range(300):
        a, b = (rng.choice([*edges, rng.getrandbits(64)]) for _ in range(2))
        for row in RV64.rows.values():
            if row.format is Format.REGISTER and (wanted := reading(row.name, a, b)) is not None:
                assert int(RUN[row.name](a, b)) & MASK64 == wanted & MASK64, (row.name, a, b)
                checked.add(row.name)
    assert len(checked) >= 18


@pytest.mark.parametrize(
    ("name", "a", "b", "wanted"),
    [  # the manual's table of corner cases of M
        ("div", 7, 0, MASK64),
        ("divu", 7, 0, MASK64),
        ("rem", 7, 0, 7),
        ("remu", 7, 0, 7),
        ("div", 1 << 63, MASK64, 1 << 63),
        ("rem", 1 << 63, MASK64, 0),
        ("div", MASK64 - 6, 2, MASK64 - 2),
        ("rem", MASK64 - 6, 2, MASK64),
        ("divw", 0x80000000, MASK64, 0xFFFFFFFF80000000),
        ("remw", 0x80000000, MASK64, 0),
        ("divuw", 0xFFFFFFFF, 0, MASK64),
        ("remuw", 0x80000001, 0, 0xFFFFFFFF80000001),
        ("mulh", MASK64, MASK64, 0),
        ("mulhu", MASK64, MASK64, MASK64 - 1),
        ("mulhsu", MASK64, MASK64, MASK64),
    ],
)
def test_corner_cases_of_multiplication_and_division(name, a, b, wanted):
    assert RUN[name](a, b) & MASK64 == wanted


def test_loops_memory_calls_and_data():
    done = run("""
        .equ    N, 10
_start: la      s0, table
        mv      s1, ra
        li      a0, 0
        li      t0, N
1:      lw      t1, 0(s0)
        add     a0, a0, t1
        addi    s0, s0, 4
        addi    t0, t0, -1
        bnez    t0, 1b
        call    twice
        la      t2, result
        sd      a0, (t2)
        mv      ra, s1
        ret
twice:  slli    a0, a0, 1
        ret
        .data
table:  .word   1, 2, 3, 4, 5, 6, 7, 8, 9, -10
        .align  3
result: .dword  0, table + N * 4
        .byte   'a', 0x10 + 2
""")
    symbols = done.program.symbols
    memory = done.cores[0].memory["global"]
    at = symbols["result"]
    assert (
        memory[at : at + 18].tobytes()
        == (70).to_bytes(8, "little") + (symbols["table"] + 40).to_bytes(8, "little") + b"a\x12"
    )
    assert done.outcome.executed == 2 + 3 + 10 * 5 + 1 + 2 + 2 + 1 + 2


def test_counters_and_scratch_registers():
    done = run("csrr a0, instret\ncsrr a1, mhartid\ncsrw mscratch, a0\ncsrrsi a2, mscratch, 8\n"
               "csrr a3, mscratch\nret")  # fmt: skip
    x = done.cores[0].x
    assert (x[10], x[11], x[12], x[13]) == (1, 0, 1, 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lw a0, -4(zero)", r"line 1 \(0x1000\): lw: global memory has 0x100000 bytes"),
        ("nop\ncsrr a0, 0xc00", r"line 2 .*CSR 0xc00 is not modelled"),
        ("csrw mhartid, a0", "CSR 0xf14 is read-only"),
        ("li a7, 5\necall", "ecall 5 is not known"),
        ("jr zero", "0x0: 0x0000 is not a compressed instruction"),
        ("li a0, 0x200000\njr a0", "no instruction can be at 0x200000"),
        (".word 0x0000003b | 1 << 25 | 1 << 12", "is not an instruction of RV64IM"),
        ("1: j 1b", "100,000 instructions and no end"),
        ("tgld.unit tr0, (zero), tilesize=1\nret", "ends while tgld.unit is outstanding"),
        ("tgld.unit tr0, (a0), tilesize=1\nsw a1, 4(a0)\nret", "sw uses global memory at 0x4"),
        ("tgst.unit tr0, (a0), tilesize=1\nld a1, 8(a0)\nret", "ld uses global memory at 0x8"),
        ("talu.1op tr1, tr2, vecuop2=0, vecuop1=0\nret", "talu-class"),
        ("t_sync.imm nonblk, imm=3, sync_id=0, scope=0", "nobody to synchronise with"),
        ("t_wait.mem st_cnt=0, ld_cnt=0, ld_en", "t_wait-space"),
    ],
)
def test_what_a_program_does_wrong_is_one_line_with_its_place(text, message):
    with pytest.raises(TilelabError, match=message) as raised:
        run(text)
    assert "\n" not in raised.value.summary
    assert raised.value.exit_code == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("addi a0, a1", "line 1: addi wants 3 operands, 2 are given"),
        ("nop\naddi a0, a1, 4096", "line 2: addi: 4096 does not fit 12 bits"),
        ("addi a0, b1, 4", "line 1: 'b1' is not an integer register"),
        ("frob a0", "line 1: unknown instruction 'frob'"),
        ("lw a0, a1", r"line 1: lw wants offset\(register\)"),
        ("j nowhere", "line 1: 'nowhere' is not defined"),
        ("x: nop\nx: nop", "line 2: x is defined twice"),
        ("li a0, later\nlater:", "line 1: 'later' is not defined before this li"),
        (".data\nnop", "line 2: nop is not at a word of .text"),
        (".word 1 << 40", "line 1: .word 1099511627776 does not fit 32 bits"),
        (".zero -1", "line 1: .zero -1 is not in 0"),
        (".zero 1 << 40", "line 1: .zero 1099511627776 is not in 0"),
        (".frob 3", "line 1: unknown directive .frob"),
        (".section .weird", "line 1: there is no section '.weird'"),
        (".asciz hello", "line 1: .asciz wants a string in quotes"),
        ("li a0, 1 << 64", "line 1: '1 << 64' is not a number"),
        ("li a0, __import__('os')", "line 1: "),
        ("slli a0, a0, 64", "line 1: slli: 64 is not in 0..63"),
        ("tgld.unit tr0, (a0), tilesize=3", "line 1: tilesize=3: it is one of 1, 2, 4, 8"),
        (".byte", "^$"),
    ],
)
def test_what_cannot_be_assembled_is_one_line(text, message):
    if message == "^$":
        assert program(text).segments == ()
        return
    with pytest.raises(AssemblyError, match=message) as raised:
        program(text)
    assert "\n" not in raised.value.summary


@pytest.mark.skipif(not shutil.which(AS), reason=f"{AS} is not installed")
def test_damaged_elfs_are_one_clear_line(tmp_path):
    (tmp_path / "a.s").write_text(".globl _start\n_start: li a0, 0\nret\n.data\n.dword 1,2,3\n")
    subprocess.run([AS, "-march=rv64im", "a.s", "-o", "a.o"], cwd=tmp_path, check=True)
    link = ["riscv64-unknown-elf-ld", "-Ttext=0x1000", "-Tdata=0x2000", "a.o", "-o", "a.elf"]
    subprocess.run(link, cwd=tmp_path, check=True)
    with pytest.raises(BadInputError, match="is not linked"):
        load_program((tmp_path / "a.o").read_bytes(), "a.o", PROFILE)
    data = (tmp_path / "a.elf").read_bytes()
    machine, rng = Machine(PROFILE, Parameters(1024, 64, 256)), random.Random(4)
    assert Run(machine, load_program(data, "a.elf", PROFILE)).run().statuses == (0,)
    outcomes = set()
    for number in range(300):
        damaged = bytearray(data)
        if number % 2:
            damaged = damaged[: rng.randrange(4, len(data))]
        for _ in range(4):
            damaged[rng.randrange(4, min(len(damaged), 200))] = rng.getrandbits(8)
        try:
            Run(machine, load_program(bytes(damaged), "a.elf", PROFILE)).run(10_000)
        except (BadInputError, ProgramError) as error:
            outcomes.add(error.summary)
    assert len(outcomes) > 5
    assert not any("\n" in summary for summary in outcomes)


def test_random_text_is_assembled_and_run_or_refused_in_one_line():
    rng = random.Random(9)
    pieces = "li addi a0 , 1 ( ) x: 1b tgld.unit tr1 tilesize=1 .data .word .zero \" ' + << - ; ret"
    problems = set()
    for _ in range(1500):
        text = " ".join(rng.choice(pieces.split(" ")) for _ in range(rng.randrange(1, 9)))
        try:
            run(text, limit=500)
        except TilelabError as error:
            problems.add(error.summary)
    assert problems
    assert not any("\n" in problem for problem in problems)


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b"start:\n"])
def test_a_program_without_an_instruction_is_refused(text):
    with pytest.raises(BadInputError, match=r"none\.s: has no instruction in it"):
        load_program(text, "none.s", PROFILE)
