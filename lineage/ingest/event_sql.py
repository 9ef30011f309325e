"""The SQL of an event, as facts: the text with its dialect, and the columns of the datasets it names.

Only where the producer gives no lineage of its own; beside a `columnLineage` that does not state what is masked, the text
shows that alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from lineage.ingest.events import DatasetRef, JobEvent, RunEvent, facet
from lineage.ingest.sql_dialect import dialect
from lineage.sql.model import Columns
from lineage.sql.redacted_text import without_values

SQL = "q"  # text, dialect ("" when it is not said)
MASKS = "k"  # as SQL, of a run whose columns are given without saying which are masked
SCHEMA = "s"  # dataset namespace, name, its columns as JSON (see `tree_of`)
MAX_TEXT = 500_000
"""Characters of a statement that are kept for reading."""
_DEEPEST = 20


class Statement(NamedTuple):
    """The SQL of a job, without values; `dialect` is empty when none is named."""

    text: str
    dialect: str


def statement_of(event: RunEvent | JobEvent) -> Statement | None:
    """The SQL of an event; None where there is none, or it is too long."""
    content = facet(event.job.facets, "sql")
    text = content.get("query") if content else None
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
        return None
    name = _dialect(event, content or {})
    return Statement(without_values(text, name), name)


def sql_facts(event: RunEvent | JobEvent, silent: bool) -> Iterator[tuple[str, ...]]:
    """The facts of one event; none where lineage is given, or no SQL.

    silent: of some column neither the producer nor what it reports states whether it is masked
    """
    refs = (*event.inputs, *event.outputs)
    if any(facet(facets, "lineage") for facets in (event.job.facets, *(ref.facets for ref in refs))):
        return
    has_columns = any(facet(ref.facets, "columnLineage") for ref in refs)
    statement = statement_of(event) if silent or not has_columns else None
    if statement is None:
        return
    yield (MASKS if has_columns else SQL, *statement)
    for ref in refs:
        columns = schema_columns(ref)
        if columns:
            yield (SCHEMA, ref.id.namespace, ref.id.name, orjson.dumps(columns).decode())


def _dialect(event: RunEvent | JobEvent, content: Mapping[str, Any]) -> str:
    """See `lineage.ingest.sql_dialect`."""
    engine = facet(event.facets, "processing_engine") if isinstance(event, RunEvent) else None
    kind = facet(event.job.facets, "jobType") or {}
    namespaces = [ref.id.namespace for ref in (*event.inputs, *event.outputs)]
    return dialect(
        content.get("dialect"), ((engine or {}).get("name"), kind.get("integration")), event.producer, namespaces
    )


def schema_columns(ref: DatasetRef) -> Columns:
    """The columns of a dataset's schema facet, as `tree_of` gives them; empty where there is none."""
    schema = facet(ref.facets, "schema")
    return tree_of(schema.get("fields")) if schema else {}


def tree_of(fields: Any, depth: int = 0) -> Columns:
    """A schema facet's fields as nested names: `{"items": {"[]": {"sku": null}}}`."""
    tree: dict[str, Columns | None] = {}
    for field in fields if isinstance(fields, list) and depth < _DEEPEST else ():
        if isinstance(field, Mapping) and isinstance(field.get("name"), str) and field["name"]:
            inside = tree_of(field.get("fields"), depth + 1) or None
            kind = str(field.get("type") or "").lower()
            if inside and kind.startswith(("array", "list")):
                # Producers write an array's element either as a field `_element` or as the element's own fields.
                inside = {"[]": inside["_element"] if list(inside) == ["_element"] else inside}
            tree[field["name"]] = inside
    return tree
