"""What only the vendor's compiler takes, in other words: by text alone."""

import pytest

from tilelab.build.standin import dialect
from tilelab.build.standin.scalars import without_float_registers
from tilelab.sim.errors import BadInputError


def test_naked_functions() -> None:
    """One that is assembly alone stays; another loses its prologue, and may keep nothing there."""
    text = (
        '__attribute__((naked)) void a() { asm("ret; nop"); }\n[[gnu::naked]] void b() { c(); }\n'
    )
    adapted, names = dialect.for_clang(text)
    assert names == ["b"]
    assert adapted == text.replace("gnu::naked", "gnu::noinline")
    lines = ["b:", "\taddi\tsp, sp, -16", "\tsw\tra, 12(sp)", "\tcall\tc", "d:", "\tsw\tra, 0(sp)"]
    assert dialect.bare(lines, ["b"]) == ["b:", "\tcall\tc", "d:", "\tsw\tra, 0(sp)"]
    with pytest.raises(BadInputError, match="b: a naked function keeps something"):
        dialect.bare(["b:", "\tsw\ta0, 4(sp)"], ["b"])
    restored = ["b:", "\tlw\tra, 12(sp)", "\taddi\tsp, sp, 16", "\tret"]
    assert dialect.bare(restored, ["b"]) == ["b:", "\tret"]
    own = ["b:", "\t#APP", "\taddi\tsp, sp, -16 * 4", "\tsw ra, 0 * 4(sp)", "\t#NO_APP"]
    assert dialect.bare(own, ["b"]) == own


def test_templates_and_pointers_in_other_words() -> None:
    """What only GCC takes: a template's bare name for its defaults, a pointer without return."""
    text = "template <int N = 8, bool B = true>\ninline void f(int a) {}\n"
    text += "template <int N>\ninline void g(int a) {}\n"
    calls = "call(::x::f, 1); call(x::g, 1); use(f); call(x::f<2>); [[gnu::noreturn]] void h();\n"
    adapted, _ = dialect.for_clang(text + calls)
    assert adapted == text + calls.replace("::x::f,", "::x::f<>,")
    pointer = "[[gnu::noreturn, gnu::used]] void (*exit)() = leave;"
    assert dialect.for_clang(pointer)[0] == pointer.replace("gnu::noreturn, ", " ")
    needless = "a.template f(b) + a->template g<1>(b) + C::template h (b)"
    assert dialect.for_clang(needless)[0] == "a.f(b) + a->template g<1>(b) + C::h (b)"
    needed = "f.template operator()<0>()"
    assert dialect.for_clang(needed)[0] == needed
    arrays = "template <int N>\nusing A = x::B[N];\nusing C = int[N];\n"
    assert dialect.for_clang(arrays)[0] == arrays.replace("B[N]", "B[N ? N : 1]")
    sizes = "template <typename H, template <typename, size_t> class C, size_t N> struct A;"
    assert dialect.for_clang(sizes)[0] == sizes.replace("typename, size_t", "typename, auto")


def test_words_of_the_stream() -> None:
    """One that is only known when running goes to the instruction buffer."""
    assert dialect.words(["\t.ttinsn -1811939328 # x"]) == ["\t.word\t0x50000002"]
    stored = dialect.words(["\t.ttinsn\tt0"])
    assert stored[1:4:2] == ["\tlui\tt1, %hi(__instrn_buffer)", "\tsw\tt0, 0(t1)"]
    with pytest.raises(BadInputError, match="not a number"):
        dialect.words(["\t.ttinsn somewhere"])


def test_a_struct_that_is_a_templates_argument_is_no_error_in_llvms_text() -> None:
    # what LLVM prints of a padded struct it does not read again
    line = (
        '!7 = !DITemplateValueParameter(name: "In", type: !3, value: %"struct.B" { i32 5, i8 0 })'
    )
    kept = '!8 = !DITemplateValueParameter(name: "n", type: !4, value: i32 7)'
    text = without_float_registers(f"{line}\n{kept}\n")
    assert '!7 = !DITemplateValueParameter(name: "In", type: !3, value: i8 0)' in text
    assert kept in text
