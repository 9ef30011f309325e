"""The demo's generator: repeatable to the byte, and what it reports as planted is really there."""

from __future__ import annotations

import hashlib
import io
import ipaddress
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import jsonschema  # type: ignore[import-untyped,unused-ignore]
import phonenumbers
import pytest
from fastavro import parse_schema, schemaless_reader
from google.protobuf.json_format import MessageToDict
from stdnum import iban, luhn

from api.demo.generator import DERIVED, DERIVED_TOPICS, PLANTED, TRAPS, UNTIL, topic_plans
from api.demo.plan import Planted, Record, TopicPlan, Trap, framed
from api.demo.topics.legacy import DEPTH
from api.demo.topics.registered import PAYMENT, USER, delivery_class
from api.demo.topics.text import CSV_HEADER
from api.demo.topics.web import EVENT_TYPES
from api.demo.world import Person, World, luhn_digit
from catalog.paths import FieldPath, StepKind

EMAIL = re.compile(r"[\w.+-]+@(?:[\w-]+\.)+(?:com|org|net)")


@cache
def plans() -> dict[str, TopicPlan]:
    return {plan.name: plan for plan in topic_plans()}


@cache
def records(topic: str) -> tuple[Record, ...]:
    return tuple(plans()[topic].records())


def digest(plan: TopicPlan) -> str:
    hasher = hashlib.sha256()
    for record in plan.records():
        hasher.update(repr(record).encode())
    return hasher.hexdigest()


def decoded(topic: str, record: Record) -> Any:
    """The value as a reader of the topic sees it; None where it cannot be read."""
    body = record.value
    if body is None:
        return None
    match plans()[topic].format["value"]:
        case "avro":
            return schemaless_reader(io.BytesIO(body), parse_schema(PAYMENT), None)
        case "protobuf":
            message = delivery_class()()
            message.ParseFromString(body)
            return MessageToDict(message, preserving_proto_field_name=True)
        case "csv":
            return dict(zip(CSV_HEADER.split(","), body.decode().rsplit(",", 5), strict=False))
        case "json":
            try:
                return json.loads(body)
            except ValueError:
                return None
        case _:
            return body.decode()


def at(record: Record, value: Any, path: FieldPath) -> Iterator[Any]:
    """Every value at a path of a record."""
    if path.root == "key":
        places_found: list[Any] = [record.key.decode()] if record.key is not None else []
    elif path.root == "headers":
        places_found = [{name: body.decode() for name, body in record.headers if body is not None}]
    else:
        places_found = [value]
    for step in path.steps:
        if step.kind is StepKind.ELEMENTS:
            places_found = [item for each in places_found if isinstance(each, list) for item in each]
        else:
            places_found = [each[step.name] for each in places_found if isinstance(each, dict) and step.name in each]
    yield from (each for each in places_found if each is not None)


@cache
def values(topic: str) -> tuple[tuple[Record, Any], ...]:
    return tuple((record, decoded(topic, record)) for record in records(topic))


def everything_at(place: Planted | Trap) -> list[Any]:
    path = FieldPath.parse(place.path)
    return [x for record, value in values(place.topic) for x in at(record, value, path)]


@cache
def customers() -> tuple[Person, ...]:
    return World(7, UNTIL).customers


def is_address(text: str) -> bool:
    return text in {person.street for person in customers()}


def is_name(text: str) -> bool:
    return text in {person.name for person in customers()}


DOCUMENTATION = [
    ipaddress.ip_network(n) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]


def is_ip(text: str) -> bool:
    for word in re.findall(r"[0-9a-f.:]{7,}", text):
        try:
            address = ipaddress.ip_address(word)
        except ValueError:
            continue
        if any(address in network for network in DOCUMENTATION):
            return True
    return False


def has_phone(text: str) -> bool:
    return any(True for _ in phonenumbers.PhoneNumberMatcher(text, "US")) or any(
        True for _ in phonenumbers.PhoneNumberMatcher(text, "DE")
    )


HOLDS: dict[str, Callable[[str], bool]] = {
    "EMAIL_ADDRESS": lambda text: bool(EMAIL.search(text)),
    "PHONE_NUMBER": has_phone,
    "PERSON": is_name,
    "IP_ADDRESS": is_ip,
    "IBAN_CODE": iban.is_valid,
    "CREDIT_CARD": luhn.is_valid,
    "DATE_OF_BIRTH": lambda text: datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC) < UNTIL,
    "US_SSN": lambda text: bool(re.fullmatch(r"\d{3}-\d{2}-\d{4}", text)),
    "LOCATION": is_address,
    "MAC_ADDRESS": lambda text: bool(re.fullmatch(r"([0-9a-f]{2}:){5}[0-9a-f]{2}", text)),
    "LOYALTY_NUMBER": lambda text: bool(re.fullmatch(r"LOY-\d{8}", text)),
}


