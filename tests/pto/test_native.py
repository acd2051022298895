"""Compiled kernels, with own headers only: flags and barriers inside a core, bytes, replay."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from pto_harness import pto
from tilelab.pto.native.build import first_error, unique_flags
from tilelab.pto.native.job import cores_for
from tilelab.pto.native.rewrite import rewrite

HERE = Path(__file__).parent / "native"
ISA = HERE / "isa"
SOURCE = (HERE / "relay.cpp").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(
    not (shutil.which("g++") or shutil.which("clang++")), reason="needs g++ or clang++"
)


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def cc(kernel, *options):
    arguments = ["cc", str(kernel), "--pto-isa", str(ISA), "--json", *options]
    outcome = pto(*arguments)
    try:
        return outcome.exit_code, json.loads(outcome.stdout)
    except ValueError:
        return outcome.exit_code, outcome.output


def mutant(tmp_path, old, new, count=1):
    assert SOURCE.count(old) >= count
    file = tmp_path / "relay.cpp"
    file.write_text(SOURCE.replace(old, new, 1), encoding="utf-8")
    return file


def line_of(text):
    return 1 + next(n for n, line in enumerate(SOURCE.splitlines()) if text in line)


def test_a_correct_kernel_is_silent_and_its_data_exact():
    code, document = cc(HERE / "relay.cpp", "--schedules", "12")
    assert (code, document["findings"], document["status"]) == (0, [], 0)
    assert document["rings"]["TPipe0.C2V"]["pushes"] == 6
    assert document["rings"]["TPipe0.C2V"]["pops"] == 12


@pytest.mark.parametrize(
    ("gone", "code", "told"),
    [
        ("set_flag(PIPE_MTE2, PIPE_V, 0);", "H17", "no set_flag comes before it"),
        (
            "wait_flag(PIPE_MTE2, PIPE_V, 0);",
            "H14",
            "no set_flag/wait_flag from PIPE_MTE2 to PIPE_V",
        ),
        ("wait_flag(PIPE_V, PIPE_MTE3, 0);", "H14", "from PIPE_V to PIPE_MTE3"),
        ("pipe_barrier(PIPE_V);", "H14", "no pipe_barrier(PIPE_V)"),
        ("wait_flag(PIPE_MTE2, PIPE_FIX, 0);", "H14", "from PIPE_MTE2 to PIPE_FIX"),
        ("wait_flag(PIPE_FIX, PIPE_MTE2, 1);", "H14", "from PIPE_FIX to PIPE_MTE2"),
    ],
)
def test_a_missing_synchronisation_is_told_with_its_line(tmp_path, gone, code, told):
    exit_code, document = cc(mutant(tmp_path, gone, "    "))
    assert exit_code == 1
    found = [f["message"] for f in document["findings"] if f["code"] == code]
    assert any(told in message and "relay.cpp:" in message for message in found), found


def test_a_flag_left_set_is_told_at_the_end(tmp_path):
    _, document = cc(mutant(tmp_path, "wait_flag(PIPE_MTE3, PIPE_MTE2, 0);", ""))
    assert any("set" in f["message"] for f in document["findings"] if f["code"] == "H17")


@pytest.mark.parametrize("defines", [[], ["-D", "LAST_TILE_AT_CLOSE"]])
def test_a_pipe_that_closes_drains_what_its_pushes_left(defines):
    code, document = cc(HERE / "relay.cpp", "--protocol", "sparse_fixed", *defines)
    assert (code, document["findings"]) == (0, [])
    assert document["rings"]["TPipe0.C2V"]["drained"] == 1


def test_an_overwritten_slot_is_told_by_its_bytes(tmp_path):
    file = mutant(tmp_path, "TPUSH(pipe, l0c(0, TILE));", "TPUSH(pipe, l0c(0, TILE), 2);")
    code, document = cc(file, "--schedule", "cube_first")
    assert code == 1
    assert {"E10"} <= {f["code"] for f in document["findings"]}


def test_bytes_that_nothing_wrote_are_told(tmp_path):
    file = mutant(
        tmp_path, "TROWMAX(ub(4096, TILE), ub(0, TILE));", "TROWMAX(ub(4096, TILE), ub(64, TILE));"
    )
    _, document = cc(file)
    assert any(f["code"] == "H15" for f in document["findings"])


def test_an_address_outside_every_buffer_is_told(tmp_path):
    file = mutant(tmp_path, "gm(in + i * 256, TILE)", "gm(in + i * 256, TILE + 64)")
    _, document = cc(file)
    assert any(f["code"] == "E6" for f in document["findings"])


def test_a_deadlock_says_at_which_lines_the_cores_wait(tmp_path):
    file = mutant(tmp_path, "TPOP(pipe, ub(0, TILE));", "TPOP(pipe, ub(0, TILE), 1);")
    code, document = cc(file)
    assert code == 1
    assert document["error"]["kind"] == "DeadlockError"
    assert "relay.cpp:" in document["error"]["summary"]
    assert "cube is at" in document["error"]["detail"]


def test_a_wrong_slot_number_on_one_side_is_told(tmp_path):
    file = mutant(
        tmp_path,
        "Pipe pipe(ring, TILE, SLOTS);",
        "Pipe pipe(ring, TILE, CUBE ? SLOTS + 1 : SLOTS);",
    )
    code, document = cc(file)
    assert code == 2
    assert "SlotNum 2 and 3" in str(document) or "SlotNum 3 and 2" in str(document)


def test_what_a_schedule_shows_is_shown_again_by_its_replay(tmp_path):
    file = mutant(tmp_path, "TPOP(pipe, ub(0, TILE));", "TPOP(pipe, ub(0, TILE), 2);")
    kept = tmp_path / "order.json"
    code, first = cc(file, "--schedule", "vec_first", "--save-schedule", str(kept))
    assert code == 1
    again, second = cc(file, "--replay", str(kept))
    assert again == 1
    assert second["findings"] == first["findings"]


def test_a_crash_of_the_kernel_ends_its_own_process_only(tmp_path):
    file = mutant(
        tmp_path, "TPOP(pipe, ub(0, TILE));", "TPOP(pipe, ub(0, TILE)); *(volatile int*)8 = 1;"
    )
    code, document = cc(file)
    assert code == 1
    assert "invalid memory access" in document["error"]["summary"]


def test_atomic_additions_race_with_reads_and_not_with_each_other():
    code, document = cc(HERE / "sum.cpp", "--schedules", "4")
    assert (code, document["findings"], document["status"]) == (0, [], 0)
    for order in ("cube_first", "vec_first", "1"):  # whoever adds last
        code, document = cc(HERE / "sum.cpp", "-D", "READ_BACK", "--schedule", order)
        assert code == 1
        told = [finding["message"] for finding in document["findings"]]
        assert any("vec1: TLOAD reads" in one and "vec0 TSTORE" in one for one in told), told


def test_a_host_may_leave_by_exit_and_a_kernel_may_not(tmp_path):
    text = SOURCE.replace("    return 0;\n}", '    std::puts("seen");\n    std::exit(STATUS);\n}')
    file = tmp_path / "relay.cpp"
    file.write_text("#include <cstdio>\n" + text, encoding="utf-8")
    for status in (0, 3):
        code, document = cc(file, "-D", f"STATUS={status}")
        assert (code, document["status"], document["output"]) == (int(status > 0), status, "seen\n")
        assert document["findings"] == []
    code, document = cc(mutant(tmp_path, "TPOP(pipe, ub(0, TILE));", "std::exit(0);"))
    assert code == 1
    assert "exit() was called" in document["error"]["summary"]


def test_an_endless_kernel_is_given_up(tmp_path):
    file = mutant(tmp_path, "TPOP(pipe, ub(0, TILE));", "for (volatile int i = 0;; ++i) {}")
    code, document = cc(file, "--timeout", "1")
    assert code == 1
    assert "did not end within 1 s" in document["error"]["summary"]


def test_exploring_a_kernel_proves_it_or_gives_an_order(tmp_path):
    words = ["explore", str(HERE / "relay.cpp"), "--pto-isa", str(ISA), "--max-states", "60"]
    good = pto(*words)
    assert good.exit_code == 0, good.output
    words[1] = str(mutant(tmp_path, "TPUSH(pipe, l0c(0, TILE));", "TPUSH(pipe, l0c(0, TILE), 2);"))
    bad = pto(*words)
    assert bad.exit_code == 1
    assert "E10" in bad.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["cc", "nothing.cpp", "--pto-isa", "x"], "no such file"),
        (["cc", str(HERE / "relay.cpp"), "--pto-isa", "/nowhere"], "not a pto-isa checkout"),
        (["cc", str(HERE / "relay.cpp"), "--pto-isa", str(ISA), "--arch", "cpu"], "'cpu' is not"),
        (["cc", str(HERE / "relay.cpp"), "--pto-isa", str(ISA), "--protocol", "x"], "'x' is not"),
        (["cc", str(HERE / "relay.cpp"), "--pto-isa", str(ISA), "--replay", "/no.json"], "No such"),
        (["cc", str(HERE / "relay.cpp"), "--pto-isa", str(ISA), "--data", "/no"], "no such folder"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_line_and_exit_2(words, told):
    outcome = pto(*words)
    assert outcome.exit_code == 2
    assert told in outcome.output
    assert "Traceback" not in outcome.output


def test_clang_is_not_given_an_option_that_only_gcc_knows(tmp_path):
    for said, flags in (("Ubuntu clang version 18.1.3", []), ("g++ 13.2", ["-fno-gnu-unique"])):
        compiler = tmp_path / "cxx"
        compiler.write_text(f"#!/bin/sh\necho '{said}'\n", encoding="utf-8")
        compiler.chmod(0o755)
        assert unique_flags(str(compiler)) == flags


def test_a_header_that_names_address_spaces_may_come_first(tmp_path):
    file = tmp_path / "relay.cpp"
    file.write_text("using Place = __ubuf__ float*;\n" + SOURCE, encoding="utf-8")
    assert cc(file)[0] == 0


def test_source_that_does_not_compile_says_the_first_error(tmp_path):
    code, text = cc(mutant(tmp_path, "pipe_barrier(PIPE_V);", "no_such_thing();"))
    assert code == 2
    assert "does not compile" in text
    assert "no_such_thing" in text


def test_an_error_in_a_template_is_told_with_the_users_line_and_nothing_behind_it():
    errors = """\
