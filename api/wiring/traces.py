"""Traces by OpenTelemetry, where a collector is set. Without one nothing of its SDK is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from api import VERSION
from api.config.extras import DISTRIBUTION
from api.config.trace_settings import TraceSettings
from catalog import spans
from catalog.errors import SettingsError
from catalog.spans import Attribute

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


def start(settings: TraceSettings, process: str) -> Callable[[], None]:
    """Send the spans of this process to the collector, as the service `weir-PROCESS`; gives what ends that.

    At the end of the process what was not sent yet is sent. Raises SettingsError.
    """
    if not settings.endpoint:
        return lambda: None
    try:
        provider = _provider(settings, process)
    except ImportError:
        raise SettingsError(
            "WEIR_TRACES__ENDPOINT names a collector, and the packages of traces are not installed: pip install"
            f" '{DISTRIBUTION}[traces]'."
        ) from None
    spans.use(OpenTelemetry(provider))

    def end() -> None:
        spans.use(None)
        provider.shutdown()

    return end


class OpenTelemetry:
    """Implements `catalog.spans.Tracer`."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._tracer = provider.get_tracer("weir", VERSION)
        self._header = TraceContextTextMapPropagator()

    @contextmanager
    def span(
        self, name: str, attributes: dict[str, Attribute], *, parent: str | None, served: bool, current: bool
    ) -> Iterator[_Span]:
        from opentelemetry.trace import SpanKind, Status, StatusCode, use_span

        above = self._header.extract({"traceparent": parent}) if parent else None
        kind = SpanKind.SERVER if served else SpanKind.INTERNAL if current else SpanKind.CLIENT
        begun = self._tracer.start_span(
            name, context=above, kind=kind, attributes={_named(each): value for each, value in attributes.items()}
        )
        try:
            if current:
                # The text of an error may quote a value, so its kind alone is kept.
                with use_span(begun, record_exception=False, set_status_on_exception=False):
                    yield _Span(begun)
            else:
                yield _Span(begun)
        except GeneratorExit:
            raise
        except BaseException as error:
            begun.set_status(Status(StatusCode.ERROR))
            begun.set_attribute("error.type", type(error).__name__)
            raise
        finally:
            begun.end()

    def carried(self, work: Callable[[], None]) -> Callable[[], None]:
        from opentelemetry import trace

        above = trace.get_current_span()

        def below() -> None:
            with trace.use_span(above, record_exception=False, set_status_on_exception=False):
                work()

        return below


class _Span:
    """Implements `catalog.spans.Span`."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def note(self, name: str, value: Attribute) -> None:
        self._span.set_attribute(_named(name), value)


def _named(name: str) -> str:
    """Names with a dot are OpenTelemetry's own; others are Weir's."""
    return name if "." in name else f"weir.{name}"


def _provider(settings: TraceSettings, process: str) -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    exporter = OTLPSpanExporter(
        endpoint=settings.endpoint.rstrip("/") + "/v1/traces",
        headers=_headers(settings),
        certificate_file=str(settings.ca) if settings.ca else None,
    )
    provider = TracerProvider(
        resource=Resource.create({"service.name": f"weir-{process}", "service.version": VERSION}),
        sampler=ParentBased(TraceIdRatioBased(settings.share)),
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _headers(settings: TraceSettings) -> dict[str, str]:
    """Raises SettingsError where a header has no value."""
    if settings.headers is None:
        return {}
    pairs = [part.partition("=") for part in settings.headers.get_secret_value().split(",") if part.strip()]
    if any(not name.strip() or not separator for name, separator, _ in pairs):
        raise SettingsError(
            "Setting traces.headers (WEIR_TRACES__HEADERS) must be name=value, with a comma between several."
        )
    return {name.strip(): value.strip() for name, _, value in pairs}
