"""What MASK_HASH and TOKEN withstand: a user who learns masked forms in one topic recognises nothing in another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from catalog.datatypes import parse_ddl
from catalog.model import DatasetId
from catalog.paths import VALUE
from policies.columns.expression import build, context
from policies.decision.decide import decide
from policies.decision.places import Places
from policies.masks.keys import MaskKeys
from policies.model import (
    DatasetFacts,
    FieldFacts,
    Grant,
    Mask,
    MaskPolicy,
    Role,
    Subject,
    SubjectMatch,
    Target,
)
from tests.unit.policies.world import START
from views.model import Column
from views.serving.masked import masked_view, type_name

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
EVERYONE = SubjectMatch(everyone=True)
ROLES = {"reader": Role("reader", (Target(dataset="*"),))}
EVE = Subject("eve", roles=frozenset({"reader"}))
DAY = Grant(
    "day",
    SubjectMatch(users=frozenset({"eve"})),
    "prod/orders",
    START,
    START + timedelta(days=1),
    "support",
    unmask=("*",),
)
FIELDS = {"mail": "EMAIL_ADDRESS", "second": "EMAIL_ADDRESS", "name": "PERSON"}
PEOPLE = [f"person{n}@example.eu" for n in range(20)]
KEYED = ["MASK_HASH", "TOKEN"]


def seen(
    topic: str, mask: Mask, row: Mapping[str, str], grants: tuple[Grant, ...] = (), after: int = 0
) -> dict[str, Any]:
    """A row as Eve sees it, some days after the start."""
    facts = DatasetFacts(
        DatasetId("kafka", topic),
        f"prod/{topic}",
        tuple(FieldFacts(f"value.{name}", {tag: ""}) for name, tag in FIELDS.items()),
    )
    policy = MaskPolicy("personal", (Target(tag="PII"),), EVERYONE, mask)
    now = START + timedelta(days=after)
    decision = decide(EVE, facts, roles=ROLES, policies=[policy], grants=grants, now=now)
    kinds = parse_ddl(", ".join(f"{name} STRING" for name in FIELDS)).fields
    columns = [Column(name, type_name(kind), kind) for name, kind in kinds]
    # The twin in SQL is keyed alike.
    sql = build(context(decision.columns, KEYS.within(decision.reference), {}), VALUE.field("mail"), kinds[0][1], "v")
    shown = masked_view(columns, decision, KEYS).row(row)
    if shown["mail"] != row["mail"]:
        mask_of_mail = Places(decision.columns).rule(VALUE.field("mail")).mask
        assert mask_of_mail is not None
        key = (
            KEYS.within(decision.reference)
            .derived(KEYS.within(decision.reference).purpose(mask_of_mail))
            .ljust(64, b"\0")
        )
        assert sql is not None and bytes(b ^ 0x36 for b in key).hex() in sql
    return shown


def row(mail: str) -> dict[str, str]:
    return {"mail": mail, "second": mail, "name": mail}


@pytest.mark.parametrize("kind", KEYED)
def test_a_grant_of_one_day_on_one_topic_is_no_dictionary_of_another(kind: str) -> None:
    mask = Mask(kind)
    before = [seen("orders", mask, row(mail))["mail"] for mail in PEOPLE]
    during = [seen("orders", mask, row(mail), (DAY,))["mail"] for mail in PEOPLE]
    assert during == PEOPLE and seen("orders", mask, row(PEOPLE[0]), (DAY,), after=2)["mail"] == before[0]
    dictionary = dict(zip(before, during, strict=True))
    leaked = [dictionary[m] for mail in PEOPLE if (m := seen("payments", mask, row(mail))["mail"]) in dictionary]
    assert leaked == []


@pytest.mark.parametrize("kind", KEYED)
def test_a_chosen_value_that_is_written_into_one_topic_is_recognised_in_no_other(kind: str) -> None:
    chosen = {seen("survey", Mask(kind), row(mail))["mail"]: mail for mail in PEOPLE}
    assert not any(seen("payments", Mask(kind), row(mail))["mail"] in chosen for mail in PEOPLE)


@pytest.mark.parametrize("kind", KEYED)
def test_equal_values_of_one_kind_in_one_topic_are_equal_and_other_kinds_differ(kind: str) -> None:
    shown = seen("orders", Mask(kind), row("a@x.eu"))
    assert shown["mail"] == shown["second"] != shown["name"]


@pytest.mark.parametrize("kind", KEYED)
def test_a_declared_scope_joins_topics_and_a_new_version_ends_what_was_learnt(kind: str) -> None:
    def shown(topic: str, **params: str | int) -> str:
        return str(seen(topic, Mask(kind, params=params), row("a@x.eu"))["mail"])

    assert shown("orders", scope="customers") == shown("payments", scope="customers") != shown("orders")
    assert shown("orders", scope="customers") != shown("orders", scope="staff")
    versions = {shown("orders", scope="customers", keyVersion=n) for n in (1, 2, 3)} | {shown("orders", keyVersion=2)}
    assert len(versions) == 4
    assert shown("orders", scope="customers", keyVersion=1) == shown("orders", scope="customers")
    assert shown("orders", keyVersion=1) == shown("orders")
