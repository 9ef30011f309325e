"""The command line's way to a running Weir: its HTTP API, with this instance's address and token."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit

from api.config.address import Recorded
from api.config.home import Home
from api.config.tls_client import ClientTls
from api.terminal.client import Answer, CallFailed, Client, NotConnected, TimedOut
from api.terminal.kept_logins import kept_token
from api.terminal.tls_failures import tls_failure
from catalog.declared.loopback import is_loopback
from catalog.errors import InvalidInput, NotSignedIn, Unavailable, WeirError
from catalog.node_ids import read_id

DEFAULT_URL = "http://127.0.0.1:8484"
_PAGE = 1000
"""As many as the API gives at once."""


class ApiRefused(WeirError):
    """The API answered with an error; its sentence and details are passed on."""


def segment(text: str) -> str:
    """One path segment, percent-encoded whole."""
    return quote(text, safe="")


def instance_url(home: Home) -> str:
    """The address of this instance: WEIR_URL, else what the running instance wrote down, else the default.

    Raises InvalidInput for a WEIR_URL that is not an address.
    """
    if url := os.environ.get("WEIR_URL", "").strip():
        return _address(url)
    return _recorded(home) or DEFAULT_URL


def _is_own(home: Home) -> bool:
    """Whether commands go to the Weir of this WEIR_HOME: without WEIR_URL, or with one of this machine, or its own."""
    url = os.environ.get("WEIR_URL", "").strip()
    if not url:
        return True
    return is_loopback(urlsplit(_address(url)).hostname or "") or _address(url) == _recorded(home)


def _recorded(home: Home) -> str | None:
    recorded = Recorded.of(home)
    return recorded.url if recorded is not None else None


def _address(text: str) -> str:
    """`localhost:8484` is taken for http."""
    url = (text if "://" in text else f"http://{text}").rstrip("/")
    if not _is_address(url):
        raise InvalidInput(f"WEIR_URL={text} is not an address; write it as http://HOST:PORT, or https://HOST:PORT.")
    return url


def _is_address(url: str) -> bool:
    try:
        parsed = urlsplit(url)
        named = parsed.hostname and parsed.port != 0 and parsed.username is None
    except ValueError:
        return False
    return bool(named) and parsed.scheme in ("http", "https") and url.isprintable() and " " not in url


def instance_tls(home: Home, url: str) -> ssl.SSLContext | None:
    """How to verify a Weir, and which certificate to show it. None for an address without TLS. Raises InvalidInput."""
    if not url.startswith("https://"):
        return None
    recorded = Recorded.of(home)
    own = recorded.certificate if recorded is not None and recorded.url == url else None
    return ClientTls.of_environment().context(own)


def instance_token(home: Home, user: str | None = None) -> str | None:
    """The token to send: WEIR_TOKEN, or that of `user` in WEIR_HOME/tokens, or of `weir login`, or the admin's. None with
    WEIR_CLIENT_CERTIFICATE and without WEIR_TOKEN: then the certificate signs in.

    Raises NotSignedIn, which names where it was looked for.
    """
    if user is None and (token := os.environ.get("WEIR_TOKEN", "").strip()):
        return token
    if user is None and ClientTls.of_environment().certificate is not None:
        return None
    if user is None and (kept := kept_token(home, instance_url(home))) is not None:
        return kept
    if user is None and not _is_own(home):
        raise NotSignedIn(
            f"Nobody is signed in at {instance_url(home)}; run `weir login`, or set WEIR_TOKEN. The admin's token of this"
            " machine is not sent to another one."
        )
    path = home.token_of(user) if user else home.admin_token
    try:
        return path.read_text().strip()
    except OSError:
        advice = (
            f"make one with `weir token create --user {user} --save`"
            if user
            else "start Weir with `weir up --detach`, or for one that runs elsewhere set WEIR_URL, and run `weir login` or set"
            " WEIR_TOKEN"
        )
        raise NotSignedIn(f"No token{f' of {user}' if user else ''} at {path}; {advice}.") from None


class Api:
    """Calls the HTTP API; a failure is raised as one sentence (ApiRefused, Unavailable)."""

    def __init__(
        self,
        home: Home,
        user: str | None = None,
        timeout: float = 300.0,
        *,
        anonymous: bool = False,
        login_only: bool = False,
        connect: float = 5.0,
    ) -> None:
        """`anonymous`: without a token. `login_only`: with the session of `weir login` and no other token."""
        self.url = instance_url(home)
        self._names: dict[str, str] | None = None
        token = (kept_token(home, self.url) if login_only else instance_token(home, user)) if not anonymous else None
        if (token and not token.isprintable()) or (token and not token.isascii()):
            raise NotSignedIn("The token holds signs that no token has; make a new one with `weir token create`.")
        self._client = Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=timeout,
            connect=connect,
            verify=instance_tls(home, self.url),
        )

    def shortened(self, text: str) -> str:
        """A node id or namespace with the cluster's name in place of its address: `prod/orders value.email`."""
        if self._names is None:
            clusters = self.get("/api/v1/clusters")["clusters"]
            self._names = {cluster["namespace"]: cluster["name"] for cluster in clusters}
        parts = read_id(text)
        if parts is None:
            return self._names.get(text, text)
        _, namespace, name, field = parts
        known = self._names.get(namespace)
        shown = f"{known}/{name}" if known else f"{namespace}:{name}"
        return shown if field is None else f"{shown}{' ' if known else ':'}{field}"

    def get(self, path: str, /, **params: Any) -> Any:
        return self._value(self._call("GET", path, params=_given(params)))

    def all(self, path: str, /, name: str, **params: Any) -> Any:
        """A list that comes in pages, whole: the answer with everything under `name`."""
        answer = self.get(path, **params, limit=_PAGE)
        while len(answer[name]) < answer["total"]:
            more = self.get(path, **params, limit=_PAGE, offset=len(answer[name]))[name]
            if not more:
                break
            answer[name] += more
        return answer

    def text(self, path: str, **params: Any) -> str:
        return self._call("GET", path, params=_given(params)).text

    def post(self, path: str, body: Any = None, **params: Any) -> Any:
        answer = self._call("POST", path, json=body, params=_given(params))
        return self._value(answer) if answer.content else None

    def post_text(self, path: str, text: str, **params: Any) -> Any:
        headers = {"Content-Type": "application/yaml"}
        return self._value(self._call("POST", path, content=text.encode(), headers=headers, params=_given(params)))

    def put(self, path: str, body: Any) -> Any:
        return self._value(self._call("PUT", path, json=body))

    def patch(self, path: str, body: Any) -> Any:
        return self._value(self._call("PATCH", path, json=body))

    def delete(self, path: str, **params: Any) -> Any:
        answer = self._call("DELETE", path, params=_given(params))
        return self._value(answer) if answer.content else None

    @contextmanager
    def stream(self, path: str, **params: Any) -> Iterator[Iterator[str]]:
        """The lines of a server-sent event stream. Raises as other calls; Unavailable when it breaks off."""
        with self._open("GET", path, params=_given(params)) as answer:
            yield answer.iter_lines()

    @contextmanager
    def download(self, path: str, body: Any, **params: Any) -> Iterator[Iterator[bytes]]:
        """The bytes of an answer as they come. Raises as other calls; Unavailable when it breaks off in between."""
        with self._open("POST", path, json=body, params=_given(params)) as answer:
            yield answer.iter_bytes()

    @contextmanager
    def file(self, path: str, **params: Any) -> Iterator[Iterator[bytes]]:
        """The bytes of a file as they come. Raises as other calls; Unavailable when it breaks off in between."""
        with self._open("GET", path, params=_given(params)) as answer:
            yield answer.iter_bytes()

    @contextmanager
    def _open(self, method: str, path: str, **arguments: Any) -> Iterator[Answer]:
        """An answer that is read while it comes."""
        try:
            with self._client.stream(method, path, **arguments) as answer:
                if answer.is_error:
                    answer.read()
                    raise _refusal(answer, self.url)
                yield answer
        except NotConnected as error:
            raise self._nobody(error) from None
        except CallFailed as error:
            raise self._tls(error) or Unavailable(
                "The answer broke off: it was stopped, or a limit was reached; what came is not all."
            ) from None

    def _call(self, method: str, path: str, **arguments: Any) -> Answer:
        try:
            answer = self._client.request(method, path, **arguments)
        except NotConnected as error:
            raise self._nobody(error) from None
        except TimedOut:
            raise Unavailable(f"Weir at {self.url} did not answer in time; `weir status` shows what is down.") from None
        except CallFailed as error:
            raise (self._tls(error) or Unavailable(f"The call to Weir at {self.url} broke off; try again.")) from None
        if answer.is_error:
            raise _refusal(answer, self.url)
        return answer

    def _value(self, answer: Answer) -> Any:
        """What an answer holds. Raises ApiRefused where a page came instead: of a proxy, of a sign-in, of Weir below /ui."""
        try:
            return answer.json()
        except ValueError:
            raise _another(self.url) from None

    def _tls(self, error: CallFailed) -> Unavailable | None:
        problem = tls_failure(error, self.url, ClientTls.of_environment().certificate is not None)
        return Unavailable(problem) if problem is not None else None

    def _nobody(self, error: NotConnected) -> Unavailable:
        return self._tls(error) or Unavailable(
            f"No Weir answers at {self.url}. Start it with `weir up --detach`, or set WEIR_URL to where it runs."
        )


def _refusal(answer: Answer, url: str) -> ApiRefused:
    try:
        error = answer.json()["error"]
        refused = ApiRefused(error["message"], details=error.get("details"))
        refused.code = error["code"]
    except (ValueError, KeyError, TypeError):
        refused = _another(url)
    return refused


def _another(url: str) -> ApiRefused:
    return ApiRefused(f"What answers at {url} is not Weir's API; check WEIR_URL.")


def _given(params: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in params.items() if value is not None}


def dataset_path(reference: str | None) -> str:
    """The API path of `prod/orders`. Raises InvalidInput when it is not a CLUSTER/TOPIC."""
    cluster, _, topic = (reference or "").rpartition("/")
    if not cluster or not topic:
        raise InvalidInput("Name the dataset as CLUSTER/TOPIC, for example prod/orders.")
    return f"/api/v1/datasets/{segment(cluster)}/{segment(topic)}"
