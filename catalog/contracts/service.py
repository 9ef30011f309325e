"""Contracts and what scans see of them: checks, breaches, events. The rules themselves are pure, in the modules beside."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from catalog.contract_store import ContractBreach, ContractCheck
from catalog.contracts.breaches import Breaches, CheckedPromise
from catalog.contracts.checking import TIME_KINDS, check
from catalog.contracts.declared import KIND
from catalog.contracts.draft import draft, personal_paths
from catalog.contracts.observed import Observed
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import QUERIED_KINDS, Contract, Promise, Result, Rule, RuleKind, State, state_of
from catalog.datasets.clusters import Clusters
from catalog.datasets.facts import dataset_facts
from catalog.datasets.terms import term_tags
from catalog.errors import InvalidInput, NotFound, WeirError
from catalog.incidents.service import Incidents
from catalog.model import DatasetId, SchemaVersion
from catalog.ports import CatalogStore, Clock, EventSink
from catalog.records import DatasetRecord, DeclaredDocument, rfc3339

_log = logging.getLogger(__name__)

_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class PromiseState:
    """A promise with its last check; `results` has every rule of it. Of checks of new records, None where the contract asks
    for none: `unread`, records that none looked at; `late`, whether none ended within the time that it asks for."""

    promise: Promise
    state: State
    results: Mapping[str, Mapping[str, Any]]
    checked_at: datetime | None
    record: DatasetRecord | None
    unread: int | None = None
    late: bool | None = None


@dataclass(frozen=True, slots=True)
class ContractState:
    """A declared contract with its state."""

    name: str
    document: DeclaredDocument
    contract: Contract
    promises: tuple[PromiseState, ...]

    @property
    def state(self) -> State:
        return state_of([each.state for each in self.promises])


class Contracts:
    """The service behind contracts."""

    def __init__(
        self,
        store: CatalogStore,
        clock: Clock,
        clusters: Clusters,
        events: EventSink | None = None,
        incidents: Incidents | None = None,
    ) -> None:
        """`incidents`: None for ones of its own, over the same store."""
        self._store, self._clock, self._clusters = store, clock, clusters
        self._breaches = Breaches(store, incidents or Incidents(store, clock, events), events)

    # --- reading -----------------------------------------------------------------------------------------------------

    def all(self) -> list[ContractState]:
        """Every declared contract that can be read, by name."""
        checks: dict[str, dict[str, ContractCheck]] = {}
        for each in self._store.contract_checks():
            checks.setdefault(each.contract, {})[each.dataset] = each
        states = []
        for document in self._store.documents(KIND):
            try:
                states.append(self._state(document, checks.get(document.key, {})))
            except InvalidInput as error:  # it was applied by an older version
                _log.warning("The contract %s is not listed: %s", document.key, error.message)
        return states

    def get(self, name: str) -> ContractState:
        """Raises NotFound."""
        document = self._store.document(KIND, name)
        if document is None:
            raise NotFound(f"There is no contract {name!r}; weir contract list shows them.", details={"contract": name})
        return self._state(document, {each.dataset: each for each in self._store.contract_checks(name)})

    def breaches(self, name: str, limit: int = _MOST_SHOWN) -> list[ContractBreach]:
        """Those that last, then those that ended; each the newest first."""
        return self._store.contract_breaches(name, limit)

    def draft(self, record: DatasetRecord, hidden: Collection[str] = ()) -> dict[str, object]:
        """An ODCS document of what the last scan saw. Raises InvalidInput for a dataset that no scan saw. `hidden`: paths of
        which it has the types alone, beside those with a tag or that no scan looked through."""
        stored = self._store.schema(record.id)
        if stored is None or not stored.current.fields:
            raise InvalidInput(
                f"No scan saw a record of {record.reference}, so there is nothing to write a contract of; scan it first:"
                f" weir scan {record.reference}."
            )
        facts = dataset_facts(
            record,
            stored.current,
            self._store.classifications(record.id),
            self._store.notes(record.id),
            term_tags(self._store),
        )
        return draft(record, stored.current, [*personal_paths(facts), *record.unscanned, *hidden])

    # --- checking ----------------------------------------------------------------------------------------------------

    def applied(self, name: str) -> None:
        """A contract was declared or changed: its datasets are kept, and each is checked by its last profile.

        Joins the transaction under way.
        """
        with self._store.transaction():
            document = self._store.document(KIND, name)
            if document is None:
                return
            contract = read_contract(document.spec)
            present = {promise.dataset for promise in contract.promises}
            known = {each.dataset: each for each in self._store.contract_checks(name)}
            if gone := set(known.keys() - present):
                self._forget(name, gone)
            for promise in contract.promises:
                before = known.get(promise.dataset) or ContractCheck(name, promise.dataset, {})
                self._store.put_contract_check(before)
                record = self.record(promise.dataset)
                if record is not None:
                    self._check_last(name, contract, promise, before, record)

    def deleted(self, name: str) -> None:
        """What was kept of a contract goes with it."""
        self._forget(name, set())

    def recheck(self, name: str) -> ContractState:
        """Check each dataset of a contract by its last profile; rules that a query decides are due. Raises NotFound."""
        self.get(name)
        with self._store.transaction():
            self.applied(name)
            for kept in self._store.contract_checks(name):
                asked = {id: {**each, "asked": True} for id, each in kept.results.items() if "queriedAt" in each}
                if asked:
                    self._store.put_contract_check(replace(kept, results={**kept.results, **asked}))
        return self.get(name)

    def scanned(self, record: DatasetRecord, scanned: SchemaVersion, before: SchemaVersion | None) -> None:
        """A scan saw a dataset: every contract that names it is checked. Joins the transaction that records the scan, so a
        worker that is killed leaves both or neither.

        `before`: the profile before a new version of the schema; None where none began.
        """
        for kept in self._store.contract_checks_of(self.names(record)):
            document = self._store.document(KIND, kept.contract)
            if document is None:
                continue
            try:
                contract = read_contract(document.spec)
            except WeirError as error:  # it was applied by an older version
                _log.warning("The contract %s was not checked: %s", kept.contract, error.message)
                continue
            promise = next((each for each in contract.promises if each.dataset == kept.dataset), None)
            if promise is not None:
                seen = self._observed(record, scanned, before)
                self._check(kept.contract, contract, promise, kept, record, seen, scanned=True)

    def _check_last(
        self, name: str, contract: Contract, promise: Promise, kept: ContractCheck, record: DatasetRecord
    ) -> None:
        stored = self._store.current_schema(record.id)
        if stored is not None and record.scanned_at is not None:
            seen = self._observed(record, stored, None)
            self._check(name, contract, promise, kept, record, seen, scanned=False)

    def _observed(self, record: DatasetRecord, schema: SchemaVersion, before: SchemaVersion | None) -> Observed:
        newest = schema.window.time_to
        if newest is None and (stored := self._store.current_schema(record.id)) is not None:
            newest = stored.window.time_to
        return Observed(schema=schema, now=self._clock(), before=before, newest=newest, topic=record.topic)

    def _check(
        self,
        name: str,
        contract: Contract,
        promise: Promise,
        kept: ContractCheck,
        record: DatasetRecord,
        seen: Observed,
        *,
        scanned: bool,
    ) -> None:
        """`scanned`: a scan has just seen it; else it is its last profile once more."""
        now = self._clock()
        if contract.is_over:
            self._breaches.keep(CheckedPromise(name, contract, promise, record, now), {})
            return
        nothing_new = not seen.records and bool(kept.results)
        rules = [rule for rule in promise.rules if not nothing_new or rule.kind in TIME_KINDS]
        rules = [rule for rule in rules if rule.kind not in QUERIED_KINDS or rule.never is not None]
        if not scanned:  # no change of the schema is looked at, so what the last scan saw of it stays
            rules = [each for each in rules if each.kind is not RuleKind.COMPATIBILITY or each.id not in kept.results]
        rules = [each for each in rules if not _by_new_records(each, kept.results.get(each.id), promise, now)]
        checked = CheckedPromise(name, contract, promise, record, now)
        self.keep(checked, replace(kept, version=seen.schema.version), check(rules, seen))

    def keep(
        self,
        checked: CheckedPromise,
        kept: ContractCheck,
        results: Mapping[str, Result],
        marks: Mapping[str, Any] | None = None,
    ) -> None:
        """What a check decided of some rules of a promise; the others stay as they are. Joins the transaction under way.

        `marks`: what is kept beside each of these results.
        """
        rules = {rule.id: rule for rule in checked.promise.rules}
        fresh = {
            id: {**self._since(result, kept.results.get(id), checked.at), **(marks or {})}
            for id, result in results.items()
        }
        if checked.is_new:
            at = rfc3339(checked.at)
            fresh = {id: {**result, "newAt": at, "newText": rules[id].text} for id, result in fresh.items()}
        stale = {id: result for id, result in kept.results.items() if id in rules and id not in fresh}
        self._store.put_contract_check(replace(kept, results={**stale, **fresh}, checked_at=checked.at))
        self._breaches.keep(checked, results)

    def _forget(self, name: str, datasets: set[str]) -> None:
        """`datasets`: those that it names no more; none: the contract itself is gone."""
        with self._store.transaction():
            records = [record for each in datasets if (record := self.record(each)) is not None]
            self._breaches.forget(name, datasets, records)

    @staticmethod
    def _since(result: Result, before: Mapping[str, Any] | None, now: datetime) -> dict[str, object]:
        """The result with the time since when its state is what it is."""
        lasting = before is not None and before.get("state") == result.state
        since = before.get("since") if lasting and before is not None else None
        return {**result.to_json(), "since": since or rfc3339(now)}

    def knows(self, dataset: str) -> bool:
        """Whether the catalog has a dataset that a contract names."""
        return self.record(dataset) is not None

    def require_once(self, contract: Contract) -> None:
        """Raises InvalidInput where two schema objects name one dataset: its breaches would count twice."""
        names: dict[DatasetId, str] = {}
        for promise in contract.promises:
            namespace, _, topic = promise.dataset.rpartition("/")
            other = names.setdefault(self._clusters.resolve(namespace, topic), promise.dataset)
            if other != promise.dataset:
                raise InvalidInput(f"{other} and {promise.dataset} are the same dataset; describe it once.")

    # --- names -------------------------------------------------------------------------------------------------------

    def _state(self, document: DeclaredDocument, checks: Mapping[str, ContractCheck]) -> ContractState:
        contract = read_contract(document.spec)
        return ContractState(
            document.key, document, contract, tuple(self._promise_state(p, checks, document) for p in contract.promises)
        )

    def _promise_state(
        self, promise: Promise, checks: Mapping[str, ContractCheck], document: DeclaredDocument
    ) -> PromiseState:
        kept = checks.get(promise.dataset)
        record = self.record(promise.dataset)
        if kept is None or kept.checked_at is None:
            why = "the dataset is not in the catalog yet" if record is None else "no scan saw the dataset yet"
            waiting = Result(State.WAITING, why).to_json()
            return PromiseState(promise, State.WAITING, {r.id: waiting for r in promise.rules}, None, record)
        results: dict[str, Mapping[str, Any]]
        results = {rule.id: kept.results.get(rule.id) or _missing(rule) for rule in promise.rules}
        state = state_of([State(each["state"]) for each in results.values()])
        return PromiseState(
            promise, state, results, kept.checked_at, record, *self._of_new_records(promise, record, document)
        )

    def _of_new_records(
        self, promise: Promise, record: DatasetRecord | None, document: DeclaredDocument
    ) -> tuple[int | None, bool | None]:
        """`unread` and `late` of a `PromiseState`."""
        if promise.check_every is None or record is None or str(document.spec.get("status")) == "retired":
            return None, None
        position = self._store.check_position(record.id)
        times = (document.applied_at, position.checked_at if position is not None else None)
        since = max((each for each in times if each is not None), default=None)
        late = since is not None and self._clock() - since > timedelta(seconds=promise.check_every)
        return (position.unread if position is not None else None), late

    def record(self, dataset: str) -> DatasetRecord | None:
        """The dataset that a contract names; None while it is not in the catalog."""
        namespace, _, topic = dataset.rpartition("/")
        if not namespace or not topic:
            return None
        record = self._store.dataset(self._clusters.resolve(namespace, topic))
        return record if record is not None and record.deleted_at is None else None

    def names(self, record: DatasetRecord) -> list[str]:
        """Every way in which a contract may name a dataset."""
        return list(dict.fromkeys(self._all_names(record)))

    def _all_names(self, record: DatasetRecord) -> Iterator[str]:
        yield record.reference
        yield str(record.id)
        for cluster in self._clusters.all():
            if cluster.namespace == record.id.namespace:
                yield f"{cluster.name}/{record.id.name}"
                yield from (f"kafka://{address}/{record.id.name}" for address in cluster.bootstrap)
        for alias in self._clusters.aliases(record.id.namespace):
            yield f"{alias}/{record.id.name}"


def _missing(rule: Rule) -> dict[str, object]:
    why = "its query did not run yet" if rule.kind in QUERIED_KINDS else "no scan since the rule was written"
    return Result(State.WAITING, why).to_json()


def _by_new_records(rule: Rule, kept: Mapping[str, Any] | None, promise: Promise, now: datetime) -> bool:
    """Whether a check of new records decided a rule lately: it read all of them, and the sample of a scan has older ones."""
    if kept is None or promise.check_every is None or kept.get("newText") != rule.text:
        return False
    checked = datetime.fromisoformat(str(kept["newAt"]).replace("Z", "+00:00"))
    return abs(now - checked) <= timedelta(seconds=max(10 * promise.check_every, 600))
