"""What commands about lineage are given: a node as people write it, how far to look."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.errors import InvalidInput
from catalog.node_ids import read_id, write_id

NodeArgument = Annotated[
    str, typer.Argument(help="dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME, or prod/orders.")
]
Depth = Annotated[int, typer.Option(min=1, max=100, help="How many hops to follow.")]

BASIS = "contents: whatever holds data that came from it; last_run: what the last runs read and write."


def node_id(text: str, field: str | None = None) -> str:
    """A node id from what people write: `prod/orders` is `dataset:prod:orders`, `prod/orders:value.id` its field.

    Raises InvalidInput for a word that is neither.
    """
    if "/" not in text and ":" not in text:
        raise InvalidInput(f"{text!r} names no dataset; write CLUSTER/TOPIC, as in prod/orders.")
    if not text.startswith(("dataset:", "datasetField:", "job:", "urn:")) and "/" in text:
        host, slashes, rest = text.rpartition("//")
        namespace, _, name = rest.partition("/")
        name, _, of = name.partition(":")
        if not name:
            raise InvalidInput(f"{text!r} names no dataset; write CLUSTER/TOPIC, as in prod/orders.")
        return write_id(*_kind_and(f"{host}{slashes}{namespace}", name, field or of or None))
    if field and text.startswith("dataset:"):
        parts = read_id(text)
        if parts is None:  # only the graph can tell its parts: the server finds them
            return f"datasetField:{text.removeprefix('dataset:')}:{field}"
        return write_id("field", parts[1], parts[2], field)
    return text


def _kind_and(namespace: str, name: str, field: str | None) -> tuple[str, str, str, str | None]:
    return "field" if field else "dataset", namespace, name, field
