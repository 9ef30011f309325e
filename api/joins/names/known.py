"""The names that something has: in the catalog, in declared documents, in the directory, and in documents of the same apply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from api.joins.names.references import Reference, What, references
from api.joins.views.declared import DeclaredViews
from catalog.apply.apply import Action, Change
from catalog.entities import NOT_PERSONAL
from catalog.errors import WeirError
from catalog.model import PERSONAL_DATA_TAG
from catalog.paths import FieldPath
from catalog.ports import CatalogStore
from policies.declared.builtin import ADMIN_USER, BUILT_IN_ROLES
from policies.declared.state import GovernanceState
from policies.matching import EVERYTHING, dataset_matches, folded
from policies.model import UNSCANNED_TAG
from policies.personal_data import PERSONAL_DATA
from policies.ports import FactsSource

MOST_DATASETS = 50
"""Datasets of a pattern whose fields are read."""
Sees = Callable[[str], bool]
"""Whether who applies may know of a dataset, by `CLUSTER/TOPIC`."""


class KnownNames:
    """Of one apply. Read when first needed, and once."""

    def __init__(
        self,
        store: CatalogStore,
        state: GovernanceState,
        facts: FactsSource,
        views: DeclaredViews,
        changes: Sequence[Change],
        sees: Sees,
    ) -> None:
        self._store, self._facts, self._views, self._sees = store, facts, views, sees
        self._view = state.view()
        self._specs = {(c.kind, c.name): c.after or {} for c in changes if c.action is not Action.DELETE}
        self._gone = {(c.kind, c.name) for c in changes if c.action is Action.DELETE}
        self._given: dict[What, set[str]] = {}
        for (kind, name), spec in self._specs.items():
            for each in references(kind, name, spec):
                if each.gives:
                    self._given.setdefault(each.what, set()).add(each.name)

    def has(self, reference: Reference) -> bool:
        """Whether something has the name, or it cannot be known. A name that a place gives counts where something else than
        documents of this apply has it already."""
        what, name = reference.what, reference.name
        match what:
            case "dataset":
                return bool(self._fitting(name)) or self._is_view(name)
            case "field":
                fields = self._fields(reference.dataset)
                return not fields or any(_same_place(name, each) for each in fields)
            case "tag":
                if name in self._entities or name.partition(".")[0] == PERSONAL_DATA_TAG:
                    return True
                return (not reference.gives and name in self._given.get("tag", ())) or name in self._tags
            case _:
                given = () if reference.gives else self._given.get(what, ())
                return EVERYTHING in name or name in self._names(what) or name in given

    def candidates(self, reference: Reference) -> Iterable[str]:
        """The names that may have been meant."""
        match reference.what:
            case "dataset":
                return self._references
            case "field":
                return self._fields(reference.dataset)
            case "tag" if reference.gives:
                # Words of one's own beside kinds of personal data (`secret` and SECRET) are no typing errors.
                is_entity = reference.name.isupper()
                return {each for each in self._entities | self._tags if each.isupper() == is_entity}
            case "tag":
                return self._entities | self._tags | self._given.get("tag", set())
            case what:
                return self._names(what) | (set() if reference.gives else self._given.get(what, set()))

    def differs_by_case(self, pattern: str) -> str | None:
        """A dataset that the pattern fits but for the case of letters."""
        low = pattern.casefold()
        return next((each for each in sorted(self._references) if dataset_matches(low, each.casefold())), None)

    @cached_property
    def _entities(self) -> set[str]:
        from scanners.detectors.rules import RULES  # takes a moment that only documents with tags need

        declared = [each.spec for each in self._stored("Recognizer")]
        given = [spec for (kind, _), spec in self._specs.items() if kind == "Recognizer"]
        own = {str(each.get("supported_entity")) for each in (*declared, *given)}
        return {PERSONAL_DATA_TAG, UNSCANNED_TAG, *RULES, *PERSONAL_DATA, *NOT_PERSONAL, *own}

    @cached_property
    def _tags(self) -> set[str]:
        tags = {tag for each in self._outlines for tag in each.tags}
        for kind in ("Dataset", "GlossaryTerm"):
            for document in self._stored(kind):
                if kind != "Dataset" or self._sees(document.key):
                    every = references(kind, document.key, document.spec)
                    tags |= {each.name for each in every if each.what == "tag"}
        seen = {each.id for each in self._outlines}
        return tags | {each.entity for each in self._store.field_tags() if each.dataset in seen}

    @cached_property
    def _outlines(self) -> Sequence[Any]:
        return [each for each in self._store.outlines() if self._sees(each.reference)]

    @cached_property
    def _references(self) -> set[str]:
        declared = [each.key for each in self._stored("Dataset") if self._sees(each.key)]
        given = [name for kind, name in self._specs if kind == "Dataset"]
        return {*(each.reference for each in self._outlines), *declared, *given}

    @cached_property
    def _sinks(self) -> set[str]:
        """Names of views of this apply, and `CLUSTER/TOPIC` that they write."""
        names = set()
        for (kind, name), spec in self._specs.items():
            if kind == "View":
                sink = spec.get("sink") or {}
                names |= {name, f"{sink.get('cluster')}/{sink.get('topic')}"}
        return names

    def _names(self, what: What) -> set[str]:
        view = self._view
        match what:
            case "role":
                return {*BUILT_IN_ROLES, *self._left("Role", view.roles)}
            case "group":
                rules = [group for rule in view.directory_rules for group in rule.groups]
                rules += [g for each in view.providers.values() for rule in each.rights for g in rule.groups]
                of_people = [g for user in view.users.values() for g in user.groups]
                of_people += [g for service in view.services.values() for g in service.groups]
                return {*self._left("Group", view.groups), *view.directory_groups(), *rules, *of_people}
            case "user":
                given = [name for kind, name in self._specs if kind in ("User", "ServiceAccount")]
                return {ADMIN_USER, *view.people, *given}
            case "term":
                return self._left("GlossaryTerm", (each.key for each in self._stored("GlossaryTerm")))
            case "purpose":
                return self._left("Purpose", view.purposes.by_name)
            case _:
                return set()

    def _left(self, kind: str, names: Iterable[str]) -> set[str]:
        """These names and those of the apply, without the deleted."""
        given = {name for each, name in self._specs if each == kind}
        return ({*names} | given) - {name for each, name in self._gone if each == kind}

    def _stored(self, kind: str) -> list[Any]:
        return [each for each in self._store.documents(kind) if (kind, each.key) not in self._gone]

    def _fitting(self, pattern: str) -> list[str]:
        if pattern == EVERYTHING:
            return [pattern]
        if EVERYTHING not in pattern:
            return [pattern] if pattern in self._references else []
        return sorted(each for each in self._references if dataset_matches(pattern, each))

    def _is_view(self, name: str) -> bool:
        topic = name.partition("/")[2]
        return self._views.of_dataset(name) is not None or not {name, topic}.isdisjoint(self._sinks)

    def _fields(self, pattern: str) -> set[str]:
        """Paths of the fields of a pattern's datasets; none where they are not known, or not all of them."""
        datasets = self._fitting(pattern) if pattern != EVERYTHING else sorted(self._references)
        if not datasets or len(datasets) > MOST_DATASETS:
            return set()
        paths: set[str] = set()
        for each in datasets:
            spec: Mapping[str, Any] = self._specs.get(("Dataset", each), {})
            known = self._known_fields(each)
            if not known or spec.get("schema"):
                return set()  # not scanned yet, or its fields are what this apply declares
            paths |= known
            if pattern != each or EVERYTHING in pattern:
                paths |= {str(field.get("path")) for field in spec.get("fields") or ()}
        return paths

    def _known_fields(self, dataset: str) -> set[str]:
        try:
            facts = self._facts.facts(dataset)
        except WeirError:
            return set()
        return (
            {each.path for each in facts.fields}
            if any(each.path.startswith("value") for each in facts.fields)
            else set()
        )


def _same_place(path: str, field: str) -> bool:
    """Whether a path is a known field, around one, or inside one without fields of its own (a map, text with JSON)."""
    one, other = folded(FieldPath.parse(path)), folded(FieldPath.parse(field))
    return one.contains(other) or other.contains(one)
