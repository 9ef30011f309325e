"""Answers as text for other tools: CSV, Graphviz DOT, Mermaid, Markdown. Names are data: they are quoted everywhere."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from catalog.spreadsheet import defused
from lineage.model import parts_of

Json = Mapping[str, Any]

_EDGE_COLUMNS = (
    "source",
    "target",
    "kind",
    "job",
    "masked",
    "columns",
    "how",
    "origin",
    "from",
    "to",
    "seen",
    "stale",
    "unfinished",
)
_ROW_COLUMNS = ("id", "type", "hops", "raw", "effect", "columns", "via", "commit", "owners")
_MERMAID_NODES = 500
"""Its renderers give up on more edges than that."""


def lineage_csv(answer: Json) -> str:
    """One edge a line."""
    return _csv(_EDGE_COLUMNS, answer["edges"])


def impact_csv(answer: Json) -> str:
    """One affected thing a line."""
    return _csv(_ROW_COLUMNS, answer["affected"])


def lineage_dot(answer: Json) -> str:
    """A digraph for Graphviz: datasets are boxes, fields ellipses, jobs rounded boxes; dashed is masked or stale."""
    lines = ["digraph lineage {", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    for node in answer["nodes"]:
        shape = {"dataset": "box", "job": "box, style=rounded"}.get(node["type"], "ellipse")
        lines.append(f"  {_quoted(node['id'])} [label={_quoted(_label(node))}, shape={shape}];")
    for edge in answer["edges"]:
        style = ", style=dashed" if edge.get("masked") or edge.get("stale") else ""
        words = " ".join(str(part) for part in (edge["kind"], _job_name(edge.get("job"))) if part)
        lines.append(f"  {_quoted(edge['source'])} -> {_quoted(edge['target'])} [label={_quoted(words)}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def lineage_mermaid(answer: Json) -> str:
    """A flowchart for Mermaid."""
    shapes = {"dataset": ("[", "]"), "job": ("([", "])"), "field": ("(", ")")}
    ids: dict[str, str] = {}
    lines = ["flowchart LR"]
    for at, node in enumerate(answer["nodes"][:_MERMAID_NODES]):
        ids[node["id"]] = f"n{at}"
        left, right = shapes.get(node["type"], ("[", "]"))
        lines.append(f'  n{at}{left}"{_entities(_label(node))}"{right}')
    for edge in answer["edges"]:
        if edge["source"] in ids and edge["target"] in ids:
            arrow = "-.->" if edge.get("masked") or edge.get("stale") else "-->"
            lines.append(f'  {ids[edge["source"]]} {arrow}|"{_entities(edge["kind"])}"| {ids[edge["target"]]}')
    if len(answer["nodes"]) > _MERMAID_NODES or answer.get("truncated"):
        lines.append('  more["... and more"]')
    return "\n".join(lines) + "\n"


def impact_markdown(answer: Json, short: Callable[[str], str] = str, most: int = 50) -> str:
    """A comment for a merge request: what a change would do, the worst first, with owners to ask and commits to look at.

    At most `most` lines of the table; the counts above it are whole.
    """
    rows, change = answer["affected"], answer.get("change")
    what = f"{_CHANGED[change]} {_code(short(answer['root']))}" if change else _code(short(answer["root"]))
    if not rows:
        return f"### Impact of {what}\n\nNothing downstream is known to be affected.\n"
    summary = answer["summary"]
    counts = ", ".join(
        f"**{count}** {name if count != 1 else name[:-1]}"
        for name, count in (
            ("fields", summary["fields"]),
            ("datasets", summary["datasets"]),
            ("jobs", summary["jobs"]),
            ("consumer groups", summary["consumerGroups"]),
        )
        if count
    )
    lines = [f"### Impact of {what}", "", f"Affected: {counts}. {_raw_sentence(rows)}", ""]
    if summary["owners"]:
        lines += ["Owners to ask: " + ", ".join(_code(owner) for owner in summary["owners"][:most]), ""]
    lines += ["| what | effect | hops | value | commit | owners |", "|---|---|---|---|---|---|"]
    order = ["breaks", "loses_input", "changes", "may_break", None]
    for row in sorted(rows, key=lambda row: (order.index(row.get("effect")), row["hops"], row["id"]))[:most]:
        effect = str(row.get("effect") or "is downstream").replace("_", " ")
        if row.get("columns") == "unknown":
            effect += " (columns unknown)"
        cells = (
            f"{_kind(row)} {_code(short(row['id']))}",
            effect,
            row["hops"],
            _value(row),
            _code(str(row["commit"])[:12]) if row.get("commit") else "",
            ", ".join(_code(owner) for owner in row["owners"]) or "none known",
        )
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    if len(rows) > most:
        lines += ["", f"... and {len(rows) - most} more."]
    if answer.get("truncated"):
        lines += ["", "The answer was cut: there is more downstream."]
    return "\n".join(lines) + "\n"


def _raw_sentence(rows: Sequence[Json]) -> str:
    """Where the raw value may be, places that hold it and jobs that read it counted apart."""
    places, readers = ([row for row in rows if (row["type"] == "job") is job] for job in (False, True))
    parts = [
        f"{verb} {sum(bool(row['raw']) for row in some)} of the {len(some)} {what}"
        for verb, some, what in (
            ("arrive at", places, "fields and datasets"),
            ("be read by", readers, "jobs and groups"),
        )
        if some
    ]
    return f"The raw value may {' and '.join(parts)}."


_CHANGED = {
    "drop": "dropping",
    "rename": "renaming",
    "retype": "changing the type of",
    "mask": "masking",
    "lose": "losing",
}


def _kind(row: Json) -> str:
    return "consumer group" if row.get("jobType") == "CONSUMER_GROUP" else str(row["type"])


def _value(row: Json) -> str:
    return "raw" if row["raw"] else "condition" if row.get("via") == "influences" else "masked"


def safe_cell(value: Any) -> str:
    """Text that a spreadsheet will not take for a formula."""
    if isinstance(value, list | tuple):
        value = " ".join(str(part) for part in value)
    return defused("" if value is None else str(value))


def _csv(columns: Sequence[str], rows: Iterable[Json]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    writer.writerows([safe_cell(row.get(name)) for name in columns] for row in rows)
    return buffer.getvalue()


def _label(node: Json) -> str:
    return f"{node['name']}\n{node['field']}" if node.get("field") else str(node["name"])


def _job_name(job: str | None) -> str:
    return parts_of(job).name if job else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "")
    return f'"{escaped}"'


def _entities(text: str) -> str:
    """Mermaid reads labels as HTML with its own marks: everything but plain characters becomes an entity."""
    return re.sub(r"[^\w .,/:@\-]", lambda match: "<br>" if match[0] == "\n" else f"#{ord(match[0])};", text)


def _code(text: str) -> str:
    """Markdown code that no name can break out of, in a table too."""
    clean = re.sub(r"\s+", " ", text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall(r"`+", clean)), default=0) + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean}{pad}{fence}"
