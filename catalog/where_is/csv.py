"""The where-is report as CSV. Pure. As a page to print: `catalog.where_is.html`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from catalog.records import rfc3339
from catalog.spreadsheet import defused
from catalog.where_is.places import Report

COLUMNS = (
    "row",
    "namespace",
    "name",
    "path",
    "entity",
    "state",
    "share",
    "matched",
    "sampled",
    "recognizers",
    "owners",
    "retentionMs",
    "cleanupPolicy",
    "flows",
    "readers",
    "access",
    "message",
)


def to_csv(report: Report) -> str:
    """One row a place, then one a gap, then what the report rests on. Lists are joined by `; `.

    A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writeheader()
    for place in report.places:
        evidence = place.evidence or {}
        row = {name: value for name, value in place.to_json().items() if name in COLUMNS}
        row |= {
            "row": "place",
            "matched": evidence.get("matched"),
            "sampled": evidence.get("sampled"),
            "recognizers": "; ".join(recognizers(evidence)),
            "owners": "; ".join(map(str, place.dataset.owners)),
            "flows": "; ".join(map(_flow, place.flows)),
            "readers": "; ".join(map(_entry, place.readers)),
            "access": "; ".join(map(_entry, place.access or ())),
        }
        writer.writerow({name: _cell(value) for name, value in row.items()})
    for gap in report.gaps:
        row = {name: value for name, value in gap.to_json().items() if name in COLUMNS}
        writer.writerow({"row": f"gap: {gap.kind}", **{name: _cell(value) for name, value in row.items()}})
    about = ", ".join(f"{name} {value}" for name, value in report.question().items())
    about_report = f"Asked: {about}. Made {rfc3339(report.generated_at)} from inputs {report.inputs_hash}."
    writer.writerow({"row": "about", "message": _cell(about_report)})
    return out.getvalue()


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if _is_number(text) else defused(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _flow(flow: Mapping[str, object]) -> str:
    raw = flow.get("raw")
    return f"{flow.get('id')} ({'as it is' if raw else 'masked'})" if raw is not None else str(flow.get("id"))


def _entry(entry: Mapping[str, Any]) -> str:
    """`role analyst (masked, via mask-email)`; everything else from the other room stays in the JSON."""
    who = next((f"{k} {entry[k]}" for k in ("user", "group", "role", "job") if entry.get(k)), None)
    who = who or " ".join(str(entry[k]) for k in ("kind", "name") if entry.get(k))
    notes = ["masked"] if entry.get("masked") else []
    via = entry.get("via") or []
    notes += [f"via {', '.join(via) if isinstance(via, list | tuple) else via}"] if via else []
    notes += purposes_of(entry)
    return f"{who} ({', '.join(notes)})" if notes else who


def purposes_of(entry: Mapping[str, Any]) -> list[str]:
    """`for fraud (legitimate-interests, kept 90d)`: the purposes of the grants behind an entry, where they are declared."""
    collected: dict[str, None] = {}
    for way in entry.get("ways") or ():
        terms = [way["legalBasis"]] if way.get("legalBasis") else []
        terms += [f"kept {way['retention']}"] if way.get("retention") else []
        if way.get("purpose"):
            collected[f"for {way['purpose']}" + (f" ({', '.join(terms)})" if terms else "")] = None
    return list(collected)


def recognizers(evidence: Mapping[str, Any]) -> list[str]:
    return [str(r.get("name")) if isinstance(r, dict) else str(r) for r in evidence.get("recognizers") or ()]
