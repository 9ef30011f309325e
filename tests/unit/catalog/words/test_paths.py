"""Field paths: reading and writing are inverse, wrong ones are named, containment follows the tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from catalog.paths import ELEMENTS, KEYS, ROOTS, VALUES, FieldPath, Step, StepKind

names = st.text(max_size=12)
steps = st.one_of(
    st.builds(lambda n: Step(StepKind.FIELD, n), names),
    st.builds(lambda n: Step(StepKind.MAP_KEY, n), names),
    st.sampled_from([ELEMENTS, VALUES, KEYS]),
)
paths = st.builds(lambda r, s: FieldPath(r, tuple(s)), st.sampled_from(ROOTS), st.lists(steps, max_size=6))


@given(paths)
def test_reading_what_was_written_gives_the_same_path(path: FieldPath) -> None:
    assert FieldPath.parse(str(path)) == path


@given(st.text(max_size=40))
def test_any_text_is_a_path_or_a_clear_refusal(text: str) -> None:
    try:
        FieldPath.parse(text)
    except InvalidInput as error:
        assert repr(text) in error.message or text in error.message


@pytest.mark.parametrize(
    ("outer", "inner", "contained"),
    [
        ("value", "value.a.b", True),
        ("value.a", "value.a", True),
        ("value.a", "value.ab", False),
        ("value.items", "value.items[].sku", True),
        ("value.attributes{}", "value.attributes{contact}", True),
        ("value.attributes{contact}", "value.attributes{}", False),
        ("value.attributes{}", "value.attributes@keys", False),
        ("key", "value", False),
    ],
)
def test_containment(outer: str, inner: str, contained: bool) -> None:
    assert FieldPath.parse(outer).contains(FieldPath.parse(inner)) is contained


@pytest.mark.parametrize("wrong", ["", "email", "value.", "value..a", "value[0]", "value.a{b", "value.`a", "valuex"])
def test_a_wrong_path_is_refused_with_its_text(wrong: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        FieldPath.parse(wrong)
    assert wrong in caught.value.message
