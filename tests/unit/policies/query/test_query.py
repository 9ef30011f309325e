"""The service around the engine: decisions, refusals, limits, audit, explanations, push queries."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from catalog.datatypes import STRING, leaves, parse_ddl
from catalog.errors import DatasetNotFound, LimitExceeded, NotAllowed, SqlRefused
from catalog.model import DatasetId
from catalog.paths import VALUE
from policies.masks.keys import MaskKeys
from policies.model import (
    ColumnDecision,
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Mask,
    MaskType,
    Reason,
    RowFilter,
    Subject,
)
from policies.plan.errors import QueryFailed
from policies.plan.model import Batches, PartRead, QueryPlan, Result
from policies.plan.ports import QueryRecord, QueryTable
from policies.plan.refusals import split_name
from policies.plan.settings import QuerySettings
from policies.plan.views import govern
from policies.query.door import AuditedGate
from policies.query.service import GovernedQuery
from policies.sql.literals import without_literals
from tests.twins.policies.engine import MemoryEngine, MemoryTopics

KIND = parse_ddl("id STRING, amount INT, note STRING, who STRUCT<name: STRING, mail: STRING>, user STRING")
ANA = Subject("ana")
KEYS = MaskKeys(b"a secret for tests, sixteen or more")
ID = DatasetId("kafka://tests", "orders")
FACTS = DatasetFacts(ID, "prod/orders", (*(FieldFacts(str(p)) for p, _ in leaves(KIND, VALUE)), FieldFacts("key")))
KAFKA = {"kafka.bootstrap.servers": "x"}
TABLE = QueryTable("prod/orders", "orders", FACTS, KAFKA, PartRead("text", STRING), PartRead("json", KIND))
REASONS = (Reason("policy", "mask-mail", "mails are masked"), Reason("tag", "EMAIL_ADDRESS", "98% of 1,000"))


def decided(masks: dict[str, Mask] | None = None, deny: tuple[str, ...] = (), **more: Any) -> Decision:
    columns = tuple(
        ColumnDecision(f.path, Effect.DENY, reasons=(Reason("policy", "deny-notes", "notes stay with the owner"),))
        if f.path in deny
        else ColumnDecision(f.path, Effect.ALLOW, (masks or {}).get(f.path), reasons=REASONS)
        for f in FACTS.fields
    )
    return Decision(ID, "prod/orders", Effect.ALLOW, columns, **more)


@dataclass
class WrittenAudit:
    """Keeps what is recorded."""

    entries: list[QueryRecord] = field(default_factory=list)

    def record(self, entry: QueryRecord) -> None:
        self.entries.append(entry)


@dataclass
class World:
    decision: Decision | Exception = field(default_factory=decided)
    entries: list[QueryRecord] = field(default_factory=list)
    topics: MemoryTopics = field(
        default_factory=lambda: MemoryTopics(
            {"orders": [{"key": f"k{i}", "value": {"id": f"o{i}", "amount": i}} for i in range(5)]}
        )
    )
    plans: list[QueryPlan] = field(default_factory=list)
    before_run: Callable[[], None] = lambda: None
    now: DatasetFacts | Exception = FACTS
    asked: list[DatasetFacts] = field(default_factory=list)
    settings: QuerySettings = field(default_factory=QuerySettings)

    def service(self) -> GovernedQuery:
        return GovernedQuery(self, self._decide, self, self.topics, self, KEYS, self.settings)

    def find(self, name: str) -> QueryTable:
        if name not in ("orders", "prod.orders"):
            raise DatasetNotFound(f"There is no dataset {name!r}; did you mean orders?", details={"nearest": "orders"})
        return TABLE

    def facts(self, reference: str) -> DatasetFacts:
        assert reference == "prod/orders"
        if isinstance(self.now, Exception):
            raise self.now
        return self.now

    def _decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        self.asked.append(facts)
        if isinstance(self.decision, Exception):
            raise self.decision
        return self.decision

    def record(self, entry: QueryRecord) -> None:
        self.entries.append(entry)

    def run(self, plan: QueryPlan) -> Result:
        self.plans.append(plan)
        self.before_run()
        return MemoryEngine(self.topics).run(plan)

    def open(self, plan: QueryPlan) -> AbstractContextManager[Batches]:
        return MemoryEngine(self.topics).open(plan)

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        return MemoryEngine(self.topics).check(plan)


def test_an_answer() -> None:
    world = World()
    answer = world.service().run(ANA, "SELECT id, Amount FROM prod.orders", "analysis", 3).to_json()
    assert answer["rows"] == [["o0", 0], ["o1", 1], ["o2", 2]]
    assert answer["truncated"] is True
    assert answer["columns"][1] == {"name": "Amount", "type": "int", "decision": {"effect": "clear", "text": "clear"}}
    assert answer["decision"]["effect"] == "allow"
    assert answer["window"]["tables"] == [
        {
            "dataset": "prod/orders",
            "complete": True,
            "since": None,
            "until": None,
            "limit": 100_000,
            "records": 5,
            "partitions": [{"partition": 0, "start": 0, "end": 5}],
        }
    ]


def test_the_audit_comes_before_the_first_row_and_holds_no_literal() -> None:
    world = World()
    world.before_run = lambda: seen.extend(world.entries)
    seen: list[QueryRecord] = []
    with pytest.raises(QueryFailed):
        world.service().run(ANA, "SELECT id FROM orders WHERE who.mail = 'anna@example.eu' AND amount > 77", "analysis")
    (entry,) = seen
    assert [(e.action, e.outcome) for e in world.entries] == [("query", "allow"), ("query.end", "failed")]
    assert (entry.action, entry.outcome, entry.purpose, entry.datasets) == (
        "query",
        "allow",
        "analysis",
        ("prod/orders",),
    )
    assert "anna" not in entry.sql and "77" not in entry.sql and "?" in entry.sql
    assert entry.fields == {"prod/orders": ("value.amount", "value.id", "value.who.mail")}


def test_an_audit_that_cannot_be_written_stops_the_query() -> None:
    world = World()
    service = world.service()

    class Broken:
        def record(self, entry: QueryRecord) -> None:
            raise OSError

    service._trail = AuditedGate(Broken())
    with pytest.raises(OSError):
        service.run(ANA, "SELECT * FROM orders")
    assert not world.plans


def test_a_denied_dataset() -> None:
    reasons = (Reason("default", "deny", "no role or grant opens this dataset"),)
    world = World(Decision(ID, "prod/orders", Effect.DENY, reasons=reasons))
    with pytest.raises(NotAllowed) as caught:
        world.service().run(ANA, "SELECT * FROM orders", "analysis")
    assert caught.value.details["reasons"][0] == {
        "dataset": "prod/orders",
        "kind": "default",
        "name": "deny",
        "text": "no role or grant opens this dataset",
    }
    assert caught.value.details["ask"] == ["weir request create prod/orders --purpose analysis"]
    assert [e.outcome for e in world.entries] == ["deny"]
    assert not world.plans


def test_what_cannot_be_decided_is_denied() -> None:
    world = World(RuntimeError("the store is away: secret-host"))
    with pytest.raises(NotAllowed) as caught:
        world.service().run(ANA, "SELECT * FROM orders")
    assert "could not be read" in str(caught.value.details) and "secret-host" not in str(caught.value.details)
    assert not world.plans


def test_a_filter_that_does_not_fit_the_record_denies() -> None:
    world = World(decided(filters=(RowFilter("prod/orders", "region = 'EU'"),)))
    with pytest.raises(NotAllowed) as caught:
        world.service().run(ANA, "SELECT * FROM orders")
    assert "region" in str(caught.value.details["reasons"])


def test_a_denied_column_is_named_with_the_reason_and_how_to_ask() -> None:
    world = World(decided(deny=("value.note", "value.who.mail")))
    with pytest.raises(NotAllowed) as caught:
        world.service().run(ANA, "SELECT note FROM orders")
    details = caught.value.details
    assert details["columns"] == ["note"]
    assert details["reasons"][0]["name"] == "deny-notes"
    assert details["ask"] == ["weir request create prod/orders --field 'value.note' --purpose PURPOSE"]
    star = world.service().run(ANA, "SELECT id FROM orders")
    assert len(star.rows) == 5


def test_an_unknown_column_has_its_nearest_name() -> None:
    with pytest.raises(QueryFailed) as caught:
        World().service().run(ANA, "SELECT amout FROM orders")
    assert caught.value.message == "There is no column amout; did you mean amount?"


def test_an_unknown_table_has_its_place() -> None:
    with pytest.raises(DatasetNotFound) as caught:
        World().service().run(ANA, "SELECT *\nFROM order_s")
    assert (caught.value.details["line"], caught.value.details["column"]) == (2, 6)


def test_refused_sql_never_reaches_the_tables_and_is_in_the_audit() -> None:
    world = World()
    with pytest.raises(SqlRefused):
        world.service().run(ANA, "SELECT reflect('java.lang.System', 'getenv') FROM orders")
    assert [e.outcome for e in world.entries] == ["refused"] and not world.plans
    with pytest.raises(SqlRefused):
        world.service().run(ANA, "SELECT * FROM orders EMIT CHANGES")


def test_names_that_spark_would_answer_itself_must_be_columns() -> None:
    assert World().service().run(ANA, "SELECT user FROM orders").rows
    with pytest.raises(SqlRefused, match="no column user"):
        World(decided(deny=("value.user",))).service().run(ANA, "SELECT user FROM orders")


def test_limits() -> None:
    service = World(settings=QuerySettings(max_rows=10)).service()
    for limit in (0, -1, 11):
        with pytest.raises(LimitExceeded):
            service.run(ANA, "SELECT * FROM orders", limit=limit)


def test_one_subject_cannot_take_all_places() -> None:
    world = World(settings=QuerySettings(concurrent_per_subject=1, wait_seconds=0.05))
    inside, go = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        assert go.wait(10)

    world.before_run = wait
    service = world.service()
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(service.run(ANA, "SELECT id FROM orders")))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(LimitExceeded) as caught:
        service.run(ANA, "SELECT id FROM orders")
    assert caught.value.details["limit"] == "concurrent_per_subject"
    go.set()
    thread.join(10)
    assert len(answers[0].rows) == 5
    assert service.run(ANA, "SELECT id FROM orders").rows


def test_the_header_says_which_policy_masks_and_why() -> None:
    world = World(decided({"value.who.mail": Mask("EMAIL_DOMAIN")}))
    explained = govern(TABLE, world.decision, KEYS)  # type: ignore[arg-type]
    assert explained.names["who"].sql != "weir_value.`who`"
    from policies.gate.gate import check
    from policies.plan import explain
    from policies.sql import trace

    gated = check("SELECT who.mail AS m, upper(who.mail), who.name, id, 1 FROM orders")
    (ref,) = gated.tables
    outputs = trace.outputs(gated.tree, {ref: trace.Visible([c.name for c in explained.shown])})
    shown = [explain.header(o, {ref: explained}) for o in outputs]
    assert [s["effect"] for s in shown] == ["masked", "derived", "clear", "clear", "derived"]
    assert shown[0]["text"] == "value.who.mail: EMAIL_DOMAIN by mask-mail (98% of 1,000)"


def test_with_a_row_filter_positions_are_withheld() -> None:
    decision = decided(filters=(RowFilter("prod/orders", "amount > 1"),))
    governed = govern(TABLE, decision, KEYS)
    assert governed.names["_offset"].sql == "CAST(NULL AS BIGINT)"
    assert govern(TABLE, decision, KEYS, True).names["_offset"].sql == "weir_offset"
    assert govern(TABLE, decided(), KEYS).names["_offset"].sql == "weir_offset"


def test_the_record_as_it_was_sent_is_for_who_sees_everything() -> None:
    assert govern(TABLE, decided(), KEYS).names["_value"].sql == "CAST(weir_raw AS STRING)"
    for decision in (
        decided({"value.id": Mask(MaskType.MASK)}),
        decided({"key": Mask(MaskType.MASK)}),
        decided(deny=("value.note",)),
        decided(gaps=("no scan yet",)),
        replace(decided(), columns=()),
    ):
        assert govern(TABLE, decision, KEYS).names["_value"].sql is None


def test_explain_reads_nothing_and_explains_a_denial() -> None:
    world = World()
    answer = world.service().explain(ANA, "SELECT id FROM orders AS OF EARLIEST", "analysis")
    assert answer["sql"] == "SELECT `id` FROM `orders` AS `orders`"
    assert answer["columns"] == [{"name": "id", "type": "string", "decision": {"effect": "clear", "text": "clear"}}]
    assert answer["window"] is not None and answer["window"]["tables"][0]["records"] == 5
    assert not world.plans and [e.action for e in world.entries] == ["query.explain"]
    denied = World(Decision(ID, "prod/orders", Effect.DENY, reasons=REASONS)).service()
    answer = denied.explain(ANA, "SELECT id FROM orders")
    assert answer["decision"]["effect"] == "deny" and answer["window"] is None


def test_an_explanation_that_is_refused_is_in_the_audit() -> None:
    world = World()
    with pytest.raises(SqlRefused):
        world.service().explain(ANA, "SELECT reflect('a', 'b') FROM orders")
    assert [(e.action, e.outcome) for e in world.entries] == [("query.explain", "refused")]


def test_a_push_query_sends_what_comes_and_ends_when_access_does() -> None:
    world = World(settings=QuerySettings(recheck_seconds=0.01))
    events = world.service().stream(ANA, "SELECT id FROM orders EMIT CHANGES")
    world.topics.topics["orders"].append({"key": "k", "value": {"id": "new"}})
    first, second = next(events), next(events)
    assert first["type"] == "columns" and [c["name"] for c in first["columns"]] == ["id"]
    assert second == {"type": "rows", "rows": [["new"]], "truncated": False, "unreadable": {}}
    world.decision = Decision(ID, "prod/orders", Effect.DENY, reasons=(Reason("grant", "g1", "the grant was revoked"),))
    world.topics.topics["orders"].append({"key": "k", "value": {"id": "too late"}})
    last: list[Any] = list(events)
    assert [e["type"] for e in last] == ["end"]
    assert last[0]["code"] == "not_allowed" and last[0]["reasons"][0]["text"] == "the grant was revoked"


def test_a_push_query_without_news_ends_too() -> None:
    world = World(settings=QuerySettings(recheck_seconds=0.01))
    events = world.service().stream(ANA, "SELECT id FROM orders EMIT CHANGES")
    world.decision = RuntimeError("away")
    assert [e["type"] for e in events if e["type"] != "idle"] == ["columns", "end"]


def test_a_push_query_is_decided_on_the_tags_of_now() -> None:
    world = World(settings=QuerySettings(recheck_seconds=0.01))
    events = world.service().stream(ANA, "SELECT id FROM orders EMIT CHANGES")
    assert next(events)["type"] == "columns"
    world.now = replace(FACTS, fields=(FieldFacts("value.id", {"EMAIL_ADDRESS": "98% of 1,000"}), *FACTS.fields[1:]))
    world.topics.topics["orders"].append({"key": "k", "value": {"id": "new"}})
    assert next(events)["type"] == "rows"
    assert world.asked[0] is FACTS and world.asked[-1] is world.now
    world.now = DatasetNotFound("There is no dataset prod/orders.")
    last: list[Any] = [e for e in events if e["type"] != "idle"]
    assert [e["code"] for e in last] == ["dataset_not_found"]


@pytest.mark.parametrize(
    ("end", "outcome"),
    [("revoked", "failed"), ("unreadable", "failed"), ("cancelled", "cancelled"), ("broken", "failed")],
)
def test_the_audit_says_how_a_push_query_ended(end: str, outcome: str) -> None:
    world = World(settings=QuerySettings(recheck_seconds=0.01))
    service = world.service()
    with service.running.during(ANA, "SELECT id FROM orders EMIT CHANGES", None) as live:
        events = service.stream(ANA, live.sql, running=live)
        next(events)
        if end == "revoked":
            world.decision = Decision(ID, "prod/orders", Effect.DENY, reasons=REASONS)
        elif end == "unreadable":
            world.now = RuntimeError("away")
        elif end == "cancelled":
            live.stop.stop("was cancelled by ana")
        else:
            world.topics.topics["orders"].append({"key": "k", "value": {"id": "new"}})

            def fail() -> None:
                raise QueryFailed("The engine gave up.")

            world.before_run = fail
        assert [e["type"] for e in events if e["type"] != "idle"] == ["end"]
    assert [(e.action, e.outcome) for e in world.entries][-1] == ("query.end", outcome)


@pytest.mark.parametrize("sql", ["SELECT id FROM orders ORDER BY id EMIT CHANGES", "SELECT id FROM orders"])
def test_a_push_query_that_cannot_be_is_in_the_audit(sql: str) -> None:
    world = World()
    with pytest.raises(SqlRefused):
        if "EMIT" in sql:
            world.service().stream(ANA, sql)
        else:
            world.service().run(ANA, sql + " EMIT CHANGES")
    assert [e.outcome for e in world.entries] == ["refused"]


def test_a_query_that_does_not_end_with_emit_changes_is_not_followed() -> None:
    with pytest.raises(SqlRefused, match="add it, or ask for the rows of now"):
        World().service().stream(ANA, "SELECT id FROM orders")


def test_what_cannot_be_pushed_is_refused_before_anything() -> None:
    with pytest.raises(SqlRefused, match="ORDER BY"):
        World().service().stream(ANA, "SELECT id FROM orders ORDER BY id EMIT CHANGES")


@pytest.mark.parametrize(
    "literal",
    [
        "4111111111111111L",
        "1.5BD",
        "5S",
        "4111_1111",
        "4111x",
        "N'anna'",
        "b'01'",
        "$$anna$$",
        "'anna'",
        "x'0a1b'",
        "r'anna'",
        "1e5",
        "12.75D",
        "-3",
        "'a' 'anna'",
        "DATE'2020-01-01'",
        "INTERVAL 3 DAYS",
    ],
)
def test_no_literal_is_left(literal: str) -> None:
    shown = without_literals(f"SELECT a FROM orders WHERE x = {literal} AND y")
    assert "anna" not in shown and not any(c.isdigit() for c in shown)
    assert shown == "(unreadable)" or shown.endswith("AND y")


def test_small_things() -> None:
    assert split_name("`a`.`b``c`") == ["a", "b`c"]
    assert split_name("a.b") == ["a", "b"]
    assert without_literals("SELECT 'a', 1.5, x'ab' FROM `t` -- secret") == "SELECT ?, ?, ? FROM `t`"
    assert without_literals("SELECT 'open") == "(unreadable)"


def test_a_star_stands_for_the_fields_and_system_columns_come_by_name() -> None:
    world = World()
    named = [c["name"] for c in world.service().run(ANA, "SELECT * FROM orders", "analysis").columns]
    assert not any(name.startswith("_") for name in named)
    assert {name for name, _ in world.plans[-1].tables[0].columns} == set(named), "what is not named is not even there"


def test_notes_of_hints_and_of_names_in_double_quotes() -> None:
    answer = World().service().run(ANA, "SELECT /*+ BROADCAST(orders) */ id FROM orders", "analysis")
    assert answer.notes == ["Hints (/*+ ... */) are ignored; the engine plans each query itself."]
    with pytest.raises(QueryFailed):  # the engine of the tests takes plain columns only
        World().service().run(ANA, 'SELECT "amount" FROM orders', "analysis")
    from policies.gate import gate
    from policies.query import answer as query_answer

    preparer = World().service().preparer
    gated = gate.check("""SELECT "AMOUNT", 'id', "else" FROM orders""")
    (note,) = query_answer.notes(preparer.govern(gated, preparer.find(ANA, gated, None)))
    assert note.startswith('"amount" in double quotes is a text, as Spark reads it')


@pytest.mark.parametrize("sign", ["=", "<>", ">", "<="])
def test_a_comparison_with_null_has_a_note(sign: str) -> None:
    from policies.gate import gate
    from policies.query import answer as query_answer

    preparer = World().service().preparer
    for sql, notes in (
        (f"SELECT id FROM orders o WHERE o.amount {sign} NULL",
         [f"o.amount {sign} NULL is never true; write IS NULL or IS NOT NULL."]),
        ("SELECT id FROM orders WHERE amount IS NULL OR amount <=> NULL OR coalesce(amount, NULL) = 1", []),
    ):  # fmt: skip
        gated = gate.check(sql)
        assert query_answer.notes(preparer.govern(gated, preparer.find(ANA, gated, None))) == notes