In file included from /isa/pto.hpp:30,
/isa/instr.hpp: In instantiation of 'TCVT(Tile&)':
/k/kernel.cpp:171:9:   required from 'void run()'
/k/kernel.cpp:293:1:   required from here
/isa/reshape.hpp:43:91: error: static assertion failed: types must be compatible
   43 |     static_assert(same<A, B>);
      |                   ^~~~~~~~~~
/isa/reshape.hpp:43:91: note: the comparison reduces to '(1 == 2)'
/isa/gather.hpp:10:5: error: another
"""
    first, detail = first_error(errors, "/k/kernel.cpp")
    assert (
        first == "/isa/reshape.hpp:43:91: error: static assertion failed: types must be compatible"
    )
    assert detail.splitlines() == [*errors.splitlines()[2:4], *errors.splitlines()[5:7]]
    assert first_error("", "k.cpp") == ("no message", "")


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("k<<<1, nullptr, s>>>(a);", "k(tl_args...); }, ::tilelab::blocks(1, nullptr, s), a);"),
        ("ns::k<T, (A > B)><<<n, 0, s>>>(a, f(b));", "ns::k<T, (A > B)>(tl_args...)"),
        ("k<(N >> 2), a->b, v[i < 2]><<<n, 0, s>>>(a);", "{ k<(N >> 2), a->b, v[i < 2]>(tl_args"),
        ("k<1 << 3, N <= 4><<<n, 0, s>>>(a);", "{ k<1 << 3, N <= 4>(tl_args...)"),
        ("::ns::k<V<V<T>>><<<n, 0, s>>>(a);", "{ ::ns::k<V<V<T>>>(tl_args...)"),
        ("w<<<24, nullptr, s>>>();", "::tilelab::blocks(24, nullptr, s) )"),
        ("else\n JOIN(run, (X))<T, 4>\n<<<1, n, s>>>(a);", "{ JOIN(run, (X))<T, 4>\n(tl_args...)"),
        (
            "if (a) JOIN(run, X)<<<1, n, s>>>(a);",
            "if (a) ::tilelab::launch([](auto... tl_args) { JOIN(",
        ),
    ],
)
def test_launches_become_calls(source, wanted):
    assert wanted in rewrite(source, "k.cpp")


def test_lines_and_comments_stay_where_they_are():
    text = "// a <<<b>>>\nint x; /* <<< */\nk<<<1,\n 0, s>>>(a,\n b);\nint y;"
    out = rewrite(text, "k.cpp")
    assert out.count("\n") == text.count("\n") + 1
    assert "// a <<<b>>>" in out


def test_a_call_of_what_is_behind_an_instruction_is_told_as_one():
    text = "  // TADD_IMPL(a, b);\n  TADD_IMPL(a, f(b),\n   c);\nAICORE void TFOO_IMPL(int x) {}\n"
    out = rewrite(text, "k.cpp")
    assert "  { PTO_INSTR_SCOPE(TADD, a, f(b), c); TADD_IMPL(a, f(b),\n   c); }\n" in out
    assert out.count("SCOPE") == 1


def test_a_redundant_barrier_is_told_and_does_not_fail():
    code, document = cc(HERE / "relay.cpp", "--redundant", "--cycles")
    told = [finding["message"] for finding in document["findings"]]
    assert code == 0
    assert {finding["code"] for finding in document["findings"]} == {"H18"}
    assert any(f"relay.cpp:{line_of('PIPE_ALL')}: pipe_barrier(PIPE_ALL) orders" in m for m in told)
    assert all(re.search(r"; without, [\d,]+ cycles less \(\d+\.\d%\)$", m) for m in told)
    needed = line_of("pipe_barrier(PIPE_V)")
    assert not any(f"relay.cpp:{needed}:" in message for message in told)


@pytest.mark.parametrize("case", [1, 2, 3, 4, 5, 6])
def test_silent_clobbers_are_told_with_their_lines(case):
    code, document = cc(HERE / "clobbers.cpp", "-D", f"CASE={case}")
    told = {f["code"]: f["message"] for f in document["findings"]}
    assert code == 1
    assert told.keys() & {"H14", "H16"}, told
    assert all("clobbers.cpp:" in told[one] for one in told.keys() & {"H14", "H16"})
    code, document = cc(HERE / "clobbers.cpp", "-D", f"CASE={case}", "-D", "RIGHT")
    assert (code, document["findings"]) == (0, [])


def test_a_kernel_for_vector_cores_alone_runs_on_one_of_them_in_each_block(tmp_path):
    code, document = cc(HERE / "alone.cpp", "--cores", "vec")
    assert (code, document["findings"], document["status"]) == (0, [], 0)
    code, document = cc(HERE / "alone.cpp")  # three cores of a block do the same in one place
    assert code == 1
    assert "H14" in {finding["code"] for finding in document["findings"]}
    file = tmp_path / "alone.cpp"
    file.write_text((HERE / "alone.cpp").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text("pto_vec_st(alone)\n", encoding="utf-8")
    assert cc(file)[0] == 0
    words = ["explore", str(file), "--pto-isa", str(ISA)]
    assert pto(*words).exit_code == 0
    assert pto(*words, "--cores", "mix").exit_code == 1


@pytest.mark.parametrize(
    ("case", "ran"),
    [
        ("*", "Add.half Add.fp32 Sub.fp32"),
        ("Add.*", "Add.half Add.fp32"),
        ("Add.half:Sub.*", "Add.half Sub.fp32"),
        ("*.fp??", "Add.fp32 Sub.fp32"),
        ("-*.fp32", "Add.half"),
        ("*.fp32-Add.*:X", "Sub.fp32"),
    ],
)
def test_the_cases_are_those_of_googletests_filter(case, ran):
    words = ["cc", str(HERE / "cases.cpp"), "--pto-isa", str(ISA), "--case", case]
    outcome = pto(*words)
    assert outcome.exit_code == 0
    assert re.findall(r"ran (\S+)", outcome.stdout) == ran.split()


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("pto_cube_st(k)", "cube"),
        ("pto_mix_st(k)", "mix"),
        ("set(F --cce-aicore-arch=dav-c310-vec -std=c++17)", "vec"),
        ("  --cce-aicore-arch=dav-c220\n", "mix"),
        ("a --cce-aicore-arch=dav-c220-vec\nb --cce-aicore-arch=dav-c220-cube", "mix"),
        ("# pto_vec_st(k)", "mix"),
        ("", "mix"),
    ],
)
def test_the_cores_are_those_that_the_build_file_says(tmp_path, text, cores):
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    assert cores_for(tmp_path / "k.cpp", None) == cores
    assert cores_for(tmp_path / "k.cpp", "cube") == "cube"


def test_exploring_a_kernel_takes_what_its_build_and_its_host_need(tmp_path):
    text = SOURCE.replace(
        "int main(int, char**)\n{", "int main(int n, char** a)\n{ if (n < 3) return 9;"
    )
    file = tmp_path / "relay.cpp"
    file.write_text(text + "\nstatic_assert(SLOTS == 1);", encoding="utf-8")
    words = ["explore", str(file), "--pto-isa", str(ISA), "--max-states", "30", "-D", "SLOTS=1"]
    assert pto(*words, "--arg", "one").exit_code == 0
    outcome = pto(*words)
    assert outcome.exit_code == 1
    assert "the host's program returned 9" in outcome.output
