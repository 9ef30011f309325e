"""`weir personal-data`: what was found, a steward's word on it, one or many at once; recognizers tried."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

import typer

from api.terminal.grouped_options import with_groups
from api.terminal.http import Api, dataset_path
from api.terminal.names import complete_dataset, complete_entity, require_entity
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.text_input import text_of
from api.terminal.words import noun
from catalog.errors import InvalidInput, WeirError
from catalog.model import ReviewState

_PAGE = 1000
_COLUMNS = ("dataset", "path", "entity", "score", "share", "state", "change")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "personal-data")
    group.command(
        epilog="weir personal-data review · weir personal-data review prod/orders value.sku --entity CREDIT_CARD --reject"
        " --reason 'stock numbers' · weir personal-data review --entity EMAIL_ADDRESS --confirm --reason 'seen by hand'"
    )(review)
    group.command(
        "test",
        epilog="weir personal-data test -f rec.yaml --sample values.txt"
        " · weir personal-data test -f rec.yaml --dataset prod/orders --field value.employee",
    )(test_recognizer)


@dataclass(frozen=True, slots=True)
class Which:
    """Which classifications; what is None does not matter."""

    dataset: Annotated[
        str | None, typer.Argument(help="CLUSTER/TOPIC; * matches anything.", autocompletion=complete_dataset)
    ] = None
    path: Annotated[str | None, typer.Argument(help="Field path, as value.customer.email; may hold *.")] = None
    entity: Annotated[
        str | None, typer.Option(help="The entity; PII for every kind.", autocompletion=complete_entity)
    ] = None
    state: Annotated[ReviewState | None, typer.Option(help="Only those: suggested, confirmed or rejected.")] = None
    recognizer: Annotated[str | None, typer.Option(help="Only what this recognizer found.")] = None
    changed: Annotated[
        bool | None, typer.Option("--changed", help="Only those whose last look differs from the one before.")
    ] = None
    doubtful: Annotated[
        bool | None, typer.Option("--doubtful", help="Only suggestions that rest on little, by their score.")
    ] = None

    @property
    def everything(self) -> bool:
        """Whether only a state narrows it."""
        return not (self.dataset or self.entity or self.path or self.recognizer or self.changed or self.doubtful)


@with_groups
def review(
    which: Which,
    confirm: Annotated[bool, typer.Option("--confirm", help="They are what was suggested.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="They are not; holds through rescans.")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take an earlier review back.")] = False,
    instead: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="They are not; they are KIND, which is confirmed in the same step."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Why; kept with the decision.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be decided.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show kinds of personal data that were found, and confirm or reject those that fit, many at once."""
    if confirm + reject + withdraw + (instead is not None) > 1:
        raise InvalidInput("Give one of --confirm, --reject, --withdraw and --instead.")
    rejected = reject or instead is not None
    decided = "confirmed" if confirm else "rejected" if rejected else "suggested" if withdraw else None
    if decided and which.everything:
        raise InvalidInput("A review of everything is not taken: name a dataset, a path, --entity or --recognizer.")
    client = api(user)
    require_entity(client, which.entity)
    require_entity(client, instead)
    answer = client.all("/api/v1/classifications", "classifications", **asdict(which))
    detections = answer["classifications"]
    dataset = which.dataset
    if not detections and dataset and "/" in dataset and "*" not in dataset:
        client.get(dataset_path(dataset))  # one that is unknown needs no scan but its right name
    if decided is None or dry_run:
        _show_detections(answer, output)
        return
    items = [{k: c[k] for k in ("namespace", "name", "path", "entity")} for c in detections]
    if not items:
        items = _by_hand(which, decided)
    done = _decide(client, items, decided, reason, instead)
    _show_decided(done, decided, output)
    if done["refused"]:
        raise WeirError(f"{done['refused']} of {len(items)} could not be decided; the reasons are listed above.")


class _Detections(TypedDict):
    total: int
    classifications: list[_Detection]


class _Detection(TypedDict):
    evidence: _Evidence


class _Evidence(TypedDict):
    """Counts are missing where the reader may not see them."""

    matched: NotRequired[int]
    sampled: NotRequired[int]
    change: NotRequired[_Change]


_Change = TypedDict(  # noqa: UP013  # `found` is the key of the API
    "_Change", {"recognizers": list[dict[str, str]], "found": bool, "rate": dict[str, float]}, total=False
)
"""A note of `catalog.datasets.recheck`."""


class _Reviewed(TypedDict):
    reviewed: int
    refused: int
    results: list[dict[str, str]]


def _show_detections(answer: _Detections, output: Format) -> None:
    show(
        [_row(c) for c in answer["classifications"]],
        _COLUMNS,
        output,
        whole=answer,
        title=f"{answer['total']} classifications",
        empty="No classification fits. A scan makes them: weir scan CLUSTER.",
    )


def _show_decided(done: _Reviewed, decided: str, output: Format) -> None:
    show(
        done["results"],
        ("namespace", "name", "path", "entity", "state", "problem"),
        output,
        whole=done,
        title=f"{done['reviewed']} {decided}" if decided != "suggested" else f"{done['reviewed']} reviews withdrawn",
    )


def _by_hand(which: Which, decided: str) -> list[dict[str, str]]:
    """One place that no scan suggested: confirming it adds the tag."""
    dataset, path, entity = which.dataset, which.path, which.entity
    whole = dataset and path and entity and "*" not in f"{dataset}{path}"
    if not whole or decided != "confirmed" or "/" not in (dataset or ""):
        raise InvalidInput(
            "No classification fits; `weir personal-data review` without a decision lists what there is."
        )
    namespace, _, name = str(dataset).rpartition("/")
    return [{"namespace": namespace, "name": name, "path": str(path), "entity": str(entity)}]


