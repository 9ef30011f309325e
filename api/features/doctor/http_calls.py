"""One HTTP question to a server, for its answer and the time of its clock."""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from api.wiring.installation import transport
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import SettingsError, Unavailable

_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An answer, and when the question was sent and answered: seconds since 1970."""

    answer: httpx.Response
    before: float
    after: float

    @property
    def date(self) -> str | None:
        date = self.answer.headers.get("date")
        return str(date) if date else None


class HttpServer:
    """Asks one server. `ca`: file of authorities; `servers` checks addresses that were declared, not set."""

    def __init__(
        self,
        url: str,
        auth: tuple[str, str] | None = None,
        ca: Path | str | None = None,
        servers: ServerAddresses | None = None,
        headers: dict[str, str] | None = None,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        context = ssl.create_default_context(cafile=str(ca)) if ca else verify
        self._url = url.rstrip("/")
        self._client = httpx.Client(
            auth=auth,
            transport=transport(servers, context),
            follow_redirects=False,
            timeout=_SECONDS,
            headers=headers,
            trust_env=False,
        )

    def ask(self, path: str, method: str = "GET", body: object = None) -> TimedAnswer:
        """Raises Unavailable, SettingsError for an address that may not be called."""
        before = time.time()
        try:
            answer = self._client.request(method, self._url + path, json=body)
        except httpx.TimeoutException:
            raise Unavailable(f"It did not answer within {_SECONDS:g} seconds.") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if message := getattr(error, "message", ""):  # `AddressRefused`: a sentence for people
                raise SettingsError(str(message)) from None
            tls = "CERTIFICATE_VERIFY_FAILED" in str(error)
            raise Unavailable(
                "Its certificate cannot be verified with the authorities that are set."
                if tls
                else f"It does not answer ({type(error).__name__})."
            ) from None
        return TimedAnswer(answer, before, time.time())
