"""Breaches of contracts: they begin, last and end with the checks; each is an event, and opens an incident.

A contract that nobody promised yet has breaches, of which nothing is reported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from catalog.contract_store import ContractBreach
from catalog.contracts.rules import QUERIED_KINDS, Contract, Promise, Result, Rule, State
from catalog.incident_store import IncidentCause, IncidentKey
from catalog.incidents.fault import Fault, place_of
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore, EventSink
from catalog.records import DatasetRecord, rfc3339


@dataclass(frozen=True, slots=True)
class CheckedPromise:
    """What was checked: the promise of a contract on one dataset, at one moment.

    is_new  whether the check looked at records that no check before had counted, and at no others
    """

    name: str
    contract: Contract
    promise: Promise
    record: DatasetRecord
    at: datetime
    is_new: bool = False


class Breaches:
    """Keeps breaches by what checks see."""

    def __init__(self, store: CatalogStore, incidents: Incidents, events: EventSink | None) -> None:
        self._store, self._incidents, self._events = store, incidents, events

    def keep(self, checked: CheckedPromise, results: Mapping[str, Result]) -> None:
        """Breaches begin, last and end. A rule that cannot be decided now neither begins nor ends one."""
        open_ones = self._store.open_contract_breaches(checked.name, checked.promise.dataset)
        rules = {rule.id: rule for rule in checked.promise.rules}
        is_queried = any(rules[id].kind in QUERIED_KINDS for id in results if id in rules)
        hidden_before = is_queried and self._has_hidden(checked)
        if not checked.contract.is_promised:
            self._withdraw(checked)
        for id, breach in open_ones.items():
            result = results.get(id)
            if id not in rules or (result is not None and result.state is State.HOLDS):
                self._end(checked, breach, rules.get(id), result)
        for id, result in results.items():
            if result.state is State.BROKEN:
                self._broken(checked, open_ones.get(id), rules[id], result)
        if is_queried and checked.contract.is_promised and self._has_hidden(checked) != hidden_before:
            self._emit_hidden("kept" if hidden_before else "broken", checked)

    def forget(self, name: str, datasets: set[str], records: list[DatasetRecord]) -> None:
        """A contract is gone (no datasets), or does not name these any more: what was kept of it goes, its incidents end."""
        self._store.forget_contract(name, datasets)
        ids = {record.id for record in records} if datasets else None
        if ids is None or ids:
            why = "The contract does not name the dataset any more." if datasets else "The contract was deleted."
            self._incidents.withdraw(IncidentCause.CONTRACT, name, why, ids)

    def _withdraw(self, checked: CheckedPromise) -> None:
        why = f"The contract is {checked.contract.status}, so it promises nothing."
        self._incidents.withdraw(IncidentCause.CONTRACT, checked.name, why, {checked.record.id})

    def _broken(self, checked: CheckedPromise, lasting: ContractBreach | None, rule: Rule, result: Result) -> None:
        breach = replace(
            lasting or _begun(checked, rule),
            reason=result.reason,
            seen_at=checked.at,
            count=_count(lasting, result, checked.is_new),
            share=result.share,
            first=(lasting.first if lasting is not None else None) or result.first,
            last=result.last or (lasting.last if lasting is not None else None),
        )
        self._store.put_contract_breach(breach)
        if not checked.contract.is_promised:
            return
        event = self._emit("broken", checked, breach, rule) if lasting is None and not result.reads else None
        self._incidents.report(
            Fault(
                dataset=checked.record.id,
                cause=IncidentCause.CONTRACT,
                source=checked.name,
                rule=rule.id,
                title=rule.open_text,
                reason=result.reason,
                at=checked.at,
                path=rule.path,
                records=result.count,
                share=result.share,
                is_new=checked.is_new,
                first=place_of(result.first),
                last=place_of(result.last),
                event=event,
                reads=result.reads,
            )
        )

    def _end(self, checked: CheckedPromise, breach: ContractBreach, rule: Rule | None, result: Result | None) -> None:
        ended = replace(breach, ended_at=checked.at, seen_at=checked.at)
        self._store.put_contract_breach(ended)
        key = IncidentKey(checked.record.id, IncidentCause.CONTRACT, checked.name, breach.rule)
        incident = self._store.last_incident(key)
        is_open = checked.contract.is_promised and not (incident is not None and incident.reads)
        event = self._emit("kept", checked, ended, rule) if is_open else None
        if rule is None:
            why = "The contract has the rule no more."
            self._incidents.recovered(key, checked.at, why, event=event, withdrawn=True)
        else:
            why = f"A check saw the rule kept: {result.reason}." if result is not None and result.reason else ""
            self._incidents.recovered(key, checked.at, why or "A check saw the rule kept.", event=event)

    def _has_hidden(self, checked: CheckedPromise) -> bool:
        """Whether a rule lasts broken that was decided by other datasets."""
        broken_ones = self._store.open_contract_breaches(checked.name, checked.promise.dataset)
        keys = (IncidentKey(checked.record.id, IncidentCause.CONTRACT, checked.name, id) for id in broken_ones)
        return any(incident is not None and incident.reads for incident in map(self._store.last_incident, keys))

    def _emit_hidden(self, what: str, checked: CheckedPromise) -> None:
        """Of rules that read other datasets, which those who get an event may not know: it names the contract's own dataset
        alone. One when the first of them breaks and one when the last is kept, so that nobody can count them."""
        if self._events is not None:
            reference = checked.record.reference
            self._events.emit(f"reference.{what}", reference, {"dataset": reference})

    def _emit(self, what: str, checked: CheckedPromise, breach: ContractBreach, rule: Rule | None) -> str | None:
        """`contract.broken` and `contract.kept`; gives the id of the event. `rule` None: the contract has it no more, so it
        is not known which field it was about."""
        if self._events is None:
            return None
        record = checked.record
        data = {
            "contract": checked.name,
            "breach": breach.id,
            "dataset": record.reference,
            "namespace": record.id.namespace,
            "name": record.id.name,
            "rule": breach.rule,
            "text": breach.text,
            "reason": breach.reason,
            "count": breach.count,
            "share": breach.share,
            "first": dict(breach.first) if breach.first else None,
            "last": dict(breach.last) if breach.last else None,
            "beganAt": rfc3339(breach.began_at),
            **({"path": rule.path} if rule is not None else {}),
        }
        return self._events.emit(f"contract.{what}", record.reference, data).id


def _count(lasting: ContractBreach | None, result: Result, is_new: bool) -> int | None:
    """Records that broke it: of the last check, or of all of them where none looked at a record twice."""
    if is_new and lasting is not None and lasting.count is not None:
        return lasting.count + (result.count or 0)
    return result.count


def _begun(checked: CheckedPromise, rule: Rule) -> ContractBreach:
    began, dataset = rfc3339(checked.at), checked.promise.dataset
    key = "\n".join((checked.name, dataset, rule.id, began))
    id = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
    return ContractBreach(id, checked.name, dataset, rule.id, rule.open_text, "", checked.at, checked.at)
