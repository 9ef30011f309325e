"""Values that do not fit their column: what an answer reports, to whom, and what else follows from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog.datatypes import STRING, leaves, parse_ddl
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.masks.keys import MaskKeys
from policies.model import (
    ColumnDecision,
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Mask,
    MaskType,
    OnUnreadable,
    Subject,
)
from policies.plan.cancellation import Stop
from policies.plan.errors import ValuesUnreadable
from policies.plan.model import PartRead
from policies.plan.ports import QueryRecord, QueryTable
from policies.plan.registry import Running
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import report
from policies.plan.views import govern
from policies.query.service import GovernedQuery
from tests import reading_truth
from tests.twins.policies import values as memory_values
from tests.twins.policies.engine import MemoryEngine, MemoryTopics

KIND = parse_ddl("n INT, qty INT, flag BOOLEAN, items ARRAY<STRUCT<sku: STRING, qty: INT>>, tags MAP<STRING, INT>")
ID = DatasetId("kafka://tests", "orders")
FACTS = DatasetFacts(ID, "prod/orders", (*(FieldFacts(str(p)) for p, _ in leaves(KIND, VALUE)), FieldFacts("key")))
TABLE = QueryTable("prod/orders", "orders", FACTS, {}, PartRead("text", STRING), PartRead("json", KIND))
ANA = Subject("ana")
KEYS = MaskKeys(b"a secret for tests, sixteen or more")
SMALL = [{"key": "k", "value": {"n": i, "qty": i, "flag": True}} for i in range(3)]
DRIFTED = {
    "key": "k",
    "value": b'{"n": 5000000000, "qty": 2.5, "flag": "yes", "items": [{"qty": "x"}, 7], "tags": {"a": 1.5}}',
}
ALL = "SELECT n, qty, flag, items, tags FROM orders"
BROKEN = {"key": "k", "value": b"{broken"}


def decided(**effects: Any) -> Decision:
    """Everything unmasked but what `effects` names: path below value -> Mask, or None for denied."""
    named = {f"value.{name.replace('__', '.')}": effect for name, effect in effects.items()}
    columns = tuple(
        ColumnDecision(f.path, Effect.DENY)
        if f.path in named and named[f.path] is None
        else ColumnDecision(f.path, Effect.ALLOW, named.get(f.path))
        for f in FACTS.fields
    )
    return Decision(ID, "prod/orders", Effect.ALLOW, columns)


@dataclass
class World:
    records: list[dict[str, Any]]
    decision: Decision = field(default_factory=decided)
    settings: QuerySettings = field(default_factory=QuerySettings)
    scanned: list[str] = field(default_factory=list)
    scan: str | None = "scan-1"
    entries: list[QueryRecord] = field(default_factory=list)

    def service(self) -> GovernedQuery:
        topics = MemoryTopics({"orders": self.records})
        return GovernedQuery(
            self, lambda *_: self.decision, MemoryEngine(topics), topics, self, KEYS, self.settings, self._drift
        )

    def _drift(self, reference: str) -> str | None:
        self.scanned.append(reference)
        return self.scan

    def find(self, name: str) -> QueryTable:
        return TABLE

    def facts(self, reference: str) -> DatasetFacts:
        return FACTS

    def record(self, entry: QueryRecord) -> None:
        self.entries.append(entry)


def test_an_answer_counts_what_does_not_fit_by_column_and_place() -> None:
    """The example of the topic that was scanned while its numbers were small."""
    answer = World([*SMALL, DRIFTED, BROKEN]).service().run(ANA, ALL).to_json()
    assert answer["unreadable"] == {
        "*": 1,
        "n": 1,
        "qty": 1,
        "flag": 1,
        "items[]": 1,
        "items[].qty": 1,
        "tags{}": 1,
    }
    text = answer["unreadableText"]
    assert text is not None and "1 value of n (INT)" in text and "1 record cannot be decoded" in text
    assert "weir scan prod --topics orders" in text and "schema.spark" in text


def test_each_fix_is_named_for_what_it_helps() -> None:
    """A scan finds other types for values. It changes nothing for a record that is not JSON."""
    records = str(World([*SMALL, BROKEN, BROKEN], scan=None).service().run(ANA, ALL).unreadable.text)
    assert "2 records cannot be decoded, so all their columns are NULL: " in records
    assert "--dead-letter" in records and "format of the Dataset prod/orders" in records
    assert "scan the topic again" not in records and "schema.spark" not in records
    one = str(World([*SMALL, BROKEN], scan=None).service().run(ANA, ALL).unreadable.text)
    assert "1 record cannot be decoded, so all its columns are NULL: " in one
    values = str(World([*SMALL, DRIFTED], scan=None).service().run(ANA, ALL).unreadable.text)
    assert "scan the topic again (weir scan prod --topics orders)" in values and "schema.spark" in values
    assert "--dead-letter" not in values
    both = str(World([*SMALL, DRIFTED, BROKEN], scan=None).service().run(ANA, ALL).unreadable.text)
    assert both == f"{values} {one}"


def test_what_is_shown_of_a_number_that_is_too_large_is_named() -> None:
    """1e400 in a STRING or DOUBLE is Infinity in an answer, not NULL."""
    text = str(report({"v": ("orders", TABLE)}, {"v": {"value.items[].sku": 2}}).text)
    assert "2 values of items[].sku (STRING) do not fit" in text and "Infinity" in text
    assert "Infinity" not in str(report({"v": ("orders", TABLE)}, {"v": {"value.n": 2}}).text)


def test_an_answer_where_all_fits_says_nothing() -> None:
    world = World(SMALL)
    answer = world.service().run(ANA, ALL).to_json()
    assert (answer["unreadable"], answer["unreadableText"], world.scanned) == ({}, None, [])


def test_only_columns_that_the_query_names_are_counted() -> None:
    answer = World([*SMALL, DRIFTED]).service().run(ANA, "SELECT n FROM orders")
    assert answer.unreadable.counts == {"n": 1}


@pytest.mark.parametrize("hidden", [Mask(MaskType.MASK), Mask("MASK_HASH"), None])
def test_hidden_columns_are_not_counted_nor_is_what_holds_them(hidden: Mask | None) -> None:
    governed = govern(TABLE, decided(qty=hidden, items=hidden), KEYS)
    paths = [path for _, path in governed.watched]
    assert "value.n" in paths and "value.qty" not in paths
    inside = govern(
        TABLE,
        replace(
            decided(),
            columns=tuple(
                replace(c, mask=Mask(MaskType.MASK)) if c.path == "value.items[].sku" else c for c in decided().columns
            ),
        ),
        KEYS,
    )
    paths = [path for _, path in inside.watched]
    assert "value.items[].qty" in paths
    assert not {"value.items", "value.items[]", "value.items[].sku"} & set(paths)


def test_a_column_that_is_clear_in_some_rows_only_is_not_counted() -> None:
    some = tuple(
        replace(c, mask=Mask(MaskType.MASK), clear_when="n = 1") if c.path == "value.qty" else c
        for c in decided().columns
    )
    governed = govern(TABLE, replace(decided(), columns=some), KEYS)
    assert "value.qty" not in [path for _, path in governed.watched]


def test_nothing_is_watched_where_nothing_is_clear() -> None:
    masked = replace(decided(), columns=tuple(replace(c, mask=Mask(MaskType.MASK)) for c in decided().columns))
    assert govern(TABLE, masked, KEYS).watched == ()


def _asked(on: OnUnreadable | None) -> Running:
    return Running("q", "ana", "SELECT n FROM orders", None, Stop(), on_unreadable=on)


def test_a_setting_or_the_query_itself_makes_it_an_error() -> None:
    strict = World([*SMALL, DRIFTED], settings=QuerySettings(unreadable=OnUnreadable.ERROR))
    with pytest.raises(ValuesUnreadable) as caught:
        strict.service().run(ANA, "SELECT n FROM orders")
    assert caught.value.details == {"unreadable": {"n": 1}, "datasets": ["prod/orders"]}
    assert "1 value of n (INT)" in caught.value.message and "weir scan" in caught.value.message
    assert [e.outcome for e in strict.entries] == ["allow", "failed"]
    answer = strict.service().run(ANA, "SELECT n FROM orders", running=_asked(OnUnreadable.REPORT))
    assert answer.unreadable.counts == {"n": 1}
    with pytest.raises(ValuesUnreadable):
        World([DRIFTED]).service().run(ANA, "SELECT n FROM orders", running=_asked(OnUnreadable.ERROR))
    assert World(SMALL).service().run(ANA, "SELECT n FROM orders", running=_asked(OnUnreadable.ERROR)).rows


def test_a_scan_is_asked_for_and_the_answer_says_so_only_then() -> None:
    world = World([*SMALL, DRIFTED])
    assert "scan-1" in str(world.service().run(ANA, "SELECT n FROM orders").unreadable.text)
    assert world.scanned == ["prod/orders"]
    world.scan = None
    assert "queued" not in str(world.service().run(ANA, "SELECT n FROM orders").unreadable.text)
    broken = World([*SMALL, BROKEN])
    assert broken.service().run(ANA, "SELECT n FROM orders").unreadable.counts == {"*": 1}
    assert broken.scanned == [], "a scan finds no type for what is not JSON"


def test_a_push_query_counts_since_it_began() -> None:
    world = World(list(SMALL))
    service = world.service()
    topics: Any = service._offsets
    events = service.stream(ANA, "SELECT n FROM orders EMIT CHANGES")
    assert next(events)["type"] == "columns"
    for total in (1, 2):
        topics.topics["orders"].append(DRIFTED)
        news: list[Any] = [e for e in (next(events), next(events)) if e["type"] != "idle"]
        assert [e["type"] for e in news] == ["unreadable", "rows"]
        assert news[0]["unreadable"] == {"n": total} and f"{total} value" in news[0]["text"]
        assert news[1]["rows"] == [[None]] and news[1]["unreadable"] == {"n": total}
    events.close()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["sku", "qty", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(st.sampled_from([name for name, _ in KIND.fields]), JSON, max_size=5))
@example({"items": [{"sku": Decimal("0")}, {"sku": [Decimal("1E+3"), {"a": Decimal("-0.10")}]}]})
def test_every_value_is_read_as_it_was_sent_or_counted(value: dict[str, Any]) -> None:
    """The rule by plain Python; `tests/integration/test_query_reading.py` holds Spark to the same."""
    slips: Counter[str] = Counter()
    read = memory_values.read(KIND, value, FieldPath("value"), slips)
    assert reading_truth.differing(KIND, value, read, FieldPath("value")) == slips
