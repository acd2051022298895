"""The table of the compute API's names is true: of tilelab's headers, and of the vendor's."""

import json

import pytest

from compute_names import ours, vendors
from tilelab.build.names import COMPUTE_API
from tilelab.build.vendors.wheel import find_wheel
from ttnn_runs import HOW, PYTHON

ROWS = json.loads(COMPUTE_API.read_text())["names"]


def test_our_headers_have_the_names_that_the_table_says() -> None:
    assert ours([*ROWS]) == {name for name, (_, there) in ROWS.items() if there}


@pytest.mark.skipif(not PYTHON, reason=HOW)
def test_the_table_has_every_name_of_the_vendors() -> None:
    assert PYTHON
    found = vendors(find_wheel(PYTHON)[1])
    assert found == {name: header for name, (header, _) in ROWS.items()}
