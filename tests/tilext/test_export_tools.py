"""Whole-instruction exports through the tools they are for: generated, built, word for word."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tilelab.tilext.assembler import Assembler
from tilelab.tilext.exports.decodetree import decodetree, head_groups
from tilelab.tilext.exports.opcode_table import opcode_table
from tilelab.tilext.exports.sail import sail
from tilelab.tilext.exports.shapes import shapes
from tilelab.tilext.exports.tablegen import namespaces, tablegen
from tilelab.tilext.fuzz import random_values
from tilelab.tilext.profile import load_profile

HARNESS = Path(__file__).with_name("harness")
COUNT = 12_000
OVERLAYS = {
    "repaired": ("repaired", {}),
    "printed": ("printed", {}),
    "overlay": (
        "repaired",
        {
            "opcode": {"2": 0x0B, "1": 0x2B, "0": 0x5B},
            "order": [0, 1, 2],
            "codes": {"mmauop": {"bf16": 3, "int8": 5}, "vec_size": {"32": 0, "64": 1}},
            "fields": {"talu.1op": {"0": "neg1=27 reuse1=25"}},
            "instructions": {"talu.2op.t": {"like": "talu.3op", "title": "2op with tiles"}},
            "rows": {
                "talu.2op.t": {
                    "1": "_=31=0 td=30:23 ts1=22:15 tuop=14:12=100 vecuop2[5:2]=11:8 _=7=1",
                    "0": "_=31=0 vecuop2[1:0]=30:29 ts2=22:15 tuop=14:12=110 tmask=11"
                    " vecuop1=10:9 _=8=0 _=7=0",
                },
                "tcsrw": {
                    "1": "rs1_en=31=1 rd_en=30=1 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15"
                    " tuop=14:12=010 rd=11:7"
                },
            },
        },
    ),
}


@pytest.fixture(scope="module", params=OVERLAYS)
def profile(request):
    return load_profile(*OVERLAYS[request.param])


def instances(profile, count, seed=7):
    """Yield random legal instances: shape, operand values without selectors, words."""
    rng, assembler, every = random.Random(seed), Assembler(profile), shapes(profile)
    for number in range(count):
        shape = every[number % len(every)]
        values = random_values(rng, profile, shape.instruction)
        while any(values[s] != on for s, on in shape.selectors.items()):
            values = random_values(rng, profile, shape.instruction)
        words = assembler.encode(shape.instruction.name, values)
        yield shape, {o: values[o] for o in shape.operands}, words


def run(command, folder, **options):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def write(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text)


def needs(*tools):
    for tool in tools:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")


def llvm_include():
    """Where the records lie that the llvm-tblgen on the PATH is of."""
    asked = subprocess.run(
        ["llvm-config", "--includedir"], capture_output=True, text=True, check=True
    )
    folder = Path(asked.stdout.strip())
    if (folder / "llvm/Target/Target.td").is_file():
        return folder
    pytest.skip("LLVM's headers are not installed (Debian: llvm-dev)")


def llvm_version():
    """The major version of the llvm-config on the PATH."""
    asked = subprocess.run(["llvm-config", "--version"], capture_output=True, text=True, check=True)
    return int(asked.stdout.split(".")[0])


def test_every_bit_of_every_shape_is_fixed_or_in_one_place(profile):
    for shape in shapes(profile):
        covered = shape.mask
        for place in shape.places:
            assert not covered & place.mask, shape.name
            covered |= place.mask
        assert covered == (1 << shape.bits) - 1
        assert shape.match & ~shape.mask == 0


def test_shapes_hold_what_the_assembler_writes(profile):
    for shape, values, words in instances(profile, 2000):
        whole = sum(word << 32 * n for n, word in enumerate(words))
        assert whole & shape.mask == shape.match
        for place in shape.places:
            bits = whole >> place.at & (1 << place.width) - 1
            assert bits == values[place.operand] >> place.low & (1 << place.width) - 1


def test_tablegen_encoder_and_disassembler_agree_word_for_word(profile, tmp_path):
    needs("llvm-tblgen", "llvm-config", "g++")
    include = llvm_include()
    write(tmp_path, tablegen(profile))
    for what in ("instr-info", "emitter", "disassembler"):
        new = ["-DLLVM_22"] if llvm_version() >= 22 else []
        asked = ["llvm-tblgen", f"-gen-{what}", "-I", str(include), "-I", ".", *new, "Tilext.td"]
        run([*asked, "-o", f"gen-{what}.inc"], tmp_path)
    records = "".join(f"RECORD({s.name.upper()}, {s.bits})\n" for s in shapes(profile))
    generated = (tmp_path / "gen-disassembler.inc").read_text()
    found = re.findall(r"uint8_t (DecoderTable\w+?)(32|64|96)\[\d*\]", generated)
    tables = "".join(f"{{{bits}, {name}{bits}}},\n" for name, bits in found)
    write(tmp_path, {"records.inc": records, "tables.inc": tables})
    flags = run(["llvm-config", "--cxxflags", "--ldflags", "--libs", "--system-libs"], tmp_path)
    source = str(HARNESS / "tablegen.cpp")
    run(["g++", "-O0", "-w", "-I.", source, "-o", "harness", *flags.split()], tmp_path)
    spaces, text, expected = namespaces(profile), [], []
    for shape, values, words in instances(profile, COUNT):
        written = [o for o in shape.operands if o in ("rd", "frd", "vd")]
        order = written + [o for o in shape.operands if o not in written]
        line = " ".join([shape.name.upper(), *(str(values[o]) for o in order)])
        text.append(line)
        expected.append((" ".join(map(str, words)), line))
    out = run(["./harness"], tmp_path, input="\n".join(text) + "\n").splitlines()
    assert len(out) == len(expected)
    for line, (words, record) in zip(out, expected, strict=True):
        made, *decoded = line.split(" | ")
        assert made == words, record
        assert record in decoded
        assert len(decoded) <= len(set(spaces.values()))
    print(f"{len(out)} instructions, {len(tables.splitlines())} decoder tables")


def decodetree_script():
    """Return QEMU's decodetree.py: TILELAB_DECODETREE names it."""
    given = os.environ.get("TILELAB_DECODETREE")
    if not given:
        pytest.skip("QEMU's decodetree.py is not here: TILELAB_DECODETREE names it")
    assert Path(given).is_file(), f"TILELAB_DECODETREE={given} is no file"
    return given


