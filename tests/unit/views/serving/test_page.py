"""Pages of rows: by key where the key is unmasked, by what is seen where it is not, and what nobody can probe."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.datatypes import StructType, parse_ddl
from catalog.errors import InvalidInput, LimitExceeded
from catalog.model import DatasetId
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Decision, Effect, Mask, MaskType
from tests.twins.views import MemoryServingTable
from views.model import Column, Row, identity
from views.serving.cursors import Cursors, Place
from views.serving.masked import MaskedView, masked_view, type_name
from views.serving.page import Page, read_page
from views.serving.wanted import read_wanted

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
CURSORS = Cursors(KEYS)
SCHEMA = parse_ddl("region STRING, email STRING, total BIGINT")
COLUMNS = [Column(name, type_name(kind), kind) for name, kind in SCHEMA.fields]
Masks = dict[str, Mask | str | None]
EMAIL = Mask("EMAIL_DOMAIN")


def view_for(masks: Masks, schema: StructType = SCHEMA) -> MaskedView:
    """Under {path below value: mask | None unmasked | "deny"}."""
    decided = [
        ColumnDecision(f"value.{p}", Effect.DENY if m == "deny" else Effect.ALLOW, m if isinstance(m, Mask) else None)
        for p, m in masks.items()
    ]
    columns = [Column(name, type_name(kind), kind) for name, kind in schema.fields]
    return masked_view(columns, Decision(DatasetId("kafka", "v"), "prod/v", Effect.ALLOW, decided), KEYS)


def table_of(rows: list[dict[str, Any]], key: list[str]) -> MemoryServingTable:
    table = MemoryServingTable()
    table.prepare("v", "g")
    table.write("v", "g", [Row(identity([r[k] for k in key]), r, n) for n, r in enumerate(rows)], [], {0: len(rows)})
    return table


def page(
    table: MemoryServingTable, key: list[str], masked: MaskedView, /, most_scanned: int = 1000, **parameters: str
) -> Page:
    given = {name.rstrip("_"): [value] for name, value in parameters.items()}
    asked = read_wanted(given, masked.columns, key)
    return read_page(table, "v", "g", key, asked, masked, CURSORS, most_scanned)


def all_pages(
    table: MemoryServingTable, key: list[str], masked: MaskedView, /, **parameters: Any
) -> list[list[object]]:
    rows: list[list[object]] = []
    cursor: dict[str, Any] = {}
    for _ in range(200):
        one_page = page(table, key, masked, **parameters, **cursor)
        rows += one_page.rows
        if one_page.next is None:
            return rows
        cursor = {"cursor": one_page.next}
    raise AssertionError("pages without end")


CLEAR: Masks = {"region": None, "email": None, "total": None}
PEOPLE = [
    {"region": region, "email": f"{name}@{domain}", "total": n}
    for n, (region, name, domain) in enumerate(
        [
            ("EU", "anna", "x.eu"),
            ("EU", "zoe", "x.eu"),
            ("US", "bob", "a.us"),
            ("US", "eve", "z.us"),
            ("EU", "max", "b.eu"),
        ]
    )
]


def test_a_clear_key_is_looked_up() -> None:
    table = table_of(PEOPLE, ["region", "email"])
    view = view_for({**CLEAR, "total": Mask("GENERALIZE", params={"step": 2})})
    key = ["region", "email"]
    assert page(table, key, view, key='["EU","zoe@x.eu"]').rows == [["EU", "zoe@x.eu", 0]]
    assert page(table, key, view, key='["EU","zoe@x.eu"]').scanned == 1
    assert [r[1] for r in page(table, key, view, prefix='["EU"]').rows] == ["anna@x.eu", "max@b.eu", "zoe@x.eu"]
    assert [r[1] for r in page(table, key, view, from_="F").rows] == ["bob@a.us", "eve@z.us"]
    assert [r[1] for r in page(table, key, view, where="total = 2").rows] == ["bob@a.us", "eve@z.us"], "by what is seen"
    assert page(table, key, view, where="total = 3").rows == [], "by what is seen"


@pytest.mark.parametrize(
    ("where", "scanned", "emails"),
    [
        ("region = 'EU' AND email = 'zoe@x.eu'", 1, ["zoe@x.eu"]),
        ("('US' = region AND total > 2)", 2, ["eve@z.us"]),
        ("email = 'zoe@x.eu'", 5, ["zoe@x.eu"]),
        ("region = 'EU' OR total = 2", 5, ["anna@x.eu", "max@b.eu", "zoe@x.eu", "bob@a.us"]),
        ("NOT region = 'EU'", 5, ["bob@a.us", "eve@z.us"]),
        ("region = 'EU' AND region = 'US'", 2, []),
        ("region = upper('eu') AND total = 0", 3, ["anna@x.eu"]),
    ],
)
def test_a_key_that_where_names_is_looked_up(where: str, scanned: int, emails: list[str]) -> None:
    table, key = table_of(PEOPLE, ["region", "email"]), ["region", "email"]
    answer = page(table, key, view_for(CLEAR), where=where)
    assert ([row[1] for row in answer.rows], answer.scanned) == (emails, scanned)


def test_a_masked_key_that_where_names_is_compared_with_what_is_seen() -> None:
    table, key, masked = table_of(PEOPLE, ["email"]), ["email"], view_for({**CLEAR, "email": EMAIL})
    assert page(table, key, masked, where="email = 'zoe@x.eu'").rows == []
    seen = page(table, key, masked).rows[0][1]
    rows = page(table, key, masked, where=f"email = '{seen}' AND total >= 0").rows
    assert rows == [row for row in page(table, key, masked).rows if row[1] == seen] and rows


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 9])
@pytest.mark.parametrize(
    "masks", [CLEAR, {**CLEAR, "email": EMAIL}, {**CLEAR, "email": "deny"}, {**CLEAR, "region": EMAIL}]
)
def test_pages_give_every_row_once(limit: int, masks: Masks) -> None:
    table, view = table_of(PEOPLE * 3, ["region", "email"]), view_for(masks)
    whole = page(table, ["region", "email"], view, limit="100").rows
    assert len(whole) == 5 and all_pages(table, ["region", "email"], view, limit=str(limit)) == whole
    assert all_pages(table, ["region", "email"], view, limit=str(limit), where="total >= 2") == [
        r for r in whole if isinstance(r[-1], int) and r[-1] >= 2
    ]


def test_rows_that_look_alike_are_counted() -> None:
    table, view = table_of(PEOPLE, ["email"]), view_for({"email": Mask(MaskType.MASK_NULL)})
    assert all_pages(table, ["email"], view, limit="2") == [[None]] * 5
    assert all_pages(table, ["email"], view, limit="1") == [[None]] * 5


def test_a_masked_key_is_asked_by_what_is_seen() -> None:
    table, view, key = table_of(PEOPLE, ["email"]), view_for({**CLEAR, "email": EMAIL}), ["email"]
    assert page(table, key, view, key="zoe@x.eu").rows == [], "nobody learns that zoe is there"
    assert page(table, key, view, prefix="zoe").rows == page(table, key, view, prefix="qqq").rows == []
    assert [r[2] for r in page(table, key, view, key="xxxx@x.eu").rows] == [0, 1]
    assert [r[2] for r in page(table, key, view, keys="xxxx@x.eu,xxxx@a.us").rows] == [2, 0, 1]
    assert [r[2] for r in page(table, key, view, prefix="xxxx@x").rows] == [0, 1]
    assert [r[2] for r in page(table, key, view, from_="xxxx@b", to="xxxx@x.eu").rows] == [4, 0, 1]
    assert [r[1] for r in page(table, key, view).rows] == sorted(
        f"xxxx@{d}" for d in ("x.eu", "x.eu", "a.us", "z.us", "b.eu")
    )


def test_a_masked_key_of_many_rows_is_refused_by_name() -> None:
    table, view = table_of(PEOPLE, ["email"]), view_for({**CLEAR, "email": EMAIL})
    with pytest.raises(LimitExceeded, match=r"email is masked for you.*4 rows.*SQL") as caught:
        page(table, ["email"], view, most_scanned=4, key="anna@x.eu")
    assert caught.value.details == {"limit": "rows", "column": "email"}
    narrow = view_for({**CLEAR, "email": EMAIL})
    two = table_of(PEOPLE, ["region", "email"])
    assert page(two, ["region", "email"], narrow, most_scanned=2, prefix='["US"]').scanned == 2
    with pytest.raises(LimitExceeded):
        page(two, ["region", "email"], narrow, most_scanned=2, prefix='["EU"]')


def test_a_long_search_goes_on_by_its_cursor() -> None:
    table, view = (
        table_of([{"region": "EU", "email": str(n), "total": n} for n in range(100)], ["total"]),
        view_for(CLEAR),
    )
    first = page(table, ["total"], view, most_scanned=30, where="total + 0 = 77")
    assert (first.rows, first.scanned) == ([], 30) and first.next is not None
    assert all_pages(table, ["total"], view, most_scanned=30, where="total + 0 = 77") == [["EU", "77", 77]]


def test_a_view_that_keeps_each_row_is_paged_and_searched() -> None:
    table = MemoryServingTable()
    table.prepare("v", "g")
    table.write("v", "g", [Row(json.dumps([0, n]), r, n) for n, r in enumerate(PEOPLE)], [], {0: 5})
    view = view_for({**CLEAR, "email": EMAIL})
    assert [r[2] for r in all_pages(table, [], view, limit="2")] == [0, 1, 2, 3, 4]
    assert [r[2] for r in all_pages(table, [], view, limit="1", where="email = 'xxxx@x.eu'")] == [0, 1]


def test_cursors_hold_nothing_that_can_be_read_or_changed() -> None:
    table, key = table_of(PEOPLE, ["email"]), ["email"]
    first = page(table, key, view_for(CLEAR), limit="1")
    assert first.next is not None
    import base64

    raw = base64.urlsafe_b64decode(first.next + "==")
    assert b"anna" not in raw and CURSORS.read("v", "g", first.next) == Place('["anna@x.eu"]')
    for wrong in ("", "x", "ä", first.next[:-2], "A" + first.next[1:], "AAAA" * 20):
        with pytest.raises(InvalidInput, match="cursor is none of the view"):
            CURSORS.read("v", "g", wrong)
    with pytest.raises(InvalidInput, match="none of the view"):
        CURSORS.read("w", "g", first.next)
    with pytest.raises(InvalidInput, match="built again"):
        CURSORS.read("v", "g2", first.next)
    with pytest.raises(InvalidInput, match="none of the view"):
        Cursors(MaskKeys(b"another secret, sixteen or more")).read("v", "g", first.next)
    with pytest.raises(InvalidInput, match="has changed"):
        page(table, key, view_for({**CLEAR, "email": EMAIL}), cursor=first.next)


# --- two stores that look alike to the asker answer alike --------------------------------------------------------------

HIDDEN: list[Masks] = [
    {**CLEAR, "email": EMAIL},
    {**CLEAR, "email": "deny"},
    {**CLEAR, "email": Mask(MaskType.MASK_NULL)},
    {**CLEAR, "email": Mask("MASK_SHOW_FIRST_4", params={"show": 1})},
    {**CLEAR, "email": Mask(MaskType.MASK)},
    {"email": EMAIL, "total": Mask("GENERALIZE")},
    {**CLEAR, "email": EMAIL, "total": "deny"},
]
LETTERS = st.text("abc", min_size=1, max_size=3)
ROWS = st.lists(st.tuples(st.sampled_from(["EU", "US"]), LETTERS, LETTERS, st.integers(0, 30)), max_size=12)
TEXTS = st.recursive(
    st.sampled_from(["email", "region", "'a@b'", "'x'", "CAST(total AS STRING)"]),
    lambda inner: st.one_of(
        st.builds("{0}({1})".format, st.sampled_from(["upper", "reverse", "trim"]), inner),
        st.builds("substring({0}, {1}, {2})".format, inner, st.integers(-2, 3), st.integers(0, 3)),
        st.builds("({0} || {1})".format, inner, inner),
        st.builds("replace({0}, 'a', {1})".format, inner, inner),
        st.builds("coalesce({0}, {1})".format, inner, inner),
        st.builds("CASE WHEN {0} LIKE '%a%' THEN {1} END".format, inner, inner),
    ),
    max_leaves=4,
)
NUMBERS = st.one_of(
    st.sampled_from(["total", "1", "CAST(email AS INT)"]),
    st.builds("length({0})".format, TEXTS),
    st.builds("instr({0}, {1})".format, TEXTS, TEXTS),
    st.builds("(total {0} length({1}))".format, st.sampled_from("+-*/%"), TEXTS),
)
PROBES = st.one_of(
    st.builds("{0} {1} {2}".format, TEXTS, st.sampled_from(["=", "<", ">=", "<>", "<=>"]), TEXTS),
    st.builds("{0} {1} {2}".format, NUMBERS, st.sampled_from(["=", "<", ">="]), NUMBERS),
    st.builds("{0} {1} IN ({2}, 'b@c', {3})".format, TEXTS, st.sampled_from(["", "NOT"]), TEXTS, TEXTS),
    st.builds("NOT ({0} LIKE 'a%' AND {1} > 2 / total) OR {2} IS NULL".format, TEXTS, NUMBERS, TEXTS),
    st.builds("if({0} = {1}, 1 / (total - 3) = 1, total > {2})".format, TEXTS, TEXTS, NUMBERS),
    st.builds("startswith({0}, {1}) IS NOT TRUE".format, TEXTS, TEXTS),
)
"""Conditions that ask for a hidden e-mail by every means of the language."""
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.sampled_from(["1", "2", "5"]),
        "where": st.one_of(
            st.sampled_from(["total > 5", "region = 'EU'", "email = 'a@b'", "email >= 'xxxx@b'", "email < 'b'"]), PROBES
        ),
        "by": st.tuples(
            st.sampled_from(["key", "keys", "prefix", "from", "to"]),
            st.sampled_from(["a@b", "xxxx@b", "xxx", "a", "", "x@x"]),
        ),
    },
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.sampled_from(HIDDEN), ASKED, st.randoms(use_true_random=False))
def test_what_is_hidden_changes_no_answer(rows: Any, masks: Masks, asked: dict[str, Any], rng: Any) -> None:
    """Two tables whose masked rows are the same; every stored e-mail is another one, and so is their order."""
    view = view_for(masks)
    one = {f"{n}@{d}": {"region": r, "email": f"{n}@{d}", "total": t} for r, n, d, t in rows}
    groups: dict[str, list[dict[str, Any]]] = {}
    for each in one.values():
        groups.setdefault(json.dumps(view.row(each), sort_keys=True), []).append(each)
    other: list[dict[str, Any]] = []
    for look, members in groups.items():
        free = [
            f"{n}@{d}"
            for n in ("a", "b", "c", "aa", "cba", "zz", "ab", "ca", "xyz", "bcc", "caa", "bb", "acb")
            for d in ("a", "b", "c", "ab", "cc")
        ]
        rng.shuffle(free)
        for each in members:
            fitting = (m for m in free if json.dumps(view.row({**each, "email": m}), sort_keys=True) == look)
            email = next((m for m in fitting if m not in {o["email"] for o in other}), None)
            if email is None:
                return
            other.append({**each, "email": email})
    rng.shuffle(other)
    given = {name: value for name, value in asked.items() if name != "by"}
    if "by" in asked:
        given[asked["by"][0].replace("from", "from_")] = asked["by"][1]

    def answer(stored: list[dict[str, Any]]) -> Any:
        try:
            return all_pages(table_of(stored, ["email"]), ["email"], view, **given)
        except (InvalidInput, LimitExceeded) as refused:
            return refused.message

    assert answer(list(one.values())) == answer(other)
