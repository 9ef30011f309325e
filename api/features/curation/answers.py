"""Answers of `/datasets/{namespace}/{name}/curation` and `/catalog/table`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, about


class CurationChanged(Answer):
    """What is declared of a dataset now."""

    reference: str = about("CLUSTER/TOPIC.")
    curation: FreeForm = about("certification, deprecation, announcements, properties, owners, as they are declared.")
    action: Literal["create", "update", "unchanged"]


class TableChange(Answer):
    """What a table changes of a dataset."""

    dataset: str
    action: Literal["create", "update"]
    diff: str = about("Unified, of the document before and after.")


class RefusedLine(Answer):
    """A line that cannot be taken."""

    line: int = about("Counted from 1, the header's.")
    dataset: str
    message: str


class TableRead(Answer):
    """The plan of a table, or what was done."""

    lines: int = about("Lines read, without the header.")
    unchanged: int = about("Datasets that stay as they are.")
    changes: list[TableChange]
    refused: list[RefusedLine]
    applied: bool
