"""`weir quality`: what scans measured of a dataset over time, and what of it is unusual."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from api.terminal.http import dataset_path, segment
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun

_FORMS = {"recordsPerHour": "{:,.6g}/h", "records": "{:,.6g}", "seconds": "{:,.6g} s", "values": "{:,.6g}"}


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "quality")
    group.command("show", epilog="weir quality show prod/orders · weir quality show prod/orders --path value.amount")(
        show_quality
    )
    group.command(epilog="weir quality anomalies prod/orders · weir quality anomalies prod/orders -o json")(anomalies)
    group.command(
        epilog="weir quality mark prod/orders --kind deploy --note 'orders 2.0'"
        " · weir quality mark prod/orders --kind replay --from 2026-03-01T12:00:00Z --until 2026-03-01T15:00:00Z"
    )(mark)
    group.command(epilog="weir quality unmark prod/orders 3f2a19c40d7e4c1f8b6a5d2e9c0b7a41")(unmark)


def show_quality(
    dataset: Topic,
    path: Annotated[str | None, typer.Option(help="A field and all that is in it, as value.amount.")] = None,
    measure: Annotated[
        str | None, typer.Option(help="volume, lateness, nulls, presence, distinct, type, or records.")
    ] = None,
    resolution: Annotated[str, typer.Option(help="Points of a scan, an hour or a day.")] = "hour",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show the newest figure of each series of a dataset, and what is usual of it. -o json has the points."""
    answer = api(user).get(
        f"{dataset_path(dataset)}/quality", path=path, measure=measure, resolution=resolution, limit=1000
    )
    rows = [_row(each) for each in answer["series"]]
    cluster, _, topic = answer["dataset"].partition("/")
    scan = f"No scan is in its quality yet; weir scan {cluster} --topics {topic} adds one."
    empty = scan if answer["checkedAt"] is None else "No series fits."
    columns = ("path", "measure", "newest", "usual", "at", "points")
    checked = answer["checkedAt"] or "never"
    title = f"{answer['dataset']}: last scan {checked}, sensitivity {answer['sensitivity']}"
    show(rows, columns, output, whole=answer, title=title, empty=empty)
    if output is Format.TABLE:
        if answer["withheldSeries"]:
            console.print(f"{answer['withheldSeries']} series are withheld: you may not see figures of their fields.")
        if answer["leftOut"]:
            console.print(f"{answer['leftOut']} series are not kept: the dataset has too many fields.")


def anomalies(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """List what left its usual range: what lasts first, then what is over."""
    answer = api(user).get(f"{dataset_path(dataset)}/anomalies")
    rows = [{**each, "endedAt": each["endedAt"] or "lasts"} for each in answer["anomalies"]]
    show(rows, ("beganAt", "endedAt", "endedWhy", "reason"), output, whole=answer, empty="Nothing was unusual.")
    if output is Format.TABLE and answer["withheldAnomalies"]:
        console.print(f"{answer['withheldAnomalies']} anomalies are withheld: you may not see figures of their fields.")


def mark(
    dataset: Topic,
    kind: Annotated[
        str, typer.Option(help="deploy: what it leads to is usual from then on; replay or other: it is left out.")
    ] = "deploy",
    starts: Annotated[str | None, typer.Option("--from", metavar="TIME", help="RFC 3339; now when absent.")] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="RFC 3339; an hour later when absent.")
    ] = None,
    note: Annotated[str, typer.Option(help="What it is, for other people.")] = "",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Mark a deploy or a replay, so that nothing of it is an anomaly."""
    body: dict[str, object] = {"kind": kind, "startsAt": starts, "endsAt": until, "note": note}
    answer = api(user).post(f"{dataset_path(dataset)}/quality/marks", body)
    show([answer], ("id", "kind", "startsAt", "endsAt", "note", "markedBy"), output, whole=answer)


def unmark(
    dataset: Topic,
    mark: Annotated[
        str, typer.Argument(help="Its id, as `weir quality mark` and `weir quality show -o json` print it.")
    ],
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Take a mark back: from the next scan on, that time is judged as any other."""
    answer = api(user).delete(f"{dataset_path(dataset)}/quality/marks/{segment(mark)}")
    show([answer], ("id", "removed"), output, whole=answer)


class _Point(TypedDict):
    at: str
    value: float


class _Series(TypedDict):
    path: str | None
    measure: str
    unit: str
    points: list[_Point]
    usual: dict[str, float] | None


def _row(series: _Series) -> dict[str, object]:
    newest, usual = (series["points"][-1] if series["points"] else None), series["usual"]
    low_high = [_text(series["unit"], usual[end]) for end in ("low", "high")] if usual else []
    return {
        "path": series["path"] or "(records)",
        "measure": series["measure"],
        "newest": _text(series["unit"], newest["value"]) if newest else "",
        "at": newest["at"] if newest else "",
        "usual": " to ".join(dict.fromkeys(low_high)) if usual else "not enough history",
        "points": len(series["points"]),
    }


def _text(unit: str, value: float) -> str:
    if unit == "share":
        return f"{value * 100:.3g} %"
    return _FORMS[unit].format(value)
