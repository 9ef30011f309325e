"""What a check or a comparison found, as text, JSON, Markdown for a merge request, and JUnit. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

from api.features.lineage.shown_impact import AffectedNode, Impact
from catalog.contracts.diff import ContractChange, Effect
from catalog.contracts.rules import Result, Rule, State

_MOST = 50
_SIGNS = {"broken": "✗", "breaks": "✗", "holds": "✓", "compatible": "✓", "undecided": "?"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a report. `state`: broken, holds or undecided of a rule; breaks or compatible of a change."""

    state: str
    dataset: str
    rule: str
    path: str | None
    text: str
    reason: str

    @property
    def is_break(self) -> bool:
        return self.state in (State.BROKEN, Effect.BREAKS)

    @staticmethod
    def of_rule(dataset: str, rule: Rule, result: Result) -> Finding:
        return Finding(str(result.state), dataset, rule.id, rule.path, rule.text, result.reason)

    @staticmethod
    def of_change(change: ContractChange) -> Finding:
        text = change.after or change.before or change.why
        return Finding(str(change.effect), change.dataset, change.rule, change.path, text, change.why)


@dataclass(frozen=True, slots=True)
class Report:
    """`title`: what was done; `impacts`: a finding's place -> the answer of `/impact`; `notes`: what the report lacks;
    `is_read`: a contract was read and compared with nothing."""

    title: str
    findings: Sequence[Finding]
    impacts: Mapping[str, Impact] = field(default_factory=dict)
    notes: Sequence[str] = ()
    is_read: bool = False

    @property
    def breaks(self) -> list[Finding]:
        return [each for each in self.findings if each.is_break]

    @property
    def owners(self) -> list[str]:
        return sorted({owner for each in self.impacts.values() for owner in each["summary"]["owners"]})

    def affected(self) -> list[AffectedNode]:
        """Everything downstream of the breaks, each once, the nearest first."""
        rows: dict[str, AffectedNode] = {}
        for answer in self.impacts.values():
            for row in answer["affected"]:
                if row["id"] not in rows or row["hops"] < rows[row["id"]]["hops"]:
                    rows[row["id"]] = row
        return sorted(rows.values(), key=lambda row: (row["hops"], row["id"]))


def as_text(report: Report) -> str:
    lines = [report.title]
    lines += [f"{_SIGNS[f.state]} {f.text}" + (f" ({f.reason})" if f.reason else "") for f in _worst_first(report)]
    lines += [_counts(report)] if report.findings or not report.is_read else []
    if affected := report.affected():
        lines.append(f"Affected downstream: {len(affected)}")
        lines += [f"  {_name(row)}{_owners(row)}" for row in affected[:_MOST]]
    if report.owners:
        lines.append(f"Owners to ask: {', '.join(report.owners)}")
    return "\n".join([*lines, *report.notes]) + "\n"


def as_json(report: Report) -> str:
    body = {
        "title": report.title,
        "breaks": len(report.breaks),
        "findings": [
            {"state": f.state, "dataset": f.dataset, "rule": f.rule, "path": f.path, "text": f.text, "reason": f.reason}
            for f in _worst_first(report)
        ],
        "affected": [dict(row) for row in report.affected()],
        "owners": report.owners,
        "notes": list(report.notes),
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def as_markdown(report: Report) -> str:
    lines = [f"### {report.title}", "", _counts(report), ""]
    shown = [f for f in _worst_first(report) if f.state not in ("holds",)][:_MOST]
    if shown:
        lines += ["| | promise | why |", "|---|---|---|"]
        lines += [f"| {f.state} | {_cell(f.text)} | {_cell(f.reason)} |" for f in shown]
        lines.append("")
    if affected := report.affected():
        lines += [f"**{len(affected)}** fields, datasets and jobs are downstream of what breaks.", ""]
        lines += ["| what | effect | owners |", "|---|---|---|"]
        lines += [
            f"| {_cell(_name(row))} | {_cell(str(row.get('effect') or 'is downstream').replace('_', ' '))}"
            f" | {_cell(', '.join(row['owners']) or 'none known')} |"
            for row in affected[:_MOST]
        ]
        lines += ["", f"... and {len(affected) - _MOST} more."] if len(affected) > _MOST else []
        lines.append("")
    if report.owners:
        lines += ["Owners to ask: " + ", ".join(f"`{_cell(owner)}`" for owner in report.owners), ""]
    return "\n".join([*lines, *report.notes]).rstrip() + "\n"


def as_junit(report: Report) -> str:
    """A test case a rule: broken ones are failures, undecided ones are skipped."""
    breaks, skipped = len(report.breaks), sum(f.state == State.UNDECIDED for f in report.findings)
    suite = ElementTree.Element(
        "testsuite",
        name=_legal(report.title),
        tests=str(len(report.findings)),
        failures=str(breaks),
        skipped=str(skipped),
        errors="0",
    )
    for finding in report.findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_legal(finding.dataset or "contract"), name=_legal(finding.rule)
        )
        if finding.is_break:
            failure = ElementTree.SubElement(case, "failure", message=_legal(f"{finding.text}: {finding.reason}"))
            impact = report.impacts.get(f"{finding.dataset}:{finding.path or ''}")
            if impact is not None:
                failure.text = _legal("\n".join(f"{_name(row)}{_owners(row)}" for row in impact["affected"][:_MOST]))
        elif finding.state == State.UNDECIDED:
            ElementTree.SubElement(case, "skipped", message=_legal(finding.reason))
    if report.notes:
        ElementTree.SubElement(suite, "system-out").text = _legal("\n".join(report.notes))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _worst_first(report: Report) -> list[Finding]:
    order = {"broken": 0, "breaks": 0, "undecided": 1, "compatible": 2, "holds": 2}
    return sorted(report.findings, key=lambda f: order[f.state])


def _counts(report: Report) -> str:
    if not report.findings:
        return "Nothing differs."
    states = [f.state for f in report.findings]
    return (
        ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(f.state for f in _worst_first(report)))
        + "."
    )


def _name(row: AffectedNode) -> str:
    where = f"{row['namespace']}/{row['name']}" + (f" {row['field']}" if row.get("field") else "")
    return f"{'field' if row['type'] == 'datasetField' else row['type']} {where}"


def _owners(row: AffectedNode) -> str:
    return f" (owners: {', '.join(row['owners'])})" if row["owners"] else ""


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _legal(text: str) -> str:
    """Without the control characters that XML forbids."""
    return "".join(sign for sign in text if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff"))
