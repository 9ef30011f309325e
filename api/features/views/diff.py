"""The running generation of a view against the one that a declaration, or the decision of now, would build."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from api.features.views import answers
from api.joins.views.decisions import ViewDecisions
from api.joins.views.declared import DeclaredViews, ViewHandler
from api.joins.views.service import Views
from catalog.declared.documents import Document
from catalog.errors import InvalidInput, NotAllowed, NotSignedIn
from catalog.paths import VALUE
from policies.access.identity import Identity
from policies.decision.places import Places
from policies.declared.state import GovernanceState
from policies.model import Effect, MaskType, Subject
from policies.plan.prepare import Preparer
from views.declared import ViewSpec
from views.ports import StreamEngine
from views.row_ports import ServingTable
from views.runner.build import Built, IsCompacted, built
from views.runner.compacted import or_as_before
from views.runner.compared import breaks, columns_diff, rows_diff, shown, sql_diff
from views.runner.contents import contents, place_of, plan_of, with_form
from views.runner.state import Generation, ViewState
from views.runner.tools import DeclaredView

_MOST_USERS = 1_000
_UNMASKED = 2
_LOOKS = ("not shown", "masked", "unmasked")

Look = dict[str, int]
"""Column -> 0 not shown, 1 masked, 2 unmasked; without columns: the view may not be read."""


class ViewDiffs:
    """The service behind `POST /views/{name}/diff`. Safe for threads."""

    def __init__(
        self,
        views: Views,
        declared: DeclaredViews,
        handler: ViewHandler,
        decisions: ViewDecisions,
        preparer: Preparer,
        identity: Identity,
        subject: Callable[[str], Subject],
        state: GovernanceState,
        engine: Callable[[], StreamEngine],
        serving: ServingTable,
        compaction: IsCompacted,
    ) -> None:
        """`subject`: whom a view runs as, by `RunAs.subject`."""
        self._compaction = compaction
        self._views, self._declared, self._handler, self._decisions = views, declared, handler, decisions
        self._preparer, self._identity, self._subject, self._governed = preparer, identity, subject, state
        self._engine, self._serving = engine, serving

    def diff(self, name: str, spec: Mapping[str, Any] | None) -> answers.ViewDiff:
        """`spec`: a changed declaration, checked as `weir apply` does; None: as it is
        declared.

        Raises NotFound, InvalidInput and SqlRefused for a declaration that does not fit, QueryFailed for SQL that the engine
        refuses, Unavailable.
        """
        declared, state = self._known(name, spec)
        active = state.active
        proposed = self._proposed(name, spec) if spec is not None else None
        wanted = proposed if proposed is not None else declared.spec
        try:
            before = state.writing
            compaction = or_as_before(self._compaction, before.compacted if before is not None else {})
            current = built(wanted, self._preparer, self._subject(wanted.runAs.subject), compaction)
        except (NotAllowed, NotSignedIn) as refusal:
            return _refused(name, active, wanted, refusal)
        after = self._next(name, wanted, current, state.number + 1)
        before_spec = declared.spec
        changed = active is None or active.hash != after.hash
        rows = None
        building = state.building
        if active is not None and building is not None and building.hash == after.hash:
            names = [column for column, _ in building.columns]
            compared = rows_diff(self._serving, name, active.id, building.id, names)
            rows = answers.DiffRows.model_validate({"generation": building.number, **compared})
        following = _side(after)
        following.generation = building.number if rows is not None and building is not None else None
        return answers.ViewDiff(
            name=name,
            changed=changed,
            running=_side(active),
            next=following,
            refused=None,
            sql=sql_diff(_sql(active, declared), wanted.sql) if active is not None else "",
            columns=[
                answers.DiffColumn.model_validate(each, from_attributes=True) for each in columns_diff(active, after)
            ],
            breaks=breaks(active, after),
            topic=self._handler.topic(wanted),
            readers=self._readers(name, active, before_spec, after, wanted) if changed else [],
            rows=rows,
            text=_text(name, active, changed, rows),
        )

    def _known(self, name: str, spec: Mapping[str, Any] | None) -> tuple[DeclaredView, ViewState]:
        """What there is of the view; a new one may be proposed."""
        if spec is not None and self._declared.get(name) is None:
            return DeclaredView(self._proposed(name, spec), ""), ViewState()
        return self._views.find(name)

    def _proposed(self, name: str, spec: Mapping[str, Any]) -> ViewSpec:
        try:
            model = ViewSpec.model_validate(spec)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            at = ".".join(("spec", *map(str, first["loc"])))
            raise InvalidInput(f"{at}: {first['msg']}.", details={"field": at}) from None
        self._handler.check(
            Document(
                api_version="weir/v1", kind="View", name=name, metadata={"name": name}, spec=spec, line=1, model=model
            ),
            [],
        )
        return model

    def _next(self, name: str, spec: ViewSpec, current: Built, number: int) -> Generation:
        """The generation that would be built; nothing of it is kept."""
        spec = with_form(spec, current)
        cluster, topic = place_of(name, spec, current, number)
        schema = self._engine().columns(plan_of(name, spec, current, "diff", topic, "", {}, 1))
        return Generation(
            id=f"0-{current.generation}",
            number=number,
            declared="",
            cluster=cluster,
            topic=topic,
            private=spec.sink is None,
            begins={},
            goal={},
            checkpoint="",
            created="",
            why="",
            sql=spec.sql,
            **contents(current, schema),
        )

    def _readers(
        self, name: str, before: Generation | None, old: ViewSpec, after: Generation, new: ViewSpec
    ) -> list[answers.DiffReader]:
        """Declared users for whom the view would show something else."""
        users = sorted(self._governed.view().users)[:_MOST_USERS]
        changes = []
        for user in users:
            then = self._look(user, name, new, after)
            now = self._look(user, name, old, before) if before is not None else {}
            gains = [
                _words(column, now.get(column, 0), look) for column, look in then.items() if look > now.get(column, 0)
            ]
            loses = [
                _words(column, look, then.get(column, 0)) for column, look in now.items() if look > then.get(column, 0)
            ]
            if before is not None:
                gains += _values(now, then, after, before)
                loses += _values(now, then, before, after)
            if gains or loses:
                changes.append(
                    answers.DiffReader(user=user, may_read=bool(then), could_read=bool(now), gains=gains, loses=loses)
                )
        return changes

    def _look(self, user: str, name: str, spec: ViewSpec, generation: Generation) -> Look:
        try:
            subject = self._identity.current(user)
        except NotSignedIn:
            return {}
        decision = self._decisions.decide(subject, name, spec, generation, None)
        if decision.effect is not Effect.ALLOW:
            return {}
        places = Places(decision.columns)
        looks = {}
        for column, _ in generation.columns:
            mask = places.rule(VALUE.field(column)).mask
            looks[column] = 2 if mask is None else 0 if mask.type is MaskType.DROP else 1
        return looks


def _values(now: Look, then: Look, more: Generation, less: Generation) -> list[str]:
    """Fields whose values are in columns of the one generation and not of the other, of columns seen unmasked in both."""
    both = [column for column, look in then.items() if look == now.get(column) == _UNMASKED]
    return [
        f"{column}: values of {field}"
        for column in both
        for field in shown(more, column)
        if field not in shown(less, column)
    ]


def _words(column: str, before: int, after: int) -> str:
    return f"{column}: {_LOOKS[before]} -> {_LOOKS[after]}"


def _side(generation: Generation | None) -> answers.DiffSide:
    if generation is None:
        return answers.DiffSide()
    return answers.DiffSide(
        generation=generation.number,
        key=generation.keys,
        sources=generation.sources,
        filters={source: conditions for source, conditions in generation.filtered.items() if conditions},
    )


def _sql(active: Generation | None, declared: DeclaredView) -> str:
    return (active.sql if active is not None else "") or declared.spec.sql


def _refused(
    name: str, active: Generation | None, spec: ViewSpec, refusal: NotAllowed | NotSignedIn
) -> answers.ViewDiff:
    reasons = [str(each) for each in refusal.details.get("reasons", [])]
    sentence = f"{name} would not run: {refusal.message} Its rows are deleted while that is so."
    return answers.ViewDiff(
        name=name,
        changed=True,
        running=_side(active),
        next=answers.DiffSide(),
        refused=answers.ViewRefusal(code=refusal.code, message=refusal.message, reasons=reasons),
        sql="",
        columns=[],
        breaks=[],
        topic=[],
        readers=[],
        rows=None,
        text=sentence,
    )


def _text(name: str, active: Generation | None, changed: bool, rows: answers.DiffRows | None) -> str:
    if active is None:
        return f"{name} has no rows yet; this would be its first generation."
    if not changed:
        return f"Nothing of {name} would be built again."
    if rows is None:
        return f"Another generation of {name} would be built, and take the place of generation {active.number}."
    compared = (
        f"{rows.same:,} rows are the same, {rows.differ:,} differ, {rows.only_before:,} are only in the running one"
    )
    return f"Generation {rows.generation} is being built: {compared}, {rows.only_after:,} only in the next."
