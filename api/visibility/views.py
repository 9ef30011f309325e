"""Stream views as one reader may know of them. A view's dataset is its output topic, or `CLUSTER/NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from datetime import datetime

from api.joins.views.declared import DeclaredViews
from api.joins.views.facts import ViewFacts
from api.joins.views.service import ShownView, Views
from api.visibility.horizon import Horizon
from api.visibility.mentions import mentions, names_any
from catalog.errors import NotFound
from policies.decision.visibility import DatasetKnowledge, Outline
from policies.model import Subject, SubjectMatch
from views.ports import ViewStates
from views.runner.state import ViewState
from views.runner.tools import DeclaredView


class SeenDeclared:
    """`api.joins.views.declared.DeclaredViews` without views that the reader may not know of."""

    def __init__(self, declared: DeclaredViews, states: ViewStates, facts: ViewFacts, horizon: Horizon) -> None:
        self._declared, self._states, self._facts, self._horizon = declared, states, facts, horizon
        self._by_name: dict[str, DatasetKnowledge] = {}

    def known(self, name: str) -> DatasetKnowledge:
        """What may be known of a view that is declared."""
        results = self._by_name.get(name)
        if results is None:
            results = self._by_name[name] = self._decided(name)
        return results

    def _decided(self, name: str) -> DatasetKnowledge:
        declared = self._declared.get(name)
        sink = declared.spec.sink if declared is not None else None
        active = ViewState.read(self._states.get(name)).active
        reference = f"{sink.cluster}/{sink.topic}" if sink is not None else f"{active.cluster}/{name}" if active else ""
        if reference:
            try:
                return self._horizon.of_facts(self._facts.facts(reference))
            except NotFound:
                pass
        owners = declared.spec.owners if declared is not None else ()
        people = SubjectMatch(
            users=frozenset(each.user for each in owners if each.user),
            groups=frozenset(each.group for each in owners if each.group),
        )
        # Before its first generation nobody knows its cluster by more than its SQL: what hides it in one cluster hides it.
        return (
            self._horizon.in_any_cluster(name, people)
            if not reference
            else self._horizon.of_outline(Outline(reference, people))
        )

    def names(self) -> list[str]:
        return [name for name in self._declared.names() if self.known(name).existence]

    def applied(self) -> Mapping[str, datetime | None]:
        return {name: at for name, at in self._declared.applied().items() if self.known(name).existence}

    def get(self, name: str) -> DeclaredView | None:
        declared = self._declared.get(name)
        return declared if declared is not None and self.known(name).existence else None

    def named(self, text: str) -> str | None:
        return self._seen(self._declared.named(text))

    def of_dataset(self, reference: str) -> str | None:
        return self._seen(self._declared.of_dataset(reference))

    def sinks(self) -> Mapping[tuple[str, str], str]:
        return {place: name for place, name in self._declared.sinks().items() if self.known(name).existence}

    def _seen(self, name: str | None) -> str | None:
        return name if name is not None and self.known(name).existence else None


class SeenViews:
    """The reads of `api.joins.views.service.Views`."""

    def __init__(self, views: Views, declared: SeenDeclared, horizon: Horizon) -> None:
        self._views, self._declared, self._horizon = copy(views), declared, horizon
        self._views._declared = declared  # type: ignore[assignment]

    def find(self, name: str) -> tuple[DeclaredView, ViewState]:
        """Raises NotFound naming the nearest."""
        return self._views.find(name)

    def all(self, subject: Subject) -> list[ShownView]:
        return [self._cut(each) for each in self._views.all(subject)]

    def describe(self, subject: Subject, name: str) -> ShownView:
        return self._cut(self._views.describe(subject, name))

    def _cut(self, shown: ShownView) -> ShownView:
        """Without sources that are hidden, and without texts that name something hidden."""
        parted = self._horizon.parted
        known = self._declared.known(shown.name)
        unlinked = not known.lineage or names_any(shown.sources, parted.of_unlinked)
        sources = [] if not known.lineage else shown.sources
        cut = replace(
            shown,
            sources=[
                each for each in sources if not mentions(each, parted) and not names_any(each, parted.of_unlinked)
            ],
        )
        texts = [cut.sql, shown.sources]
        if unlinked or any(names_any(texts, each) for each in (parted.names, parted.of_bare, parted.of_unlinked)):
            cut = replace(cut, sql=_WITHHELD_SQL)

        def names_hidden(text: object) -> bool:
            return bool(text) and mentions(text, parted)

        cut = replace(
            cut,
            sql=_WITHHELD_SQL if names_hidden(cut.sql) else cut.sql,
            error=None if names_hidden(cut.error) else cut.error,
            notes=[] if names_hidden(cut.notes) else cut.notes,
            description="" if names_hidden(cut.description) else cut.description,
            history=[] if names_hidden(cut.history) else cut.history,
        )
        return cut if known.schema else replace(cut, columns=[], key=[], sql=_WITHHELD_SQL)


_WITHHELD_SQL = "-- It names what you may not see."
