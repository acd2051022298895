"""Policies: a hazard or leak that is recorded or warned of instead of raised."""

from __future__ import annotations

import pytest

from pto_harness import Stream
from tilelab.pto import Cluster
from tilelab.pto import errors as e


def test_policies_warn_and_record():
    options = {"slots": 2, "prod": lambda pipe: pipe.prod.set_allocate_status(False), "pops": 0}
    result = Stream(**options, hazards="record", leaks="record").run()
    assert {f.code for f in result.findings} == {"E10", "H11"}
    with pytest.raises(e.PtoWarning, match="overwrites"):  # the harness turns warnings into errors
        Stream(**options, hazards="warn").run()
    with pytest.raises(e.PipeConfigError, match="no policy"):
        Cluster(hazards="ignore")


def test_e14_a_recorded_overflow_wraps_the_counter():
    stream = Stream(
        slots=16, pushes=16, pops=0, vec=1, protocol="sparse", hazards="record", leaks="record"
    )
    with pytest.raises(e.DrainDeadlock):  # nothing was popped, so nothing can be drained
        stream.run("cube_first")
    assert [f.code for f in stream.cluster.findings] == ["E5", "E14"]
    assert stream.cluster.flags.vec[0][0] == 0  # the sixteenth signal wrapped it
