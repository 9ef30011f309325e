"""Decisions and lists of who has access, with many people and grants; the audit verified, in the store and as a file.

    weir test --bench access                10,000 people, 1,000 groups, 100,000 grants, 1,000,000 entries
    weir test --bench access --small        a tenth of each

Needs no server: the record store is SQLite in a folder of its own, everything else is Weir's own code on one thread.
Figures are seconds of processor time, and the last line gives the time by the clock beside them.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from api.features.access.answers import EffectiveAccess
from catalog.adapters.sql.database import Database
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from policies.access.identity import Identity
from policies.adapters.signing import Ed25519Signer, verified
from policies.adapters.stores.audit import SqlAuditStore
from policies.adapters.stores.sql import SqlPolicyStore, SqlTokenStore
from policies.adapters.stores.tables import AuditHeadRow, AuditRow, GovernanceRow
from policies.audit.export import About, export
from policies.audit.file_check import verify
from policies.audit.log import AuditLog
from policies.audit.ports import AuditEntry, AuditFilter
from policies.audit.text import digest
from policies.declared.state import GovernanceState
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moments
from policies.model import DatasetFacts, FieldFacts, Subject, SubjectMatch
from policies.ports import Change

DATASETS = 500
FIELDS = 60
START = datetime(2026, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=100)
BOSS = Subject("admin", roles=frozenset({"admin"}))


class Facts:
    """`FactsSource` of the benchmark's datasets."""

    def __init__(self) -> None:
        self.known = {f"prod/topic{n}": _facts(n) for n in range(DATASETS)}

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """The same at every moment."""
        try:
            return self.known[reference]
        except KeyError:
            raise DatasetNotFound(f"There is no dataset {reference!r}.") from None


def _facts(number: int) -> DatasetFacts:
    tags = [{"EMAIL_ADDRESS": "98% of 1,000"}, {"PERSON": "declared"}, {}, {}, {}, {}]
    fields = tuple(FieldFacts(f"value.part{i % 5}.field{i}", tags[i % len(tags)]) for i in range(FIELDS))
    owners = SubjectMatch(users=frozenset({f"user{number}"}), groups=frozenset({f"group{number}"}))
    return DatasetFacts(
        DatasetId("kafka://k:9092", f"topic{number}"),
        f"prod/topic{number}",
        fields,
        frozenset({f"domain{number % 20}"}),
        owners,
    )


def documents(people: int, groups: int, grants: int) -> Iterator[Change]:
    """Ten roles of domains, fifty policies, and everybody in three groups; a grant is to a person, seldom to a group."""
    chance = random.Random(1)
    for n in range(20):
        yield Change("Role", f"domain{n}-reader", {"read": [{"tag": f"domain{n}"}]})
        yield Change(
            "Role",
            f"domain{n}-eu",
            {
                "inherits": [f"domain{n}-reader"],
                "rowFilters": [{"dataset": f"prod/topic{n}", "where": "region = 'EU'"}],
            },
        )
    for n in range(50):
        yield Change(
            "Policy",
            f"mask{n}",
            {
                "type": "mask",
                "match": {"tags": [("EMAIL_ADDRESS", "PII", f"domain{n % 20}")[n % 3]]},
                "mask": {"type": ("MASK_HASH", "MASK_SHOW_LAST_4", "MASK_NULL")[n % 3]},
                "subjects": {"roles": [f"domain{n % 20}-reader"]},
                "except": {"groups": [f"group{n}"], "users": [f"user{n}"], "purposes": ["fraud"]},
            },
        )
    for n in range(groups):
        roles = [f"domain{n % 20}-{'eu' if n % 7 == 0 else 'reader'}"] if n % 3 == 0 else []
        yield Change("Group", f"group{n}", {"members": [], "roles": roles})
    for n in range(people):
        yield Change("User", f"user{n}", {"groups": [f"group{g}" for g in chance.sample(range(groups), 3)]})
    for n in range(grants):
        yield Change("Grant", f"grant{n}", _grant(chance, people, groups))


