"""One way to ask a REST server: bounded, without redirects, failures as Unavailable with the address and never a body;
an address that may not be called as SettingsError."""

from __future__ import annotations

from typing import Any, ClassVar

import httpx

from catalog.adapters.checked_http import AddressRefused, CheckedTransport
from catalog.call_deadline import CallDeadline
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import SettingsError, Unavailable

_MOST_BYTES = 64 * 1024 * 1024


class RestServer:
    """`what` names the server in errors; `setting` the place of its address."""

    def __init__(
        self,
        what: str,
        setting: str,
        url: str,
        auth: tuple[str, str] | None,
        ca: str | None,
        timeout_s: float = 8.0,
        servers: ServerAddresses | None = None,
    ) -> None:
        self.url, self._what, self._setting = url.rstrip("/"), what, setting
        self._seconds = timeout_s
        # A redirect, a proxy of the environment or a .netrc would send the credentials elsewhere, or others here.
        transport = CheckedTransport(servers or ServerAddresses(), verify=ca or True)
        self._client = httpx.Client(
            auth=auth, timeout=timeout_s, transport=transport, follow_redirects=False, trust_env=False
        )

    def get(self, path: str, missing: tuple[int, ...] = ()) -> Any:
        """JSON of a GET; None where the status is one of `missing`. Raises Unavailable."""
        return self._ask("GET", path, None, missing)

    def post(self, path: str, body: Any) -> Any:
        """JSON of a POST. Raises Unavailable."""
        return self._ask("POST", path, body)

    def unavailable(self, why: str) -> Unavailable:
        return Unavailable(
            f"{self._what} at {self.url} {why}; check {self._setting} of the cluster.", details={"server": self.url}
        )

    def _ask(self, method: str, path: str, body: Any, missing: tuple[int, ...] = ()) -> Any:
        try:
            with CallDeadline(self._seconds) as deadline:
                answer = self._client.request(
                    method,
                    self.url + path,
                    json=body,
                    headers={"Accept": "application/json"},
                    extensions={"trace": deadline.watch},
                )
            if answer.status_code in missing:
                return None
            answer.raise_for_status()
            if len(answer.content) > _MOST_BYTES:
                raise self.unavailable("gives an answer that is too large")
            return answer.json()
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            why = "refuses the credentials" if status in (401, 403) else f"answers {status}"
            raise self.unavailable(why) from None
        except AddressRefused as refused:
            raise SettingsError(f"{self._setting}: {refused.message}") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
            raise self.unavailable("does not answer") from None


class RestReader:
    """Reads one server. `what` and `setting`: see `RestServer`."""

    what: ClassVar[str]
    setting: ClassVar[str]

    def __init__(
        self,
        url: str,
        auth: tuple[str, str] | None = None,
        ca: str | None = None,
        servers: ServerAddresses | None = None,
    ) -> None:
        self._server = RestServer(self.what, self.setting, url, auth, ca, servers=servers)
