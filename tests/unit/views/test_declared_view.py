"""`kind: View`: what may be written, and how spans of time are read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pydantic import ValidationError

from views.declared import ViewSpec
from views.durations import span, spark_interval

PLAIN = {"sql": "SELECT id FROM orders", "runAs": {"user": "rep"}}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10 minutes", 600),
        ("1 second", 1),
        ("90d", 7_776_000),
        ("500 ms", 0.5),
        ("2h", 7200),
        ("1 week", 604_800),
        (" 5 m ", 300),
    ],
)
def test_spans_as_people_write_them(text: str, seconds: float) -> None:
    assert span(text) == timedelta(seconds=seconds)
    assert spark_interval(span(text)) == f"{int(seconds * 1000)} milliseconds"


@pytest.mark.parametrize("text", ["", "soon", "-1 day", "1.5 hours", "10 years", "minutes", "9999999999 days"])
def test_other_texts_are_not_spans(text: str) -> None:
    with pytest.raises(ValueError, match="is not a span of time"):
        span(text)


@pytest.mark.parametrize(
    ("more", "place", "sentence"),
    [
        ({"runAs": {"user": "a", "serviceAccount": "b"}}, "runAs", "one subject"),
        ({"runAs": {"purpose": "x"}}, "runAs", "one subject"),
        ({"key": []}, "key", "at least 1"),
        ({"key": ["a", "A"]}, "key", "twice"),
        ({"sink": {"cluster": "prod", "topic": "_x"}}, "sink", "underscore"),
        ({"sink": {"cluster": "prod", "topic": "a b"}}, "sink", "letters"),
        ({"sink": {"cluster": "prod", "topic": "x", "format": "xml"}}, "sink", "json"),
        ({"startFrom": "sometime"}, "startFrom", "is not a start"),
        ({"startFrom": {"offsets": "0"}}, "startFrom", "PARTITION:FIRST"),
        ({"watermark": "late"}, "watermark", "span of time"),
        ({"colour": "red"}, "colour", "not permitted"),
    ],
)
def test_what_cannot_be_declared(more: dict[str, object], place: str, sentence: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ViewSpec.model_validate(PLAIN | more)
    problems = caught.value.errors()
    assert any(place in map(str, each["loc"]) and sentence in each["msg"] for each in problems), problems


def test_a_watermark_with_and_without_its_column() -> None:
    assert ViewSpec.model_validate(PLAIN).delay is None
    short = ViewSpec.model_validate(PLAIN | {"watermark": "10 minutes"})
    assert (short.delay, short.watermark_column) == (timedelta(minutes=10), None)
    long = ViewSpec.model_validate(PLAIN | {"watermark": {"column": "placed_at", "delay": "1h"}})
    assert (long.delay, long.watermark_column) == (timedelta(hours=1), "placed_at")


def test_offsets_to_start_from() -> None:
    spec = ViewSpec.model_validate(PLAIN | {"startFrom": {"offsets": "0:100,1:50"}})
    assert not isinstance(spec.startFrom, str) and spec.startFrom.starts() == {0: 100, 1: 50}


COPY = {"copyOf": "prod/or`ders.x", "runAs": {"group": "analysts"}, "sink": {"cluster": "prod", "topic": "copy"}}


def test_a_copy_is_a_query_of_everything_and_stays_one_when_it_is_read_again() -> None:
    spec = ViewSpec.model_validate(COPY)
    assert spec.sql.endswith("FROM `prod`.`or``ders.x`") and spec.runAs.subject == "group:analysts"
    assert ViewSpec.model_validate(spec.model_dump(mode="json")) == spec


@pytest.mark.parametrize(
    "wrong",
    [
        {"copyOf": "orders"},
        {"sink": None},
        {"sql": "SELECT 1"},
        {"key": ["id"]},
        {"watermark": "1 minute"},
        {"copyOf": "prod/copy"},
        {"runAs": {"group": "a", "user": "b"}},
        {"runAs": {"user": "group:analysts"}},
    ],
)
def test_a_copy_that_cannot_be_one(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ViewSpec.model_validate(COPY | wrong)
