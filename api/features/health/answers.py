"""Answers of `/healthz` and `/readyz`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about


class Alive(Answer):
    """The process answers."""

    status: Literal["ok"]


class ServerHealth(Answer):
    """Whether one server answers."""

    up: bool
    problem: str | None = about("One sentence; null while it answers.")


class LineageHealth(Answer):
    """How far the graph is behind."""

    lag_events: int | None = about("Events taken and not yet in the graph; null where that is not known.")


class AuditHealth(Answer):
    """How far the audit was shipped to its topic."""

    lag_entries: int
    failures: int = about("In a row, since the last success.")
    cut_entries: int = about("Entries that were shipped without their details, as they were too large.")
    missed_entries: int = about("Entries that were removed before they could be shipped.")


class AuditSealing(Answer):
    """Whether this process may seal the audit."""

    problem: str | None = about("One sentence; null while it may.")


class Readiness(Answer):
    """Which servers answer."""

    status: Literal["ready", "degraded", "unready"] = about("unready: nothing can be accepted, and the status is 503.")
    servers: dict[str, ServerHealth] = about("By name: database, kafka, elasticsearch, ...")
    lineage: LineageHealth
    audit_segments: AuditSealing | None = about("Null where that is not known.")
    audit: AuditHealth | None = about("Null where the audit is not shipped to a topic, or that is not known.")
