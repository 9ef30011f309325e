"""`/healthz`, `/readyz`, `/metrics`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from api.edge.metrics import Metrics
from api.edge.openapi import answers_with, gives
from api.guard.guards import everybody
from api.guard.services import InstanceOf
from api.http.schemas.health import Alive, Readiness
from api.joins.health import Health
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.errors import Unavailable
from policies.audit_segments import AuditSegments
from policies.audit_shipping import AuditShipping

router = APIRouter(tags=["health"])

NEEDED = {"database", "kafka"}
"""Without these nothing can be accepted; without the others Weir is degraded (docs/decisions/0002-readiness.md)."""


@router.get("/healthz", dependencies=[everybody()], responses=answers_with(Alive))
def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get(
    "/readyz", dependencies=[everybody()], responses=answers_with(Readiness) | answers_with(Readiness, status=503)
)
def readyz(request: Request, built: InstanceOf) -> Response:
    """Which servers answer, and how far the lineage graph is behind. 503 when nothing could be accepted."""
    health = built[Health].check()
    down = [name for name, problem in health.problems.items() if problem]
    status = "ready" if not down else "unready" if NEEDED & set(down) else "degraded"
    metrics: Metrics = request.app.state.metrics
    for name, problem in health.problems.items():
        metrics.up.labels(name).set(0 if problem else 1)
    if health.lineage_lag is not None:
        metrics.lineage_lag.set(health.lineage_lag)
    body: dict[str, Any] = {
        "status": status,
        "servers": {name: {"up": not problem, "problem": problem} for name, problem in health.problems.items()},
        "lineage": {"lagEvents": health.lineage_lag},
        "auditSegments": _sealing(built),
        "audit": _shipping(metrics, built),
    }
    return JSONResponse(body, 503 if status == "unready" else 200)


def _sealing(built: Instance) -> dict[str, Any] | None:
    """Why this process may not seal the audit; None where that cannot be known."""
    try:
        return {"problem": built[AuditSegments].problem()}
    except Unavailable:
        return None


def _shipping(metrics: Metrics, built: Instance) -> dict[str, Any] | None:
    """How far the audit was shipped; None where it is not shipped, or cannot be known."""
    try:
        report = built[AuditShipping].report()
    except Unavailable:
        return None
    if report.place is None:
        return None
    metrics.audit_ship_lag.set(report.lag)
    metrics.audit_ship_failures.set(report.failures)
    metrics.audit_ship_cut.set(report.cut)
    return {
        "lagEntries": report.lag,
        "failures": report.failures,
        "cutEntries": report.cut,
        "missedEntries": report.missed,
    }


@router.get(
    "/metrics",
    dependencies=[everybody(limits="names of routes, servers and views, never of people")],
    response_class=Response,
    responses=gives(CONTENT_TYPE_LATEST, "Figures as Prometheus reads them."),
)
def metrics(request: Request, built: InstanceOf) -> Response:
    """Figures for Prometheus: names of routes, servers and stream views, never of people or values."""
    figures: Metrics = request.app.state.metrics
    _shipping(figures, built)
    figures.datasets.set(built[Datasets].page(limit=1).total)
    return Response(generate_latest(figures.registry), media_type=CONTENT_TYPE_LATEST)
