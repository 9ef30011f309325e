"""Values of options are read as typer reads them, whether or not pydantic is needed for it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer._coercion import TypeDescriptor, build_runtime_param
from typer.models import OptionInfo

from api.cli import tree
from api.terminal.output import Format
from api.terminal.values import UsualValue, usual


class Colour(StrEnum):
    RED = "red"
    BLUE = "Blue"


KINDS = [str, bool, int, Colour, Format, list[str], list[Colour], list[int]]
WORDS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["red", "RED", "blue", "Blue", "table", "yes", "no", "true", "0", "7", "-3", " 4", "1.0", ""]),
)
VALUES = st.one_of(WORDS, st.booleans(), st.integers(-5, 5), st.sampled_from([Colour.RED, Format.CSV]))


def outcome(parameter: Any, value: Any) -> tuple[str, Any]:
    class Parameter:
        multiple, nargs = isinstance(value, list), 1

    try:
        read = parameter.coerce(value, Parameter(), None)
    except Exception as error:
        return type(error).__name__, getattr(error, "message", str(error))
    return type(read).__name__, read


@given(st.sampled_from(KINDS), st.one_of(VALUES, st.lists(WORDS, max_size=3)), st.booleans())
def test_every_value_is_read_or_refused_as_typer_does(kind: Any, value: Any, bounded: bool) -> None:
    limits = OptionInfo(min=0, max=5) if bounded and kind in (int, list[int]) else OptionInfo()
    descriptor = TypeDescriptor(kind, limits, None)
    name, of_typer = outcome(build_runtime_param(descriptor), value)
    if name == "BadParameter":
        of_typer = of_typer.removeprefix("Value error, ")
    assert outcome(usual(descriptor), value) == (name, of_typer)


def test_typer_asks_it_for_every_parameter() -> None:
    options = [each for each in tree(["whoami"]).commands["whoami"].params if each.name in ("output", "user")]
    assert len(options) == 2
    assert all(isinstance(getattr(each, "get_runtime_param")(), UsualValue) for each in options)  # noqa: B009


@pytest.mark.parametrize("value", ["cvs", "TABLE "])
def test_a_wrong_word_names_the_right_ones(value: str) -> None:
    kind, text = outcome(usual(TypeDescriptor(Format, OptionInfo(), None)), value)
    assert kind == "BadParameter" and text.startswith(f"{value!r} is not one of ") and "'csv'" in text
