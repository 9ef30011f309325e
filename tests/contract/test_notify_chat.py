"""Chat webhooks of people: what is sent, and what must not be reached by them. Against a real HTTP server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.features.notifications.chat import WebhookChat
from api.webhooks.ssrf_guard import Guard
from catalog.errors import InvalidInput
from catalog.settings import EventSettings
from policies.notify.notices import ChatKind, Message, Undelivered
from policies.settings import NotifySettings
from tests.contract.test_webhooks import Server

MESSAGE = Message(
    "<1@x>",
    "<t@x>",
    "Weir: x",
    "plain",
    "<p>x</p>",
    ("ana <!channel> & *b* [x](y)",),
    (("ana <!channel> & *b* [x](y)", "https://weir.example.com/requests/r"),),
)


@pytest.fixture
def server() -> Iterator[Server]:
    import threading

    created = Server()
    threading.Thread(target=created.serve_forever, daemon=True).start()
    yield created
    created.shutdown()
    created.server_close()


def chat(hosts: list[str], allowed: list[str] | None = None, find: dict[str, list[str]] | None = None) -> WebhookChat:
    lookup = (lambda host, port: (find or {})[host]) if find is not None else None
    guard = Guard(allowed or [], lookup) if lookup else Guard(allowed or [])
    return WebhookChat(NotifySettings(chat=True, chat_hosts=hosts), EventSettings(webhook_timeout_s=2), guard)


def test_slack_and_teams_get_their_own_form(server: Server) -> None:
    port = server.server_address[1]
    sender = chat([f"127.0.0.1:{port}"], ["127.0.0.1"])
    url = f"http://127.0.0.1:{port}/services/secret"
    assert sender.check(url) == "127.0.0.1"
    sender.send(url, ChatKind.SLACK, MESSAGE)
    sender.send(url, ChatKind.TEAMS, MESSAGE)
    (path, headers, slack), (_, _, teams) = server.calls
    assert path == "/services/secret" and headers["content-type"].startswith("application/json")
    assert b"<https://weir.example.com/requests/r|ana &lt;!channel&gt; &amp; *b* [x](y)>" in slack
    assert b"AdaptiveCard" in teams and rb"\\[x\\]\\(y\\)" in teams


def test_answers_are_lasting_or_not_and_the_address_is_a_secret(server: Server) -> None:
    port = server.server_address[1]
    sender, url = chat([f"127.0.0.1:{port}"], ["127.0.0.1"]), f"http://127.0.0.1:{port}/services/secret"
    server.headers = {"Retry-After": "7"}
    for status, lasting in ((404, True), (410, True), (429, False), (500, False), (302, False)):
        server.statuses = [status]
        with pytest.raises(Undelivered) as refused:
            sender.send(url, ChatKind.SLACK, MESSAGE)
        assert (refused.value.lasting, refused.value.retry_after_s) == (lasting, 7.0)
        assert "secret" not in refused.value.problem


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.slack.com/x",
        "https://hooks.slack.com:8443/x",
        "https://evil.example/x",
        "https://hooks.slack.com.evil/x",
        "https://user:pw@hooks.slack.com/x",
        "ftp://hooks.slack.com/x",
        "",
        "nonsense",
        "https://[::1/x",
        "https:///x",
        "https://hooks.slack.com@evil.example/x",
        "http://127.0.0.1:9200/",
        "https://169.254.169.254/latest",
    ],
)
def test_other_addresses_are_refused_without_being_repeated(url: str) -> None:
    sender = chat(["hooks.slack.com"])
    with pytest.raises(InvalidInput) as refused:
        sender.check(url)
    assert "pw" not in refused.value.message
    with pytest.raises(Undelivered):
        sender.send(url, ChatKind.SLACK, MESSAGE)


def test_a_listed_host_that_leads_inside_is_not_called() -> None:
    for inside in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"):
        sender = chat(["hooks.slack.com"], find={"hooks.slack.com": [inside]})
        with pytest.raises(Undelivered, match="inside the network"):
            sender.send("https://hooks.slack.com/x", ChatKind.SLACK, MESSAGE)
    with pytest.raises(InvalidInput, match="inside the network"):
        chat(["10.0.0.1"]).check("https://10.0.0.1/x")
