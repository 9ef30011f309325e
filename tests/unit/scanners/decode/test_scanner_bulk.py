"""What is read in bulk is what would be read alone; what is counted by columns is what would be counted one by one."""

from __future__ import annotations

import json
import string
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanners.containers.text_forms import forms_of, text_form
from scanners.decode import bulk, json_text
from scanners.decode.records import decode
from scanners.model import PartFormat
from scanners.schemas.registered import Schemas

NONE = Schemas()

trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
bodies = (
    st.binary(max_size=30)
    | st.text(max_size=30).map(lambda t: t.encode("utf-8", "replace"))
    | trees.map(lambda t: json.dumps(t).encode())
    | trees.map(lambda t: json.dumps(t, separators=(" , ", " : ")).encode())
    | st.sampled_from(
        [
            b'{"a":1,"a":2}',
            b"{broken",
            b"[" * 2000 + b"]" * 2000,
            b'{"n":12345678901234567890123}',
            b'{"n":[0.1234567890123456789]}',
            b'{"n":-9223372036854775809}',
            b'{"s":"12345678901234567890123"}',
        ]
    )
)


@settings(deadline=None)
@given(st.lists(bodies, max_size=12), st.sampled_from(["json", "string"]))
def test_in_bulk_as_alone(batch, name):
    form = PartFormat(name)
    values, left = bulk.read(batch, form, NONE)
    for index, body in enumerate(batch):
        if index not in left:
            alone = decode(body, form, NONE)
            assert alone.format == name
            assert repr(alone.value) == repr(values[index])
            assert alone.problem in (None, json_text.DUPLICATE_KEY)


@settings(deadline=None)
@given(trees)
def test_plain_json_has_as_many_marks_as_keys_or_is_looked_at_again(tree):
    body = json.dumps(tree).encode()

    def keys(value):
        if isinstance(value, dict):
            return len(value) + sum(map(keys, value.values()))
        return sum(map(keys, value)) if isinstance(value, list) else 0

    if not json_text.has_key_marks(body, keys(tree)):
        assert not json_text.has_duplicate_key(body, tree)


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        ("1", False),
        ("9223372036854775807", False),
        ("1000000000000000001", False),
        ("0.30000000000000004", False),
        ("12.345678901234567", False),
        ("18446744073709551616", True),
        ("1234567890123456789.5", True),
        ("0.12345678901234567891", True),
        ("-9223372036854775809", True),
    ],
)
def test_numbers_that_need_all_their_digits(number, exact):
    for text in (f'{{"n":{number}}}', f"[1, {number}]", f'{{"n": [{number}]}}', number):
        assert json_text.long_numbers(text.encode()) is exact, text
        value, problem = json_text.loads(text.encode())
        assert problem is None
        while isinstance(value, (dict, list)):
            value = value["n"] if isinstance(value, dict) else value[-1]
        assert Decimal(str(value)) == Decimal(number)
    assert not json_text.long_numbers(f'{{"n":"{number}"}}'.encode())


forms = st.one_of(
    st.uuids().map(str),
    st.dates().map(str),
    st.datetimes().map(str),
    st.times().map(str),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(
        [
            "true",
            "False",
            "P1D",
            "PT5M",
            "P",
            "PT",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "0" * 26,
            "deadbeefdeadbeef",
            "0123456789012345678",
            "abcdefabcdefabcdef",
            "http://x.example/a?b=c",
            "a://é",
            "1.2.3",
            "v1.2.3-rc.1",
            "31.12.2026",
            '{"a":1}',
            "[1]",
            "{}",
            "[x",
            "eyJhIjogMSwgImIiOiAidGhlIHRleHQifQ==",
            "",
            " ",
            "\n",
            "12:30\n",
            "x\ny",
            "\udc80",
            "12\u0663",
        ]
    ),
    st.text(max_size=12),
    st.text(alphabet=string.hexdigits, min_size=14, max_size=34),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(forms, min_size=25, max_size=80, unique=True))
def test_forms_of_a_column_are_those_of_its_texts(texts):
    counts = {text: number + 1 for number, text in enumerate(texts)}
    alone: Counter[str] = Counter()
    for text, count in counts.items():
        form = text_form(text.encode("utf-8", "replace").decode())
        if form:
            alone[form] += count
    assert dict(forms_of(counts)) == dict(alone)
