"""`/healthz`, `/readyz`, `/metrics`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from api.edge.metrics import Metrics
from api.edge.openapi import answers_with, gives
from api.features.health import answers
from api.features.health.service import Health, Report
from api.guard.guards import everybody
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.datasets.datasets import Datasets
from catalog.errors import Unavailable
from catalog.incidents.service import Incidents
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping

router = FeatureRouter(tags=["health"], base="", tolerant=True)

NEEDED = {"database", "kafka"}
"""Without these nothing can be accepted; without the others Weir is degraded (docs/decisions/0002-readiness.md)."""


@router.get("/healthz", dependencies=[everybody()])
def healthz() -> answers.Alive:
    """The process answers."""
    return answers.Alive(status="ok")


@router.get(
    "/readyz",
    dependencies=[everybody()],
    response_model=answers.Readiness,
    responses=answers_with(answers.Readiness, status=503),
)
def readyz(
    request: Request, health: From[Health], segments: From[AuditSegments], shipping: From[AuditShipping]
) -> Response:
    """Which servers answer, and how far the lineage graph is behind. 503 when nothing could be accepted."""
    metrics: Metrics = request.app.state.metrics
    report = _checked(metrics, health)
    readiness = answers.Readiness(
        status=_status(name for name, problem in report.problems.items() if problem),
        servers={
            name: answers.ServerHealth(up=not problem, problem=problem) for name, problem in report.problems.items()
        },
        lineage=answers.LineageHealth(lag_events=report.lineage_lag),
        audit_segments=_sealing(segments),
        audit=_shipping(metrics, shipping),
    )
    return JSONResponse(readiness.model_dump(mode="json"), 503 if readiness.status == "unready" else 200)


def _checked(metrics: Metrics, health: Health) -> Report:
    """What the servers answer, with the figures of it."""
    report = health.check()
    for name, problem in report.problems.items():
        metrics.up.labels(name).set(0 if problem else 1)
    if report.lineage_lag is not None:
        metrics.lineage_lag.set(report.lineage_lag)
    return report


def _status(down: Iterable[str]) -> Literal["ready", "degraded", "unready"]:
    names = set(down)
    if not names:
        return "ready"
    return "unready" if NEEDED & names else "degraded"


def _sealing(segments: AuditSegments) -> answers.AuditSealing | None:
    """Why this process may not seal the audit; None where that cannot be known."""
    try:
        return answers.AuditSealing(problem=segments.problem())
    except Unavailable:
        return None


def _shipping(metrics: Metrics, shipping: AuditShipping) -> answers.AuditHealth | None:
    """How far the audit was shipped; None where it is not shipped, or cannot be known."""
    try:
        report = shipping.report()
    except Unavailable:
        return None
    if report.place is None:
        return None
    metrics.audit_ship_lag.set(report.lag)
    metrics.audit_ship_failures.set(report.failures)
    metrics.audit_ship_cut.set(report.cut)
    return answers.AuditHealth(
        lag_entries=report.lag, failures=report.failures, cut_entries=report.cut, missed_entries=report.missed
    )


@router.get(
    "/metrics",
    dependencies=[everybody(limits="no names of people; with `WEIR_API__OPEN_METRICS=false` signed in")],
    response_class=Response,
    responses=gives(CONTENT_TYPE_LATEST, "Figures as Prometheus reads them."),
)
def metrics(
    request: Request,
    health: From[Health],
    datasets: From[Datasets],
    incidents: From[Incidents],
    shipping: From[AuditShipping],
) -> Response:
    """Figures for Prometheus: names of routes, servers and stream views, never of people or values."""
    figures: Metrics = request.app.state.metrics
    _checked(figures, health)
    _shipping(figures, shipping)
    figures.datasets.set(datasets.page(limit=1).total)
    unresolved = incidents.unresolved()
    figures.incidents.set(sum(unresolved.values()))
    figures.broken.set(len(unresolved))
    return Response(generate_latest(figures.registry), media_type=CONTENT_TYPE_LATEST)
