"""The HTTP application: routes, one error body, metrics, security headers, and the web pages' files."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import structlog
from cachetools import TTLCache
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from fastapi_offline import FastAPIOffline
from prometheus_client import CollectorRegistry, ProcessCollector
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api import VERSION, features, pages
from api.config.settings import Settings
from api.edge import answer_headers, errors, openapi
from api.edge.body_limit import BodyLimit
from api.edge.client_address import ClientAddress, networks
from api.edge.methods import HeadOfPages, TakenMethods
from api.edge.metrics import FiguresOfView, Metrics, ViewFigures
from api.edge.rates import PersonRates, RateLimit, Rates
from api.edge.route_label import route_label
from api.edge.shutdown import EndingServer
from api.edge.traced import Traced
from api.edge.unread_headers import UnreadHeaders
from api.features.health.figures import OperationFigures
from api.guard.access import Access, Entry
from api.guard.calls import Calls
from api.guard.closed_pages import ClosedPages, closed_pages
from api.guard.credentials import LATELY_S
from api.guard.guards import access_list, routes_of
from api.guard.router import PREFIX
from api.joins.views.service import Views
from api.wiring.instance import Instance
from catalog import spans
from catalog.errors import Unavailable
from policies.plan.query_board import AllQueries

_log = structlog.get_logger("weir.api")

_TOKENS_KEPT = 4096
_EVENTS = frozenset({f"{PREFIX}/lineage", f"{PREFIX}/lineage/batch"})
"""Paths that take events, which may come in batches."""
_DESCRIPTION = """
Weir shows what flows through your topics, where each field comes from and goes to, who may see it, and enforces that
on every query. Sign in with `Authorization: Bearer TOKEN`, or by a client certificate where that is set up; every failure
has the body
`{"error": {"code", "message", "details"}}`. Times are RFC 3339, UTC.
"""


def create_app(services: Instance) -> FastAPI:
    """The application over built services; it closes them when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services[AllQueries].start()
        yield
        services.close()

    app = FastAPIOffline(
        "/docs",
        None,
        title="Weir",
        version=VERSION,
        description=_DESCRIPTION,
        lifespan=lifespan,
        static_url="/docs-files",
    )
    _guard_docs(app)
    app.state.instance = services
    app.state.metrics = Metrics(CollectorRegistry())
    app.state.metrics.registry.register(ProcessCollector(registry=None))
    app.state.metrics.registry.register(services[OperationFigures])
    if services[Settings].views.metrics:
        app.state.metrics.registry.register(ViewFigures(partial(_quiet_figures, services)))
    errors.install(app)
    openapi.install(app)
    _add_routes(app)
    _add_middleware(app, services)
    return app


def _add_routes(app: FastAPI) -> None:
    app.router.routes.extend(_routes())
    access_by_route()  # raises for a route that does not state who may call it
    app.state.taken_methods = _taken_methods()
    pages.mount(app, Path(__file__).resolve().parents[1] / "ui" / "dist")


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Routes are tried in this order; rows of views are asked for hundreds of times a second.

    Made once: FastAPI reads their signatures when the first request comes, for half a second in all, and another
    application of the same process needs no second reading.
    """
    all_of_them = APIRouter()
    for feature in features.parts("routes"):
        if hasattr(feature, "first"):
            all_of_them.include_router(feature.first)
    for feature in features.parts("routes"):
        all_of_them.include_router(feature.router)
    return tuple(all_of_them.routes)


@cache
def access_by_route() -> dict[Entry, Access]:
    """Who may call each route; see `access_list`."""
    return access_list(_routes())


@cache
def _taken_methods() -> TakenMethods:
    return TakenMethods((path, route.methods or ()) for path, route in routes_of(_routes()))


def _add_middleware(app: FastAPI, services: Instance) -> None:
    """From the innermost to the outermost, which sees a request first."""
    app.add_middleware(HeadOfPages)
    app.add_middleware(GZipMiddleware, minimum_size=1024)  # leaves event streams alone
    app.add_middleware(UnreadHeaders, expanded=_EVENTS)
    app.add_middleware(errors.Unexpected)
    if paths := closed_pages(services[Settings].api):
        app.add_middleware(ClosedPages, instance=services, paths=paths)
    app.add_middleware(Observed, metrics=app.state.metrics)
    if spans.on():
        app.add_middleware(Traced, label=route_label)
    app.add_middleware(Calls)
    app.add_middleware(EncodedNames)
    api = services[Settings].api
    rates = Rates(
        api.rate_events,
        api.rate_queries,
        api.rate_requests,
        api.rate_address,
        api.rate_sign_in,
        search=api.rate_searches,
        tokens=api.rate_tokens,
        failed=api.rate_failed,
        rows=api.rate_rows,
    )
    app.state.person_rates = PersonRates(rates)
    app.state.lately = TTLCache(_TOKENS_KEPT, LATELY_S)
    app.add_middleware(RateLimit, rates=rates)
    app.add_middleware(ClientAddress, proxies=networks(api.trusted_proxies))
    for wide in api.wide_proxies:
        _log.warning(
            "proxies_too_wide",
            network=wide,
            notice="Every machine in this network can take any address in"
            " X-Forwarded-For; name the proxies alone in WEIR_API__TRUSTED_PROXIES.",
        )
    app.add_middleware(BodyLimit, limit=api.max_body_mb * 1024 * 1024, events=_EVENTS)
    app.add_middleware(EndingServer)


def _quiet_figures(services: Instance) -> Mapping[str, FiguresOfView]:
    """None while the record store is away: the other figures are shown."""
    try:
        return services[Views].figures()
    except Unavailable as error:
        _log.warning("view_figures_missing", message=error.message)
        return {}


def _guard_docs(app: FastAPI) -> None:
    """The pages that try the API run the script they come with and no other."""
    for route in app.routes:
        if not isinstance(route, APIRoute) or not route.path.startswith("/docs"):
            continue
        make = route.endpoint

        async def page(request: Request, make: Any = make) -> HTMLResponse:
            takes = inspect.signature(make).parameters
            response: HTMLResponse = await (make(request) if takes else make())
            response.headers["Content-Security-Policy"] = answer_headers.script_policy(bytes(response.body).decode())
            return response

        app.router.routes[app.router.routes.index(route)] = Route(route.path, page, include_in_schema=False)


class EncodedNames:
    """Routes match the path as it was sent, so that a namespace such as `kafka%3A%2F%2Fhost%3A9092` stays one part.

    Servers decode the path before routing, which would turn one encoded part into several. Path parameters therefore
    arrive encoded; routes declare them as `api.edge.parameters.Name`, which decodes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path")
        if scope["type"] == "http" and raw and raw.startswith(b"/api/"):
            scope = {**scope, "path": raw.split(b"?", 1)[0].decode("ascii", "replace")}
        await self.app(scope, receive, send)


class Observed:
    """Counts and times requests by route, and adds the security headers."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", [])]
                message = {**message, "headers": [*headers, *answer_headers.added(scope["path"], headers)]}
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            route = route_label(scope)
            self.metrics.requests.labels(scope["method"], route, str(status)).inc()
            self.metrics.seconds.labels(scope["method"], route).observe(time.perf_counter() - begun)
