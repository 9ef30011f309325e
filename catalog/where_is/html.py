"""The where-is report as one page to read and to print, A4 upright or across. Pure.

The page needs no other file: no script, nothing loaded, every text escaped. Everything is inside `.report`, so that it can be
shown inside another page as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from catalog.errors import InvalidInput
from catalog.model import NodeId
from catalog.records import rfc3339
from catalog.where_is.csv import purposes_of, recognizers
from catalog.where_is.places import Place, Report

_STYLE = """
@page { size: A4; margin: 12mm 11mm 14mm; }
.report { color: #1a1a1a; background: #fff; font: 14px/1.4 system-ui, sans-serif; max-width: 80rem; margin: 0 auto;
  padding: 1.5rem 1rem; color-scheme: light; }
.report h1 { font-size: 1.5em; line-height: 1.2; margin: 0 0 .5em; }
.report h2 { font-size: 1.15em; margin: 1.4em 0 .4em; break-after: avoid; }
.report dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15em 1.2em; margin: 0; }
.report dt { color: #555; } .report dd { margin: 0; overflow-wrap: anywhere; }
.report table { border-collapse: collapse; width: 100%; table-layout: fixed; }
.report th, .report td { border-bottom: 1px solid #ccc; padding: .35em .7em .35em 0; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
.report th { border-bottom: 2px solid #555; font-weight: 600; }
.report td:last-child, .report th:last-child { padding-right: 0; }
.report code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .95em; }
.report ul { margin: 0; padding: 0; list-style: none; } .report li + li { margin-top: .2em; }
.report small, .report .none { color: #555; font-size: .92em; }
.report .gaps li { break-inside: avoid; }
@media print {
  .report { max-width: none; padding: 0; font-size: 8.6pt; line-height: 1.32; }
  .report tr { break-inside: avoid; } .report thead { display: table-header-group; }
}
"""
_COLUMNS = (
    ("Place", 21),
    ("Personal data and evidence", 18),
    ("Goes to", 17),
    ("Read by", 15),
    ("May be seen by", 19),
    ("Retention", 10),
)


def to_html(report: Report, author: str = "") -> str:
    """`author`: the user who asked for it. Gives a whole HTML document."""
    heads = "".join(f'<th scope="col">{name}</th>' for name, _ in _COLUMNS)
    widths = "".join(f'<col style="width:{share}%">' for _, share in _COLUMNS)
    table = (
        f"<table><colgroup>{widths}</colgroup><thead><tr>{heads}</tr></thead><tbody>"
        + "\n".join(map(_row, report.places))
        + "</tbody></table>"
        if report.places
        else '<p class="none">No place was found. Mind what was not looked at, below.</p>'
    )
    gaps = "\n".join(f"<li>{escape(gap.message)}</li>" for gap in report.gaps)
    missing = f'<ul class="gaps">{gaps}</ul>' if gaps else '<p class="none">Nothing: every record was read.</p>'
    title = f"Where is {escape(str(report.asked))}"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{_STYLE}</style></head><body style="margin:0"><main class="report">
<h1>{title}</h1>
{_facts(report, author)}
<h2>Places</h2>
{table}
<h2>Not known</h2>
{missing}
</main></body></html>
"""


def _facts(report: Report, author: str) -> str:
    question = ", ".join(
        f"{'as of' if name == 'asOf' else name} <code>{escape(v)}</code>" for name, v in report.question().items()
    )
    datasets = {place.dataset.reference for place in report.places}
    rows = [
        ("Asked", question),
        ("Found", f"{_counted(len(report.places), 'place')} in {_counted(len(datasets), 'dataset')}"),
        ("Made", escape(_time(rfc3339(report.generated_at)))),
        ("Made by", escape(author)),
        ("Inputs", f"<code>{escape(report.inputs_hash)}</code>"),
    ]
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows if value) + "</dl>"


def _counted(n: int, name: str) -> str:
    return f"{n:,} {name}{'' if n == 1 else 's'}"


def _time(text: str) -> str:
    """`2026-11-22 12:19:24 UTC` of an RFC 3339 time in UTC."""
    return text.partition(".")[0].removesuffix("Z").replace("T", " ") + " UTC"


def _row(place: Place) -> str:
    evidence = place.evidence or {}
    share = f"{place.share:.1%}" if place.share is not None else ""
    counted = f"{evidence['matched']:,} of {evidence['sampled']:,} values" if share else ""
    why = ", ".join(part for part in (share, counted, *recognizers(evidence)) if part)
    kind = " ".join(part for part in (place.entity, place.state and f"({place.state})") if part)
    owners = ", ".join(map(str, place.dataset.owners)) or "no owner"
    cells = (
        f"<code>{escape(place.path)}</code><br>{escape(place.dataset.reference)}<br><small>Owner: {escape(owners)}</small>",
        f"{escape(kind)}<br><small>{escape(why)}</small>" if kind or why else "",
        _list([_flow(flow) for flow in place.flows]),
        _list([_reader(reader) for reader in place.readers]),
        _list(list(_seen_by(place.access or ()))),
        escape(_kept(place.dataset.topic)),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _list(items: Sequence[str]) -> str:
    """Items that are HTML already."""
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else '<span class="none">–</span>'


def _kept(topic: Mapping[str, Any]) -> str:
    """How long records stay, in words."""
    policy, retention = topic.get("cleanupPolicy"), topic.get("retentionMs")
    if policy == "compact":
        return "compacted: the newest of each key, for ever"
    if retention is None:
        return ""
    duration = "for ever" if retention < 0 else f"{retention / 86_400_000:.3g} days"
    return f"{duration}{', compacted' if policy and 'compact' in policy else ''}"


def _name(node: str) -> str:
    """`orders · value.email` of a lineage node: its namespace is that of the cluster, and long."""
    try:
        node_id = NodeId.parse(node)
    except InvalidInput:
        return node
    return " · ".join(part for part in (node_id.name, node_id.field) if part)


def _flow(flow: Mapping[str, Any]) -> str:
    raw = flow.get("raw")
    how = "" if raw is None else "as it is" if raw else "masked"
    if flow.get("columns") == "unknown":
        how = "columns unknown"
    return f"{escape(_name(str(flow.get('id'))))}{f' <small>({how})</small>' if how else ''}"


def _reader(reader: Mapping[str, Any]) -> str:
    kind = str(reader.get("kind") or "").replace("_", " ")
    name = str(reader.get("name") or reader.get("subject") or "")
    return f"{escape(name.rpartition('/')[2])} <small>{escape(kind)}</small>"


def _seen_by(access: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """People by name, how they see it and by what; then the groups and roles whose other members would."""
    entries = list(access)
    for entry in entries:
        who = next((str(entry[k]) for k in ("user", "group", "role", "subject") if entry.get(k)), "")
        kind = str(entry.get("kind") or next((k for k in ("user", "group", "role") if entry.get(k)), ""))
        how = "masked" if entry.get("masked") else "partly masked" if entry.get("mask") else "unmasked"
        via = entry.get("via") or []
        by = [v for v in ([via] if isinstance(via, str) else via) if v != f"{kind} {who}"]
        notes = ", ".join([how, *(f"by {v}" for v in by), *purposes_of(entry)])
        yield f"{'' if kind == 'user' else f'{escape(kind)} '}{escape(who)} <small>({escape(notes)})</small>"
