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
    sides = (*finding.parties, finding.told_by)
    locations = [_location(party) for party in sides if party]
    if locations:
        made["locations"] = locations[:1]
    stacks = [_stack(party) for party in sides if party and party.called_at]
    if stacks:
        made["stacks"] = stacks
    if locations[1:]:
        made["relatedLocations"] = [
            {"id": number, **location} for number, location in enumerate(locations[1:], 1)
        ]
    return made


def _location(party: Party) -> dict[str, Any]:
    made: dict[str, Any] = {"message": {"text": str(party)}, **_physical(party.line)}
    made["logicalLocations"] = [{"name": party.actor, "kind": "member"}]
    return made


def _stack(party: Party) -> dict[str, Any]:
    """The calls by which a party's line came to be where it is."""
    frames = [{"location": _physical(line)} for line in (party.line, *party.called_at)]
    return {"message": {"text": str(party)}, "frames": frames}


def _physical(place: str) -> dict[str, Any]:
    file, colon, line = place.rpartition(":")
    if not colon or not line.isdigit():
        return {}
    physical: dict[str, Any] = {"artifactLocation": {"uri": file.strip("<>")}}
    if int(line) > 0:
        physical["region"] = {"startLine": int(line)}
    return {"physicalLocation": physical}