DECODETREE_C = """\
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct { const char *wanted; uint32_t word[3]; } DisasContext;
static inline uint32_t extract32(uint32_t v, int at, int n) { return v >> at & (~0u >> (32 - n)); }
static inline uint64_t extract64(uint64_t v, int at, int n) {
  return v >> at & (~0ull >> (64 - n));
}
static inline uint32_t deposit32(uint32_t v, int at, int n, uint32_t f) {
  uint32_t m = (~0u >> (32 - n)) << at; return (v & ~m) | ((f << at) & m);
}
static inline uint64_t deposit64(uint64_t v, int at, int n, uint64_t f) {
  uint64_t m = (~0ull >> (64 - n)) << at; return (v & ~m) | ((f << at) & m);
}
"""


def c_argument_lines(text):
    """Yield names and arguments of a decode file's patterns."""
    for line in text.splitlines():
        if found := re.match(r"\s*(\w+) [01.]{8} ", line):
            yield found[1], re.findall(r"(\w+)=%", line)


def decodetree_program(files):
    """Return C that decodes "NAME w w w" lines by the generated decoders and prints arguments."""
    parts = [DECODETREE_C]
    order = sorted(files, key=lambda name: name == "tilext96.decode")
    for name in order:
        stem = name.split(".")[0]
        parts.append(f'#include "{stem}.inc"')
        for pattern, arguments in c_argument_lines(files[name]):
            shown = "".join(f' printf(" {a}=%u", (unsigned)a->{a});' for a in arguments)
            if pattern.startswith("head_"):
                number = pattern.split("_")[1]
                inner = (
                    f"if (!tilext96_{number}(ctx, ctx->word[1] | (uint64_t)ctx->word[2] << 32))"
                    " return false;"
                )
            else:
                inner = f'if (strcmp(ctx->wanted, "{pattern}")) return false;'
                shown = f'printf("{pattern}");{shown}'
            parts.append(
                f"static bool trans_{pattern}(DisasContext *ctx, arg_{pattern} *a)"
                f" {{ {inner}{shown} return true; }}"
            )
    parts.append("""
int main(void) {
  char name[64]; int n; DisasContext c = {name, {0}};
  while (scanf("%63s %d", name, &n) == 2) {
    for (int i = 0; i < n; i++) if (scanf("%u", &c.word[i]) != 1) return 1;
    bool ok = n == 1 ? tilext32(&c, c.word[0]) : n == 3 ? tilext96(&c, c.word[0])
              : tilext64(&c, c.word[0] | (uint64_t)c.word[1] << 32);
    puts(ok ? "" : "none");
  }
}
""")
    return "\n".join(parts)


def expected_of(shape, values):
    """Return the arguments a shape's patterns should have."""
    expected = {}
    for operand in shape.operands:
        name = operand.replace("/", "_")
        if operand in shape.pinned:
            places = shape.of(operand)
            expected[name + "_low"] = values[operand] & (1 << places[0].width) - 1
            continue
        low = min(p.low for p in shape.of(operand))
        expected[name] = values[operand] >> low
    return expected