def _grant(chance: random.Random, people: int, groups: int) -> dict[str, object]:
    to_group = chance.random() < 0.1
    subject = {"group": f"group{chance.randrange(groups)}"} if to_group else {"user": f"user{chance.randrange(people)}"}
    start = START + timedelta(days=chance.randrange(100))
    return {
        "subject": subject,
        "dataset": f"prod/topic{chance.randrange(DATASETS)}",
        "fields": ["*"] if chance.random() < 0.5 else [f"value.part{chance.randrange(5)}"],
        "unmask": ["EMAIL_ADDRESS"] if chance.random() < 0.5 else [],
        "purpose": chance.choice(["fraud", "campaign", "support"]),
        "validFrom": start.isoformat(),
        "validTo": (start + timedelta(days=chance.randrange(30, 200))).isoformat(),
        "status": "approved" if chance.random() < 0.9 else "revoked",
    }


class Report:
    """Prints figures with their limits; knows whether one was missed."""

    def __init__(self) -> None:
        self.missed = 0

    def line(self, what: str, seconds: float, limit: float | None = None, more: str = "") -> None:
        """One figure, in ms below a second."""
        text = f"{seconds * 1000:,.2f} ms" if seconds < 1 else f"{seconds:,.1f} s"
        verdict = "" if limit is None else f"   limit {limit:g} s: {'met' if seconds <= limit else 'MISSED'}"
        self.missed += limit is not None and seconds > limit
        print(f"{what:<72} {text:>12}{verdict}  {more}", flush=True)


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call: of this thread's processor time, as other programs may share the machine."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def p99(seconds: Sequence[float]) -> float:
    """The 99th percentile."""
    return sorted(seconds)[int(len(seconds) * 0.99)]


def access(database: Database, report: Report, scale: float) -> None:
    """Decisions and lists."""
    people, groups, grants = int(10_000 * scale), int(1000 * scale), int(100_000 * scale)
    store, facts = SqlPolicyStore(database), Facts()
    changes = list(documents(people, groups, grants))
    rows = [
        {
            "version": version,
            "kind": each.kind,
            "name": each.name,
            "deleted": False,
            "newest": True,
            "changed_at": START,
            "metadata": {},
            "spec": each.spec,
        }
        for version, each in enumerate(changes, start=1)
    ]
    with database.begin() as session:
        session.execute(insert(GovernanceRow.__table__), rows)  # type: ignore[arg-type]
    print(f"{len(rows):,} documents: {people:,} people, {groups:,} groups, {grants:,} grants, 50 policies, 40 roles")
    state = GovernanceState(store, lambda: NOW)
    report.line("everything declared read for the first time", timed(state.view))
    gc.collect()  # as `api.processes.serve` does, once what is declared was read
    gc.freeze()
    service = DatasetAccess(Moments(state, facts, lambda: NOW), Identity(SqlTokenStore(database), state, lambda: NOW))
    chance = random.Random(2)
    names = [chance.choice(list(facts.known)) for _ in range(30)]
    firsts = [timed(lambda n=n: service.of(BOSS, n)) for n in names]  # type: ignore[misc]
    one = service.of(BOSS, names[0])
    field = "value.part0.field0"
    report.line(
        "who has access to a dataset, worst of 30", max(firsts), 1.0, f"median {statistics.median(firsts):.2f} s"
    )
    report.line("the same for one field", timed(lambda: service.of(BOSS, names[1], field)), 1.0)
    print(
        f"    {sum(one.totals.values()):,} people, {one.decided} decided on, {len(one.entries)} entries, {one.totals}"
    )
    report.line("the first page of it", timed(lambda: EffectiveAccess.of(one, 0, 100)), 1.0)
    report.line(
        "a past moment, for the first time", timed(lambda: service.of(BOSS, names[2], None, START + timedelta(days=50)))
    )
    report.line("a past moment, again", timed(lambda: service.of(BOSS, names[2], None, START + timedelta(days=50))))

    def decided(reference: str, name: str) -> float:
        def work() -> None:
            decision = state.decide(state.view().subject(name), facts.known[reference])
            _ = decision.columns[0] if decision.columns else None

        return timed(work)

    pairs = [(chance.choice(names), f"user{chance.randrange(people)}") for _ in range(20_000)]
    for pair in pairs[:3000]:
        decided(*pair)
    seconds = [decided(*pair) for pair in pairs]
    report.line("a decision, p99 of 20,000", p99(seconds), 0.002, f"p50 {statistics.median(seconds) * 1000:.2f} ms")
    after: list[float] = []
    for n in range(50):
        spec = _grant(chance, people, groups)
        store.apply([Change("Grant", f"late{n}", spec)], NOW)
        after.append(decided(*pairs[n]))
    report.line("the first decision after a grant was made, worst of 50", max(after), 0.1)
    report.line("revoked, until the next decision is without it", timed(lambda: _revoke(state, store)), 0.1)


