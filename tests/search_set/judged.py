"""The judged queries, and what each of them wants of a catalog: (dataset, path or None) -> 3, 2 or 1."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from tests.search_set.planned import Field, Planned

KINDS = ("exact", "typo", "entity", "partial", "owner", "intent", "dataset", "plain", "synonym", "filter")
GRADES = {"best": 3, "good": 2, "near": 1}
HALVES = ("tune", "test")

Place = tuple[str, str | None]
"""Name of a dataset, and a path in it; None for the dataset itself."""


@dataclass(frozen=True, slots=True)
class Query:
    """`part`: demo, github or generated. `grades`: every place that is worth something."""

    q: str
    kind: str
    half: str
    part: str
    grades: Mapping[Place, int]


class Catalog:
    """Datasets of one catalog, to look targets up in."""

    def __init__(self, datasets: Iterable[Planned]) -> None:
        self.datasets = list(datasets)
        self.by_subject: dict[tuple[str, str], list[Planned]] = defaultdict(list)
        for one in self.datasets:
            self.by_subject[one.domain, one.subject].append(one)

    @cached_property
    def documents(self) -> int:
        return sum(1 + len(one.paths()) for one in self.datasets)


def load(part: str, catalog: Catalog) -> list[Query]:
    """The queries of a part over a catalog. Raises ValueError for one that wants nothing that is there."""
    rows: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / f"{part}.yaml").read_text(encoding="utf-8"))
    turn: Counter[str] = Counter()
    queries = []
    for row in rows:
        kind = row["kind"]
        if kind not in KINDS or set(row) - {"q", "kind", *GRADES}:
            raise ValueError(f"{part}.yaml: {row} is of no known kind, or has an unknown part.")
        half = HALVES[turn[kind] % 2]
        turn[kind] += 1
        q = re.sub(r"\{(name|path):([^}]+)\}", lambda m: _filled(catalog, m[1], m[2]), row["q"])
        grades = _grades(catalog, row)
        if not any(grade > 1 for grade in grades.values()):
            raise ValueError(f"{part}.yaml: {q!r} wants nothing that is in the catalog.")
        queries.append(Query(q, kind, half, part, grades))
    return queries


def _grades(catalog: Catalog, row: Mapping[str, Any]) -> dict[Place, int]:
    grades: dict[Place, int] = {}
    for name, grade in GRADES.items():
        for target in row.get(name, ()):
            places = list(_meant(catalog, target, grade))
            if not places and (target.startswith("@") or "github" not in target):
                raise ValueError(f"{row['q']!r}: {target!r} names nothing in the catalog.")
            for place, worth in places:
                grades[place] = max(worth, grades.get(place, 0))
    return grades


def _filled(catalog: Catalog, what: str, target: str) -> str:
    ((name, path),) = (place for place, _ in _meant(catalog, f"@{target}", 3))
    return name if what == "name" else str(path).removeprefix("value.").replace("[]", "")


def _meant(catalog: Catalog, target: str, grade: int) -> Iterator[tuple[Place, int]]:
    return _constructed(catalog, target[1:], grade) if target.startswith("@") else _named(catalog, target, grade)


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))))


def _named(catalog: Catalog, target: str, grade: int) -> Iterator[tuple[Place, int]]:
    dataset, _, rest = target.partition(" ")
    for one in catalog.datasets:
        if not _glob(dataset).fullmatch(one.name):
            continue
        if not rest:
            yield (one.name, None), grade
        elif rest.startswith("!"):
            yield from (
                ((one.name, f.path), grade) for f in one.fields if any(_glob(rest[1:]).fullmatch(e) for e in f.entities)
            )
        else:
            yield from (((one.name, path), grade) for path in one.paths() if _glob(rest).fullmatch(path))


def _constructed(catalog: Catalog, target: str, grade: int) -> Iterator[tuple[Place, int]]:
    about, *conditions = target.split()
    subject, _, number = about.partition("#")
    alike = "~" in conditions
    wanted = dict(c.partition(":")[::2] for c in conditions if c != "~")
    for one in _about(catalog, subject, number):
        if not _fits(one, wanted):
            continue
        asked = "tag" in wanted or bool(number)
        worth = grade if asked or not one.lesser else 1
        of_fields: dict[str, list[str]] = {
            key: wanted[key].split("|") for key in ("concept", "entity", "term") if key in wanted
        }
        if not of_fields:
            name = subject.split("/")[1]
            yield (one.name, None), worth if not alike or _flat(name) in _flat(one.name) else 1
            continue
        for f in one.fields:
            if _holds(f, of_fields):
                spelled = not alike or _flat(f.concept) in _flat(f.path.rsplit(".", 1)[-1])
                yield (one.name, f.path), worth if spelled else 1


def _about(catalog: Catalog, subject: str, number: str) -> Sequence[Planned]:
    domain, _, topic = subject.partition("/")
    groups = [
        group
        for (d, s), group in catalog.by_subject.items()
        if _glob(domain).fullmatch(d) and _glob(topic).fullmatch(s)
    ]
    return [group[int(number)] for group in groups] if number else [one for group in groups for one in group]


def _fits(one: Planned, wanted: Mapping[str, str]) -> bool:
    owners = list(one.spec.get("owners", ()))
    return (
        ("owner" not in wanted or {"group": wanted["owner"]} in owners)
        and ("user" not in wanted or {"user": wanted["user"]} in owners)
        and ("tag" not in wanted or wanted["tag"] in one.spec.get("tags", ()))
        and ("format" not in wanted or wanted["format"] == one.format["value"])
        and ("described" not in wanted or bool(one.spec.get("description")))
    )


def _holds(f: Field, of_fields: Mapping[str, Sequence[str]]) -> bool:
    return (
        ("concept" not in of_fields or f.concept in of_fields["concept"])
        and ("entity" not in of_fields or bool(set(f.entities) & set(of_fields["entity"])))
        and ("term" not in of_fields or bool(set(f.terms) & set(of_fields["term"])))
    )


def _flat(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
