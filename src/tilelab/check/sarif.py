"""Findings as SARIF 2.1.0, which editors and code hosts show at the source line."""

from collections.abc import Iterable
from typing import Any

from tilelab import __version__
from tilelab.check.findings import Finding, Party
from tilelab.check.rules import Rule
from tilelab.check.run import Checked
from tilelab.sim.checks import CHECKS_BY_NAME, Policy, declared

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGE = "https://github.com/tenstorrent/tt-isa-documentation"


def sarif(runs: Iterable[Checked]) -> dict[str, Any]:
    """One SARIF log with one run for all programs."""
    found = [(run.name, finding) for run in runs for finding in run.findings]
    names = [rule.name for rule in declared(Rule)]
    names += sorted({finding.check for _, finding in found} - set(names))
    rules = [_rule(name, [f for _, f in found if f.check == name]) for name in names]
    driver = {
        "name": "tilelab check",
        "version": __version__,
        "informationUri": PAGE,
        "rules": rules,
    }
    results = [_result(name, finding, names.index(finding.check)) for name, finding in found]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def level(name: str) -> str:
    """How serious a check's results are by its own policy."""
    rule = CHECKS_BY_NAME.get(name)
    return "warning" if isinstance(rule, Rule) and rule.policy == Policy.WARN else "error"


def _rule(name: str, found: list[Finding]) -> dict[str, Any]:
    rule = CHECKS_BY_NAME.get(name)
    if not isinstance(rule, Rule):
        return {"id": name, "shortDescription": {"text": found[0].message}}
    return {
        "id": name,
        "shortDescription": {"text": rule.message.format(where="…")},
        "help": {"text": f"{rule.cure}. Manual: {rule.page}"},
        "properties": {"category": rule.category.category},
    }


def _result(program: str, finding: Finding, rule: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "ruleId": finding.check,
        "ruleIndex": rule,
        "level": level(finding.check),
        "message": {"text": f"{finding.at}{finding.message}. {finding.cure}".rstrip(". ") + "."},
        "occurrenceCount": finding.count,
        "partialFingerprints": {"tilelab/v1": "|".join((program, *finding.identity))},
        "properties": {"program": program, "cycle": finding.cycle, "where": finding.where},
    }
    sides = [party for party in (*finding.parties, finding.told_by) if party]
    locations = [_location(party, at) for party in sides for at in (party.line, *party.called_at)]
    if locations:
        made["locations"] = locations[:1]
    if locations[1:]:
        made["relatedLocations"] = [
            {"id": number, **location} for number, location in enumerate(locations[1:], 1)
        ]
    return made


def _location(party: Party, place: str) -> dict[str, Any]:
    said = str(party) if place == party.line else f"from here {party.line} is called"
    made: dict[str, Any] = {"message": {"text": said}}
    file, colon, line = place.rpartition(":")
    if colon and line.isdigit():
        physical: dict[str, Any] = {"artifactLocation": {"uri": file.strip("<>")}}
        if int(line) > 0:
            physical["region"] = {"startLine": int(line)}
        made["physicalLocation"] = physical
    made["logicalLocations"] = [{"name": party.actor, "kind": "member"}]
    return made
