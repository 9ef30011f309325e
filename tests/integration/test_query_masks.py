"""Masks as Spark computes them are masks as the reference computes them, over many values and every type."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from catalog.datatypes import Primitive
from policies.adapters.spark.sessions import Sessions
from policies.masks import primitives, reference, registry
from policies.masks.keys import MaskKeys
from policies.model import Mask, MaskType

pytestmark = pytest.mark.integration

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
KINDS = ("STRING", "BIGINT", "INT", "DECIMAL(12,2)", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "BINARY")
TYPES = [t for t in registry.installed().kinds if t != MaskType.CUSTOM]
TEXTS = [
    "",
    " ",
    "a",
    "Anna",
    "anna.keller@example.eu",
    "a@b",
    "@",
    "a@b@c",
    "4111-1111-1111-1234",
    "1234",
    "12345",
    "ÄÖÜ ß ñ",
    "李雷",
    "😀 ok",
    "e\u0301",
    "٣٤",
    "Ⅷ",
    "ǅ",
    "10.1.2.3",
    "999.1.2.3",
    "10.1.2.3:8080",
    "10.1.2",
    "2001:db8::1",
    "::",
    "::1",
    "fe80::1%eth0",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "::ffff:10.0.0.1",
    "52.52,13.405",
    "-33.8688; 151.2093",
    "52",
    "1234.5",
    "1987-03-14",
    "1987-03",
    "1987",
    "14.03.1987",
    "3/14/1987",
    "1987-03-14T01:02:03+01:00",
    "a\nb",
    "a\\b",
    "it's",
    "x" * 300,
    "tab\there",
    "null",
    "\u00a0",
    "10.1.2.3\n",
    "a@b.c\n",
    "@b",
    "a@",
    "a b@c",
    "a@b\x0bc",
    "a\x0c@b",
    "a@b\r",
    "a@b\x01",
    "ctl\x00\x01\x1b\x7fz9",
    "é\x00\x7f\x80\x9f",
]


def values(kind: str, rng: random.Random) -> list[Any]:
    match kind.split("(")[0]:
        case "STRING":
            alphabet = "aZ09 @@.:-/éß李😀'\\\n%\x0b\x01\x7f"
            return [*TEXTS, *("".join(rng.choices(alphabet, k=rng.randrange(12))) for _ in range(300))]
        case "BIGINT" | "INT":
            top = 2**63 - 1 if kind == "BIGINT" else 2**31 - 1
            return [
                0,
                1,
                -1,
                9999,
                10000,
                -12345,
                180,
                181,
                top,
                -top - 1,
                *(rng.randrange(-top, top) for _ in range(100)),
            ]
        case "DECIMAL":
            return [
                Decimal(n).scaleb(-2)
                for n in (0, 1, -1, 4725, 18000, 18001, *(rng.randrange(-(10**11), 10**11) for _ in range(100)))
            ]
        case "DOUBLE":
            return [
                0.0,
                -0.5,
                52.5163,
                -122.41942,
                180.0,
                180.1,
                1e12,
                1.5e308,
                -1e19,
                *(round(rng.uniform(-200, 200), 5) for _ in range(100)),
            ]
        case "BOOLEAN":
            return [True, False]
        case "DATE":
            return [date(1970, 1, 1) + timedelta(days=rng.randrange(-30000, 30000)) for _ in range(40)]
        case "TIMESTAMP":
            return [
                datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(-(10**9), 10**9)) for _ in range(40)
            ]
        case _:
            return [b"", b"abc", bytes(range(256))]


@pytest.fixture(scope="module")
def session(stack: Any) -> Iterator[Any]:
    sessions = Sessions(stack.engine, 1)
    with sessions.one() as one:
        yield one
    sessions.close()


@pytest.mark.parametrize("kind", KINDS)
def test_spark_agrees_with_the_reference(session: Any, kind: str) -> None:
    import pyarrow as pa

    seed = 20_261_121
    given = [None, *values(kind, random.Random(seed))]
    primitive = Primitive(kind)
    masks = [Mask(t) for t in TYPES]
    masks += [Mask("GENERALIZE", params={"step": 25}), Mask("TRUNCATE_GEO", params={"decimals": 2})]
    masks += [Mask("MASK_SHOW_LAST_4", params={"show": 2}), Mask("TOKEN", params={"scope": "fraud"})]
    masks += [Mask(t, params={"show": 0}) for t in ("MASK_SHOW_LAST_4", "MASK_SHOW_FIRST_4")]
    if kind == "DOUBLE":
        # Spark writes 1.0E12 where Python writes 1e12; a keyed hash of a double is Spark's own text of it.
        masks = [m for m in masks if m.type not in ("MASK_HASH", "TOKEN")]
    arrow = {"TIMESTAMP": pa.timestamp("us", "UTC"), "DECIMAL(12,2)": pa.decimal128(12, 2), "INT": pa.int32()}.get(kind)
    frame = session.createDataFrame(pa.table({"i": range(len(given)), "v": pa.array(given, arrow)}))
    frame = frame.selectExpr("i", f"CAST(v AS {kind}) AS v")
    shown = frame.selectExpr(
        "i", *(f"{primitives.expression(m, 'v', primitive, KEYS)} AS m{n}" for n, m in enumerate(masks))
    )
    table = shown.toArrow().sort_by("i").to_pydict()
    for n, mask in enumerate(masks):
        expected = [reference.apply(mask, v, primitive, KEYS) for v in given]
        wrong = [(g, s, e) for g, s, e in zip(given, table[f"m{n}"], expected, strict=True) if s != e]
        assert not wrong, f"{mask.type} {mask.params} on {kind}: (value, Spark, reference) {wrong[:5]}"


def test_types_are_kept(session: Any) -> None:
    for kind in KINDS:
        primitive = Primitive(kind)
        for type_ in TYPES:
            sql = primitives.expression(Mask(type_), f"CAST(NULL AS {kind})", primitive, KEYS)
            kind_seen = session.sql(f"SELECT {sql} AS x").schema.fields[0].dataType.simpleString()
            output = primitives.output_type(Mask(type_), primitive)
            assert output is not None and kind_seen == output.name.lower(), f"{type_} on {kind} gives {kind_seen}"


def test_the_key_shows_in_no_plan_and_no_message(session: Any) -> None:
    sql = KEYS.sql("hash", "v")
    key = KEYS.derived("hash").ljust(64, b"\0")
    secrets = [bytes(b ^ pad for b in key).hex()[:40] for pad in (0x36, 0x5C)]
    assert all(secret in sql for secret in secrets)
    plan = session.sql(f"SELECT {sql} AS x FROM VALUES ('a') AS t(v)")._explain_string(mode="extended")
    physical = plan[plan.find("== Optimized") :].lower()
    assert not [secret for secret in secrets if secret in physical.replace(" ", "")]
