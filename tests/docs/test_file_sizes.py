"""The gate on long functions sees them."""

import pytest

from file_sizes import FUNCTION_LIMIT, long_functions


@pytest.mark.parametrize(
    "head", ["def f():", "@g\ndef f():", "async def f():", "def f(\n    a,\n):"]
)
def test_a_function_over_the_limit_is_seen(head: str) -> None:
    signature = len(head.splitlines()) - head.startswith("@")
    fits = head + "\n    x = 1" * (FUNCTION_LIMIT - signature)
    assert list(long_functions(fits)) == []
    assert list(long_functions(fits + "\n    x = 2")) == [("f", FUNCTION_LIMIT + 1)]
    inside = "class C:\n" + "\n".join(f"    {line}" for line in (fits + "\n    x = 2").split("\n"))
    assert list(long_functions(inside)) == [("f", FUNCTION_LIMIT + 1)]
