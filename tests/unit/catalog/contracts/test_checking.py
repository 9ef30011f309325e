"""Whether rules hold in profiles: a draft holds in the profile it was made of, and each planted breach is found."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.validators import validator_for

from catalog.contracts.bounds import Interval
from catalog.contracts.checking import check, check_rule
from catalog.contracts.contradictions import require_consistent
from catalog.contracts.diff import Effect, contract_changes
from catalog.contracts.draft import draft
from catalog.contracts.observed import Observed
from catalog.contracts.odcs import canonical, check_document, custom
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import Result, Rule, RuleKind, State
from catalog.contracts.service_levels import seconds_of
from catalog.model import DatasetId, FieldProfile, ScanWindow, SchemaVersion, Shape
from catalog.records import DatasetRecord

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RECORD = DatasetRecord(
    DatasetId("kafka://localhost:9092", "orders"), cluster="prod", topic={"retentionMs": 604_800_000}, scanned_at=NOW
)
FIXTURES = Path(__file__).parents[3] / "fixtures" / "odcs"
AT = {"time": "2026-03-01T11:00:00Z", "partition": 2, "offset": 17}


def profile(path: str, presence: float = 1.0, nulls: float = 0.0, details: Any = None, **types: float) -> FieldProfile:
    types = types or {"string": 1.0 - nulls} | ({"null": nulls} if nulls else {})
    return FieldProfile(path, types, round(1000 * presence), presence, nulls, details=details or {})


def schema(*fields: FieldProfile, shapes: tuple[Shape, ...] = (), **window: Any) -> SchemaVersion:
    root = FieldProfile("value", {"object": 1.0}, 1000, 1.0)
    seen = ScanWindow(records=1000, **{"time_to": "2026-03-01T11:00:00Z", **window})
    return SchemaVersion({"key": "string", "value": "json"}, (root, *fields), shapes, seen, 1)


def results(document: dict[str, Any], seen: SchemaVersion, **more: Any) -> dict[str, Result]:
    (promise,) = read_contract(document).promises
    return check(promise.rules, Observed(seen, NOW, topic=RECORD.topic, **more))


# --- drafts -----------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["id", "a", "b.c", "größe", "order id", "x"])
SHARES = st.floats(0, 1).map(lambda x: round(x, 6))


@st.composite
def profiles(draw: Any) -> SchemaVersion:
    fields: dict[str, FieldProfile] = {}
    for name in draw(st.lists(NAMES, max_size=5, unique=True)):
        _field(draw, fields, FieldProfile("value", {}, 0, 0).field_path.field(name), 0)
    for part in draw(st.lists(st.sampled_from(["key"]), max_size=1)):
        fields[part] = profile(part, presence=draw(SHARES), string=1.0)
    discriminator = next((p for p in fields.values() if "string" in p.types), None)
    shapes: tuple[Shape, ...] = ()
    if discriminator is not None and draw(st.booleans()):
        shapes = (Shape(0.5, (), {discriminator.path: "A"}), Shape(0.5, (), {discriminator.path: "B"}))
    return schema(*fields.values(), shapes=shapes, complete=draw(st.booleans()))


def _field(draw: Any, fields: dict[str, FieldProfile], path: Any, depth: int) -> None:
    kinds = ["int32", "int64", "double", "string", "boolean", "uuid", "binary", "date", "timestamp", "null"]
    names = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3, unique=True))
    if depth < 2 and draw(st.booleans()):
        names = [draw(st.sampled_from(["object", "array", "map"]))]
    share = round(1 / len(names), 6)
    presence = draw(SHARES)
    details: dict[str, Any] = {}
    if {"int32", "int64", "double"} & set(names):
        low = draw(st.integers(-5, 5))
        details = {"magnitude": [low, low + draw(st.integers(0, 12))], "negative": draw(st.booleans())}
    if "string" in names and draw(st.booleans()):
        details["formats"] = {"uuid": draw(st.sampled_from([1.0, 0.5]))}
    if "string" in names and draw(st.booleans()):
        details["registered"] = {"symbols": ["NEW", "PAID"]}
    lengths = (draw(st.integers(0, 3)), draw(st.integers(3, 5000))) if {"string", "array"} & set(names) else None
    count = max(1, round(1000 * presence))
    nulls = share if "null" in names else 0.0
    fields[str(path)] = FieldProfile(
        str(path), dict.fromkeys(names, share), count, presence, nulls, draw(st.integers(1, count)), lengths, details
    )
    below = {"object": path.field("n"), "array": path.elements(), "map": path.values()}.get(names[0])
    if below is not None:
        _field(draw, fields, below, depth + 1)


@given(profiles(), st.lists(st.sampled_from(["value.id", "value.a", "value.x"]), max_size=2))
def test_a_draft_holds_in_the_profile_it_was_made_of(seen: SchemaVersion, personal: list[str]) -> None:
    document = draft(RECORD, seen, personal)
    check_document(document)
    require_consistent(read_contract(document))
    assert canonical(document) == document
    decided = results(document, seen)
    assert decided
    assert {id: r for id, r in decided.items() if r.state is not State.HOLDS} == {}


@given(profiles())
def test_a_contract_does_not_differ_from_itself(seen: SchemaVersion) -> None:
    contract = read_contract(draft(RECORD, seen, ()))
    assert contract_changes(contract, contract) == []


@given(profiles(), profiles())
def test_what_one_draft_breaks_of_another_is_never_only_new(one: SchemaVersion, other: SchemaVersion) -> None:
    before, after = read_contract(draft(RECORD, one, ())), read_contract(draft(RECORD, other, ()))
    for change in contract_changes(before, after):
        assert not (change.before is None and change.rule != "dataset" and change.effect is Effect.BREAKS)
        assert not (change.after is None and change.rule != "dataset" and change.effect is Effect.COMPATIBLE)


@given(profiles())
def test_a_draft_is_valid_by_the_schema_of_the_version_it_names(seen: SchemaVersion) -> None:
    judge = json.loads((FIXTURES / "odcs-json-schema-v3.1.0.json").read_text())
    document = draft(RECORD, seen, ())
    assert [e.message for e in validator_for(judge)(judge).iter_errors(document)] == []


def test_a_draft_has_nothing_of_the_contents_of_personal_data() -> None:
    details = {"formats": {"uuid": 1.0}, "registered": {"symbols": ["ana@example.org"]}}
    person = replace(profile("value.mail", details=details), lengths=(5, 30))
    document: Any = draft(RECORD, schema(person, profile("value.mail.x")), ["value.mail"])
    (prop,) = document["schema"][0]["properties"]
    assert prop["classification"] == "personal"
    assert not {"logicalTypeOptions", "quality"} & set(prop)
    assert "ana@example.org" not in json.dumps(document)


SMALL = profile("value.n", details={"magnitude": [0, 0]}, int64=1.0)

# --- planted breaches -------------------------------------------------------------------------------------------------


def document(*properties: dict[str, Any], sla: tuple[Any, ...] = (), quality: tuple[Any, ...] = (), **own: Any) -> Any:
    customs = [{"property": n, "value": v} for n, v in {"dataset": "prod/orders", **own}.items()]
    element = {"name": "orders", "properties": list(properties), "customProperties": customs, "quality": list(quality)}
    whole = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "o", "version": "1", "schema": [element]}
    whole |= {"slaProperties": list(sla)} if sla else {}
    check_document(whole)
    return whole


def test_another_type_is_found_with_the_place_where_it_was_first_seen() -> None:
    wrong = profile(
        "value.n", details={"typesFirstSeen": {"string": AT, "int64": {**AT, "offset": 0}}}, int64=0.9, string=0.1
    )
    result = results(document({"name": "n", "logicalType": "integer"}), schema(wrong))["value.n:type"]
    assert (result.state, result.count, result.share, result.first) == (State.BROKEN, 100, 0.1, AT)


@pytest.mark.parametrize(
    ("prop", "seen"),
    [
        ({"required": True}, profile("value.n", presence=0.9)),
        ({"required": True}, profile("value.n", nulls=0.1)),
        ({"required": True}, profile("value.other")),
        ({"customProperties": [{"property": "presence", "value": 0.9}]}, profile("value.n", presence=0.5)),
        ({"quality": [{"metric": "nullValues", "mustBe": 0}]}, profile("value.n", nulls=0.1)),
        (
            {"quality": [{"metric": "nullValues", "mustBeLessThan": 5, "unit": "percent"}]},
            profile("value.n", nulls=0.1),
        ),
        (
            {"quality": [{"metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": ["A"]}}]},
            profile("value.n", details={"registered": {"symbols": ["A", "B"]}}),
        ),
        (
            {"logicalType": "integer", "logicalTypeOptions": {"minimum": 0}},
            profile("value.n", details={"magnitude": [0, 2], "negative": True}, int64=1.0),
        ),
        (
            {"logicalType": "integer", "logicalTypeOptions": {"maximum": 9}},
            profile("value.n", details={"magnitude": [0, 2], "negative": False}, int64=1.0),
        ),
        (
            {"logicalType": "string", "logicalTypeOptions": {"maxLength": 3}},
            replace(profile("value.n"), lengths=(1, 4)),
        ),
        (
            {"logicalType": "string", "logicalTypeOptions": {"format": "uuid"}},
            profile("value.n", details={"formats": {"uuid": 0.99}}),
        ),
        ({"unique": True}, replace(profile("value.n"), distinct=100)),
    ],
)
def test_a_breach_of_a_field_is_found(prop: dict[str, Any], seen: FieldProfile) -> None:
    decided = results(document({"name": "n", **prop}), schema(seen))
    assert [r.state for id, r in decided.items() if not id.endswith(":type")] == [State.BROKEN], decided


def test_breaches_of_the_records_are_found() -> None:
    sla = (
        {"property": "latency", "value": 30, "unit": "m"},
        {"property": "retention", "value": 30, "unit": "d"},
        {"property": "throughput", "value": 10, "unit": "records/s"},
    )
    own: dict[str, Any] = {"recordTypes": {"field": "value.type", "values": ["A"]}, "additionalFields": False}
    quality = ({"metric": "rowCount", "mustBeGreaterThan": 5000, "id": "rows"},)
    part = {"partition": 0, "begin": 0, "end": 1000, "first": 0, "last": 999}
    seen = schema(
        profile("value.type"),
        profile("value.more"),
        shapes=(Shape(0.7, (), {"value.type": "A"}), Shape(0.3, (), {"value.type": "B"})),
        complete=True,
        partitions=(part,),
        time_from="2026-03-01T10:00:00Z",
    )
    decided = results(document({"name": "type"}, sla=sla, quality=quality, compatibility="BACKWARD", **own), seen)
    assert {id for id, r in decided.items() if r.state is State.BROKEN} == {
        "recordTypes", "closed", "rows", "sla:latency", "sla:retention", "sla:throughput",
    }  # fmt: skip
    assert decided["recordTypes"].share == 0.3
    narrower = schema(profile("value.type", int64=1.0))
    changed = results(document({"name": "type"}, compatibility="BACKWARD"), narrower, before=seen)
    assert changed["compatibility"].state is State.BROKEN


def test_ten_thousand_types_of_records_are_one_sentence() -> None:
    shapes = tuple(Shape(1 / 10_000, (), {"value.type": f"T{n}"}) for n in range(10_000))
    types = {"field": "value.type", "values": [f"T{n}" for n in range(9_000)]}
    decided = results(document({"name": "type"}, recordTypes=types), schema(profile("value.type"), shapes=shapes))[
        "recordTypes"
    ]
    assert (decided.state, decided.reason) == (State.BROKEN, "1000 other types of records")
    assert decided.share == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("prop", "seen", "reason"),
    [
        ({"unique": True}, replace(profile("value.n"), distinct=980), "exact to 5 %"),
        ({"enum": [{"value": "A"}]}, profile("value.n"), "keep no values"),
        ({"logicalType": "integer", "logicalTypeOptions": {"maximum": 5}}, SMALL, "size"),
        ({"logicalType": "string"}, profile("value.other"), "no record has the field"),
    ],
)  # fmt: skip
def test_what_a_profile_does_not_show_is_not_decided_and_the_reason_is_given(
    prop: dict[str, Any], seen: FieldProfile, reason: str
) -> None:
    decided = results(document({"name": "n", **prop}), schema(seen))
    assert any(r.state is State.UNDECIDED and reason in r.reason for r in decided.values()), decided


def test_a_clock_that_is_behind_and_a_scan_of_nothing_decide_nothing() -> None:
    sla = ({"property": "latency", "value": 30, "unit": "m"},)
    ahead = results(document(sla=sla), schema(time_to="2026-03-01T13:00:00Z"))["sla:latency"]
    assert (ahead.state, "clock" in ahead.reason) == (State.UNDECIDED, True)
    nothing = SchemaVersion({}, (), window=ScanWindow())
    decided = results(document({"name": "n", "required": True}), nothing)
    assert {r.state for r in decided.values()} == {State.UNDECIDED}


def test_an_optional_parent_that_no_record_has_breaks_nothing_inside_it() -> None:
    inner = {"name": "p", "logicalType": "object", "properties": [{"name": "n", "required": True}]}
    decided = results(document(inner), schema(profile("value.q")))
    assert {r.state for r in decided.values()} == {State.UNDECIDED}


def test_a_fault_of_a_check_is_a_rule_that_is_not_decided() -> None:
    odd = profile("value.n", details={"magnitude": ["x", "y"]}, int64=1.0)
    prop = {"name": "n", "logicalType": "integer", "logicalTypeOptions": {"minimum": 0}}
    assert results(document(prop), schema(odd))["value.n:range"].state is State.UNDECIDED


@pytest.mark.parametrize("level", [10**400, 1e300])
def test_an_age_beyond_all_times_is_not_decided(level: float) -> None:
    sla = ({"property": "latency", "value": level, "unit": "y"},)
    seen = schema(profile("value.n"), time_to="2026-07-27T09:00:00Z")
    assert results(document({"name": "n"}, sla=sla), seen)["sla:latency"].state is State.UNDECIDED


def test_what_a_reader_relies_on_may_grow_but_not_shrink() -> None:
    def changes(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
        before, after = read_contract(document(old)), read_contract(document(new))
        return [(str(c.effect), c.rule) for c in contract_changes(before, after)]

    integer = {"name": "n", "logicalType": "integer"}
    assert changes(integer, {**integer, "required": True}) == [("compatible", "value.n:required")]
    assert changes({**integer, "required": True}, integer) == [("breaks", "value.n:required")]
    assert changes({"name": "n", "physicalType": "int64"}, {"name": "n", "physicalType": "int32"}) == [
        ("compatible", "value.n:type")
    ]
    assert changes({"name": "n", "physicalType": "int32"}, {"name": "n", "physicalType": "int64"}) == [
        ("breaks", "value.n:type")
    ]
    drafted: Any = draft(RECORD, schema(), ())
    assert custom(drafted["schema"][0], "dataset") == "prod/orders"


QUERY = {"type": "sql", "query": "SELECT count(*) FROM orders", "mustBeLessThan": 10, "id": "q"}
DAYS = {"name": "d", "logicalType": "date", "logicalTypeOptions": {"minimum": "2020-01-01"}}
WORDS = {"metric": "invalidValues", "id": "p", "mustBeLessThan": 5, "arguments": {"pattern": "[A-Z]+"}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (document(quality=(QUERY,)), document(quality=({**QUERY, "mustBeLessThan": 1000},))),
        (document(quality=(QUERY,)), document(quality=({**QUERY, "query": "SELECT 0"},))),
        (document(DAYS), document({**DAYS, "logicalTypeOptions": {"minimum": "1920-01-01"}})),
        (
            document({"name": "n", "quality": [WORDS]}),
            document({"name": "n", "quality": [{**WORDS, "mustBeLessThan": 500}]}),
        ),
        (
            document(sla=({"property": "lateness", "value": 5, "unit": "m"},)),
            document(sla=({"property": "lateness", "value": 5, "unit": "d"},)),
        ),
    ],
)
def test_a_promise_that_no_scan_decides_is_not_weakened_in_silence(old: dict[str, Any], new: dict[str, Any]) -> None:
    (change,) = contract_changes(read_contract(old), read_contract(new))
    assert change.effect is Effect.BREAKS
    assert contract_changes(read_contract(old), read_contract(old)) == []


@pytest.mark.parametrize("metric", ["duplicateValues", "invalidValues"])
@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [
        ({"mustBe": 0}, {"mustBeLessThan": 5}, "breaks"),
        ({"mustBe": 0}, {"mustBeLessThan": 50, "unit": "percent"}, "breaks"),
        ({"mustBeLessThan": 5}, {"mustBeLessThan": 5, "unit": "percent"}, "breaks"),
        ({"mustBeLessThan": 5}, {"mustBe": 0}, "compatible"),
        ({"mustBeLessThan": 5}, {"mustBeLessThan": 4}, "compatible"),
        ({"mustBeLessThan": 50, "unit": "percent"}, {"mustBe": 0}, "compatible"),
    ],
)
def test_how_many_values_may_miss_a_rule_is_a_part_of_it(
    metric: str, old: dict[str, Any], new: dict[str, Any], effect: str
) -> None:
    def with_rule(bounds: dict[str, Any]) -> Any:
        rule = {"metric": metric, "arguments": {"validValues": ["A", "B"]}, **bounds}
        return read_contract(document({"name": "n", "quality": [rule]}))

    (change,) = contract_changes(with_rule(old), with_rule(new))
    assert str(change.effect) == effect


@pytest.mark.parametrize(
    ("bounds", "state"),
    [
        ({"mustBe": 0}, State.BROKEN),
        ({"mustBeLessThan": 5}, State.UNDECIDED),
        ({"mustBeLessThan": 1}, State.BROKEN),
        ({"mustBeLessThan": 0.5, "unit": "percent"}, State.UNDECIDED),
    ],
)
def test_a_schema_with_other_values_leaves_open_how_many_records_have_them(bounds: Any, state: State) -> None:
    rule = {"metric": "invalidValues", "id": "listed", "arguments": {"validValues": ["A"]}, **bounds}
    seen = schema(profile("value.n", details={"registered": {"symbols": ["A", "B"]}}))
    assert results(document({"name": "n", "quality": [rule]}), seen)["listed"].state is state


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [
        ("d", 86_400),
        ("y", 31_536_000),
        ("yr", 31_536_000),
        ("yrs", 31_536_000),
        ("Hrs", 3600),
        ("ms", None),
        ("months", None),
    ],
)
def test_units_of_time_that_odcs_names(unit: str, seconds: float | None) -> None:
    assert seconds_of(unit) == seconds


def test_records_without_a_type_leave_their_types_undecided() -> None:
    prop = {"name": "type"}
    kinds = {"field": "value.type", "values": ["A"]}
    named = Shape(0.9, ("value.type",), {"value.type": "A"})
    whole = schema(profile("value.type"), shapes=(named,))
    part = schema(profile("value.type"), shapes=(named, Shape(0.1, ("value.x",))))
    states = [results(document(prop, recordTypes=kinds), each)["recordTypes"].state for each in (whole, part)]
    assert states == [State.HOLDS, State.UNDECIDED]


@pytest.mark.parametrize(
    ("types", "most", "state"),
    [
        ({"int64": 1.0}, 99_999, State.HOLDS),
        ({"int32": 0.5, "null": 0.5}, 99_999, State.HOLDS),
        ({"int64": 1.0}, 99_998, State.UNDECIDED),
        ({"double": 1.0}, 99_999, State.UNDECIDED),
        ({"double": 1.0}, 100_000, State.HOLDS),
    ],
)
def test_whole_numbers_of_five_digits_are_at_most_99_999(types: dict[str, float], most: int, state: State) -> None:
    numbers = profile("value.n", details={"magnitude": [0, 4], "negative": False}, **types)
    bounds = Rule("r", RuleKind.RANGE, "value.n", "", Interval(0, most).to_params())
    assert check_rule(bounds, Observed(schema(numbers), datetime(2026, 3, 1, tzinfo=UTC))).state is state


@pytest.mark.parametrize("inner", [{"string": 1.0}, {"int64": 1.0}])
def test_few_records_of_a_map_look_like_an_object_and_are_held_against_the_values_that_are_promised(inner: Any) -> None:
    values = {"name": "values", "logicalType": "string", "required": True}
    promised = document(
        {"name": "m", "physicalType": "map", "customProperties": [{"property": "values", "value": values}]}
    )
    seen = schema(profile("value.m", object=1.0), profile("value.m.a", **inner), profile("value.m.b", 0.2, string=1.0))
    result = results(promised, seen)
    assert result["value.m:type"].state is State.HOLDS
    assert result["value.m{}:required"].state is State.HOLDS
    assert (result["value.m{}:type"].state is State.BROKEN) is ("int64" in inner)
    if "int64" in inner:
        assert (result["value.m{}:type"].count, result["value.m{}:type"].reason) == (
            1000,
            "it is int64 in 83.33 % of the records",
        )


def test_fields_of_an_object_that_looks_like_a_map_are_not_missing() -> None:
    promised = document(
        {"name": "m", "logicalType": "object", "properties": [{"name": "a", "logicalType": "string", "required": True}]}
    )
    seen = schema(profile("value.m", map=1.0), profile("value.m{}", string=1.0))
    result = results(promised, seen)
    assert result["value.m:type"].state is State.HOLDS
    assert result["value.m.a:required"].state is State.UNDECIDED
    assert "looks like a map" in result["value.m.a:required"].reason
