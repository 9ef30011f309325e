"""Which fields a configuration leaves unmasked, and that compiled settings leave none; against records that are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.paths import FieldPath
from connectors.source_masks.compiling import SALT, compiled
from connectors.source_masks.fields import MaskedField
from connectors.source_masks.leaks import leaks

TOPIC = "shop.public.customers"
POSTGRES = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "topic.prefix": "shop"}
KAFKA = "org.apache.kafka.connect.transforms."
RANKS = {"DROP": 100, "MASK_NULL": 90, "MASK": 60, "MASK_HASH": 52, "TOKEN": 50, "MASK_SHOW_LAST_4": 32, "CUSTOM": None}
MASK_FIELD = {"transforms": "m", "transforms.m.type": f"{KAFKA}MaskField$Value", "transforms.m.fields": "email"}
UNWRAP = {"transforms.u.type": "io.debezium.transforms.ExtractNewRecordState"}


def masked(path: str, mask: str = "MASK_HASH", **more: Any) -> MaskedField:
    return MaskedField(FieldPath.parse(path), mask, RANKS[mask], **({"text": True} | more))


def leaking(config: Mapping[str, str], *fields: MaskedField, topic: str = TOPIC) -> list[str]:
    return [str(each.field.path) for each in leaks({**POSTGRES, **config}, topic, fields)]


@pytest.mark.parametrize(
    ("config", "left"),
    [
        ({}, ["value.after.email", "value.before.email"]),
        ({"column.exclude.list": r"public\.customers\.email"}, []),
        ({"column.exclude.list": "PUBLIC.customers.Email"}, []),
        ({"column.exclude.list": "customers.email"}, ["value.after.email", "value.before.email"]),
        ({"column.include.list": r"public\.customers\.id"}, []),
        ({"column.include.list": r"public\.customers\.(id|email)"}, ["value.after.email", "value.before.email"]),
        ({"column.mask.hash.v2.SHA-256.with.salt.s": r"public.customers.email,public.x.y"}, []),
        ({"column.mask.with.3.chars": r".*\.email"}, []),
        ({"column.truncate.to.3.chars": r".*\.email"}, ["value.after.email", "value.before.email"]),
        ({"column.mask.hash.SHA-256.with.salt.${env:S}": r".*\.email"}, ["value.after.email", "value.before.email"]),
        (MASK_FIELD, ["value.after.email", "value.before.email"]),
        (
            {**MASK_FIELD, "transforms": "f,m", "transforms.f.type": f"{KAFKA}Flatten$Value"},
            ["value.after.email", "value.before.email"],
        ),
        (
            {
                "transforms": "r",
                "transforms.r.type": f"{KAFKA}ReplaceField$Value",
                "transforms.r.exclude": "before",
            },
            ["value.after.email"],
        ),
        ({"column.exclude.list": "(?<!a)email"}, ["value.after.email", "value.before.email"]),
    ],
)
def test_an_envelope_leaks_before_and_after(config: dict[str, str], left: list[str]) -> None:
    assert leaking(config, masked("value.after.email"), masked("value.before.email")) == left


def test_a_field_of_which_no_update_came_yet_leaks_in_its_earlier_value() -> None:
    assert leaking({}, masked("value.after.email")) == ["value.after.email", "value.before.email"]


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"transforms": "u"}, ["value.email"]),
        ({**MASK_FIELD, "transforms": "u,m"}, []),
        ({**MASK_FIELD, "transforms": "m,u"}, ["value.email"]),
        ({"transforms": "u", "column.exclude.list": ".*email"}, []),
        (
            {**MASK_FIELD, "transforms": "u,m", "transforms.m.predicate": "p", "predicates.p.type": "x.HasHeaderKey"},
            ["value.email"],
        ),
        (
            {
                **MASK_FIELD,
                "transforms": "u,m",
                "transforms.m.predicate": "p",
                "predicates.p.type": f"{KAFKA}predicates.TopicNameMatches",
                "predicates.p.pattern": r"shop\..*",
            },
            [],
        ),
        (
            {
                **MASK_FIELD,
                "transforms": "u,m",
                "transforms.m.predicate": "p",
                "transforms.m.negate": "true",
                "predicates.p.type": f"{KAFKA}predicates.TopicNameMatches",
                "predicates.p.pattern": r"shop\..*",
            },
            ["value.email"],
        ),
        (
            {
                **MASK_FIELD,
                "transforms": "u,r,m",
                "transforms.r.type": f"{KAFKA}ReplaceField$Value",
                "transforms.r.renames": "mail:email",
            },
            [],
        ),
    ],
)
def test_transforms_work_in_their_order(more: dict[str, str], left: list[str]) -> None:
    assert leaking({**UNWRAP, **more}, masked("value.email")) == left


def test_what_a_transform_of_others_does_is_not_known() -> None:
    config = {**POSTGRES, "transforms": "x", "transforms.x.type": "com.acme.Mask$Value", "transforms.x.key": "secret"}
    (leak,) = leaks({**config, **{"column.exclude.list": ".*before"}}, TOPIC, [masked("value.email")])
    assert leak.unknown == ("transforms.x (com.acme.Mask)",) and "secret" not in repr(leak)


def test_settings_of_columns_reach_texts_and_no_keys() -> None:
    config = {"column.mask.with.5.chars": r".*\.(points|id)"}
    assert leaking(config, masked("value.after.points", text=False)) == ["value.after.points", "value.before.points"]
    assert leaking({"column.exclude.list": r".*\.id"}, masked("key.id")) == ["key.id"]
    assert (
        leaking(
            {"transforms": "k", "transforms.k.type": f"{KAFKA}MaskField$Key", "transforms.k.fields": "id"},
            masked("key.id"),
        )
        == []
    )


def test_connects_own_envelope_is_opened() -> None:
    config = {"column.exclude.list": r".*\.email"}
    assert leaking(config, masked("value.payload.after.email"), masked("value.payload.before.email")) == []
    assert leaking({}, masked("value.payload.after.email")) == [
        "value.payload.after.email",
        "value.payload.before.email",
    ]


def test_fields_of_documents_and_tables_of_other_databases() -> None:
    mongo = {"connector.class": "io.debezium.connector.mongodb.MongoDbConnector", "topic.prefix": "m"}
    fields = [masked("value.after.contact.email")]
    assert [
        str(each.field.path)
        for each in leaks({**mongo, "field.exclude.list": "shop.people.contact"}, "m.shop.people", fields)
    ] == []
    assert len(leaks({**mongo, "field.exclude.list": "shop.people.town"}, "m.shop.people", fields)) == 2
    server = {"connector.class": "io.debezium.connector.sqlserver.SqlServerConnector", "topic.prefix": "s"}
    assert not leaks(
        {**server, "column.exclude.list": "dbo.people.email"}, "s.crm.dbo.people", [masked("value.after.email")]
    )


NAMES = st.text("ab_.$ä,", min_size=1, max_size=6)


@given(
    st.lists(
        st.tuples(NAMES, st.sampled_from(sorted(RANKS)), st.sampled_from([True, False, None])), min_size=1, max_size=8
    ),
    st.booleans(),
    st.booleans(),
)
def test_compiled_settings_leave_nothing_unmasked(
    columns: list[tuple[str, str, bool | None]], unwrapped: bool, debezium: bool
) -> None:
    """Whatever the names and masks: the compiled settings close every field for which a setting was given."""
    config = dict(POSTGRES) if debezium else {"connector.class": "x.JdbcSourceConnector"}
    if debezium and unwrapped:
        config |= {"transforms": "u", **UNWRAP}
    root = FieldPath("value") if unwrapped or not debezium else FieldPath("value").field("after")
    fields = list(
        {
            name: MaskedField(root.field(name), mask, RANKS[mask], text=text)
            for name, mask, text in columns
            if debezium or not {",", " "} & set(name)
        }.values()
    )
    masks = compiled(config, {TOPIC: fields}, own=True)
    assert {each.field for each in masks.masks if each.setting is None} == set()
    printed = {key.replace(SALT, "salt"): value for key, value in masks.properties.items()}
    assert leaks({**config, **printed}, TOPIC, fields) == []
    for each in masks.masks:
        assert each.exact or each.field.mask in each.note


@given(
    st.dictionaries(st.text("column.maskhswitl$ {}transforms,predicate", max_size=30), st.text(max_size=20), max_size=8)
)
def test_any_configuration_is_read(config: dict[str, str]) -> None:
    fields = [masked("value.after.email"), masked("key"), masked("value"), masked("headers.a"), masked("value.m{}.x[]")]
    leaks(config, TOPIC, fields)
    leaks({**POSTGRES, **config}, TOPIC, fields)
    compiled({**POSTGRES, **config}, {TOPIC: fields}, own=True)
