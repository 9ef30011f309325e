"""The where-is report as CSV and as a page to print. Pure."""

from __future__ import annotations

import csv
import io
from html import escape
from typing import Any

from catalog.where_is_places import Report

COLUMNS = (
    "row", "namespace", "name", "path", "entity", "state", "share", "matched", "sampled", "recognizers", "owners",
    "retention_ms", "cleanup_policy", "flows", "readers", "access", "message",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


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
            "recognizers": "; ".join(_recognizers(evidence)),
            "owners": "; ".join(place["owners"]),
            "flows": "; ".join(_flow(flow) for flow in place["flows"]),
            "readers": "; ".join(_entry(reader) for reader in place["readers"]),
            "access": "; ".join(_entry(entry) for entry in place["access"]),
        }
        writer.writerow({name: _cell(value) for name, value in row.items()})
    for gap in report.gaps:
        row = {name: gap.get(name) for name in ("namespace", "name", "path", "message")}
        writer.writerow({name: _cell(value) for name, value in {"row": f"gap: {gap['kind']}", **row}.items()})
    asked = report.to_json()["asked"]
    about = ", ".join(f"{name} {value}" for name, value in asked.items())
    made = f"Asked: {about}. Made {report.to_json()['generated_at']} from inputs {report.inputs_hash}."
    writer.writerow({"row": "about", "message": _cell(made)})
    return out.getvalue()


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return "'" + text if text.startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: #555; padding: .3rem 0; }
th, td { border-bottom: 1px solid #ccc; padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #555; } code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.1rem; } .made { color: #555; overflow-wrap: anywhere; } .none { color: #777; }
@media print {
  body { margin: 0; max-width: none; font-size: 10px; } tr { break-inside: avoid; }
  thead { display: table-header-group; }
}
"""


def to_html(report: Report) -> str:
    """A page that stands alone: no script, nothing loaded, every text escaped."""
    data = report.to_json()
    asked = ", ".join(f"{name} <code>{escape(str(value))}</code>" for name, value in data["asked"].items())
    rows = "\n".join(_row(place) for place in data["places"])
    gaps = "\n".join(f"<li>{escape(str(gap['message']))}</li>" for gap in data["gaps"])
    places = f"{len(data['places'])} place{'' if len(data['places']) == 1 else 's'}"
    table = (
        f"""<table><caption>{places}</caption><thead><tr><th scope="col">Dataset</th><th scope="col">Field</th>
<th scope="col">Kind</th><th scope="col">Evidence</th><th scope="col">Goes to</th><th scope="col">Read by</th>
<th scope="col">May be read by</th><th scope="col">Kept</th></tr></thead><tbody>
{rows}
</tbody></table>"""
        if rows
        else '<p class="none">No place was found. Mind what was not looked at, below.</p>'
    )
    missing = f"<ul>{gaps}</ul>" if gaps else '<p class="none">Nothing: every record was read.</p>'
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Where is {escape(str(report.asked))}</title><style>{_STYLE}</style></head><body>
<h1>Where is {escape(str(report.asked))}</h1>
<p class="made">Asked: {asked}. Made {escape(str(data["generated_at"]))} from inputs
<code>{escape(report.inputs_hash)}</code>.</p>
<h2>Places</h2>
{table}
<h2>Not known</h2>
{missing}
</body></html>
"""


def _row(place: dict[str, Any]) -> str:
    evidence = place["evidence"]
    share = f"{place['share']:.1%}" if place["share"] is not None else ""
    counted = f"{evidence['matched']:,} of {evidence['sampled']:,}" if share else ""
    why = ", ".join(part for part in (share, counted, *_recognizers(evidence)) if part)
    cells = (
        f"{escape(place['reference'])}<br><small>{escape(', '.join(place['owners']) or 'no owner')}</small>",
        f"<code>{escape(place['path'])}</code>",
        escape(" ".join(part for part in (place["entity"], place["state"] and f"({place['state']})") if part)),
        escape(why),
        _list([_flow(flow) for flow in place["flows"]]),
        _list([_entry(reader) for reader in place["readers"]]),
        _list([_entry(entry) for entry in place["access"]]),
        escape(_kept(place)),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _list(items: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>" if items else ""


def _kept(place: dict[str, Any]) -> str:
    """How long records stay, in words."""
    policy, retention = place["cleanup_policy"], place["retention_ms"]
    if policy == "compact":
        return "compacted: the newest of each key, for ever"
    if retention is None:
        return ""
    kept = "for ever" if retention < 0 else f"{retention / 86_400_000:.3g} days"
    return f"{kept}{', compacted' if policy and 'compact' in policy else ''}"


def _flow(flow: dict[str, Any]) -> str:
    raw = flow.get("raw")
    return f"{flow.get('id')} ({'as it is' if raw else 'masked'})" if raw is not None else str(flow.get("id"))


def _entry(entry: dict[str, Any]) -> str:
    """`role analyst (masked, via mask-email)`; whatever else the other room says stays in the JSON."""
    who = next((f"{k} {entry[k]}" for k in ("user", "group", "role", "job") if entry.get(k)), None)
    who = who or " ".join(str(entry[k]) for k in ("kind", "name") if entry.get(k))
    notes = ["masked"] if entry.get("masked") else []
    via = entry.get("via") or []
    notes += [f"via {', '.join(via) if isinstance(via, list | tuple) else via}"] if via else []
    return f"{who} ({', '.join(notes)})" if notes else who


def _recognizers(evidence: dict[str, Any]) -> list[str]:
    return [str(r.get("name")) if isinstance(r, dict) else str(r) for r in evidence.get("recognizers") or ()]
