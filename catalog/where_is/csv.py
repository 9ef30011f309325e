"""The where-is report as CSV. Pure. As a page to print: `catalog.where_is.html`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

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
    for place in report.to_json()["places"]:
        evidence = place["evidence"]
        row = {name: place.get(name) for name in COLUMNS}
        row |= {
            "row": "place",
            "matched": evidence.get("matched"),
            "sampled": evidence.get("sampled"),
            "recognizers": "; ".join(recognizers(evidence)),
            "owners": "; ".join(place["owners"]),
            "flows": "; ".join(_flow(flow) for flow in place["flows"]),
            "readers": "; ".join(_entry(reader) for reader in place["readers"]),
            "access": "; ".join(_entry(entry) for entry in place["access"] or ()),
        }
        writer.writerow({name: _cell(value) for name, value in row.items()})
    for gap in report.gaps:
        row = {name: gap.get(name) for name in ("namespace", "name", "path", "message")}
        writer.writerow({name: _cell(value) for name, value in {"row": f"gap: {gap['kind']}", **row}.items()})
    question = report.to_json()["asked"]
    about = ", ".join(f"{name} {value}" for name, value in question.items())
    about_report = f"Asked: {about}. Made {report.to_json()['generatedAt']} from inputs {report.inputs_hash}."
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


def _flow(flow: dict[str, Any]) -> str:
    raw = flow.get("raw")
    return f"{flow.get('id')} ({'as it is' if raw else 'masked'})" if raw is not None else str(flow.get("id"))


def _entry(entry: dict[str, Any]) -> str:
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


def recognizers(evidence: dict[str, Any]) -> list[str]:
    return [str(r.get("name")) if isinstance(r, dict) else str(r) for r in evidence.get("recognizers") or ()]