def test_decodetree_decodes_whole_instructions(profile, tmp_path):
    script = decodetree_script()
    needs("gcc")
    files = decodetree(profile)
    write(tmp_path, files)
    for name in files:
        stem = name.split(".")[0]
        wide = "64" if stem == "tilext64" or stem.startswith("tilext96_") else "32"
        asked = [sys.executable, script, "-w", wide, f"--decode={stem}", "-o", f"{stem}.inc", name]
        run(asked, tmp_path)
    write(tmp_path, {"test.c": decodetree_program(files)})
    run(["gcc", "-O0", "-w", "test.c", "-o", "test"], tmp_path)
    made = list(instances(profile, COUNT))
    text = "".join(f"{s.name} {len(w)} {' '.join(map(str, w))}\n" for s, _, w in made)
    out = run(["./test"], tmp_path, input=text).splitlines()
    assert len(out) == len(made)
    for line, (shape, values, words) in zip(out, made, strict=True):
        name, *arguments = line.split()
        assert name == shape.name, words
        found = {k: int(v) for k, v in (a.split("=") for a in arguments)}
        for key in [k for k in found if re.search(r"_\d+_\d+$", k)]:
            operand, hi, lo = key.rsplit("_", 2)
            part = values[operand] >> int(lo) & (1 << int(hi) - int(lo) + 1) - 1
            assert found.pop(key) == part
            found.setdefault(operand, expected_of(shape, values)[operand])
        again = {k.removesuffix("_again"): v for k, v in found.items() if k.endswith("_again")}
        expected = expected_of(shape, values)
        assert all(expected[k] == v for k, v in again.items())
        assert {k: v for k, v in found.items() if not k.endswith("_again")} == expected, line


def test_three_words_have_a_head_for_each_layout_of_the_first():
    groups = [{s.instruction.name for s in group} for group in head_groups(load_profile())]
    assert {"tgld.index", "tgst.index", "tsld.index", "tsst.index"} in groups
    assert {"tma.copy"} in groups


OPCODE_C = """\
#include <stdio.h>
#include "tilext-opc.h"
int main(void) {
  uint32_t word[3], value[TILEXT_MAX_OPERANDS]; int n;
  while (scanf("%d", &n) == 1) {
    for (int i = 0; i < n; i++) if (scanf("%u", &word[i]) != 1) return 1;
    const struct tilext_opcode *op = tilext_opcodes;
    while ((op = tilext_find(op, word, n, value))) {
      printf("| %s", op->variant);
      for (unsigned i = 0; i < op->operands; i++) printf(" %u", value[i]);
      printf(" "); op++;
    }
    puts("");
  }
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_the_opcode_table_finds_whole_instructions(profile, tmp_path, compiler):
    needs(compiler)
    write(tmp_path, opcode_table(profile))
    write(tmp_path, {"test.c": OPCODE_C})
    run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", "test.c", "-o", "test"], tmp_path)
    made = list(instances(profile, COUNT))
    rng = random.Random(5)
    noise = [[rng.getrandbits(32) for _ in range(3)] for _ in range(500)]
    text = "".join(f"{len(w)} {' '.join(map(str, w))}\n" for *_, w in made)
    text += "".join(f"3 {' '.join(map(str, w))}\n" for w in noise)
    out = run(["./test"], tmp_path, input=text).splitlines()
    for line, (shape, values, _) in zip(out, made, strict=False):
        record = " ".join([shape.name, *(str(values[o]) for o in shape.operands)])
        assert record in [part.strip() for part in line.split("|")]
    assert all(line == "" for line in out[len(made) :])


def test_the_spike_extension_compiles_against_spikes_headers(profile, tmp_path):
    spike = os.environ.get("TILELAB_SPIKE")
    if not spike:
        pytest.skip("Spike is in no registry: TILELAB_SPIKE names a checkout of riscv-isa-sim")
    needs("g++")
    write(tmp_path, opcode_table(profile) | {"config.h": ""})  # what configure writes, empty
    folders = [f"-I{spike}{part}" for part in ("", "/riscv", "/softfloat")]
    asked = [
        "g++",
        "-std=c++20",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-parameter",
    ]
    run([*asked, "-I.", *folders, "tilext-spike.cc"], tmp_path)


def test_the_sail_skeleton_accounts_for_every_bit(profile):
    (text,) = sail(profile).values()
    clauses = re.findall(r"encdec_tilext(\d+) = \w+\(.*?\)(?:\n  if .*)?\n  <-> (.*)", text)
    assert len(clauses) == len(shapes(profile))
    for bits, right in clauses:
        widths = [len(d) for d in re.findall(r"0b([01]+)", right)]
        widths += [int(n) for n in re.findall(r": bits\((\d+)\)", right)]
        assert sum(widths) == int(bits)
    assert len(re.findall(r"^union clause", text, re.M)) == len(clauses)
