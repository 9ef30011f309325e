"""Declared webhooks (`kind: Webhook`): events sent over HTTP, signed as Standard Webhooks requires.

Someone who may declare one must not thereby reach servers behind Weir's firewall: an address is looked up once, every
answer must be public or allowed by setting, and the connection goes to that very answer. Redirects are not followed,
nothing of an answer but its status is read.
"""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx
from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_after_delay, wait_random_exponential

from api.webhooks.retry_after import pause_of
from api.webhooks.ssrf_guard import Guard
from catalog.apply.kept import KeptDocuments
from catalog.call_deadline import CallDeadline
from catalog.declared.documents import Document
from catalog.declared.kinds import WebhookSpec
from catalog.declared.secrets import Secrets, require_private
from catalog.errors import InvalidInput, SettingsError
from catalog.event_model import DeliveryFailed, Event, type_matches
from catalog.ports import CatalogStore, Clock, Receiver
from catalog.records import DeclaredDocument
from catalog.settings import EventSettings

Secret = Callable[[Mapping[str, Any] | str | None, str], str | None]
"""The secret that `{env: NAME}` or `{file: PATH}` names."""

_QUICK_S = 60.0
"""After it no other quick attempt begins, so that all of them end well within the lease of a delivery."""


class WebhookHandler(KeptDocuments):
    """`kind: Webhook` under `weir apply`."""

    kind = "Webhook"

    def __init__(self, store: CatalogStore, clock: Clock, guard: Guard, secrets: Secrets | None = None) -> None:
        super().__init__(store, clock)
        self._guard = guard
        self._secrets = secrets or Secrets()

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        """An address inside the network is refused at once; what a name leads to is looked up when it is called."""
        spec = document.model
        assert isinstance(spec, WebhookSpec)
        try:
            if not isinstance(spec.url, str):
                self._secrets.check(spec.url.model_dump(), "url")
            if spec.secret is not None:
                self._secrets.check(spec.secret.model_dump(), "secret")
            if isinstance(spec.url, str):
                self._guard.check_written(_parsed(spec.url).host)
                _require_private(spec, spec.url)
        except DeliveryFailed as refused:
            raise InvalidInput(refused.problem) from None
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None


def _require_private(spec: WebhookSpec, url: str) -> None:
    """Raises SettingsError where others could read a secret address on its way, or try keys on what a key signed."""
    if not isinstance(spec.url, str):
        require_private(url, "url", what="the address, which is a secret,")
    elif spec.secret is not None:
        require_private(url, "url", what="what the secret signs")


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
            self._client = httpx.Client(
                follow_redirects=False,
                trust_env=False,
                transport=self._transport,
                headers={"User-Agent": "Weir-Webhook/1"},
                # Connections are kept by address; one kept would serve another host there, its certificate unchecked.
                limits=httpx.Limits(max_keepalive_connections=0),
            )
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
        for count, event in enumerate(events):
            attempts = Retrying(
                stop=stop_after_attempt(self._settings.webhook_attempts) | stop_after_delay(_QUICK_S),
                wait=wait_random_exponential(multiplier=0.5, max=5),
                retry=retry_if_exception(lambda e: isinstance(e, DeliveryFailed) and e.retry_after_s is None),
                sleep=self._sleep,
                reraise=True,
            )
            try:
                attempts(self._send, url, key, event)
            except DeliveryFailed as failure:
                failure.taken = count
                raise

    def _reach(self) -> tuple[httpx.URL, bytes | None]:
        """The address and the signing key, read where they are declared to be."""
        spec = self._spec
        try:
            url = spec.url if isinstance(spec.url, str) else self._secret(spec.url.model_dump(), f"{self.name} url")
            address = _parsed(url or "")
            _require_private(spec, str(address))
            text = self._secret(spec.secret.model_dump(), f"{self.name} secret") if spec.secret else None
            return address, signing_key(text) if text is not None else None
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
        with CallDeadline(self._settings.webhook_deadline_s) as deadline:
            for address in self._guard.addresses(url.host, port)[:3]:
                limit = min(self._settings.webhook_timeout_s, deadline.left)
                request = self._http().build_request(
                    "POST",
                    url.copy_with(host=address.partition("%")[0]),
                    content=content,
                    headers=headers,
                    timeout=httpx.Timeout(limit, connect=min(5.0, limit)),
                    extensions={"sni_hostname": url.host, "trace": deadline.watch},
                )
                try:
                    answer = self._http().send(request, stream=True)
                    answer.close()
                    break
                except httpx.HTTPError as error:
                    if deadline.passed or isinstance(error, httpx.TimeoutException):
                        raise DeliveryFailed(f"{url.host} did not answer in time.") from None
                    if isinstance(error, httpx.ConnectError):
                        continue
                    raise DeliveryFailed(f"The call to {url.host} broke off ({type(error).__name__}).") from None
        if answer is None:
            raise DeliveryFailed(f"Nothing takes connections at {url.host}, port {port}, or its certificate is wrong.")
        if answer.is_redirect:
            raise DeliveryFailed(f"{url.host} answered {answer.status_code}; redirects are not followed.")
        if not answer.is_success:
            raise DeliveryFailed(f"{url.host} answered {answer.status_code}.", retry_after_s=pause_of(answer))


def signing_key(text: str) -> bytes:
    """The key of a secret: what follows `whsec_` in base64, else the text itself. Raises InvalidInput."""
    if not text.startswith("whsec_"):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise InvalidInput("The secret of a webhook that begins with whsec_ must continue in base64.") from None


def signature(key: bytes | None, identifier: str, at: int, content: bytes) -> dict[str, str]:
    """The headers of Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, time and body."""
    headers = {"webhook-id": identifier, "webhook-timestamp": str(at)}
    if key is not None:
        digest = hmac.new(key, f"{identifier}.{at}.".encode() + content, hashlib.sha256).digest()
        headers["webhook-signature"] = f"v1,{base64.b64encode(digest).decode()}"
    return headers
