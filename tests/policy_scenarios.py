"""Scenarios of tests/scenarios: small worlds with what each person must see, and the checks that every door shares.

A door hands over what it answered as plain data; `column_problem`, `access_problem` and `rows_problem` compare it with the
scenario and give the difference in words, None where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from catalog.datatypes import STRING, Primitive, StructType, leaves, parse_ddl
from catalog.model import DatasetId
from catalog.paths import HEADERS, KEY, VALUE, FieldPath
from policies.model import DatasetFacts, FieldFacts, SubjectMatch
from policies.plan.model import PartRead
from policies.plan.ports import QueryTable

FOLDER = Path(__file__).resolve().parent / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
REFERENCE = "prod/orders"
_DAYS = re.compile(r"-?\d+d\Z")


@dataclass(frozen=True)
class Person:
    """One subject and what must be so for them."""

    user: str
    purpose: str | None = None
    dataset: str = "allow"
    signs_in: bool = True
    filters: Sequence[str] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] | None = None
    select: str | None = None
    rows: Sequence[Sequence[Any]] = ()

    @property
    def denied(self) -> bool:
        return self.dataset == "deny"

    @property
    def sql(self) -> str:
        return f"SELECT {self.select} FROM orders"


@dataclass(frozen=True)
class Scenario:
    name: str
    about: str
    kind: StructType
    facts: DatasetFacts
    records: Sequence[Mapping[str, Any]]
    documents: Sequence[tuple[str, str, dict[str, Any]]]
    break_glass: Sequence[Mapping[str, Any]]
    people: Sequence[Person]
    headers: StructType
    key: Primitive = STRING
    payload: FieldPath | None = None

    def table(self, topic: str = "orders", kafka: Mapping[str, str] | None = None) -> QueryTable:
        return QueryTable(
            REFERENCE,
            topic,
            self.facts,
            kafka or {},
            PartRead("text", self.key),
            PartRead("json", self.kind),
            self.headers,
            self.payload,
        )

    def messages(self) -> Iterator[tuple[bytes | None, bytes, list[tuple[str, bytes]]]]:
        """(key, value, headers) of every record."""
        for each in self.records:
            pairs = [(name, text.encode()) for name, text in each.get("headers", {}).items()]
            key = each.get("key")
            yield key.encode() if key is not None else None, json.dumps(each["value"]).encode(), pairs


def load(file: Path, now: datetime) -> Scenario:
    """Read a file; times of grants become days from `now`. A key that is not known fails."""
    given = yaml.safe_load(file.read_text())
    known = {
        "about",
        "schema",
        "headers",
        "tags",
        "dataset_tags",
        "owners",
        "unscanned",
        "records",
        "documents",
        "break_glass",
        "people",
        "payload",
    }
    assert set(given) <= known, f"{file.name}: {set(given) - known} is not a part of a scenario"
    kind = parse_ddl(given["schema"])
    header_names = given.get("headers", [])
    tags = {path: dict.fromkeys(names, "declared") for path, names in given.get("tags", {}).items()}
    paths = {str(path) for path, _ in leaves(kind, VALUE)} | {str(KEY)}
    paths |= {str(HEADERS.field(name)) for name in header_names} | tags.keys()
    unscanned = set(given.get("unscanned", ()))
    owners = given.get("owners", {})
    facts = DatasetFacts(
        DatasetId("kafka://localhost:9092", "orders"),
        REFERENCE,
        tuple(FieldFacts(path, tags.get(path, {}), path not in unscanned) for path in sorted(paths)),
        frozenset(given.get("dataset_tags", ())),
        SubjectMatch(users=frozenset(owners.get("users", ())), groups=frozenset(owners.get("groups", ()))),
    )
    return Scenario(
        file.stem,
        given["about"],
        kind,
        facts,
        given["records"],
        [(d["kind"], d["name"], _dated(d["spec"], now)) for d in given["documents"]],
        given.get("break_glass", ()),
        [Person(**person) for person in given["people"]],
        StructType(tuple((name, STRING) for name in header_names)),
        payload=FieldPath.parse(given["payload"]) if "payload" in given else None,
    )


def _dated(spec: dict[str, Any], now: datetime) -> dict[str, Any]:
    return {
        name: (now + timedelta(days=int(value[:-1]))).isoformat()
        if name in ("validFrom", "validTo") and _DAYS.match(str(value))
        else value
        for name, value in spec.items()
    }


def wanted(expected: Any) -> dict[str, Any]:
    """What is expected of a field, as the door of decisions has it: {effect, mask: {type, ...}, clearWhen}."""
    if isinstance(expected, str):
        if expected in ("clear", "denied", "gap"):
            effect = {"clear": "allow", "denied": "deny"}.get(expected, expected)
            gap: dict[str, Any] | None = (
                {"type": "MASK_NULL", "expression": None, "params": {}} if expected == "gap" else None
            )
            return {"effect": effect, "mask": gap, "clearWhen": None}
        expected = {"mask": expected}
    mask = {"type": expected["mask"], "expression": expected.get("expression"), "params": expected.get("params", {})}
    return {"effect": "mask", "mask": mask, "clearWhen": expected.get("clearWhen")}


def column_problem(door: str, person: Person, path: str, answer: Mapping[str, Any] | None) -> str | None:
    """Whether a door's {effect, mask, clearWhen} of a field is what the scenario has."""
    want = wanted(person.fields[path])
    got = {name: answer.get(name) for name in want} if answer is not None else None
    return None if got == want else f"{door}: {path} of {person.user} ({person.purpose}) is {got}, not {want}"


