"""Messages to Slack- and Teams-compatible webhooks of people, under the rules of declared webhooks."""

from __future__ import annotations

import fnmatch
import html
import json
from collections.abc import Sequence

import httpx

from api.webhooks.retry_after import pause_of
from api.webhooks.ssrf_guard import Guard
from catalog.call_deadline import CallDeadline
from catalog.declared.loopback import is_loopback
from catalog.errors import InvalidInput
from catalog.event_model import DeliveryFailed
from catalog.settings import EventSettings
from policies.notify.notices import ChatKind, Message, Undelivered
from policies.settings import NotifySettings

_MOST_LINES = 20
_LONGEST = 2000


class WebhookChat:
    """`policies.notify.notices.Chat`. Only hosts that the setting lists, over https, and no address inside the network."""

    def __init__(
        self,
        settings: NotifySettings,
        events: EventSettings,
        guard: Guard,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`transport` replaces the network in tests."""
        self._settings, self._events, self._guard, self._transport = settings, events, guard, transport

    def check(self, address: str) -> str:
        """The host. Raises InvalidInput without repeating the address, which is a secret."""
        url = self._parsed(address)
        try:
            self._guard.check_written(url.host)
        except DeliveryFailed as refused:
            raise InvalidInput(refused.problem, details={"field": "chatUrl"}) from None
        return url.host

    def _parsed(self, address: str) -> httpx.URL:
        try:
            url = httpx.URL(address)
        except (httpx.InvalidURL, ValueError):
            url = httpx.URL("")
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            raise InvalidInput(
                "The address of a chat service is https://HOST/PATH, as the service shows it.",
                details={"field": "chatUrl"},
            )
        if not any(_fits(url, entry) for entry in self._settings.chat_hosts):
            raise InvalidInput(
                f"The host {url.host[:100]} is not a chat service that is allowed here, by https and its usual port; an"
                " administrator adds it to WEIR_NOTIFY__CHAT_HOSTS.",
                details={"field": "chatUrl"},
            )
        return url

    def send(self, address: str, kind: ChatKind, message: Message) -> None:
        """Raises Undelivered. The address is looked up once, and the connection goes to that very answer."""
        try:
            url = self._parsed(address)
        except InvalidInput as refused:
            raise Undelivered(refused.message, lasting=True) from None
        content = json.dumps(body(kind, message), ensure_ascii=False).encode("utf-8", "replace")
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = self._guard.addresses(url.host, port)
        except DeliveryFailed as refused:
            raise Undelivered(refused.problem) from None
        answer = self._post(url, port, addresses[:3], content)
        if answer.is_success:
            return
        lasting = answer.status_code in (400, 401, 403, 404, 405, 410)
        raise Undelivered(
            f"{url.host} answered {answer.status_code}.",
            lasting=lasting,
            retry_after_s=pause_of(answer),
        )

    def _post(self, url: httpx.URL, port: int, addresses: Sequence[str], content: bytes) -> httpx.Response:
        # A connection that is kept is kept by address and would serve another host there, its certificate unchecked.
        limits = httpx.Limits(max_keepalive_connections=0)
        with (
            CallDeadline(self._events.webhook_deadline_s) as deadline,
            httpx.Client(follow_redirects=False, trust_env=False, transport=self._transport, limits=limits) as client,
        ):
            for address in addresses:
                limit = min(self._events.webhook_timeout_s, deadline.left)
                request = client.build_request(
                    "POST",
                    url.copy_with(host=address.partition("%")[0]),
                    content=content,
                    headers={
                        "Content-Type": "application/json; charset=utf-8",
                        "Host": url.netloc.decode(),
                        "User-Agent": "Weir-Notify/1",
                    },
                    timeout=httpx.Timeout(limit, connect=min(5.0, limit)),
                    extensions={"sni_hostname": url.host, "trace": deadline.watch},
                )
                try:
                    answer = client.send(request, stream=True)
                    answer.close()
                    return answer
                except httpx.ConnectError:
                    continue  # another address of the host may answer
                except httpx.HTTPError as error:
                    kind = type(error).__name__
                    raise Undelivered(f"The call to {url.host}, port {port}, failed ({kind}).") from None
        raise Undelivered(f"Nothing takes connections at {url.host}, port {port}, or its certificate is wrong.")


def _fits(url: httpx.URL, entry: str) -> bool:
    """Whether an address is of a listed host. An entry HOST:PORT allows that port, on this machine by plain http too."""
    name, colon, port = entry.lower().rpartition(":")
    private = url.scheme == "https" or is_loopback(url.host)
    if colon and port.isdigit():
        return private and url.port == int(port) and fnmatch.fnmatchcase(url.host.lower(), name)
    return url.scheme == "https" and url.port in (None, 443) and fnmatch.fnmatchcase(url.host.lower(), entry.lower())


def body(kind: ChatKind, message: Message) -> dict[str, object]:
    """What a service takes: Slack's text with links, or a Teams card in the form of Adaptive Cards."""
    return _slack(message) if kind is ChatKind.SLACK else _teams(message)


def _slack(message: Message) -> dict[str, object]:
    """Slack reads &, < and > as markup, so they are escaped; only our own links are links."""
    lines = []
    links = iter(message.links)
    linked = next(links, None)
    for text in message.lines[:_MOST_LINES]:  # links are in the order of their lines; two lines may have the same words
        if linked is not None and linked[0] == text:
            lines.append(f"<{_slack_text(linked[1])}|{_slack_text(text)}>")
            linked = next(links, None)
        else:
            lines.append(_slack_text(text))
    if len(message.lines) > _MOST_LINES:
        lines.append(f"and {len(message.lines) - _MOST_LINES} more")
    return {"text": _cut("\n".join(lines)), "unfurl_links": False}


def _slack_text(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "¦")


def _teams(message: Message) -> dict[str, object]:
    shown = message.lines[:_MOST_LINES]
    texts = [{"type": "TextBlock", "text": _teams_text(line), "wrap": True} for line in shown]
    if len(message.lines) > len(shown):
        texts.append({"type": "TextBlock", "text": f"and {len(message.lines) - len(shown)} more", "wrap": True})
    card: dict[str, object] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": texts,
        "actions": [{"type": "Action.OpenUrl", "title": "Open in Weir", "url": url} for _, url in message.links[:5]],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [attachment]}


def _teams_text(text: str) -> str:
    """Cards read Markdown; a name must not become a link."""
    return "".join(f"\\{letter}" if letter in "\\[]()*_`#" else letter for letter in text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST * 10 else text[: _LONGEST * 10]