def _revoke(state: GovernanceState, store: SqlPolicyStore) -> None:
    collected = store.get("Grant", "late0")
    assert collected is not None and collected.spec is not None
    store.apply([Change("Grant", "late0", {**collected.spec, "status": "revoked"})], NOW)
    assert str(state.view().grants["late0"].status) == "revoked"


def audit(database: Database, report: Report, count: int, folder: Path) -> None:
    """Verifying."""
    store = SqlAuditStore(database)
    report.line(f"{count:,} entries written, without the index of names", timed(lambda: _entries(database, count)))
    log = AuditLog(store, lambda: NOW)
    collected = log.verify()
    assert collected.holds and collected.entries == count, collected
    report.line(f"{count:,} entries verified in the store", timed(log.verify), 30 * count / 1_000_000)
    signer = Ed25519Signer(lambda: b"benchmark")
    head = log.head()
    about = About(head.chain, head.seq, head.hash, {}, "2026-01-01T00:00:00Z", "admin")
    for form in ("jsonl", "csv"):
        path = folder / f"audit.{form}"

        def write(path: Path = path, form: str = form) -> None:
            with path.open("wb") as file:
                file.writelines(export(log.matching(AuditFilter(), head.seq), form, about, signer))

        report.line(f"exported as {form}", timed(write), None, f"{path.stat().st_size / 1e6:,.0f} MB")
        with path.open("rb") as file:
            begin = time.thread_time()
            checked = verify(file, verified, [signer.public_key()])
            seconds = time.thread_time() - begin
        assert checked.holds and checked.entries == count and checked.trusted, checked
        report.line(f"the file verified ({form})", seconds, 30 * count / 1_000_000 if form == "jsonl" else None)
        path.unlink()


def _entries(database: Database, count: int) -> None:
    chance, prev = random.Random(3), ""
    table = AuditRow.__table__
    with database.begin() as session:
        batch = []
        for seq in range(1, count + 1):
            dataset = f"prod/topic{chance.randrange(DATASETS)}"
            details = {
                "sql": f"SELECT part0.field0, part1.field1 FROM {dataset} WHERE part2.field2 = ?",
                "purpose": "fraud",
                "roles": ["domain1-reader"],
                "fields": {dataset: ["value.part0.field0", "value.part1.field1"]},
                "masked": {dataset: ["value.part1.field1"]},
                "grants": [f"grant{seq % 1000}"],
                "rows": None,
                "bytes": None,
                "seconds": None,
                "format": "json",
                "query": f"q{seq}",
            }
            at = START + timedelta(seconds=seq)
            entry = AuditEntry(
                seq,
                at,
                f"user{seq % 10_000}",
                "query",
                dataset,
                "allow",
                ("Role domain1-reader reads tag domain1.",),
                details,
                prev,
                "",
            )
            prev = digest(entry)
            batch.append(
                {
                    "seq": seq,
                    "happened_at": at,
                    "actor": entry.actor,
                    "action": entry.action,
                    "target": dataset,
                    "decision": "allow",
                    "reasons": list(entry.reasons),
                    "details": details,
                    "prev": entry.prev,
                    "hash": prev,
                }
            )
            if len(batch) == 10_000 or seq == count:
                session.execute(insert(table), batch)  # type: ignore[arg-type]
                batch = []
        session.execute(insert(AuditHeadRow), {"id": 1, "chain": "bench", "seq": count, "hash": prev})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 when a limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of everything")
    parser.add_argument("--only", choices=("access", "audit"), help="one half")
    given = parser.parse_args(arguments)
    scale, report = 0.1 if given.small else 1.0, Report()
    began, used = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory(prefix="weir-access-") as folder:
        for name, part in (("access", access), ("audit", audit)):
            if given.only not in (None, name):
                continue
            database = Database(f"sqlite:///{Path(folder) / name}.db")
            database.migrate()
            if part is access:
                access(database, report, scale)
            else:
                audit(database, report, int(1_000_000 * scale), Path(folder))
            database.close()
    clock, cpu = time.perf_counter() - began, time.process_time() - used
    print(f"in all {cpu:,.0f} s of processor time, {clock:,.0f} s by the clock")
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
