"""What changed between two schemas, and what a sample may say of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.diff import carry_over, compatibility, differences, would_show
from catalog.model import Shape
from catalog_samples import profile, schema


def kinds(old: object, new: object) -> list[tuple[str, str | None]]:
    return [(c.change, c.path) for c in differences(old, new)]  # type: ignore[arg-type]


def test_the_same_says_nothing() -> None:
    one = schema(["value.a", profile("value.b", 0.5)])
    assert differences(one, schema(["value.a", profile("value.b", 0.55)], records=50)) == ()


def test_fields_types_presence_and_format() -> None:
    old = schema(["value.a", "value.gone", profile("value.p", 0.5), profile("value.t", int32=1.0)])
    new = schema(["value.a", "value.new", profile("value.p", 0.7), profile("value.t", int32=0.5, string=0.5)])
    new = replace(new, format={"key": "string", "value": "avro"})
    assert kinds(old, new) == [
        ("format", None),
        ("removed", "value.gone"),
        ("added", "value.new"),
        ("presence", "value.p"),
        ("type", "value.t"),
    ]


def test_a_presence_that_moves_by_a_tenth_does_not_count() -> None:
    assert kinds(schema([profile("value.p", 0.5)]), schema([profile("value.p", 0.6)])) == []


def test_null_is_no_type() -> None:
    assert kinds(schema([profile("value.a", string=1.0)]), schema([profile("value.a", string=0.9, null=0.1)])) == []


def test_shapes_count_when_they_are_common() -> None:
    old = replace(schema(["value.a"]), shapes=(Shape(0.97, ("value.a",)), Shape(0.03, ("value.a", "value.r"))))
    assert kinds(old, replace(schema(["value.a"]), shapes=(Shape(1.0, ("value.a",)),))) == []
    assert kinds(old, replace(schema(["value.a"]), shapes=(Shape(1.0, ("value.b",)),))) == [("shape", None)] * 2


@pytest.mark.parametrize(
    ("old", "new", "backward", "forward"),
    [
        (profile("value.a"), None, True, False),
        (profile("value.a", 0.5), None, True, True),
        (None, profile("value.a"), False, True),
        (None, profile("value.a", 0.5), True, True),
        (profile("value.a", int32=1.0), profile("value.a", int64=1.0), True, False),
        (profile("value.a", int64=1.0), profile("value.a", int32=1.0), False, True),
        (profile("value.a", int32=1.0), profile("value.a", boolean=1.0), False, False),
        (profile("value.a", string=1.0), profile("value.a", string=0.5, int32=0.5), True, False),
        (profile("value.a", 1.0), profile("value.a", 0.5), True, False),
        (profile("value.a", 0.5), profile("value.a", 1.0), False, True),
    ],
)
def test_who_survives(old: object, new: object, backward: bool, forward: bool) -> None:
    def of(one: object) -> object:
        return schema(["value.k", *([one] if one else [])])  # type: ignore[list-item]

    judged = compatibility(differences(of(old), of(new)))  # type: ignore[arg-type]
    assert (judged.backward, judged.forward, judged.full) == (backward, forward, backward and forward)


def test_a_rare_field_is_not_gone_because_a_small_sample_lacks_it() -> None:
    rare = profile("value.rare", 0.001, records=100_000)
    old = schema(["value.a", rare], records=100_000)
    kept = carry_over(old, schema(["value.a"], records=1000))
    assert [f.path for f in kept.fields] == ["value.a", "value.rare"]
    gone = carry_over(old, schema(["value.a"], records=10_000))
    assert [f.path for f in gone.fields] == ["value.a"]
    whole = carry_over(old, schema(["value.a"], records=10, complete=True))
    assert [f.path for f in whole.fields] == ["value.a"]


def test_a_rare_type_is_not_gone_either() -> None:
    old = schema([profile("value.a", string=0.999, int32=0.001)])
    kept = carry_over(old, schema([profile("value.a", records=500)], records=500))
    assert differences(old, kept) == ()
    assert sum(kept.fields[0].types.values()) == pytest.approx(1)


@given(st.floats(0, 1), st.integers(0, 10**7))
def test_certainty_grows_with_the_sample(share: float, tries: int) -> None:
    assert not would_show(share, 0)
    assert would_show(share, tries) <= would_show(share, tries + 1000)


FIELDS = st.dictionaries(
    st.sampled_from(["key", "value.a", "value.b", "value.c[]", "value.d{}"]),
    st.tuples(st.sampled_from([0.1, 0.5, 1.0]), st.sets(st.sampled_from(["int32", "string", "object"]), min_size=1)),
).map(lambda d: schema([profile(p, share, **{t: 1 / len(types) for t in types}) for p, (share, types) in d.items()]))


@given(FIELDS, FIELDS)
def test_differences_mirror(one: object, other: object) -> None:
    there = differences(one, other)  # type: ignore[arg-type]
    back = differences(other, one)  # type: ignore[arg-type]
    assert differences(one, one) == ()  # type: ignore[arg-type]
    assert {c.path for c in there} == {c.path for c in back}
    assert compatibility(there).backward == compatibility(back).forward


@given(FIELDS, FIELDS)
def test_nothing_new_is_lost_by_carrying_over(old: object, new: object) -> None:
    kept = carry_over(old, new)  # type: ignore[arg-type]
    assert {f.path for f in kept.fields} >= {f.path for f in new.fields}  # type: ignore[attr-defined]
