"""Answers of `/saved-queries`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about


class SharedWith(Answer):
    """Who else may open a query. Sharing opens no data."""

    everyone: bool
    users: list[str]
    groups: list[str]


class QueryChart(Answer):
    """How an answer is drawn."""

    kind: Literal["bar", "line", "histogram"]
    x: str
    y: str | None = about("Null for a histogram.")


class SavedQueryMayDo(Answer):
    """What the caller may do with a saved query."""

    change: bool
    delete: bool


class SavedQuery(Answer):
    """A statement under a name."""

    id: str
    name: str
    sql: str = about("`:name` is a parameter; values of parameters are not kept.")
    purpose: str | None
    description: str
    owner: str
    shared: SharedWith
    chart: QueryChart | None
    createdAt: Time
    updatedAt: Time
    may: SavedQueryMayDo


class SavedQueries(Answer):
    """Queries that the caller may open, those that changed last first."""

    queries: list[SavedQuery]


class DeletedQuery(Answer):
    """A saved query that is gone."""

    id: str
    name: str
