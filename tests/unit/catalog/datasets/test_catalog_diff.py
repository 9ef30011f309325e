"""What changed between two schemas, and what a sample may show of it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.datasets.carry_over import carry_over
from catalog.datasets.compatibility import compatibility
from catalog.datasets.departures import Departure, departures_of
from catalog.datasets.diff import differences, would_show
from catalog.model import FieldProfile, SchemaVersion, Shape
from tests.catalog_samples import profile, schema


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


def test_what_records_are_packed_in_is_no_format() -> None:
    old = replace(schema(["value.a"]), format={"key": "string", "value": "json"})
    few = replace(old, format={**old.format, "value.options": '{"mixed": ["xml"], "packed": ["gzip"]}'})
    assert differences(old, few) == () == differences(few, old)
    mixed = replace(old, format={**old.format, "value.options": '{"also": ["string"], "packed": ["gzip"]}'})
    assert kinds(few, mixed) == [("format", None)]


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


def mixed(path: str, share: float, types: set[str]) -> FieldProfile:
    return replace(profile(path, share), types={each: 1 / len(types) for each in types})


FIELDS = st.dictionaries(
    st.sampled_from(["key", "value.a", "value.b", "value.c[]", "value.d{}"]),
    st.tuples(st.sampled_from([0.1, 0.5, 1.0]), st.sets(st.sampled_from(["int32", "string", "object"]), min_size=1)),
).map(lambda d: schema([mixed(p, share, types) for p, (share, types) in d.items()]))


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


def seen(field: FieldProfile, offset: int, **types: int) -> FieldProfile:
    """A profile with the places of its first sight."""
    place = {"time": f"2026-03-01T12:00:00.{offset:03}Z", "partition": 0, "offset": offset}
    by_type = {name: {**place, "offset": at, "time": f"2026-03-01T12:00:00.{at:03}Z"} for name, at in types.items()}
    return replace(field, details={"firstSeen": place, **({"typesFirstSeen": by_type} if by_type else {})})


def test_changes_name_the_first_record_that_shows_them() -> None:
    old = schema([seen(profile("value.t", int32=1.0), 0)])
    new = schema([seen(profile("value.t", int32=0.5, string=0.5), 0, int32=0, string=77), seen(profile("value.n"), 80)])
    by_path = {c.path: c for c in differences(old, new)}
    assert by_path["value.t"].first_seen is not None and by_path["value.t"].first_seen["offset"] == 77
    assert by_path["value.t"].how == "widened"
    assert by_path["value.n"].first_seen is not None and by_path["value.n"].first_seen["offset"] == 80


def test_what_was_seen_earlier_stays_the_first_sight() -> None:
    old = schema([seen(profile("value.a"), 3)])
    kept = carry_over(old, schema([seen(profile("value.a"), 900)]))
    assert kept.fields[0].details["firstSeen"]["offset"] == 3
    whole = carry_over(old, schema([seen(profile("value.a"), 900)], complete=True))
    assert whole.fields[0].details["firstSeen"]["offset"] == 3


@pytest.mark.parametrize(
    ("was", "now", "records", "how"),
    [
        (0.5, 0.75, 20, None),  # a fifth of a small sample is luck
        (0.5, 0.75, 200, "moved"),
        (0.5, 0.58, 10**6, None),  # certain, and too little to matter
        (1.0, 0.5, 10, "now optional"),
        (1.0, 0.98, 50, None),  # one record without it might have been missed before
        (1.0, 0.98, 1000, "now optional"),
        (0.98, 1.0, 1000, "now required"),
        (0.98, 1.0, 50, None),
    ],
)
def test_the_luck_of_a_sample_makes_no_version(was: float, now: float, records: int, how: str | None) -> None:
    old, new = schema([profile("value.p", was, records)], records), schema([profile("value.p", now, records)], records)
    assert [c.how for c in differences(old, new)] == ([how] if how else [])


def test_without_samples_every_absence_counts() -> None:
    old = schema([profile("value.p", 1.0)], complete=True)
    assert [c.how for c in differences(old, schema([profile("value.p", 0.99)], complete=True))] == ["now optional"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("records", [30, 100])
def test_two_samples_of_one_topic_seldom_differ(share: float, records: int) -> None:
    """One pair in a hundred is what is promised; before the promise one in four of small samples differed."""
    draw = random.Random(7)
    flaps = 0
    for _ in range(500):
        old, new = (
            schema([profile("value.p", sum(draw.random() < share for _ in range(records)) / records, records)], records)
            for _ in (0, 1)
        )
        flaps += differences(old, new) != ()
    assert flaps <= 10


def test_a_field_that_comes_with_every_shape_is_told_once() -> None:
    old = replace(schema(["value.a", "value.b"]), shapes=(Shape(0.5, ("value.a",)), Shape(0.5, ("value.b",))))
    shapes = (Shape(0.5, ("value.a", "value.n")), Shape(0.5, ("value.b", "value.n")))
    new = replace(schema(["value.a", "value.b", "value.n"]), shapes=shapes)
    assert kinds(old, new) == [("added", "value.n")]


def departing(count: int, records: int, complete: bool = False) -> SchemaVersion:
    departure = Departure("value.a", "declared", "type", count, "INT", {"partition": 0, "offset": 7, "time": None})
    version = schema(["value.a"], records, complete)
    return replace(version, problems=(departure.to_json(),)) if count else version


def test_new_departures_are_a_change_and_do_not_flap() -> None:
    clean, bad = departing(0, 1000), departing(3, 1000)
    (change,) = differences(clean, bad)
    assert (change.change, change.path, change.how) == ("departs", "value.a", "type")
    assert change.first_seen is not None and change.first_seen["offset"] == 7
    kept = carry_over(bad, departing(0, 500))
    assert [d.key for d in departures_of(kept)] == [("value.a", "declared", "type")]
    assert differences(kept, departing(2, 500)) == ()
    assert departures_of(carry_over(bad, departing(0, 5000))) == []
    assert departures_of(carry_over(bad, departing(0, 500, complete=True))) == []
