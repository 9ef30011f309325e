"""Arguments of tools are read forgivingly, and a wrong one is refused in a sentence that names the right one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.features.mcp.arguments import WrongArguments, read
from api.features.mcp.tools import TOOLS, tool_of
from policies.model import Subject

LINEAGE = tool_of("lineage", Subject("ana")).arguments
REQUEST = tool_of("request_access", Subject("ana")).arguments
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
)


@pytest.mark.parametrize("name", ["dataset", "dataSet", "data-set", "DATASET", "data_set", "topic", "table", "name"])
def test_a_dataset_by_any_usual_name(name: str) -> None:
    assert read(LINEAGE, {name: "orders"})["dataset"] == "orders"


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ({"dataset": "orders", "depth": "3"}, {"depth": 3}),
        ({"dataset": "orders", "depth": 3.0}, {"depth": 3}),
        ({"dataset": "orders", "direction": "Upstream"}, {"direction": "upstream"}),
        ({"dataset": ["orders"]}, {"dataset": "orders"}),
        ({"dataset": "orders", "field": None, "offset": ""}, {"field": None, "offset": None}),
    ],
)
def test_a_value_in_another_shape(given_: dict[str, Any], wanted: dict[str, Any]) -> None:
    values = read(LINEAGE, given_)
    assert {name: values[name] for name in wanted} == wanted


def test_one_field_is_a_list_of_one() -> None:
    assert read(REQUEST, {"dataset": "orders", "purpose": "p", "field": "value.email"})["fields"] == ["value.email"]


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"datasett": "orders"}, "'datasett' is not an argument here. Did you mean dataset?"),
        ({"zzz": 1}, "'zzz' is not an argument here. The arguments are dataset, field, direction, depth, offset."),
        ({}, "dataset is missing: as prod/orders"),
        ({"dataset": "orders", "topic": "clicks"}, "dataset and topic mean the same; send one."),
        ({"dataset": "orders", "depth": "many"}, "depth is a whole number, not 'many'."),
        ({"dataset": "orders", "depth": True}, "depth is a whole number, not a value of type bool."),
        ({"dataset": "orders", "offset": -1}, "offset is 0 or more, not -1."),
        ({"dataset": {"name": "orders"}}, "dataset is a text, not a value of type dict."),
        (
            {"dataset": "orders", "direction": "upstraem"},
            "direction is one of upstream, downstream, both, not 'upstraem'. Did you mean upstream?",
        ),
        ({"dataset": "o", "bad\u202ename\n": 1}, "'bad\\u202ename\\u000a' is not an argument here."),
    ],
)
def test_a_wrong_argument_is_named_with_the_right_one(given_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WrongArguments) as refused:
        read(LINEAGE, given_)
    assert str(refused.value).startswith(sentence)


@given(st.sampled_from(TOOLS), st.dictionaries(st.text(max_size=12), JSON, max_size=5))
def test_whatever_is_sent_is_read_or_refused_in_one_sentence(tool: Any, given_: dict[str, Any]) -> None:
    try:
        values = read(tool.arguments, given_)
    except WrongArguments as refused:
        assert "\n" not in str(refused) and len(str(refused)) < 600
    else:
        assert set(values) == {each.name for each in tool.arguments}


def test_a_tool_by_a_name_that_agents_guess() -> None:
    assert (
        tool_of("weir_search", Subject("ana")).name == "search"
        and tool_of("execute-sql", Subject("ana")).name == "run_query"
    )
    with pytest.raises(WrongArguments, match=r"There is no tool 'serch'\. Did you mean search\?"):
        tool_of("serch", Subject("ana"))


def test_no_name_means_two_arguments_or_two_tools() -> None:
    for tool in TOOLS:
        names = [name.lower().replace("_", "") for each in tool.arguments for name in (each.name, *each.others)]
        assert len(names) == len(set(names)), (tool.name, sorted(names))
    every = [name for tool in TOOLS for name in (tool.name, *tool.others)]
    assert len(every) == len(set(every)), sorted(every)
