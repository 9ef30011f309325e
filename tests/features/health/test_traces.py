"""Traces: off without a collector, with kinds of errors and no texts, and refused in a sentence where something is missing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from pydantic import SecretStr, ValidationError
from pytest_socket import enable_socket
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from api.config.trace_settings import TraceSettings
from api.edge.traced import Traced
from api.wiring import traces
from catalog import spans
from catalog.errors import SettingsError
from tests.otlp_receiver import Collector, collector
from tests.waiting import until


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    enable_socket()  # on the loopback address
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")  # milliseconds; five seconds where nothing is set
    with collector() as running:
        end = traces.start(TraceSettings(endpoint=running.url), "worker")
        yield running
        end()


def test_without_a_collector_nothing_of_opentelemetry_is_imported() -> None:
    program = (
        "import sys; from api.app import create_app; from api.bootstrap import offline; from api.wiring import traces;"
        " from api.config.trace_settings import TraceSettings; from catalog import spans;"
        " create_app(offline()); traces.start(TraceSettings(), 'api');"
        " assert not spans.on(); print([name for name in sys.modules if name.startswith(('opentelemetry.sdk',"
        " 'opentelemetry.exporter', 'opentelemetry.proto'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_off_a_span_takes_what_is_noted_and_keeps_nothing() -> None:
    with spans.span("scan", topics=3) as begun, spans.leaf("spark scan") as below:
        begun.note("rows", 1)
        below.rename("other")
    ran: list[int] = []
    spans.carried(lambda: ran.append(1))()
    assert ran == [1]


def test_a_span_below_another_one_has_its_trace_on_another_thread_too(received: Collector) -> None:
    def work() -> None:
        with spans.leaf("spark query", sources=2):
            pass

    with spans.span("scan", topics=3):
        thread = threading.Thread(target=spans.carried(work))
        thread.start()
        thread.join(30)
    until(lambda: len(received.spans) == 2, seconds=30)
    above, below = received.named("scan")[0], received.named("spark query")[0]
    assert (above.service, above.attributes, above.parent) == ("weir-worker", {"weir.topics": 3}, "")
    assert (below.trace, below.parent, below.attributes) == (above.trace, above.id, {"weir.sources": 2})


def test_of_an_error_its_kind_is_kept_and_not_its_text(received: Collector) -> None:
    with pytest.raises(ValueError, match="ana@example"), spans.span("scan"):
        raise ValueError("ana@example.com does not fit")
    until(lambda: received.named("scan"), seconds=30)
    assert received.named("scan")[0].error
    assert received.named("scan")[0].attributes == {"error.type": "ValueError"}
    assert not any(b"ana@example" in body for body in received.bodies)


def test_a_request_is_its_route_and_probes_are_none(received: Collector) -> None:
    async def answer(_: Request) -> PlainTextResponse:
        return PlainTextResponse("well")

    app = Starlette(routes=[Route("/healthz", answer), Route("/orders/{name}", answer)])
    client = TestClient(Traced(app, lambda scope: "/orders/{name}"))
    client.get("/healthz")
    client.get("/orders/ana@example.com?q=secret", headers={"traceparent": "not a trace"})
    until(lambda: received.spans, seconds=30)
    assert [span.name for span in received.spans] == ["GET /orders/{name}"]
    assert received.spans[0].parent == ""
    assert not any(b"ana@example" in body or b"secret" in body for body in received.bodies)


def test_missing_packages_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match=r"pip install 'weir-catalog\[traces\]'"):
        traces.start(TraceSettings(endpoint="http://collector:4318"), "api")
    assert not spans.on()


@pytest.mark.parametrize("endpoint", ["collector:4318", "grpc://collector:4317"])
def test_an_address_that_is_none_is_refused(endpoint: str) -> None:
    with pytest.raises(ValidationError):
        TraceSettings(endpoint=endpoint)


def test_headers_that_have_no_value_are_refused_without_being_shown() -> None:
    with pytest.raises(SettingsError, match="WEIR_TRACES__HEADERS") as refused:
        traces.start(TraceSettings(endpoint="http://collector:4318", headers=SecretStr("abc123")), "api")
    assert "abc123" not in refused.value.message