def access_problem(person: Person, path: str, entries: Sequence[Mapping[str, Any]], stated: bool) -> str | None:
    """Whether the access report of one place has the person as the scenario has them.

    stated: some active grant of theirs carries the purpose, so that the report tries it. What is the same with a
    purpose as without is listed once, without it.
    """
    mine = [e for e in entries if (e["kind"], e["subject"]) == ("user", person.user)]
    if person.denied:
        return f"who has access: {person.user} is among them for {path}" if mine else None
    if person.purpose is not None and not stated:
        return None
    want = wanted(person.fields[path])
    shown = [e for e in mine if e["purpose"] == person.purpose] or [e for e in mine if e["purpose"] is None]
    # Left out whole and denied are different words of a policy; a report of who has access lists the first.
    if want["effect"] == "deny":
        return f"who has access: {person.user} is listed for {path}: {shown}" if shown else None
    place = FieldPath.parse(path)
    others = [p for p in person.fields if p != path and place.contains(FieldPath.parse(p))]
    if others:  # of all values of a map, with keys of their own: whether all of it is masked
        masked = all(wanted(person.fields[p])["mask"] is not None for p in (path, *others))
        return None if [e["masked"] for e in shown] == [masked] else f"who has access: {path} of {person.user}: {shown}"
    expected = (want["mask"] is not None, want["mask"] and want["mask"]["type"], want["clearWhen"])
    got = [(e["masked"], e["mask"], e["clearWhen"]) for e in shown]
    return None if got == [expected] else f"who has access: {path} of {person.user} is {got}, not {expected}"


def rows_problem(door: str, person: Person, rows: Sequence[Sequence[Any]]) -> str | None:
    """Whether rows are those of the scenario, in any order."""
    got, want = _sorted(rows), _sorted(person.rows)
    if got == want:
        return None
    return f"{door}: {person.user} ({person.purpose}) sees\n  {got}\nnot\n  {want}"


def _sorted(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return sorted((list(row) for row in rows), key=lambda row: json.dumps(row, default=str))


def values_at(value: Any, path: FieldPath) -> list[Any]:
    """The values at a place of one record's value; a step that is not there gives none."""
    values = [value]
    for step in path.steps:
        inside: list[Any] = []
        for each in values:
            if isinstance(each, dict):
                if step.kind.value in ("field", "map_key"):
                    inside += [each[step.name]] if step.name in each else []
                elif step.kind.value == "values":
                    inside += each.values()
                elif step.kind.value == "keys":
                    inside += each.keys()
            elif isinstance(each, list) and step.kind.value == "elements":
                inside += each
        values = inside
    return values