def _decide(client: Api, items: list[dict[str, str]], decided: str, reason: str, instead: str | None) -> _Reviewed:
    done: _Reviewed = {"reviewed": 0, "refused": 0, "results": []}
    for start in range(0, len(items), _PAGE):
        body = {"items": items[start : start + _PAGE], "state": decided, "reason": reason or None, "instead": instead}
        part: _Reviewed = client.post("/api/v1/classifications/review", body)
        done["reviewed"] += part["reviewed"]
        done["refused"] += part["refused"]
        done["results"] += part["results"]
    return done


def _row(detection: _Detection) -> dict[str, object]:
    evidence = detection["evidence"]
    matched, sampled = evidence.get("matched"), evidence.get("sampled")
    share = f"{matched:,} of {sampled:,}" if matched is not None and sampled else ""
    return {**detection, "share": share, "change": _changed(evidence.get("change"))}


def _changed(change: _Change | None) -> str:
    """The note in words."""
    if not change:
        return ""
    changes = [f"{r['name']} {r['before']} → {r['now']}" for r in change.get("recognizers", [])]
    if change.get("found") is False:
        changes.append("not found again")
    if rate := change.get("rate"):
        changes.append(f"{rate['before']:.0%} → {rate['now']:.0%}")
    return ", ".join(changes)


def test_recognizer(
    file: Annotated[Path, typer.Option("-f", "--file", help="kind: Recognizer, or presidio's recognizers file.")],
    sample: Annotated[Path | None, typer.Option(help="A file with one value a line.")] = None,
    dataset: Annotated[
        str | None, typer.Option(help="CLUSTER/TOPIC, its newest records.", autocompletion=complete_dataset)
    ] = None,
    field: Annotated[str | None, typer.Option(help="Field path, as value.customer.note.")] = None,
    records: Annotated[int, typer.Option(min=1, help="Records of the dataset to read.")] = 1000,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Try a recognizer before it counts: what it finds, and which harmless look-alikes it would flag. Keeps nothing."""
    if (sample is None) is (dataset is None):
        raise InvalidInput("Give either --sample FILE or --dataset CLUSTER/TOPIC to try the recognizer on.")
    client = api(user)
    body: dict[str, object] = {"field": field}
    if sample is not None:
        body["values"] = [line for line in text_of(sample).splitlines() if line.strip()]
    else:
        body |= {"dataset": dataset, "records": records}
    answers = [
        client.post("/api/v1/recognizers/test", {**body, "recognizer": recognizer}) for recognizer in _recognizers(file)
    ]
    rows = [row for answer in answers for row in _trial_rows(answer)]
    columns = ("recognizer", "entity", "field", "matched", "tagged", "lookAlikesFlagged", "problem")
    show(rows, columns, output, whole=answers)
    if output is Format.TABLE and any(answer.get("others") for answer in answers):
        console.print("Other fields it would tag: " + ", ".join(p for a in answers for p in a.get("others", [])))
    if any(answer.get("problem") or answer.get("unscanned") for answer in answers):
        raise WeirError("Some values could not be read by the recognizer; the table shows which and why.")


def _recognizers(path: Path) -> list[dict[str, object]]:
    """Every recognizer of a file of ours or of presidio's."""
    import yaml

    try:
        documents = [d for d in yaml.safe_load_all(text_of(path)) if isinstance(d, dict)]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise InvalidInput(f"{path} is not YAML{where}.") from None
    recognizers = [r for d in documents for r in d.get("recognizers", [d]) if isinstance(r, dict)]
    chosen = [r for r in recognizers if r.get("kind", "Recognizer") == "Recognizer"]
    if not chosen:
        raise InvalidInput(f"{path} holds no recognizer: write kind: Recognizer, or presidio's recognizers: list.")
    return chosen


class _Trial(TypedDict):
    """A recognizer tried on values, or on the records of a dataset, which has `records`, `fields` and `unscanned`."""

    name: str
    version: str
    entity: str
    matched: NotRequired[int]
    sampled: NotRequired[int]
    tagged: NotRequired[bool]
    clean: NotRequired[int]
    flagged: NotRequired[list[str]]
    problem: NotRequired[str | None]
    records: NotRequired[int]
    fields: NotRequired[list[_TriedField]]
    unscanned: NotRequired[list[str]]


class _TriedField(TypedDict):
    path: str
    matched: int
    sampled: int


def _trial_rows(answer: _Trial) -> list[dict[str, object]]:
    base = {"recognizer": f"{answer['name']} {answer['version']}", "entity": answer["entity"]}
    if "fields" not in answer:
        flagged = f"{len(answer['flagged'])} of {answer['clean']}"
        return [
            {
                **base,
                "matched": f"{answer['matched']:,} of {answer['sampled']:,}",
                "tagged": answer["tagged"],
                "lookAlikesFlagged": ": ".join(filter(None, (flagged, ", ".join(answer["flagged"])))),
                "problem": answer["problem"],
            }
        ]
    rows: list[dict[str, object]] = [
        {**base, "field": f["path"], "matched": f"{f['matched']:,} of {f['sampled']:,}", "tagged": True}
        for f in answer["fields"]
    ]
    rows += [{**base, "field": path, "problem": "could not be read in time"} for path in answer["unscanned"]]
    return rows or [{**base, "matched": f"0 fields of {answer['records']:,} records", "tagged": False}]
