"""Rows of views masked in Python are the rows that governed SQL shows: every mask, every type, many hard values."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, parse_ddl
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.adapters.spark.sessions import Sessions
from policies.adapters.spark.values import rows as json_rows
from policies.adapters.spark.values import type_name as arrow_name
from policies.columns.expression import build, context
from policies.map_keys import folding, key_form
from policies.masks import registry
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Decision, Effect, Mask, MaskType
from policies.sql.literals import literal
from tests.examples import deep
from views.model import Column
from views.serving.masked import masked_view, type_name, why_not

pytestmark = pytest.mark.integration

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
SEED = 20_261_123
KINDS = (
    "STRING", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(12,2)", "DECIMAL(38,0)", "DECIMAL(38,18)", "DECIMAL(3,3)",
    "DECIMAL(10,8)", "DECIMAL(4,2)", "FLOAT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "BINARY",
)  # fmt: skip
MASKS = [
    *(Mask(each) for each in registry.installed().kinds if each != MaskType.CUSTOM),
    *(Mask("GENERALIZE", params={"step": step}) for step in (1, 3, 25, 100, 2.5, 0.1, 1e9, 0)),
    *(Mask("TRUNCATE_GEO", params={"decimals": places}) for places in (0, 2, 6)),
    *(Mask(each, params={"show": n}) for n in (0, 2, 9) for each in ("MASK_SHOW_LAST_4", "MASK_SHOW_FIRST_4")),
    Mask("TOKEN", params={"scope": "fraud"}),
]
TEXTS = [
    "", " ", "@", "a@b", "@b", "a@", "a@b@c", "anna.keller@example.eu", "a b@c", "ä@ö.eu", "a@b.c\n", "\u00a0@b", "a@\u2003b",
    "10.1.2.3", "999.1.2.3", "10.1.2.3:8080", "10.1.2", "10.1.2.3\n", "١٠.1.2.3", "2001:db8::1", "::", "::1", ":::",
    "fe80::1%eth0",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "::ffff:10.0.0.1", "1:2:3:4:5:6:7:8", "1::2::3", "fe80::1%é", "12:30",
    "12:30:45",
    "52.52,13.405", "-33.8688; 151.2093", "52", "1234.5", "+52.5 13", "52.5199 , 13.4", "52.\n5", "-0.05,-0.05",
    "52.52,13.405,1",
    "1987-03-14", "1987-03", "1987", "1987-03-14T01:02:60Z", "2016-12-31T23:59:60Z", "14.03.1987", "3/14/1987", "1987-03x",
    "1987-13-99", "-1987-03-14", "٢٠٢٦-01-01", "4111-1111-1111-1234", "1234", "12345", "it's", "a\\b", "$1", "\\1", "x" * 3000,
    "e\u0301", "ﬁ", "ß", "ǅ", "Ⅷ", "²", "٣٤", "李雷", "😀 ok",
    "👩‍👩‍👧", "\u200b", "\ufeff", "\x00", "a\x00b", "\x7f\x80\x9f",
    "\ue000", "\U0010ffff", "\uffff", "𝐀𝐚𝟙", "Ⓐⓐ①", "ʰʱ", "ªº", "İı", "\u1e9e", "ʼn", "\ud7ff", "tab\there",
    "\x1b[31m", "\x0b\x0c\x1c\x1f\x85\u2028",
]  # fmt: skip
ALPHABET = "aZ09 @@.:-/+,;éßÄ李😀'\\\n\r\t%\x00\x0b\x01\x7f\x85\u00a0٣²Ⅷǅ"


def some_texts(rng: random.Random, count: int) -> list[str]:
    """Hard texts, texts of hard letters, and every code point there is."""
    computed = [*TEXTS, *("".join(rng.choices(ALPHABET, k=rng.randrange(14))) for _ in range(count))]
    computed += [
        f"{rng.randrange(300)}.{rng.randrange(300)}.{rng.randrange(256)}.{rng.randrange(256)}"
        for _ in range(count // 20)
    ]
    computed += [":".join(f"{rng.randrange(65536):x}" for _ in range(rng.randrange(2, 9))) for _ in range(count // 20)]
    computed += [
        f"{rng.uniform(-99, 99):.{rng.randrange(9)}f},{rng.uniform(-199, 199):.{rng.randrange(9)}f}"
        for _ in range(count // 20)
    ]
    points = [chr(n) for n in range(sys.maxunicode + 1) if not 0xD800 <= n < 0xE000]
    return [*computed, *("".join(points[n : n + 97]) for n in range(0, len(points), 97))]


def values(name: str, rng: random.Random, count: int) -> list[Any]:
    bits = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}.get(name)
    if bits:
        top = 2 ** (bits - 1)
        near = [n for base in (0, 180, 10**4, 10**9, 10**18) for n in range(base - 3, base + 4)]
        computed = [
            *near,
            *(-n for n in near),
            top - 1,
            -top,
            -top + 1,
            *(rng.randrange(-top, top) >> rng.randrange(bits) for _ in range(count)),
        ]
        return [n for n in computed if -top <= n < top]
    if name.startswith("DECIMAL"):
        precision, scale = (int(each) for each in name[8:-1].split(","))
        top = 10**precision
        computed = [
            0,
            1,
            -1,
            5,
            -5,
            49,
            50,
            51,
            top - 1,
            1 - top,
            *(rng.randrange(1 - top, top) // 10 ** rng.randrange(precision) for _ in range(count)),
        ]
        computed += [
            n * 10**scale + d
            for n in (9, 10, 179, 180, -180, -181, -10)
            for d in (-1, 0, 1)
            if abs(n * 10**scale + 1) < top
        ]
        return [Decimal(f"{n}E-{scale}") for n in computed]
    match name:
        case "STRING":
            return some_texts(rng, count)
        case "FLOAT" | "DOUBLE":
            computed = [
                0.0, -0.0, 0.5, -0.5, 0.05, 0.25, 1.005, 2.675, 9.999999, 52.5163, -122.41942, 180.0, -180.0, 180.1, 1e7, 1e-5,
                1e12, 999999999999999.9, 1e15, 1e15 + 2, -1e15, 1e18, -1e19, 3.4e38, 1e-45, 1.1, float("nan"), float("inf"),
                float("-inf"), 16777217.0, -0.05, 1e-310,
            ]  # fmt: skip
            computed += [1.5e308, 5e-324, 1.7976931348623157e308] if name == "DOUBLE" else []
            computed += [round(rng.uniform(-200, 200), rng.randrange(12)) for _ in range(count)]
            return computed + [rng.uniform(-1, 1) * 10 ** rng.randrange(-40, 38) for _ in range(count)]
        case "BOOLEAN":
            return [True, False]
        case "DATE":
            computed = [
                date.min,
                date.max,
                date(1582, 10, 15),
                date(1582, 10, 4),
                date(999, 12, 31),
                date(1969, 12, 31),
                date(2024, 2, 29),
            ]
            return [*computed, *(date.fromordinal(rng.randrange(1, date.max.toordinal() + 1)) for _ in range(count))]
        case "TIMESTAMP" | "TIMESTAMP_NTZ":
            start, micro = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
            computed = [
                start,
                start - micro,
                start + micro * 120_000,
                datetime(1900, 1, 1, tzinfo=UTC),
                datetime(2016, 12, 31, 23, 59, 59, 999999, UTC),
            ]
            computed += [
                datetime(1, 1, 1, tzinfo=UTC),
                datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
                datetime(987, 6, 5, 4, 3, 2, 100, UTC),
            ]
            computed += [start + micro * rng.randrange(-62 * 10**15, 253 * 10**15) for _ in range(count)]
            return computed + [start + timedelta(seconds=rng.randrange(-62 * 10**9, 253 * 10**9)) for _ in range(count)]
        case _:
            return [
                b"",
                b"abc",
                bytes(range(256)),
                b"\xff\xfe",
                *(rng.randbytes(rng.randrange(40)) for _ in range(count)),
            ]


@pytest.fixture(scope="module")
def session(stack: Any) -> Iterator[Any]:
    sessions = Sessions(stack.engine, 1)
    with sessions.one() as one:
        yield one
    sessions.close()


def frame(session: Any, name: str, given: list[Any]) -> Any:
    """A frame of `i` and `v`, of a Spark type."""
    import pyarrow as pa

    arrow = {
        "STRING": pa.string(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32(), "BIGINT": pa.int64(),
        "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "BOOLEAN": pa.bool_(), "DATE": pa.date32(), "BINARY": pa.binary(),
        "TIMESTAMP": pa.timestamp("us", "UTC"), "TIMESTAMP_NTZ": pa.timestamp("us", "UTC"),
    }.get(name)  # fmt: skip
    if arrow is None:
        precision, scale = (int(each) for each in name[8:-1].split(","))
        arrow = pa.decimal128(precision, scale)
    table = pa.table({"i": pa.array(range(len(given)), pa.int64()), "v": pa.array(given, arrow)})
    return session.createDataFrame(table).selectExpr("i", f"CAST(v AS {name}) AS v")


def decision(**masks: Mask | None) -> Decision:
    columns = [ColumnDecision(f"value.{name}", Effect.ALLOW, mask) for name, mask in masks.items()]
    return Decision(DatasetId("kafka", "v"), "prod/v", Effect.ALLOW, columns)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", KINDS)
def test_a_masked_value_is_what_spark_shows(session: Any, name: str) -> None:
    kind = Primitive(name)
    given = [None, *values(name, random.Random(SEED), 2000 if name == "STRING" else 800)]
    masks = {f"m{n}": mask for n, mask in enumerate(MASKS)}
    decided_all = decision(**masks)
    ctx = context(decided_all.columns, KEYS.within(decided_all.reference), {})
    sql = {each: build(ctx, VALUE.field(each), kind, "v") for each in masks}
    rows = frame(session, name, given)
    shown = [each for each in masks if sql[each] is not None]
    table = rows.selectExpr("i", "v", *(f"{sql[each]} AS {each}" for each in shown)).toArrow().sort_by("i")
    stored, *columns = zip(*(row[1:] for row in json_rows(table)), strict=True)
    compared = 0
    for each, expected in zip(shown, columns, strict=True):
        column = Column(each, type_name(kind), kind)
        reason = why_not([column], decided_all, KEYS)
        if reason is not None:
            assert exempt(masks[each], name), f"{masks[each]} of {name} is not done: {reason}"
            continue
        view = masked_view([column], decided_all, KEYS)
        assert view.columns[0].type == arrow_name(table.schema.field(each).type), f"{masks[each]} of {name}"
        computed = [view.row({each: value})[each] for value in stored]
        wrong = [(s, e, f) for s, e, f in zip(stored, expected, computed, strict=True) if repr(e) != repr(f)]
        assert not wrong, f"{masks[each]} of {name}: {len(wrong)} of (stored, Spark, here) differ: {wrong[:6]}"
        compared += len(computed)
    left_out = [each for each in masks if sql[each] is None]
    assert left_out == [
        each for each in left_out if masked_view([Column(each, "", kind)], decided_all, KEYS).left_out == (each,)
    ]
    assert compared > len(given) * (len(shown) // 2)


def exempt(mask: Mask, name: str) -> bool:
    """What goes through SQL by design."""
    fraction = mask.type == "GENERALIZE" and not float(mask.params.get("step", 10)).is_integer()
    return (name == "FLOAT" and fraction) or (name in ("FLOAT", "DOUBLE") and mask.type in ("MASK_HASH", "TOKEN"))


def test_spark_knows_the_same_spellings_of_a_key(session: Any) -> None:
    """Every code point, alone and around a name, and the names in hard spellings; in a quick run those code points that
    have another form, and some of the others."""
    names = ("phone", "fin", "straße", "전화", "id", "телефон", "x\\y'z")
    forms = tuple(sorted(map(key_form, names)))
    every = [chr(n) for n in range(1, sys.maxunicode + 1) if not 0xD800 <= n < 0xE000]
    others = [point for point in every if key_form(point) == point]
    points = every if deep() else [*(set(every) - set(others)), *random.Random(SEED).sample(others, 5000)]
    given = [*TEXTS, *names, *(f"ph{c}ne" for c in points), *(f"id{c}" for c in points), *points]
    sql = folding(forms).sql("v", literal)
    inside = ", ".join(map(literal, forms))
    matches = 0
    for batch in (given[n : n + 100_000] for n in range(0, len(given), 100_000)):
        expected = [form if form in forms else None for form in map(key_form, batch)]
        table = frame(session, "STRING", batch).selectExpr("i", f"CASE WHEN {sql} IN ({inside}) THEN {sql} END AS f")
        computed = table.toArrow().sort_by("i").column("f").to_pylist()
        assert [(t, e, c) for t, e, c in zip(batch, expected, computed, strict=True) if e != c] == []
        matches += sum(each is not None for each in expected)
    assert matches > 2000


NESTED = parse_ddl(
    "who STRUCT<name: STRING, mail: STRING, at: STRUCT<n: BIGINT, day: DATE>>, "
    "items ARRAY<STRUCT<sku: STRING, price: DECIMAL(12,2)>>, attrs MAP<STRING, STRING>, ages MAP<INT, BIGINT>,"
    " deep MAP<STRING, STRUCT<m: MAP<STRING, INT>, l: ARRAY<INT>>>,"
    " times ARRAY<ARRAY<TIMESTAMP>>, flags MAP<BOOLEAN, INT>, days MAP<DATE, STRING>, sums MAP<DECIMAL(9,2), DOUBLE>,"
    " raw ARRAY<MAP<STRING, BINARY>>"
)
NESTED_MASKS = [each for each in MASKS if each.type is not MaskType.MASK_NONE]


def arrow_type(kind: DataType) -> Any:
    import pyarrow as pa

    match kind:
        case Primitive(name) if name.startswith("DECIMAL"):
            precision, scale = (int(each) for each in name[8:-1].split(","))
            return pa.decimal128(precision, scale)
        case Primitive(name):
            return {
                "STRING": pa.string(), "INT": pa.int32(), "BIGINT": pa.int64(), "DOUBLE": pa.float64(), "BOOLEAN": pa.bool_(),
                "DATE": pa.date32(), "BINARY": pa.binary(), "TIMESTAMP": pa.timestamp("us", "UTC"),
            }[name]  # fmt: skip
        case StructType(fields):
            return pa.struct([(name, arrow_type(inner)) for name, inner in fields])
        case ArrayType(element):
            return pa.list_(arrow_type(element))
        case MapType(key, value):
            return pa.map_(arrow_type(key), arrow_type(value))


def some_value(kind: DataType, rng: random.Random, leaves_of: dict[str, list[Any]], null: bool = True) -> Any:
    if null and rng.random() < 0.15:
        return None
    match kind:
        case Primitive(name):
            return rng.choice(leaves_of[name])
        case StructType(fields):
            return {name: some_value(inner, rng, leaves_of) for name, inner in fields}
        case ArrayType(element):
            return [some_value(element, rng, leaves_of) for _ in range(rng.randrange(4))]
        case MapType(key, value):
            names = [
                rng.choice(["a", "b", "c d", "é", "A", "ａ", "\u0430", "a\u0301", "C D", "c\u200b d"])
                if key == Primitive("STRING")
                else some_value(key, rng, leaves_of, False)
                for _ in range(rng.randrange(4))
            ]
            return [(name, some_value(value, rng, leaves_of)) for name in dict.fromkeys(names)]


def some_places(path: FieldPath, kind: DataType, rng: random.Random) -> Iterator[FieldPath]:
    """Places that something may be decided on: all leaves, now and then what holds them, and single keys of maps."""
    if rng.random() < 0.08:
        yield path
    match kind:
        case Primitive():
            yield path
        case StructType(fields):
            for name, inner in fields:
                yield from some_places(path.field(name), inner, rng)
        case ArrayType(element):
            yield from some_places(path.elements(), element, rng)
        case MapType(_, value):
            yield path.keys()
            yield from some_places(path.values(), value, rng)
            for name in ("a", "c d", "17", "true"):
                if rng.random() < 0.15:
                    yield from some_places(path.map_key(name), value, rng)


def some_decision(rng: random.Random) -> Decision:
    columns = []
    for name, kind in NESTED.fields:
        for place in some_places(VALUE.field(name), kind, rng):
            effect = Effect.DENY if rng.random() < 0.1 else Effect.ALLOW
            if rng.random() < 0.93:  # else nobody decided
                columns.append(
                    ColumnDecision(str(place), effect, rng.choice(NESTED_MASKS) if rng.random() < 0.4 else None)
                )
    return Decision(DatasetId("kafka", "v"), "prod/v", Effect.ALLOW, columns)


def test_nested_values_are_what_spark_shows(session: Any) -> None:
    import pyarrow as pa

    rng = random.Random(SEED)
    names = {
        "STRING",
        "INT",
        "BIGINT",
        "DOUBLE",
        "BOOLEAN",
        "DATE",
        "BINARY",
        "TIMESTAMP",
        "DECIMAL(12,2)",
        "DECIMAL(9,2)",
    }
    leaves_of = {name: TEXTS if name == "STRING" else values(name, rng, 50) for name in names}
    leaves_of["INT"] = [1, 17, -5, 25, 2**31 - 1, -(2**31), 12345]
    given = {
        name: pa.array([some_value(kind, rng, leaves_of) for _ in range(150)], arrow_type(kind))
        for name, kind in NESTED.fields
    }
    rows = session.createDataFrame(pa.table({"i": range(150), **given}))
    stored = [row[1:] for row in json_rows(rows.toArrow().sort_by("i"))]
    compared, exact, hidden = 0, 0, 0
    for _ in range(12):
        decisions = [some_decision(rng) for _ in range(6)]
        expressions, wanted = [], []
        for n, decided_all in enumerate(decisions):
            ctx = context(decided_all.columns, KEYS.within(decided_all.reference), {})
            for at, (name, kind) in enumerate(NESTED.fields):
                column, sql = Column(name, type_name(kind), kind), build(ctx, VALUE.field(name), kind, name)
                if why_not([column], decided_all, KEYS) is not None:
                    exact += 1
                    continue
                view = masked_view([column], decided_all, KEYS)
                if sql is None:
                    assert not view.columns, f"{name} under {decided_all.columns} is left out by Spark"
                    hidden += 1
                    continue
                assert view.columns, f"{name} under {decided_all.columns} is shown by Spark"
                assert (sql == name) == view.unmasked(name)
                expressions.append(f"{sql} AS {name}_{n}")
                wanted.append(
                    (at, name, view, [each for each in decided_all.columns if each.path.split(".")[1].startswith(name)])
                )
        table = rows.selectExpr("i", *expressions).toArrow().sort_by("i")
        columns = list(zip(*(row[1:] for row in json_rows(table)), strict=True))
        for (at, name, view, decided), expected, field in zip(wanted, columns, list(table.schema)[1:], strict=True):
            assert view.columns[0].type == arrow_name(field.type), f"{name} under {decided}"
            computed = [view.row({name: row[at]})[name] for row in stored]
            wrong = [
                (row[at], e, f) for row, e, f in zip(stored, expected, computed, strict=True) if repr(e) != repr(f)
            ]
            assert not wrong, f"{name} under {decided}: {len(wrong)} of (stored, Spark, here) differ: {wrong[:3]}"
            compared += len(computed)
    assert compared > 20_000 and exact < 400 and hidden > 10, (compared, exact, hidden)
