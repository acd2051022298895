"""CSR access: Table 10 against the document, and the stated cycles."""

import pytest

from tilelab.sim.errors import BadInputError
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.tcsr import READ, TABLE_10, WRITE, access, issue_cycles

ANSWER = {"Yes": True, "No": False, "-": None}


@pytest.mark.parametrize("rule", TABLE_10, ids=lambda r: str(r.line))
def test_a_rule_is_as_printed(seed, rule):
    name, rd, source, reads, writes = seed[rule.line].split("\t")
    assert tuple(name.split("/")) == rule.instructions
    assert (ANSWER[rd], ANSWER[source]) == (rule.rd_is_x0, rule.source_is_zero)
    assert (ANSWER[reads], ANSWER[writes]) == (rule.reads, rule.writes)


def test_all_rules_are_there(seed):
    lines = [n for n in range(199, 212) if seed.get(n, "").startswith("CSR")]
    assert [rule.line for rule in TABLE_10] == lines


@pytest.mark.parametrize("name", ["csrrw", "CSRRS", "CSRRC", "CSRRWI", "CSRRSI", "CSRRCI"])
@pytest.mark.parametrize("rd", [True, False])
@pytest.mark.parametrize("source", [True, False])
def test_every_case_has_one_rule(name, rd, source):
    rule = access(name, rd_is_x0=rd, source_is_zero=source)
    assert rule.reads or rule.writes


def test_examples():
    assert not access("CSRRW", rd_is_x0=True, source_is_zero=False).reads
    assert not access("CSRRS", rd_is_x0=True, source_is_zero=True).writes
    with pytest.raises(BadInputError, match="not a CSR instruction"):
        access("ADD", rd_is_x0=True, source_is_zero=True)


def test_reads_issue_every_second_cycle_and_come_back_after_one():
    assert [(i.cycle, i.written_back) for i in issue_cycles([READ] * 3)] == [(0, 1), (2, 3), (4, 5)]


def test_writes_issue_every_cycle():
    assert [i.cycle for i in issue_cycles([WRITE, WRITE, READ])] == [0, 1, 2]


def test_a_write_after_a_read_is_not_specified():
    with pytest.raises(MissingSpecification, match="csr-timing") as info:
        issue_cycles([READ, WRITE])
    assert "224" in info.value.question.lines
    with pytest.raises(BadInputError):
        issue_cycles(["erase"])
