"""Weir's HTTP interface as one person uses it: the story goes this way and no other."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

import httpx

from api.demo.errors import DemoFailed

Found = TypeVar("Found")


class ApiRefusal(DemoFailed):
    """Weir answered with an error: its `status`, its `code` and its own sentence."""

    def __init__(self, who: str, status: int, code: str, message: str) -> None:
        super().__init__(f"Weir refused {who}: {message}")
        self.status = status
        self.code = code


class Person:
    """Somebody with a token. Every call gives the answer's JSON; raises Refused, or DemoFailed when nobody answers.

    `patience_s`: how long a GET is repeated while a server behind Weir does not answer (503). The demo's first minutes
    are busy, and a small machine's servers then answer late.
    """

    def __init__(
        self, name: str, token: str, url: str, transport: httpx.BaseTransport | None = None, patience_s: float = 60.0
    ) -> None:
        self.name = name
        self._patience_s = patience_s
        self._client = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            # A cold query starts code in Spark; nothing in the story takes longer.
            timeout=httpx.Timeout(120, connect=5),
            trust_env=False,
            transport=transport,
        )

    def __enter__(self) -> Person:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def get(self, path: str, **params: Any) -> Any:
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                return self._call("GET", path, params=params)
            except ApiRefusal as refused:
                if refused.status != 503 or time.monotonic() > deadline:
                    raise
            time.sleep(0.5)

    def post(self, path: str, body: Any = None) -> Any:
        return self._call("POST", path, json={} if body is None else body)

    def apply(self, text: str) -> Any:
        return self._call("POST", "/api/v1/apply", content=text.encode(), headers={"Content-Type": "application/yaml"})

    def delete(self, path: str, **params: Any) -> Any:
        return self._call("DELETE", path, params=params)

    def _call(self, method: str, path: str, **arguments: Any) -> Any:
        try:
            answer = self._client.request(method, path, **arguments)
        except httpx.HTTPError as error:
            raise DemoFailed(
                f"Weir did not answer {method} {path} ({type(error).__name__}); `weir status` shows what runs."
            ) from error
        if answer.is_error:
            try:
                refusal = answer.json()["error"]
                raise ApiRefusal(self.name, answer.status_code, refusal["code"], refusal["message"])
            except (ValueError, KeyError, TypeError):
                raise DemoFailed(
                    f"Weir answered {method} {path} with {answer.status_code} and no reason; see its log."
                ) from None
        return answer.json() if answer.content else None


def awaited(what: str, look: Callable[[], Found | None], seconds: float = 60.0) -> Found:
    """Look again and again until there is an answer. Raises DemoFailed naming `what` after `seconds`."""
    end = time.monotonic() + seconds
    while (answer := look()) is None:
        if time.monotonic() > end:
            raise DemoFailed(f"{what} did not come within {seconds:.0f} s; `weir status` shows what runs.")
        time.sleep(0.25)
    return answer
