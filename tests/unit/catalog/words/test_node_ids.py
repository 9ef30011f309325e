"""Ids of nodes: every name comes back as it was, and ids that people know stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from catalog.model import DatasetId, NodeId

PIECES = [
    ":",
    "/",
    "//",
    "|",
    "#",
    "~",
    "~3:",
    ",",
    "%3A",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "`",
    "\\",
    " ",
    "\n",
    "\x1f",
    "\0",
    ".",
    "..",
    "0",
    "2024",
    "9092",
    "٣",
    "s3://lake",
    "arn:aws:glue:eu:1",
    "urn:li:dataset:",
    "kafka://h:9092",
    "x",
    "value",
    "é",
    "日本",
    "💥",
]
NAMES = (
    st.lists(
        st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3), min_size=1, max_size=6
    )
    .map("".join)
    .filter(bool)
)


@given(st.sampled_from(["dataset", "job"]), NAMES, NAMES)
def test_every_dataset_and_job_comes_back(kind: str, namespace: str, name: str) -> None:
    node = NodeId(kind, namespace, name)
    assert NodeId.parse(str(node)) == node


@given(NAMES, NAMES, NAMES)
def test_every_field_comes_back(namespace: str, name: str, field: str) -> None:
    node = NodeId("field", namespace, name, field)
    assert NodeId.parse(str(node)) == node == NodeId.parse(DatasetId(namespace, name).field_node_id(field))


@given(NAMES, NAMES, NAMES)
def test_what_is_typed_plainly_can_be_meant(namespace: str, name: str, field: str) -> None:
    assert NodeId("dataset", namespace, name) in NodeId.readings(f"dataset:{namespace}:{name}")
    assert NodeId("field", namespace, name, field) in NodeId.readings(f"datasetField:{namespace}:{name}:{field}")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (NodeId("dataset", "kafka://h:9092", "orders"), "dataset:kafka://h:9092:orders"),
        (NodeId("dataset", "s3://b", "path/to:part"), "dataset:s3://b:path/to:part"),
        (NodeId("field", "arn:aws:glue:eu:1", "table/d/t", "a:b"), "datasetField:arn:aws:glue:eu:1:table/d/t:a:b"),
        (NodeId("job", "shop", "daily.revenue"), "job:shop:daily.revenue"),
        (NodeId("dataset", "s3://lake", "2024/03/01/x.parquet"), "dataset:~9:s3://lake:2024/03/01/x.parquet"),
        (NodeId("job", "airflow", "2024"), "job:~7:airflow:2024"),
        (NodeId("dataset", "x", "//y"), "dataset:~1:x://y"),
        (NodeId("field", "a:b", "c", "d"), "datasetField:~3,1:a:b:c:d"),
    ],
)
def test_ordinary_ids_are_as_marquez_writes_them(node: NodeId, text: str) -> None:
    assert str(node) == text and NodeId.parse(text) == node


@pytest.mark.parametrize(
    "text", ["", "orders", "dataset:prod", "dataset:~9:a", "job:~1:ab", "datasetField:~1:a:b:c", "run:a:b"]
)
def test_no_ids(text: str) -> None:
    with pytest.raises(InvalidInput):
        NodeId.parse(text)
