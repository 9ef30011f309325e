"""The names that a declared document has of other things: tags, people, roles, terms, datasets, fields. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from policies.decision.visibility import DOMAIN_TAG
from policies.matching import EVERYTHING, is_path

What = Literal["tag", "user", "group", "role", "term", "purpose", "dataset", "field"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in a document. `path`: where, as in `spec.match.tags.0`; `dataset`: of a field, the pattern that it is in.

    gives   the place gives the name to something (a tag of a field, a group of a user), so it need not be known before
    """

    what: What
    name: str
    path: str
    gives: bool = False
    dataset: str = ""


_MATCH = ("match.tags tag", "match.fields at", "match.datasets dataset")
_VISIBILITY = ("existence", "schema", "evidence", "lineage")


def _people(at: str) -> tuple[str, ...]:
    before = f"{at}." if at else ""
    return tuple(f"{before}{what}s {what}" for what in ("user", "group", "role"))


_PLACES: Mapping[str, tuple[str, ...]] = {
    "Policy": (
        *_MATCH,
        *_people("subjects"),
        *_people("subjects.except"),
        *_people("except"),
    ),
    "Role": ("read at", "inherits role", "rowFilters at"),
    "User": ("groups +group", "roles role"),
    "ServiceAccount": ("groups +group", "roles role"),
    "Group": ("members +user", "roles role"),
    "Workflow": (
        *_MATCH,
        *_people("stages.approvers"),
        *_people("breakGlass.subjects"),
        *_people("breakGlass.subjects.except"),
        *_people("breakGlass.review"),
    ),
    "RequestTemplate": (
        "datasets dataset",
        "fields selector",
        "unmask selector",
        "purpose purpose",
        *_people("subjects"),
        *_people("subjects.except"),
    ),
    "Grant": (
        "subject.user user",
        "subject.group group",
        "subject.role role",
        "dataset dataset",
        "fields selector",
        "unmask selector",
    ),
    "IdentityProvider": ("rights.groups +group", "rights.roles role"),
    "DirectoryRights": ("rights.groups +group", "rights.roles role"),
    "AccessReview": (
        "scope.datasets dataset",
        "scope.tags tag",
        "scope.domains domain",
        "scope.roles role",
        "scope.people user",
        *_people("reviewers"),
        *_people("reviewers.fallback"),
    ),
    "Visibility": (
        "match.datasets dataset",
        "match.tags tag",
        "match.domains domain",
        *_people("match.owners")[:2],
        *(place for aspect in _VISIBILITY for place in _people(aspect)),
    ),
    "Principal": ("subject.user user", "subject.serviceAccount user", "subject.group group", "produces dataset"),
    "Domain": ("datasets dataset", *_people("admins")[:2], *_people("stewards")[:2]),
    "Dataset": (
        "owners.user user",
        "owners.group group",
        "tags +tag",
        "terms term",
        "fields own",
        "deprecation.successor dataset",
    ),
    "DataProduct": ("owners.user user", "owners.group group", "datasets dataset"),
    "GlossaryTerm": ("parent term", "tags +tag"),
    "View": (
        "runAs.user user",
        "runAs.serviceAccount user",
        "runAs.group group",
        "owners.user user",
        "owners.group group",
    ),
    "Contract": ("schema runs",),
    "Connector": ("owners.user user", "owners.group group"),
}
"""Kind -> `PLACE WHAT`: lists are walked through; `+` before what the place gives; `at`, `own`, `selector`, `domain` and
`runs` are read by `_read`."""


def references(kind: str, key: str, spec: Mapping[str, Any]) -> Iterator[Reference]:
    """Every name in a document's spec. `key`: `CLUSTER/TOPIC` of a dataset, else its name."""
    datasets = [each for _, each in _walk(spec, ("datasets",), "spec")] or [spec.get("dataset")]
    for place in _PLACES.get(kind, ()):
        at, what = place.split(" ")
        for path, value in _walk(spec, tuple(at.split(".")), "spec"):
            yield from _read(what, path, value, key, [each for each in datasets if isinstance(each, str)])


def _walk(value: Any, names: tuple[str, ...], path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from _walk(each, names, f"{path}.{index}")
    elif not names:
        yield path, value
    elif isinstance(value, Mapping) and names[0] in value:
        yield from _walk(value[names[0]], names[1:], f"{path}.{names[0]}")


def _read(what: str, path: str, value: Any, key: str, datasets: list[str]) -> Iterator[Reference]:
    match what, value:
        case "at", Mapping():
            dataset = str(value.get("dataset") or "")
            if dataset:
                yield Reference("dataset", dataset, f"{path}.dataset")
            if value.get("tag"):
                yield Reference("tag", str(value["tag"]), f"{path}.tag")
            if value.get("path") and dataset:
                yield Reference("field", str(value["path"]), f"{path}.path", dataset=dataset)
        case "own", Mapping():
            yield Reference("field", str(value.get("path")), f"{path}.path", dataset=key)
            for name, part, gives in (("tags", "tag", True), ("terms", "term", False)):
                for where, each in _walk(value, (name,), path):
                    yield Reference(_WHAT[part], str(each), where, gives)
        case "selector", str() if value != EVERYTHING:
            if not is_path(value):
                yield Reference("tag", value, path)
            for dataset in datasets[:1] if is_path(value) else ():
                yield Reference("field", value, path, dataset=dataset)
        case "runs", Mapping():
            yield from _of_run_as(value, path)
        case "domain", str():
            yield Reference("tag", f"{DOMAIN_TAG}{value}", path)
        case (("+tag" | "+group" | "+user"), str()):
            yield Reference(_WHAT[what], value, path, gives=True)
        case _, str() if what in _WHAT:
            yield Reference(_WHAT[what], value, path)


def _of_run_as(element: Mapping[str, Any], path: str) -> Iterator[Reference]:
    """The account and the purpose of the custom property `runAs` of a schema object."""
    for index, each in enumerate(element.get("customProperties") or ()):
        run_as = each.get("value") if isinstance(each, Mapping) and each.get("property") == "runAs" else None
        if not isinstance(run_as, Mapping):
            continue
        for part, what in (("serviceAccount", "user"), ("purpose", "purpose")):
            if run_as.get(part):
                yield Reference(_WHAT[what], str(run_as[part]), f"{path}.customProperties.{index}.value.{part}")


_WHAT: Mapping[str, What] = {
    "tag": "tag",
    "+tag": "tag",
    "user": "user",
    "+user": "user",
    "group": "group",
    "+group": "group",
    "role": "role",
    "term": "term",
    "purpose": "purpose",
    "dataset": "dataset",
}
