"""Parts of the state as arguments: a kernel is compiled for each layout that it is given."""

from typing import Any

import pytest
from harness import both, module

from tilelab.kernelpy.machine import KernelError
from tilelab.sim.kernel import kernel, narrow


@kernel
def put(queue: Any, word: int) -> int:
    if queue.count == 4:
        return -1
    queue.word[(queue.head + queue.count) & 3] = word
    queue.count += 1
    return 0


@kernel
def total(numbers: Any, length: int) -> int:
    result = 0
    for i in range(length):
        result += numbers[i]
    return result


@kernel
def fill(s: Any, value: int) -> int:
    for k in range(2):
        part = s.parts[k]
        part.late.head = 3
        for i in range(5):
            part.x[1] = put(part.early, value + i)
            put(s.parts[k].late, -value * i)
    return total(s.parts[0].early.word, 4) + total(s.parts[1].late.word, 4) + total(s.parts[1].x, 3)


def test_one_text_for_queues_of_different_layout() -> None:
    result, state = both(fill, 7)
    assert state["parts"]["early"]["word"].tolist() == [[7, 8, 9, 10]] * 2
    assert state["parts"]["late"]["word"].tolist() == [[-7, -14, -21, 0]] * 2
    assert result == 34 - 42 - 1


@kernel
def lengths(s: Any, value: int) -> int:
    return len(s.parts) * 100 + len(s.parts[0].early.word) * 10 + len(s.parts[1].x) + value


def test_the_length_of_an_array_is_a_constant() -> None:
    assert both(lengths, 1000)[0] == 1000 + 200 + 40 + 3


def test_each_layout_is_compiled_once() -> None:
    text = str(module(fill).whole.llvm)
    assert text.count('put(parts.early)"(') > 1
    assert sum(line.startswith("define") and "put(" in line for line in text.splitlines()) == 2


@kernel
def reads_an_absent_field(queue: Any) -> int:
    return queue.tail


@kernel
def gives_a_record_without_it(s: Any) -> int:
    return reads_an_absent_field(s.parts[0].early)


def test_a_field_that_a_layout_lacks_is_refused() -> None:
    with pytest.raises(
        KernelError, match=r"reads_an_absent_field: the state has no parts.early.tail"
    ):
        module(gives_a_record_without_it)


@kernel
def counts(s: Any, cell: int) -> int:
    s.pair[cell, next_index(s)] += 5
    s.n += 1
    return s.n


@kernel
def next_index(s: Any) -> int:
    s.n += 1
    return s.n


def test_what_is_added_to_is_evaluated_once() -> None:
    result, state = both(counts, 1)
    assert result == 2
    assert state["pair"].tolist() == [[0, 0, 0], [0, 5, 0]]


@narrow(16)
def choose_narrowly(s: Any) -> int:
    kind = 0
    for i in range(12):
        kind -= 1
        value = kind
        if value == -1:
            s.n = 1
        elif value == -2:
            s.n = 12
        elif value == -3:
            s.n = 123
        elif value == -4:
            s.n = 1234
        elif value == -5:
            s.n = 12345
        elif value == -6:
            s.n = -1
        elif value == -7:
            s.n = -12
        elif value == -8:
            s.n = -123
        else:
            s.n = i
        s.parts[0].x[i % 3] = value
    return value


@pytest.mark.parametrize("rounds", [1])
def test_a_narrow_kernel_chooses_by_a_variable_of_its_own_width(rounds: int) -> None:
    result, state = both(choose_narrowly)
    assert result == -12
    assert state["n"] == 11


@kernel
def keep(s: Any, part: Any, value: int) -> None:
    if value < 0:
        return
    part.x[0] = value


@kernel
def keep_two(s: Any, value: int) -> int:
    keep(s, s.parts[0], value)
    keep(s, s.parts[1], -value)
    return s.parts[0].x[0] * 10 + s.parts[1].x[0]


def test_a_kernel_may_return_nothing() -> None:
    assert both(keep_two, 7)[0] == 70
    assert both(keep_two, -7)[0] == 7
