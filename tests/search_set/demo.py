"""The demo's topics and GitHub's webhooks as planned datasets: paths and types of their real records, personal data where
it is known to be."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from api.demo import run
from api.demo.generator import DERIVED, PLANTED, topic_plans
from api.demo.topics.registered import PAYMENT
from api.demo.topics.text import CSV_HEADER
from tests.search_set.planned import Field, Planned

WEBHOOKS = "github-webhooks.jsonl.gz"
_READ = 1200
_DERIVED_FIELDS = {
    "clicks.clean": "session at url referrer site_version",
    "revenue-by-region": "day region revenue orders",
    "order-mails": "order_id to name",
    "newsletter-audience": "email_hash issue opened",
}


def governance() -> list[dict[str, Any]]:
    text = run.governance("kafka:9092", "http://registry")
    return [document for document in yaml.safe_load_all(text) if document]


def glossary() -> dict[str, dict[str, Any]]:
    return {d["metadata"]["name"]: d["spec"] for d in governance() if d["kind"] == "GlossaryTerm"}


@cache
def demo_datasets() -> tuple[Planned, ...]:
    specs = {d["metadata"]["name"]: d["spec"] for d in governance() if d["kind"] == "Dataset"}
    planted: dict[tuple[str, str], tuple[str, ...]] = {}
    for p in (*PLANTED, *DERIVED):
        planted[p.topic, p.path] = (*planted.get((p.topic, p.path), ()), p.entity)
    datasets = []
    for plan in topic_plans():
        paths = _paths_of(plan.name)
        if not paths:
            values = []
            for number, one in enumerate(plan.records()):
                if number >= _READ:
                    break
                values.append(one)
            paths = _infer(values, plan.format["value"])
            if plan.format["key"] == "string":
                paths["key"] = "string"
            for one in values:
                paths |= {f"headers.{name}": "string" for name, _ in one.headers}
        datasets.append((plan.name, paths, dict(plan.format)))
    datasets += [
        (name, {f"value.{f}": "string" for f in fields.split()}, {"key": "none", "value": "json"})
        for name, fields in _DERIVED_FIELDS.items()
    ]
    return tuple(
        Planned(
            name,
            tuple(
                Field(path, kind, planted.get((name, path), ()), symbols=_SYMBOLS.get((name, path), ()))
                for path, kind in sorted({**paths, **{p: "string" for t, p in planted if t == name}}.items())
            ),
            specs.get(name, {}),
            format=form,
        )
        for name, paths, form in datasets
    )


_SYMBOLS = {
    ("payments", "value.currency"): ("EUR", "USD", "GBP"),
    ("deliveries", "value.state"): ("PLANNED", "ON_THE_WAY", "DELIVERED", "FAILED"),
}


def _paths_of(topic: str) -> dict[str, str]:
    """Of a topic whose values are not text."""
    if topic == "payments":
        names = [f["name"] for f in PAYMENT["fields"]] + ["card.number", "card.expires"]  # type: ignore[index]
    elif topic == "deliveries":
        names = (
            "delivery_id order_id van driver_email recipient recipient.name recipient.phone recipient.street"
            " recipient.city state parcel_grams planned_at_ms"
        ).split()
    else:
        return {}
    return {"key": "string"} | {f"value.{name}": "timestamp" if name == "paid_at" else "string" for name in names}


def _infer(records: Iterable[Any], form: str) -> dict[str, str]:
    if form == "csv":
        return {f"value.{name}": "string" for name in next(csv.reader([CSV_HEADER]))}
    if form in ("text", "none"):
        return {"value": "string"} if form == "text" else {}
    paths: dict[str, str] = {}
    for one in records:
        try:
            value = json.loads(one.value or b"null")
        except ValueError:
            continue
        walk(value, "value", paths)
    # The keys of this one map are data, not names of fields.
    return {re.sub(r"^value\.attributes\.(\w+)$", r"value.attributes{\1}", path): kind for path, kind in paths.items()}


def walk(value: Any, path: str, paths: dict[str, str]) -> None:
    """Add the path and type of everything inside a JSON value."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            here = f"{path}.{name}" if re.fullmatch(r"[A-Za-z_][\w-]*", name) else f"{path}.`{name}`"
            _keep(paths, here, inner)
            walk(inner, here, paths)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, f"{path}[]", paths)


def _keep(paths: dict[str, str], path: str, value: Any) -> None:
    match value:
        case None:
            paths.setdefault(path, "null")
            return
        case bool():
            kind = "boolean"
        case int():
            kind = "int64"
        case float():
            kind = "double"
        case str():
            kind = "timestamp" if re.match(r"\d{4}-\d\d-\d\dT", value) else "string"
        case list():
            kind = "array"
        case _:
            kind = "object"
    paths[path] = kind


_EMAILS = re.compile(r"(^|\.)(email|organization_billing_email)$")
_PERSONS = re.compile(r"(author|committer|pusher)\.name$")


def webhook_datasets(folder: Path) -> tuple[Planned, ...]:
    """`github.EVENT`, one topic for each kind of webhook. Raises FileNotFoundError."""
    seen: dict[str, dict[str, str]] = defaultdict(dict)
    with gzip.open(folder / WEBHOOKS, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            walk(row["payload"], "value", seen[row["event"]])
    return tuple(
        Planned(f"github.{event}", tuple(Field(p, k, _entities(p)) for p, k in sorted(paths.items())))
        for event, paths in sorted(seen.items())
    )


def _entities(path: str) -> tuple[str, ...]:
    return ("EMAIL_ADDRESS",) if _EMAILS.search(path) else ("PERSON",) if _PERSONS.search(path) else ()
