"""The C header's words are the assembler's, as the real GCC makes them."""

import random
import shutil
import subprocess

import pytest

from tilelab.tilext.assembler import Assembler
from tilelab.tilext.fuzz import random_values
from tilelab.tilext.header import Macro, header, identifier, macros
from tilelab.tilext.profile import load_profile
from tilelab.tilext.registers import Kind, register_name

GCC, OBJCOPY = "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-objcopy"
needs_gcc = pytest.mark.skipif(
    not (shutil.which(GCC) and shutil.which(OBJCOPY)),
    reason=f"{GCC} is not installed (Debian: gcc-riscv64-unknown-elf)",
)
# a0 is taken by the atomic's result; the others are free for register variables
GPRS = [5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31]


def compile_c(folder, text, *, expect_success=True):
    """Compile and return the bytes of .text, or the compiler's messages."""
    (folder / "test.c").write_text(text)
    flags = ["-march=rv64gc", "-mabi=lp64d", "-O1", "-Wall", "-Werror", "-c", "test.c"]
    done = subprocess.run(
        [GCC, *flags, "-o", "test.o"], cwd=folder, capture_output=True, text=True, check=False
    )
    if not expect_success:
        assert done.returncode
        return done.stderr
    assert done.returncode == 0, done.stderr
    subprocess.run(
        [OBJCOPY, "-O", "binary", "-j", ".text", "test.o", "test.bin"], cwd=folder, check=True
    )
    return (folder / "test.bin").read_bytes()


def call(macro: Macro, values: dict[str, int], number: int) -> str:
    """Return a C function that uses a macro with these values, in these registers."""
    declared, arguments, after = [], [], ""
    for operand in macro.parameters:
        name, value = identifier(operand), values[operand]
        constraint = macro.constraint(operand)
        through_a0 = operand == "rd" and macro.through_a0
        if not constraint and not through_a0:
            named = macro.named(operand)
            if named is not None and named.translated:
                value = {code: c_value for c_value, code in named.arguments.items()}[value]
            arguments.append(str(value))
            continue
        kind = macro.kind(operand)
        register = register_name(kind, value)
        written = operand in ("rd", "frd")
        c_type = "double" if kind is Kind.FPR else "unsigned long"
        if through_a0:
            declared.append(f"unsigned long {name};")
        else:
            declared.append(f'register {c_type} {name} __asm__("{register}");')
        if not written:
            declared.append(f'__asm__ volatile("" : "={constraint}"({name}));')
        else:
            after = f' __asm__ volatile("" : : "{constraint or "r"}"({name}));'
        arguments.append(name)
    body = " ".join(declared)
    return f"void f{number}(void) {{ {body} {macro.name}({', '.join(arguments)});{after} }}\n"


def instances(profile, each):
    """Yield macros with random values whose registers C can name, and their words."""
    rng, assembler = random.Random(5), Assembler(profile)
    for macro in macros(profile):
        for _ in range(each):
            values = random_values(rng, profile, macro.instruction)
            while any(values[s] != on for s, on in macro.fixed.items()):
                values = random_values(rng, profile, macro.instruction)
            gprs = rng.sample(GPRS, 4)
            for operand in macro.parameters:
                if macro.constraint(operand) == "r":
                    values[operand] = gprs.pop()
            if macro.through_a0:
                values["rd"] = 10
            yield macro, values, assembler.encode(macro.instruction.name, values)


@needs_gcc
@pytest.mark.parametrize(
    "overlay", [{}, {"opcode": {"2": 0x0B, "1": 0x2B, "0": 0x2B}, "order": [0, 1, 2]}]
)
@pytest.mark.parametrize("name", ["repaired", "printed"])
def test_gcc_makes_the_assemblers_words(tmp_path, name, overlay):
    profile = load_profile(name, overlay)
    (tmp_path / "tilext.h").write_text(header(profile))
    made = list(instances(profile, 4))
    functions = [call(macro, values, n) for n, (macro, values, _) in enumerate(made)]
    code = compile_c(tmp_path, '#include "tilext.h"\n' + "".join(functions))
    place = 0
    for macro, values, words in made:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        place = code.find(data, place)
        assert place >= 0, (macro.name, values, [hex(word) for word in words])
        place += len(data)
    assert {macro.instruction.name for macro, *_ in made} == profile.instructions.keys()


def test_every_instruction_has_a_macro():
    profile = load_profile()
    text = header(profile)
    for macro in macros(profile):
        assert f"#define {macro.name}(" in text
    assert {macro.instruction.name for macro in macros(profile)} == profile.instructions.keys()
