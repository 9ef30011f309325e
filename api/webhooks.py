"""Declared webhooks (`kind: Webhook`): events sent over HTTP, signed as Standard Webhooks say.

Whoever may declare one must not thereby reach what stands behind Weir's firewall: an address is looked up once, every
answer must be public or allowed by setting, and the connection goes to that very answer. Redirects are not followed,
nothing of an answer but its status is read.
"""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
import ipaddress
import json
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from catalog.declared import Document
from catalog.errors import InvalidInput, SettingsError
from catalog.event_model import DeliveryFailed, Event, type_matches
from catalog.handlers import Kept
from catalog.kinds import WebhookSpec
from catalog.ports import CatalogStore, Clock, Receiver
from catalog.records import DeclaredDocument
from catalog.settings import EventSettings

Secret = Callable[[Mapping[str, Any] | str | None, str], str | None]
"""The secret that `{env: NAME}` or `{file: PATH}` names."""

Lookup = Callable[[str, int], list[str]]
"""Addresses of a host name."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NEVER_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        ("fec0::/10", "3fff::/20", "64:ff9b:1::/48", "5f00::/16", "192.0.0.0/24", "192.88.99.0/24"),
    )
)
"""Local, for documents, or out of use by IANA's special-purpose registries; not all known to `ipaddress` as such."""


def lookup(host: str, port: int) -> list[str]:
    """Addresses of a host as the system resolves it. Raises DeliveryFailed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DeliveryFailed(f"The host {host} is not known.") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Guard:
    """Which addresses may be called. `allowed`: host names (`*.corp` too), addresses, networks."""

    def __init__(self, allowed: Sequence[str], find: Lookup = lookup) -> None:
        self._find = find
        self._names = []
        self._networks = []
        for entry in allowed:
            try:
                self._networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                self._names.append(entry.lower())

    def addresses(self, host: str, port: int) -> list[str]:
        """Where a host may be reached. Raises DeliveryFailed when any of its addresses is not allowed."""
        found = [host] if _address(host) else self._find(host, port)
        self._check(host, found)
        return found

    def check_written(self, host: str) -> None:
        """As `addresses`, without asking anyone: an address as it is written, and `localhost`."""
        if _address(host) is not None or host.lower() == "localhost":
            self._check(host, [host if _address(host) else "127.0.0.1"])

    def _check(self, host: str, found: Sequence[str]) -> None:
        if any(fnmatch.fnmatchcase(host.lower(), name) for name in self._names):
            return
        for text in found:
            address = _address(text)
            if address is None or not self._may(address):
                raise DeliveryFailed(
                    f"{host} is an address inside the network; add it to WEIR_EVENTS__WEBHOOK_ALLOWED_HOSTS to allow it."
                )

    def _may(self, address: _Address) -> bool:
        inside = _carried(address)
        if any(inside in network for network in self._networks if network.version == inside.version):
            return True
        if any(inside in network for network in _NEVER_PUBLIC if network.version == inside.version):
            return False
        return inside.is_global and not inside.is_multicast and not inside.is_reserved


def _address(text: str) -> _Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _carried(address: _Address) -> _Address:
    """The IPv4 address that an IPv6 one stands for, when it stands for one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped or address.sixtofour:
            return address.ipv4_mapped or address.sixtofour or address
        if address.teredo:
            return address.teredo[1]
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


class WebhookHandler(Kept):
    """`kind: Webhook` under `weir apply`."""

    kind = "Webhook"

    def __init__(self, store: CatalogStore, clock: Clock, guard: Guard) -> None:
        super().__init__(store, clock)
        self._guard = guard

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        """An address inside the network is refused at once; what a name leads to is looked up when it is called."""
        spec = document.model
        assert isinstance(spec, WebhookSpec)
        if isinstance(spec.url, str):
            try:
                self._guard.check_written(_parsed(spec.url).host)
            except DeliveryFailed as refused:
                raise InvalidInput(refused.problem) from None


