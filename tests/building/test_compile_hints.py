"""What a build says of mistakes that compilers do not see: the cause, at the author's line."""

import shutil
from pathlib import Path

import pytest

from tilelab.build.compilers import GCC, find_compiler
from tilelab.build.hints import open_condition
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError

KERNEL = """\
#include <tilelab/vector.h>
// v_if in words, "v_if(" in a string
namespace NAMESPACE {
void MAIN {
    vector_tile(0, [] {
        sfpi::vFloat x = sfpi::dst_reg[0];
        v_if(x < 0.0f) { x = x * 0.125f; }
        v_endif;
        sfpi::dst_reg[0] = x;
    });
    tile_regs_commit();
}
}
"""
END = "        v_endif;\n"
compilers = pytest.mark.parametrize("compiler", ["zig", "gcc"])


def told(folder: Path, source: str, compiler: str) -> str:
    """What the build says, without the file's name."""
    if compiler == "gcc" and not shutil.which(GCC):
        pytest.skip(f"needs {GCC}")
    path = folder / "k.cpp"
    path.write_text(source)
    with pytest.raises(BadInputError) as error:
        build_kernel(source_kernel(path), find_compiler(compiler))
    return error.value.summary.removeprefix(f"{path}:")


@compilers
def test_a_forgotten_v_endif_is_named_where_its_v_if_is(compiler: str, tmp_path: Path) -> None:
    assert told(tmp_path, KERNEL.replace(END, ""), compiler) == "7: v_if without v_endif"


@compilers
def test_an_end_without_its_beginning_is_named(compiler: str, tmp_path: Path) -> None:
    assert told(tmp_path, KERNEL.replace(END, 2 * END), compiler) == "9: v_endif without v_if"


ERROR = "k.cpp:9: expected expression"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("v_if(a) { v_if(b) {} \n v_endif; }", (1, "v_if without v_endif")),
        ("v_block { \n v_if(a) {} \n v_endblock; }", (3, "v_endblock without v_block")),
        ("\nv_block { v_and(a); }", (2, "v_block without v_endblock")),
        ("v_else {}", (1, "v_else without v_if")),
        ("v_if(a) {} v_elseif(b) {} v_else {} v_endif;", None),
        ('/* v_if(\n */ // v_if\n f("v_if\\"");', None),
        ("#define OPEN(c) v_if(c) { \\\n v_if(c)\nOPEN(a) } }", None),
    ],
)
def test_conditions_are_counted_in_code_alone(source: str, found: tuple[int, str] | None) -> None:
    assert open_condition(ERROR, source) == found


def test_another_error_is_left_as_it_is() -> None:
    assert open_condition("k.cpp:9: no such thing", "v_if(a) {}") is None


@compilers
@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("if (x < 0.0f) { x = 0.0f; }", "v_if(…) … v_endif takes a condition of vectors"),
        ("sfpi::vInt i = x;", "convert<To>(x) converts the numbers, as<To>(x) keeps the bits"),
    ],
)
def test_types_of_vectors_that_do_not_go_together_are_told_the_cure(
    body: str, hint: str, compiler: str, tmp_path: Path
) -> None:
    condition = "v_if(x < 0.0f) { x = x * 0.125f; }\n" + END
    said = told(tmp_path, KERNEL.replace(condition, body), compiler)
    assert said.startswith("7: ")
    assert said.endswith(hint)


@compilers
def test_a_misspelt_name_has_the_right_one_beside_it(compiler: str, tmp_path: Path) -> None:
    said = told(tmp_path, KERNEL.replace("regs_commit", "reg_commit"), compiler)
    assert said.startswith("11: ")
    assert "did you mean" in said
    assert "tile_regs_commit" in said


@compilers
def test_a_name_of_a_header_left_out_names_the_header(compiler: str, tmp_path: Path) -> None:
    source = KERNEL.replace("    tile_regs_commit();", "    gelu_tile(0);")
    said = told(tmp_path, source, compiler)
    assert said.startswith("11: ")
    assert said.endswith(": include <tilelab/activations.h>")


@compilers
def test_a_name_without_its_namespace_is_not_said_to_want_a_header(
    compiler: str, tmp_path: Path
) -> None:
    said = told(tmp_path, KERNEL.replace("sfpi::vFloat", "vFloat"), compiler)
    assert "sfpi::vFloat" in said
    assert "include" not in said


def test_a_name_that_no_header_has_is_said_to_be_a_constant_if_it_is_read_as_one(
    tmp_path: Path,
) -> None:
    source = KERNEL.replace("tile_regs_commit()", "cb_wait_front(0, blocks)")
    assert told(tmp_path, source, "zig") == (
        "11: use of undeclared identifier 'blocks': constants are in [build] of kernel.toml, "
        "or -D blocks=…"
    )
    assert told(tmp_path, source.replace("blocks", "blocks(1)"), "zig") == (
        "11: use of undeclared identifier 'blocks'"
    )


def test_a_reader_without_its_header_is_told_which(tmp_path: Path) -> None:
    cores = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")
    elfs = ", ".join(f'{core} = "{core}.elf"' for core in cores)
    boxes = ", ".join(f"{core} = {0x1FFA0 + 4 * i}" for i, core in enumerate(cores))
    (tmp_path / "kernel.toml").write_text(
        f"elfs = {{{elfs}}}\ndone = {{mailboxes = {{{boxes}}}}}\n"
        '[build]\nsource = "kernel.cpp"\nreader = "reader.cpp"\nwriter = "writer.cpp"\n'
    )
    (tmp_path / "kernel.cpp").write_text(KERNEL)
    (tmp_path / "writer.cpp").write_text('#include "dataflow_api.h"\nvoid kernel_main() {}\n')
    reader = tmp_path / "reader.cpp"
    reader.write_text("void kernel_main() {\n    noc_async_read_barrier();\n}\n")
    with pytest.raises(BadInputError) as error:
        build_kernel(read_kernel_file(tmp_path, elfs_exist=False), find_compiler())
    assert error.value.summary == (
        f"{reader}:2: use of undeclared identifier 'noc_async_read_barrier': "
        "include <tilelab/data_movement.h>"
    )


def test_a_float_of_the_cores_own_beside_vectors_is_called_so(tmp_path: Path) -> None:
    loop = "    volatile float a = 0; for (int i = 0; i < 3; ++i) a = a + 1.5f;\n    tile_regs"
    source = KERNEL.replace("    tile_regs", loop)
    assert "11: a float of the core's own" in told(tmp_path, source, "zig")
