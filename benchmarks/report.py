"""The pages of figures, written from `benchmarks/results/*.json`: `python -m benchmarks.report`.

In:  one file for each subject. Its figures have what was measured (each run), a unit, and a limit or a peer.
     `scale.json` has tables instead: a row for each work, a value for each size.
Out: docs/explanation/benchmarks.md, reliability.md and scale.md, which a test compares with these files.

A ratio is computed here, so no file states one that does not follow from its figures. The one exception is a peer that
was compared statement by statement, which has its median ratio alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = ROOT / "docs" / "explanation"
ON_OTHER_PAGES = ("faults", "steadiness", "scale")

Entry = Mapping[str, Any]

HEAD = ["| work | measured | peer or limit | ratio | command | date | machine |", "|---|---|---|---|---|---|---|"]
HOW_TO_READ = (
    "Several values are several runs. A ratio is measured by limit, or measured by peer. **missed** marks a figure, of any run,"
    " beyond its limit. Times depend on the machine, so compare ratios, and run the command on yours."
)


def benchmarks_markdown() -> str:
    """The page of speed and quality: one table, a row for each current figure."""
    lines = [
        "# Benchmarks",
        "",
        "Current figures, each with its command. Earlier ones are in the history of this page.",
        "",
        HOW_TO_READ,
        "",
        *HEAD,
    ]
    for subject in _subjects():
        lines += _rows(subject)
    return "\n".join([*lines, *_FOOT])


def reliability_markdown() -> str:
    """The page of faults: a row for each, and figures of steadiness."""
    lines = [
        "# Reliability",
        "",
        "Current figures of [what survives a failure](failures.md). Each command breaks an instance of its own under load and",
        "compares everything that was acknowledged with what is stored afterwards. Seconds are those of a busy machine.",
        "",
        "| fault | times | acknowledged | present | ratio | lost | doubled | ready again, median / most | by itself |"
        " over 10 s | command | date | machine |",
        f"|{'---|' * 13}",
    ]
    notes: list[str] = []
    for fault in json.loads((RESULTS / "faults.json").read_text())["faults"]:
        lines.append(_fault(fault, notes))
    lines += ["", *(f"- ({mark}) {note}" for mark, note in zip("abcdefghijklmnop", notes, strict=False)), ""]
    lines += [HOW_TO_READ, "", *HEAD, *_rows(_read("steadiness"))]
    return "\n".join([*lines, *_FOOT])


def scale_markdown() -> str:
    """The page of sizes: what grows with what, and the first limit of each part."""
    scale = _read("scale")
    lines = ["# Scale", "", *scale["about"], ""]
    for table in scale["tables"]:
        about = f"{table['about']} Measured by `{table['command']}` on {table['date']}; {table['machine']}."
        lines += [f"## {table['title']}", "", about, "", *_table(table["columns"], table["rows"]), ""]
    columns = ["part", "grows with", "seen to work at", "the first limit", "what to do then"]
    lines += ["## The first limit of each part", "", *_table(columns, scale["limits"])]
    return "\n".join([*lines, *_FOOT])


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        assert len(row) == len(columns), row
        yield f"| {' | '.join(row)} |"


_FOOT = ["", "Written by `python -m benchmarks.report` from `benchmarks/results/`.", ""]


def _subjects() -> list[Entry]:
    """Every subject of the page of benchmarks, in its order."""
    names = [path.stem for path in RESULTS.glob("*.json") if path.stem not in ON_OTHER_PAGES]
    return sorted(map(_read, names), key=lambda subject: (subject["order"], subject["subject"]))


def _read(name: str) -> Entry:
    entry: Entry = json.loads((RESULTS / f"{name}.json").read_text())
    return entry


def _rows(subject: Entry) -> Iterator[str]:
    for figure in subject["figures"]:
        measured, unit = figure["measured"], figure["unit"]
        against, ratios = _against(figure)
        cells = [
            f"{subject['subject']}: {figure['work']}",
            _values(measured, unit) + (" **missed**" if _missed(figure, ratios) else ""),
            against,
            _values([round(ratio, 2) for ratio in ratios], ""),
            f"`{figure.get('command', subject['command'])}`",
            figure.get("date", subject["date"]),
            figure.get("machine", subject["machine"]),
        ]
        yield f"| {' | '.join(cells)} |"


def _against(figure: Entry) -> tuple[str, Sequence[float]]:
    """Peer or limit in words, and the ratio of each run to it where one can be computed."""
    measured, unit = figure["measured"], figure["unit"]
    limit = figure.get("limit", {})
    if peer := figure.get("peer"):
        least = f"; ratio at least {limit['ratio']}" if "ratio" in limit else ""
        if "ratio" in peer:
            return f"{peer['name']}: {peer['ratio']} times this", [1 / peer["ratio"]]
        others = peer["measured"] if isinstance(peer["measured"], list) else [peer["measured"]] * len(measured)
        ratios = [ours / theirs for ours, theirs in zip(measured, others, strict=True) if theirs]
        return f"{peer['name']}: {_values(others, unit)}{least}", ratios
    for kind in ("most", "least"):
        if kind in limit:
            ratios = [value / limit[kind] for value in measured] if limit[kind] else []
            return f"at {kind} {_values([limit[kind]], unit)}", ratios
    return "", []


def _missed(figure: Entry, ratios: Sequence[float]) -> bool:
    """Whether a run is beyond the limit; a limit of the ratio counts for the median of the runs."""
    limit = figure.get("limit", {})
    if "ratio" in limit:
        return sorted(ratios)[len(ratios) // 2] < float(limit["ratio"])
    beyond = "most" in limit and max(figure["measured"]) > limit["most"]
    return bool(beyond or ("least" in limit and min(figure["measured"]) < limit["least"]))


def _values(values: Sequence[float], unit: str) -> str:
    """`330, 424/s`; empty for no value."""
    shown = ", ".join(f"{value:,}" for value in values)
    return f"{shown}{'' if unit[:1] in ('', '/', '%') else ' '}{unit}" if shown else ""


def _fault(fault: Entry, notes: list[str]) -> str:
    """One row. A note becomes a letter; the same note twice gets one letter."""
    mark = ""
    if note := fault.get("note"):
        if note not in notes:
            notes.append(note)
        mark = f" ({'abcdefghijklmnop'[notes.index(note)]})"
    ready, acknowledged, present = fault["readySeconds"], fault["acknowledged"], fault["present"]
    slow = fault["overTenSeconds"]
    cells = [
        fault["fault"] + mark,
        f"{fault['times']:,}",
        f"{acknowledged:,}",
        f"{present:,}",
        f"{present / acknowledged:.3f}",
        str(fault["lost"]),
        str(fault["doubled"]),
        f"{ready['median']} / {ready['most']} s" if ready else "",
        fault["byItself"],
        "" if slow is None else str(slow),
        f"`{fault['command']}`",
        fault["date"],
        fault["machine"],
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Write the pages."""
    (PAGES / "benchmarks.md").write_text(benchmarks_markdown())
    (PAGES / "reliability.md").write_text(reliability_markdown())
    (PAGES / "scale.md").write_text(scale_markdown())


if __name__ == "__main__":
    main()