def _parsed(url: str) -> httpx.URL:
    """Raises InvalidInput without repeating what may hold a secret."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise InvalidInput("The address of a webhook is https://HOST/PATH, without a user or a password.")
    return parsed


class Webhooks:
    """The declared webhooks as receivers of events. `transport` replaces the network in tests."""

    def __init__(
        self,
        store: CatalogStore,
        secret: Secret,
        settings: EventSettings,
        guard: Guard,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store = store
        self._secret = secret
        self._settings = settings
        self._guard = guard
        self._sleep = sleep
        self._transport = transport
        self._client: httpx.Client | None = None

    def receivers(self) -> list[Receiver]:
        return [
            Webhook(document, self._secret, self._settings, self._guard, self._http, self._sleep)
            for document in self._store.documents("Webhook")
        ]

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _http(self) -> httpx.Client:
        if self._client is None:
            limit = self._settings.webhook_timeout_s
            self._client = httpx.Client(
                timeout=httpx.Timeout(limit, connect=min(5.0, limit)), follow_redirects=False, trust_env=False,
                transport=self._transport, headers={"User-Agent": "Weir-Webhook/1"},
                # Connections are kept by address; one kept would serve another host there, its certificate unchecked.
                limits=httpx.Limits(max_keepalive_connections=0),
            )  # fmt: skip
        return self._client


class Webhook:
    """One declared webhook (`catalog.ports.Receiver`). One event a request, the next only after it was taken."""

    at_once = 1
    lasting = False

    def __init__(
        self,
        document: DeclaredDocument,
        secret: Secret,
        settings: EventSettings,
        guard: Guard,
        http: Callable[[], httpx.Client],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = f"webhook:{document.key}"
        self.since: datetime | None = document.applied_at
        self._spec = WebhookSpec.model_validate(dict(document.spec))
        self._secret = secret
        self._settings = settings
        self._guard = guard
        self._http = http
        self._sleep = sleep

    def wants(self, event: Event) -> bool:
        subjects = self._spec.subjects
        return type_matches(self._spec.types, event.type) and any(
            fnmatch.fnmatchcase(event.subject, glob) for glob in subjects
        )

    def tell(self, events: Sequence[Event]) -> None:
        """Raises DeliveryFailed after a few quick attempts."""
        url, key = self._reach()
        for told, event in enumerate(events):
            attempts = Retrying(
                stop=stop_after_attempt(self._settings.webhook_attempts),
                wait=wait_random_exponential(multiplier=0.5, max=5),
                retry=retry_if_exception(lambda e: isinstance(e, DeliveryFailed) and e.retry_after_s is None),
                sleep=self._sleep,
                reraise=True,
            )
            try:
                attempts(self._send, url, key, event)
            except DeliveryFailed as failure:
                failure.told = told
                raise

    def _reach(self) -> tuple[httpx.URL, bytes | None]:
        """The address and the signing key, read where they are declared to be."""
        spec = self._spec
        try:
            url = spec.url if isinstance(spec.url, str) else self._secret(spec.url.model_dump(), f"{self.name} url")
            text = self._secret(spec.secret.model_dump(), f"{self.name} secret") if spec.secret else None
            return _parsed(url or ""), signing_key(text) if text is not None else None
        except (SettingsError, InvalidInput) as error:
            raise DeliveryFailed(error.message) from None

    def _send(self, url: httpx.URL, key: bytes | None, event: Event) -> None:
        body = json.dumps(event.to_json(self._settings.source), ensure_ascii=False, default=str)
        content = body.encode("utf-8", "replace")
        headers = {
            "Content-Type": "application/cloudevents+json; charset=utf-8",
            "Host": url.netloc.decode(),
            **signature(key, event.id, int(time.time()), content),
        }
        port = url.port or (443 if url.scheme == "https" else 80)
        answer: httpx.Response | None = None
        for address in self._guard.addresses(url.host, port)[:3]:
            request = self._http().build_request(
                "POST", url.copy_with(host=address.partition("%")[0]), content=content, headers=headers,
                extensions={"sni_hostname": url.host},
            )  # fmt: skip
            try:
                answer = self._http().send(request, stream=True)
                answer.close()
                break
            except httpx.ConnectError:
                continue
            except httpx.TimeoutException:
                raise DeliveryFailed(f"{url.host} did not answer in time.") from None
            except httpx.HTTPError as error:
                raise DeliveryFailed(f"The call to {url.host} broke off ({type(error).__name__}).") from None
        if answer is None:
            raise DeliveryFailed(f"Nothing takes connections at {url.host}, port {port}, or its certificate is wrong.")
        if answer.is_redirect:
            raise DeliveryFailed(f"{url.host} answered {answer.status_code}; redirects are not followed.")
        if not answer.is_success:
            raise DeliveryFailed(f"{url.host} answered {answer.status_code}.", retry_after_s=_pause(answer))


def signing_key(text: str) -> bytes:
    """The key of a secret: what follows `whsec_` in base64, else the text itself. Raises InvalidInput."""
    if not text.startswith("whsec_"):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise InvalidInput("The secret of a webhook that begins with whsec_ goes on in base64.") from None


def signature(key: bytes | None, identifier: str, at: int, content: bytes) -> dict[str, str]:
    """The headers of Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, time and body."""
    headers = {"webhook-id": identifier, "webhook-timestamp": str(at)}
    if key is not None:
        digest = hmac.new(key, f"{identifier}.{at}.".encode() + content, hashlib.sha256).digest()
        headers["webhook-signature"] = f"v1,{base64.b64encode(digest).decode()}"
    return headers


def _pause(answer: httpx.Response) -> float | None:
    """What Retry-After says in seconds; its other form, a date, is rare and may as well be ours to choose."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdigit() else None