def test_same_seed_gives_the_same_bytes_in_any_order() -> None:
    first = {plan.name: digest(plan) for plan in topic_plans()}
    again = {plan.name: digest(plan) for plan in reversed(topic_plans())}
    assert first == again


def test_records_of_a_plan_can_be_taken_twice() -> None:
    plan = plans()["orders"]
    assert digest(plan) == digest(plan)


def test_another_seed_gives_other_bytes() -> None:
    other = {plan.name: digest(plan) for plan in topic_plans(seed=8)}
    same = [name for name, plan in plans().items() if other[name] == digest(plan)]
    assert same == ["returns"]


def test_a_prefix_changes_names_only() -> None:
    prefixed = topic_plans(prefix="try-")
    assert [plan.name for plan in prefixed] == [f"try-{name}" for name in plans()]
    assert digest(prefixed[0]) == digest(plans()[prefixed[0].name.removeprefix("try-")])


def test_times_end_at_the_given_moment_and_are_in_order() -> None:
    until = datetime(2030, 5, 17, 12, 0, tzinfo=UTC)
    for plan in topic_plans(until=until):
        times = [record.timestamp_ms for record in plan.records()]
        assert times == sorted(times) or plan.name == "van-telemetry"
        assert all(time <= until.timestamp() * 1000 for time in times)


@pytest.mark.parametrize("place", PLANTED, ids=lambda p: f"{p.topic}-{p.path}-{p.entity}")
def test_planted_place_holds_what_it_says(place: Planted) -> None:
    matches = everything_at(place)
    holding = sum(1 for each in matches if HOLDS[place.entity](str(each)))
    assert matches, "nothing is at this path"
    assert place.share * 0.5 <= holding / len(matches) <= min(1.0, place.share * 1.6)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda t: f"{t.topic}-{t.path}-{t.entity}")
def test_trap_is_there(trap: Trap) -> None:
    assert everything_at(trap)


def test_no_place_is_both_planted_and_a_trap() -> None:
    planted = {(p.topic, p.path, p.entity) for p in PLANTED}
    assert len(planted) == len(PLANTED)
    assert not planted & {(t.topic, t.path, t.entity) for t in TRAPS}
    assert {p.topic for p in DERIVED} <= set(DERIVED_TOPICS)


def test_email_addresses_stand_nowhere_but_where_they_were_planted() -> None:
    """Whole records are searched, so that an address that slips in elsewhere is noticed."""
    planted = {p.topic for p in PLANTED if p.entity == "EMAIL_ADDRESS"}
    for topic in plans():
        text = b" ".join((r.key or b"") + b" " + (r.value or b"") for r in records(topic)).decode(errors="replace")
        if topic not in planted:
            assert not EMAIL.search(text), topic


def test_every_address_is_one_reserved_for_examples() -> None:
    domains = {m.partition("@")[2] for r in records("orders") for m in EMAIL.findall((r.value or b"").decode())}
    assert all(domain.endswith(("example.com", "example.org", "example.net")) for domain in domains)


def test_every_topic_has_its_peculiarity() -> None:
    kinds = Counter(json.loads(r.value)["type"] for r in records("events") if r.value)
    assert set(kinds) == set(EVENT_TYPES)
    assert all(count > 50 for count in kinds.values())
    assert records("returns") == ()
    assert sum(r.value is None for r in records("customer-latest")) > 20
    assert plans()["customer-latest"].config["cleanup.policy"] == "compact"
    sensors = Counter(dict(r.headers)["sensor"] for r in records("van-telemetry"))
    assert sensors[b"acc"] == 20 * sensors[b"gps"]
    bodies = [r.value or b"" for r in records("legacy-feed")]
    assert any(body.count(b"{") > DEPTH for body in bodies)
    assert any(b"NaN" in body for body in bodies)
    unreadable = 0
    for body in bodies:
        try:
            json.loads(body)
        except ValueError:
            unreadable += 1
    assert 0.05 < unreadable / len(bodies) < 0.3


def test_records_fit_their_registered_schemas() -> None:
    for record in records("users"):
        jsonschema.validate(json.loads(record.value or b""), USER, format_checker=jsonschema.FormatChecker())
    for record in records("payments"):
        value = decoded("payments", record)
        assert value["amount"].as_tuple().exponent == -2
        assert (value["iban"] is None) != (value["card"] is None)


def test_amounts_have_two_decimals_as_written() -> None:
    for record in records("orders"):
        assert re.search(rb'"amount":\d+\.\d\d,', record.value or b"")


def test_wire_format() -> None:
    assert framed("AVRO", 258, b"x") == b"\0\0\0\1\2x"
    assert framed("PROTOBUF", 1, b"x") == b"\0\0\0\0\1\0x"


def test_luhn_digit() -> None:
    assert luhn_digit("7992739871") == "3"
