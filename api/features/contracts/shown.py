"""Contracts as one caller may see them: of datasets whose schema they may know, with figures where they may read every row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from api.features.contracts import answers
from api.features.contracts.hidden_rules import OtherDatasets, of_removed_reference
from api.visibility.readers import Reader
from api.visibility.sight import Sight, Sights, reads_whole, shows_figures, withheld
from catalog.contract_store import ContractBreach
from catalog.contracts.contradictions import never_decided
from catalog.contracts.rules import Rule, RuleKind, State, state_of
from catalog.contracts.service import Contracts, ContractState, PromiseState
from catalog.errors import NotFound
from catalog.records import DatasetRecord, rfc3339
from policies.decision.visibility import ALL, NOTHING, DatasetKnowledge

KnownOf = Callable[[DatasetRecord | None], DatasetKnowledge]
"""What the caller may know of a dataset; None: of one that is not in the catalog yet."""
SightOf = Callable[[DatasetRecord], Sight]
_EVERYTHING = Sight(everything=True)


class ShownContracts:
    """The service for one caller."""

    def __init__(self, contracts: Contracts, known: KnownOf, sight: SightOf) -> None:
        self._contracts, self._known_of, self._sight_of = contracts, known, sight
        self._others = OtherDatasets(contracts.record, known, sight)

    def all(self, dataset: str | None = None) -> list[answers.ContractSummary]:
        """By name; only those that name a dataset, where one is given."""
        states = ((state, self._known(state)) for state in self._contracts.all())
        return [
            answers.ContractSummary(**_summary(state, known))
            for state, known in states
            if known and (dataset is None or any(_names(each, dataset) for each in known))
        ]

    def get(self, name: str) -> answers.Contract:
        """Raises NotFound, for one of which the caller may know nothing too."""
        return self._details(self._require(name))

    def recheck(self, name: str) -> answers.Contract:
        """Checked by the last profile of each dataset. Raises NotFound."""
        self._require(name)
        return self._details(self._contracts.recheck(name))

    def records(self, name: str) -> list[DatasetRecord]:
        """The datasets of a contract that are in the catalog. Raises NotFound."""
        return [each.record for each in self._require(name).promises if each.record is not None]

    def _require(self, name: str) -> ContractState:
        state = self._contracts.get(name)
        if not self._known(state):
            raise NotFound(f"There is no contract {name!r}; weir contract list shows them.", details={"contract": name})
        return state

    def _known(self, state: ContractState) -> list[PromiseState]:
        known = ((each, self._known_of(each.record)) for each in state.promises)
        return [self._others.cut(each)[0] for each, of in known if of.existence and of.schema]

    def _details(self, state: ContractState) -> answers.Contract:
        known = self._known(state)
        shown = {each.promise.dataset: _Shown(each, self._sight(each)) for each in known}
        hidden = {each.promise.dataset: self._others.cut(each)[1] for each in state.promises}
        breaches = [
            each
            for each in self._contracts.breaches(state.name)
            if each.dataset in shown and each.rule not in hidden[each.dataset] and shown[each.dataset].knows(each)
        ]
        whole = len(known) == len(state.promises) and not any(hidden.values())
        # The document may state which fields hold personal data.
        exported = whole and all(self._known_of(each.record).evidence for each in known)
        return answers.Contract(
            **_summary(state, known),
            purpose=state.contract.purpose if whole else "",
            promises=[each.promise() for each in shown.values()],
            breaches=[shown[each.dataset].breach(each) for each in breaches],
            notes=never_decided(state.contract) if whole else [],
            document=dict(state.document.spec) if exported else None,
            appliedAt=rfc3339(state.document.applied_at),
            appliedBy=state.document.applied_by,
        )

    def _sight(self, state: PromiseState) -> Sight:
        return self._sight_of(state.record) if state.record is not None else _EVERYTHING


def shown_to(contracts: Contracts, reader: Reader, sights: Sights, manages: bool) -> ShownContracts:
    """Contracts for one caller. `manages`: whether they may know of promises about datasets that are not there yet."""

    def known(record: DatasetRecord | None) -> DatasetKnowledge:
        if record is None:
            return ALL if reader.horizon is None or manages else NOTHING
        return reader.known(record)

    return ShownContracts(contracts, known, sights.of)


def _reference(state: PromiseState) -> str:
    return state.record.reference if state.record is not None else state.promise.dataset


def _names(state: PromiseState, dataset: str) -> bool:
    record = state.record
    own = (record.reference, str(record.id)) if record is not None else ()
    return dataset in (state.promise.dataset, *own)


def _summary(state: ContractState, known: list[PromiseState]) -> dict[str, object]:
    states = [str(result["state"]) for each in known for result in each.results.values()]
    checked = [each.checked_at for each in known if each.checked_at is not None]
    contract = state.contract
    return {
        "name": state.name,
        "title": contract.title if len(known) == len(state.promises) else state.name,
        "version": contract.version,
        "status": contract.status,
        "owner": contract.owner,
        "state": str(state_of([each.state for each in known])),
        "datasets": [_reference(each) for each in known],
        "rules": answers.RuleCounts(**{name: states.count(name) for name in answers.RuleCounts.model_fields}),
        "checkedAt": rfc3339(max(checked, default=None)),
    }


class _Shown:
    """One promise, by what its reader sees of the dataset: figures of a field as the pages of the dataset show them."""

    def __init__(self, state: PromiseState, sight: Sight) -> None:
        self._state, self._sight = state, sight
        self._reference = _reference(state)
        self._rules = {rule.id: rule for rule in state.promise.rules}

    def promise(self) -> answers.ContractPromise:
        state, record = self._state, self._state.record
        masked = any(each.path is not None and not self._sight.clear(each.path) for each in self._rules.values())
        return answers.ContractPromise(
            dataset=self._reference,
            namespace=record.id.namespace if record is not None else None,
            name=record.id.name if record is not None else None,
            title=state.promise.title,
            description=state.promise.description,
            state=str(state.state),
            checkedAt=rfc3339(state.checked_at),
            checkEvery=state.promise.check_every,
            unread=state.unread if self._sight.counts else None,
            late=state.late,
            rules=[self._rule(rule) for rule in self._rules.values()],
            withheld=withheld(self._sight, fields=self._sight.counts and masked),
        )

    def _rule(self, rule: Rule) -> answers.ContractRule:
        result = self._state.results[rule.id]
        reason = str(result.get("reason") or "")
        if not self._counts(rule.id):
            reason = reason if result["state"] == State.WAITING else rule.never or ""
        return answers.ContractRule(
            id=rule.id,
            kind=str(rule.kind),
            path=rule.path,
            text=rule.text,
            state=result["state"],
            reason=reason,
            since=result.get("since"),
            **self._figures(rule.id, result.get),
        )

    def breach(self, breach: ContractBreach) -> answers.ContractBreach:
        return answers.ContractBreach(
            id=breach.id,
            dataset=self._reference,
            rule=breach.rule,
            text=self._rules[breach.rule].text if breach.rule in self._rules else breach.text,
            reason=breach.reason if self._counts(breach.rule) else "",
            beganAt=rfc3339(breach.began_at),
            seenAt=rfc3339(breach.seen_at),
            endedAt=rfc3339(breach.ended_at),
            **self._figures(breach.rule, partial(getattr, breach)),
        )

    def _figures(self, rule: str, of: Callable[[str], Any]) -> dict[str, object]:
        counts = self._counts(rule)
        figures = {name: of(name) if counts else None for name in ("count", "share")}
        return figures | {name: _place(of(name)) if counts else None for name in ("first", "last")}

    def knows(self, breach: ContractBreach) -> bool:
        """Whether the breach may be shown: of a removed reference it is not known which dataset it was about."""
        return breach.rule in self._rules or not of_removed_reference(breach.text)

    def _counts(self, rule: str) -> bool:
        """Whether figures of a rule show; of one that the contract has no more it is not known which field it was about."""
        if rule not in self._rules:
            return self._sight.everything
        of = self._rules[rule]
        if of.kind is RuleKind.SQL:
            return reads_whole(self._sight)
        if of.kind is RuleKind.REFERENCE:
            return all(shows_figures(self._sight, path) for path in of.params["from"])
        return shows_figures(self._sight, of.path)


def _place(place: Mapping[str, Any] | None) -> answers.RecordPlace | None:
    return (
        answers.RecordPlace(time=place.get("time"), partition=place["partition"], offset=place["offset"])
        if place
        else None
    )
