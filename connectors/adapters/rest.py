"""Kafka Connect's REST API."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

import httpx

from catalog.adapters.checked_http import AddressRefused, CheckedTransport
from catalog.call_deadline import CallDeadline, patience
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import Conflict, InvalidInput, NotFound, SettingsError, Unavailable
from connectors.model import CheckedField, Configuration, Kind, Live, Plugin, Task

_MOST_BYTES = 64 * 1024 * 1024
_CALL_S, _VALIDATE_S = 8.0, 40.0
"""A plugin tries its connections while it validates, with time limits of its own."""
_REBALANCE_S, _UNSETTLED_S, _AGAIN_S = 20.0, 3.0, 0.3
"""A worker answers 409 while its group shares out the connectors."""


class ConnectRest:
    """See `connectors.ports.ConnectWorker`."""

    def __init__(
        self,
        url: str,
        auth: tuple[str, str] | None = None,
        ca: str | None = None,
        servers: ServerAddresses | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        # A redirect, a proxy of the environment or a .netrc would send the credentials elsewhere, or others here.
        self._client = httpx.Client(
            auth=auth,
            transport=CheckedTransport(servers or ServerAddresses(), verify=ca or True),
            follow_redirects=False,
            trust_env=False,
        )

    def plugins(self) -> Sequence[Plugin]:
        by_name = {
            plugin.name: plugin
            for each in _list(self._ask("GET", "/connector-plugins"))
            if (plugin := _plugin(each)) is not None
        }
        return [by_name[name] for name in sorted(by_name)]

    def validate(self, name: str, config: Configuration) -> Sequence[CheckedField]:
        plugin = quote(config["connector.class"], safe="")
        path = f"/connector-plugins/{plugin}/config/validate"
        answer = self._ask("PUT", path, {**config, "name": name}, seconds=_VALIDATE_S)
        return [_field(each) for each in _list(_mapping(answer).get("configs"))]

    def all(self) -> Mapping[str, Live]:
        answer = _mapping(self._ask("GET", "/connectors?expand=info&expand=status"))
        by_name = {name: _live(name, _mapping(each)) for name, each in sorted(answer.items())}
        return {name: live for name, live in by_name.items() if live is not None}

    def get(self, name: str) -> Live | None:
        info = self._ask("GET", f"/connectors/{_part(name)}", missing=(404,))
        if info is None:
            return None
        # The status of a connector that was created a moment ago is not there yet.
        status = self._ask("GET", f"/connectors/{_part(name)}/status", missing=(404,))
        return _live(name, {"info": info, "status": status or {}})

    def topics(self, name: str) -> Sequence[str]:
        answer = _mapping(self._ask("GET", f"/connectors/{_part(name)}/topics", missing=(403, 404)))
        named = _mapping(answer.get(name)).get("topics")
        return sorted(topic for topic in _list(named) if isinstance(topic, str))

    def create(self, name: str, config: Configuration, state: str) -> None:
        body = {"name": name, "config": dict(config), "initial_state": state.upper()}
        self._write("POST", "/connectors", body)

    def configure(self, name: str, config: Configuration) -> None:
        self._write("PUT", f"/connectors/{_part(name)}/config", dict(config))

    def set_state(self, name: str, state: str) -> None:
        action = {"running": "resume", "paused": "pause", "stopped": "stop"}[state]
        self._ask("PUT", f"/connectors/{_part(name)}/{action}", named=name)

    def restart(self, name: str) -> None:
        self._ask("POST", f"/connectors/{_part(name)}/restart?includeTasks=true&onlyFailed=false", named=name)

    def delete(self, name: str) -> bool:
        return self._ask("DELETE", f"/connectors/{_part(name)}", missing=(404,)) is not None

    def _write(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        if self._ask(method, path, body, missing=(400,)) is None:
            # Its words repeat the configuration.
            raise InvalidInput(
                f"Kafka Connect at {self.url} refuses the configuration; apply the document again to see why."
            )

    def _unavailable(self, why: str) -> Unavailable:
        return Unavailable(
            f"Kafka Connect at {self.url} {why}; check connect.url of the cluster.", details={"server": self.url}
        )

    def _ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        missing: tuple[int, ...] = (),
        named: str | None = None,
        seconds: float = _CALL_S,
    ) -> Any:
        """JSON of the answer, {} where it has none; None where its status is one of `missing`. `named`: the connector
        whose absence is an error. Raises Unavailable, NotFound, Conflict."""
        begin = time.monotonic()
        while True:
            answer = self._once(method, path, body, patience(seconds))
            if time.monotonic() - begin >= _again_for(method, answer) or patience(_AGAIN_S) < _AGAIN_S:
                break
            time.sleep(_AGAIN_S)
        status = answer.status_code
        if status in missing:
            return None
        if status == 404 and named is not None:
            raise NotFound(f"Kafka Connect at {self.url} has no connector {named!r}.", details={"connector": named})
        if status == 409 and b"already exists" in answer.content:
            raise Conflict(
                f"Kafka Connect at {self.url} has a connector of that name already.", details={"server": self.url}
            )
        if status == 409:
            raise self._unavailable("is busy sharing out its connectors")
        if not 200 <= status < 300:  # a redirect did nothing, and is not followed
            raise self._unavailable("refuses the credentials" if status in (401, 403) else f"answers {status}")
        if len(answer.content) > _MOST_BYTES:
            raise self._unavailable("gives an answer that is too large")
        try:
            return answer.json() if answer.content else {}
        except ValueError:
            raise self._unavailable("gives an answer that is not Connect's") from None

    def _once(self, method: str, path: str, body: Any, seconds: float) -> httpx.Response:
        try:
            with CallDeadline(max(0.01, seconds)) as deadline:
                return self._client.request(
                    method,
                    self.url + path,
                    json=body,
                    headers={"Accept": "application/json"},
                    timeout=max(0.01, seconds),
                    extensions={"trace": deadline.watch},
                )
        except AddressRefused as refused:
            raise SettingsError(f"connect.url: {refused.message}") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
            raise self._unavailable("does not answer") from None


def _again_for(method: str, answer: httpx.Response) -> float:
    """For how many seconds a call is repeated after this answer. A worker answers 409 while it shares out its connectors,
    and at times 500 to a read of a connector whose state it is just changing."""
    if answer.status_code == 409 and b"already exists" not in answer.content:
        return _REBALANCE_S
    return _UNSETTLED_S if answer.status_code == 500 and method == "GET" else 0.0


def _part(name: str) -> str:
    return quote(name, safe="")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _kind(value: Any) -> Kind | None:
    kinds: dict[str, Literal["source", "sink"]] = {"source": "source", "sink": "sink"}
    return kinds.get(str(value).lower())


def _plugin(value: Any) -> Plugin | None:
    each = _mapping(value)
    kind, name = _kind(each.get("type")), each.get("class")
    return Plugin(str(name), kind, str(each.get("version") or "")) if kind is not None and name else None


def _field(value: Any) -> CheckedField:
    definition, checked = _mapping(_mapping(value).get("definition")), _mapping(_mapping(value).get("value"))
    errors = tuple(str(error) for error in _list(checked.get("errors")))
    return CheckedField(
        str(definition.get("name") or checked.get("name") or ""), str(definition.get("type") or ""), errors
    )


def _live(name: str, value: Mapping[str, Any]) -> Live | None:
    """None where the answer is not of the documented shape."""
    info, status = _mapping(value.get("info")), _mapping(value.get("status"))
    kind = _kind(info.get("type") or status.get("type"))
    if kind is None:
        return None
    connector = _mapping(status.get("connector"))
    config = _mapping(info.get("config"))
    return Live(
        name=name,
        kind=kind,
        state=str(connector.get("state") or "UNASSIGNED").upper(),
        config={str(key): str(each) for key, each in config.items() if key != "name" and each is not None},
        tasks=tuple(_task(each) for each in _list(status.get("tasks")) if isinstance(each, dict)),
        worker=str(connector.get("worker_id") or ""),
        trace=str(connector.get("trace") or ""),
    )


def _task(value: Mapping[str, Any]) -> Task:
    number = value.get("id")
    return Task(
        number if isinstance(number, int) else -1,
        str(value.get("state") or "UNKNOWN").upper(),
        str(value.get("worker_id") or ""),
        str(value.get("trace") or ""),
    )
