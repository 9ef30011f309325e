"""The way to a running Weir: its HTTP API with an address and a token."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

from weir_client import errors, tls

DEFAULT_URL = "http://127.0.0.1:8484"


class Http:
    """Calls of the API; a failure is raised as one of `weir_client.errors`."""

    def __init__(
        self,
        url: str | None,
        token: str | None,
        timeout: float,
        transport: httpx.BaseTransport | None = None,
        ca: str | None = None,
        certificate: str | None = None,
        key: str | None = None,
    ) -> None:
        self.url = _address(url or os.environ.get("WEIR_URL") or DEFAULT_URL)
        given = _token(token or os.environ.get("WEIR_TOKEN") or "")
        self._shows = tls.shows_certificate(certificate)
        if not given and not self._shows:
            raise errors.NotSignedIn(
                "There is no token: give Weir(token=...) or set WEIR_TOKEN; `weir token create --user NAME` makes one.",
                "not_signed_in",
            )
        self._client = httpx.Client(
            base_url=self.url,
            headers={"User-Agent": "weir-client"} | ({"Authorization": f"Bearer {given}"} if given else {}),
            timeout=httpx.Timeout(timeout, connect=10),
            transport=transport,
            verify=tls.context(ca, certificate, key) if self.url.startswith("https://") else True,
        )

    def close(self) -> None:
        self._client.close()

    def json(self, method: str, path: str, body: Any = None, /, **params: Any) -> Any:
        """The JSON of an answer."""
        request = self._request(method, path, json=body, params=_given(params))
        try:
            answer = self._client.send(request)
        except httpx.HTTPError as error:
            raise self._away(error) from None
        if answer.is_error:
            raise self._refusal(answer)
        try:
            return answer.json() if answer.content else None
        except ValueError:  # a page of a proxy, of a sign-in, or of Weir itself
            raise errors.from_answer(answer.status_code, None, self.url) from None

    def document(self, method: str, path: str, body: Any = None, /, **params: Any) -> dict[str, Any]:
        """An answer that is one object, as docs/reference/api.md describes it."""
        answer: dict[str, Any] = self.json(method, path, body, **params)
        return answer

    def documents(self, method: str, path: str, key: str | None, /, **params: Any) -> list[dict[str, Any]]:
        """Objects of an answer: those of its `key`, or all where the answer is a list."""
        answer = self.json(method, path, **params)
        listed: list[dict[str, Any]] = answer if key is None else answer[key]
        return listed

    @contextmanager
    def stream(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, /, **params: Any
    ) -> Iterator[httpx.Response]:
        """An answer as it comes; leaving the block makes the server stop."""
        timeout = httpx.Timeout(None, connect=10)
        request = self._request(
            method, path, json=body, params=_given(params), headers=dict(headers or {}), timeout=timeout
        )
        try:
            answer = self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise self._away(error) from None
        try:
            if answer.is_error:
                answer.read()
                raise self._refusal(answer)
            yield answer
        except httpx.HTTPError as error:
            raise errors.AnswerBroken(
                f"The answer of Weir at {self.url} broke off ({type(error).__name__}); what came is not all of it."
            ) from None
        finally:
            answer.close()

    def _request(self, method: str, path: str, **parts: Any) -> httpx.Request:
        if self._client.is_closed:
            raise errors.Conflict("This client was closed; make another one: Weir().", "conflict")
        try:
            return self._client.build_request(method, path, **parts)
        except UnicodeEncodeError:
            raise errors.InvalidInput("What is asked has text that is not valid Unicode.", "invalid_input") from None

    def _refusal(self, answer: httpx.Response) -> errors.WeirError:
        try:
            body = answer.json()
        except ValueError:
            body = None
        return errors.from_answer(answer.status_code, body, self.url)

    def _away(self, error: httpx.HTTPError) -> errors.Unavailable:
        problem = tls.failure(error, self.url, self._shows)
        if problem is not None:
            return errors.Unavailable(problem, "unavailable")
        if isinstance(error, httpx.TimeoutException):
            return errors.Unavailable(f"Weir at {self.url} did not answer in time.", "unavailable")
        return errors.Unavailable(
            f"No Weir answers at {self.url} ({type(error).__name__}); is WEIR_URL right, and does it run?",
            "unavailable",
        )


def _address(text: str) -> str:
    """Raises InvalidInput for a text that does not name a server."""
    address = text.strip().rstrip("/")
    try:
        parsed = httpx.URL(address)
        if parsed.scheme in ("http", "https") and parsed.host:
            return address
    except httpx.InvalidURL:
        pass
    raise errors.InvalidInput(f"{text!r} is not an address of Weir; write it as {DEFAULT_URL}.", "invalid_input")


def _token(text: str) -> str:
    """Raises NotSignedIn, without the token, for a text that cannot be sent as one."""
    token = text.strip()
    if token.isascii() and token.isprintable() and " " not in token:
        return token
    raise errors.NotSignedIn(
        "The token has characters that no token has; copy it again, or make one: `weir token create --user NAME`.",
        "not_signed_in",
    )


def part(name: str) -> str:
    """A name as one part of an address, encoded whole. Raises InvalidInput for text that is not valid Unicode."""
    try:
        return quote(name, safe="")
    except UnicodeEncodeError:
        raise errors.InvalidInput("What is asked has text that is not valid Unicode.", "invalid_input") from None


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}
