"""The part of C++'s library that kernels include, with our headers: what each name is."""

import shutil
from pathlib import Path

import pytest

from kernel_maker import build_and_run, write_kernel
from tilelab.build.compilers import GCC, GCC_PACKAGE
from tilelab.sim.errors import BadInputError

SOURCE = """
#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cstring>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include "api/compute/common.h"

static_assert(INT_MAX == std::numeric_limits<int>::max());
static_assert(std::numeric_limits<int>::min() == INT_MIN && FLT_MAX > 1e38f);
static_assert(std::numeric_limits<unsigned char>::max() == 255);
static_assert(std::numeric_limits<short>::min() == -32768);
static_assert(std::numeric_limits<unsigned>::max() == UINT_MAX);
constexpr std::array<int, 3> numbers{1, 2, 3};
static_assert(numbers[1] == 2 && numbers.size() == 3 && std::get<2>(numbers) == 3);
constexpr std::tuple<int, float, int> three{1, 2.5f, 3};
static_assert(std::get<1>(three) == 2.5f && std::tuple_size_v<decltype(three)> == 3);
static_assert(std::is_same_v<std::tuple_element_t<1, std::tuple<int, float>>, float>);
constexpr auto four = std::tuple_cat(three, std::make_tuple('x'));
static_assert(std::get<3>(four) == 'x' && std::get<2>(four) == 3);
static_assert(std::apply([](int x, float, int z) { return x + z; }, three) == 4);
constexpr int bound() {
    auto [x, y, z] = three;
    return x + z;
}
static_assert(bound() == 4);
constexpr std::optional<int> some = 4, none;
static_assert(some && *some == 4 && !none && none.value_or(7) == 7 && none == std::nullopt);
static_assert(std::is_integral_v<const int> && !std::is_integral_v<float>);
static_assert(std::is_same_v<std::decay_t<const int&>, int>);
static_assert(std::is_unsigned_v<unsigned> && std::is_signed_v<float> && !std::is_signed_v<bool>);
struct Base {};
struct Derived : Base {};
static_assert(std::is_base_of_v<Base, Derived> && !std::is_base_of_v<Derived, Base>);
static_assert(std::bit_cast<unsigned>(1.0f) == 0x3F800000);
static_assert(std::bit_ceil(5u) == 8 && std::bit_floor(9u) == 8 && std::bit_width(8u) == 4);
static_assert(std::popcount(0xF0u) == 4 && std::countl_zero(1u) == 31);
static_assert(std::has_single_bit(64u) && !std::has_single_bit(0u));
constexpr int swapped() {
    int x = 1, y = 2;
    std::swap(x, y);
    return 10 * x + y;
}
static_assert(swapped() == 21 && std::clamp(5, 1, 3) == 3);
static_assert(std::make_index_sequence<4>::size() == 4);

void kernel_main() {%s}
"""


@pytest.mark.parametrize(
    "compiler",
    [
        "zig",
        pytest.param(
            "gcc",
            marks=pytest.mark.skipif(
                not shutil.which(GCC), reason=f"needs {GCC}: apt install {GCC_PACKAGE}"
            ),
        ),
    ],
)
def test_names_of_the_standard_library_are_what_they_are_called(
    compiler: str, tmp_path: Path
) -> None:
    write_kernel(tmp_path, SOURCE % "", [], [])
    build_and_run(tmp_path, compiler)


def test_a_name_that_we_lack_says_so_where_it_is_called(tmp_path: Path) -> None:
    source = SOURCE.replace("common.h", "eltwise_unary/i0.h")
    write_kernel(tmp_path, source % "", [], [])
    build_and_run(tmp_path)
    write_kernel(tmp_path, source % " i0_tile_init(); ", [], [])
    with pytest.raises(BadInputError, match=r"own headers have no i0_tile_init: .*headers = "):
        build_and_run(tmp_path)
