"""Who is notified, when, in which words: the pure parts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.features.notifications.chat import body
from api.features.notifications.mail import compose
from catalog.errors import InvalidInput
from catalog.event_model import Event
from policies.notify.addresses import usable
from policies.notify.notices import Channel, ChatKind, Digest, Notice, Preference, Topic
from policies.notify.when import due, time_of, zone_of
from policies.notify.who import notified
from policies.notify.words import kept, message, path, plain_text, sentence

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


class People:
    def deciders(self, request: str) -> Collection[str]:
        return ["otto", "petra", "ana"] if request == "req-1" else []

    def requester(self, request: str) -> str | None:
        return "ana"

    def participants(self, request: str) -> Collection[str]:
        return ["ana", "otto"]

    def owners(self, dataset: str) -> Collection[str]:
        return ["otto"] if dataset == "prod/orders" else []

    def members(self, group: str) -> Collection[str]:
        return ["grace", "ana"] if group == "team" else []

    def managers(self) -> Collection[str]:
        return ["admin"]


def event(kind: str, subject: str = "req-1", **data: Any) -> Event:
    return Event("e-1", f"weir.{kind}", subject, NOW, data)


def users(kind: str, subject: str = "req-1", **data: Any) -> dict[str, str]:
    return {n.user: n.why for n in notified(event(kind, subject, **data), People())}


def test_who_is_notified_of_what() -> None:
    by = {"by": "ana", "requester": "ana", "dataset": "prod/orders"}
    assert users("access.requested", **by) == {"otto": "decide", "petra": "decide"}
    assert users("access.decided", **{**by, "by": "otto", "state": "pending"}).keys() == {"petra", "ana"}
    assert users("access.decided", **{**by, "by": "otto", "state": "approved"}) == {"ana": "approved"}
    assert users("access.decided", **{**by, "by": "otto", "state": "denied"}) == {"ana": "denied"}
    assert users("access.asked_back", **{**by, "by": "otto"}) == {"ana": "asked"}
    assert users("access.commented", **by, state="approved") == {"otto": "comment"}
    assert users("access.escalated", by="weir", people=["admin", "grace"]) == {
        "admin": "escalated",
        "grace": "escalated",
    }
    assert users("grant.expiring", "g", user=["ana"], group=["team"]) == {"ana": "expiring", "grace": "expiring"}
    assert users("grant.revoked", "g", user=["ana"], by="otto") == {"ana": "revoked"}
    assert users("grant.revoked", "g", user=["ana"], by="ana") == {}
    assert users("breakglass.used", **by) == {"otto": "review", "petra": "review"}
    assert users("breakglass.overdue", dataset="prod/orders", user="ana")["admin"] == "overdue"
    assert users("view.failed", "v", dataset="prod/orders") == {"otto": "owner"}
    assert users("view.failed", "v", user=["ana"], group=["team"]) == {"ana": "owner", "grace": "owner"}
    assert users("view.failed", "v", user=[], group=[]) == {"admin": "unowned"}
    assert users("incident.opened", "prod/orders") == {"otto": "owner"}
    assert users("incident.opened", "prod/free") == users("view.failed", "prod/free")
    assert users("incident.resolved", "prod/orders", assignee="ana") == {"otto": "owner", "ana": "assignee"}
    assert users("incident.assigned", "prod/orders", assignee="ana", by="otto") == {"ana": "assigned"}
    assert users("incident.affects", "prod/report", people=["ana"], group=["team"]) == {
        "ana": "affected",
        "grace": "affected",
    }
    assert users("impact.announced", "prod/report", by="ana", people=["ana", "otto"], group=["team"]) == {
        "otto": "impact",
        "grace": "impact",
    }
    assert users("contract.broken", "prod/orders") == {}
    assert users("campaign.opened", "c", people=["grace"]) == {"grace": "named"}
    assert notified(event("campaign.opened", "c", people=["grace"]), People())[0].topic is Topic.CAMPAIGNS
    for quiet in ("grant.issued", "schema.changed", "scan.failed", "access.withdrawn", "query.cut"):
        assert users(quiet, dataset="prod/orders") == {}
    assert users("campaign.opened", "c", people=[1, None, "", {"a": 1}]) == {}


# --- when -------------------------------------------------------------------------------------------------------------


def test_a_daily_digest_comes_at_the_time_of_its_zone() -> None:
    berlin = Preference("ana", digest=Digest.DAILY, at="08:00", zone="Europe/Berlin")
    assert due(berlin, NOW)[0] == datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
    # The night in which clocks go forward: 08:00 is at 06:00 UTC from then on.
    assert due(berlin, datetime(2026, 3, 28, 8, 0, tzinfo=UTC))[0] == datetime(2026, 3, 29, 6, 0, tzinfo=UTC)
    gap = Preference("ana", digest=Digest.DAILY, at="02:30", zone="Europe/Berlin")
    assert due(gap, datetime(2026, 3, 28, 12, 0, tzinfo=UTC))[0] == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert due(Preference("ana", digest=Digest.HOURLY), NOW)[0] == datetime(2026, 3, 1, 13, 0, tzinfo=UTC)
    assert due(Preference("ana"), NOW) == (NOW, None)


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(
        ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"]
    ),
    st.times(),
)
def test_a_digest_is_due_later_than_now_and_within_two_days(now: datetime, zone: str, at: Any) -> None:
    preference = Preference("ana", digest=Digest.DAILY, at=f"{at:%H:%M}", zone=zone)
    moment, key = due(preference, now)
    assert now < moment <= now + timedelta(hours=49) and key is not None
    assert due(preference, moment - timedelta(microseconds=1))[0] == moment
    assert moment.astimezone(ZoneInfo(zone)).minute in (at.minute, (at.minute + 30) % 60)


@pytest.mark.parametrize("wrong", ["8:00", "24:00", "08:60", "", "08:00:00", "٠٨:٠٠", "08:00\n"])
def test_a_time_of_day_is_written_in_one_way(wrong: str) -> None:
    with pytest.raises(InvalidInput):
        time_of(wrong)


@pytest.mark.parametrize("wrong", ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Europe", "a\0b"])
def test_a_zone_is_one_of_the_database(wrong: str) -> None:
    with pytest.raises(InvalidInput):
        zone_of(wrong)


# --- words ------------------------------------------------------------------------------------------------------------


def notice(why: str = "decide", kind: str = "access.requested", subject: str = "req-1", **data: Any) -> Notice:
    return Notice(
        "n-1",
        "e-1",
        f"weir.{kind}",
        subject,
        "otto",
        Channel.MAIL,
        Topic.REQUESTS,
        why,
        NOW,
        "n-1",
        NOW,
        kept(data, lambda _: True),
    )


def test_the_link_opens_the_very_request() -> None:
    created = message([notice(requester="ana", dataset="prod/orders")], "https://weir.example.com/", "example.com")
    assert created.links == (("ana requests access to prod/orders; it is pending for your decision",
                           "https://weir.example.com/requests/req-1"),)  # fmt: skip
    assert "https://weir.example.com/requests/req-1" in created.plain and "/notifications" in created.plain
    assert "http" not in message([notice()], None, "example.com").plain
    assert path(notice(subject="a/../b?c#d")) == "/requests/a%2F..%2Fb%3Fc%23d"
    for wrong in ("//evil.example", "https://evil.example", "javascript:x", "/a b", "/\\evil"):
        assert path(notice("named", "campaign.opened", "c", path=wrong)) == "/notifications"
    assert path(notice("named", "campaign.opened", "c", path="/campaigns/c?x=1")) == "/campaigns/c?x=1"


def test_a_notice_keeps_neither_reasons_nor_fields() -> None:
    data = {"requester": "ana", "reason": "secret", "text": "secret", "fields": ["value.secret"], "rows": "secret"}
    assert "secret" not in json.dumps(kept(data))


@pytest.mark.parametrize(
    "text",
    ["see https://evil.example/sso now", "see HTTPS://evil.example", "www.evil.example/x", "WwW.evil.example",
     "ask ana.jones@example.com", "mailto:ana@example.com", "ht\u200btps://evil.example", "x" * 500],
)  # fmt: skip
def test_what_people_wrote_is_no_link_and_no_address(text: str) -> None:
    for created in (
        message([notice(dataset="prod/orders", purpose=text)], "https://weir.example.com", "example.com"),
        message([notice(dataset=text)], "https://weir.example.com", "example.com"),
        message([notice("named", title=text)], "https://weir.example.com", "example.com"),
    ):
        shown = created.title + created.plain.replace("https://weir.example.com", "") + "".join(created.lines)
        assert not re.search(r"(?i)://|www\.|@|x{201}", shown), shown
        assert created.html.count("<a ") == 2 and "evil" not in created.html
    assert "for " + "x" * 60 not in message([notice(purpose=text)], None, "example.com").plain
    assert "ana@example.com" in sentence(notice(requester="ana@example.com"))  # a user's name may be an address


def test_only_declared_purposes_are_kept() -> None:
    assert kept({"purpose": "call Maria on 0151"}) == {}
    assert kept({"purpose": "fraud"}, {"fraud"}.__contains__) == {"purpose": "fraud"}


ANY = st.text(st.characters(), max_size=300) | st.just("a\ud800b")


@given(ANY, ANY, ANY, ANY)
def test_names_add_no_header_no_tag_and_no_link(who: str, dataset: str, purpose: str, subject: str) -> None:
    created = message(
        [notice(requester=who, dataset=dataset, purpose=purpose, subject=subject)],
        "https://weir.example.com",
        "example.com",
    )
    mail = compose("weir@example.com", "otto@example.com", created)
    raw = mail.as_bytes()
    head = raw.split(b"\r\n\r\n", 1)[0].decode("ascii")
    names = [line.partition(":")[0] for line in head.split("\r\n") if not line.startswith((" ", "\t"))]
    assert sorted(names) == sorted(
        ["From", "To", "Subject", "Date", "Message-ID", "References", "Auto-Submitted", "X-Auto-Response-Suppress",
         "MIME-Version", "Content-Type"]
    )  # fmt: skip
    rich = mail.get_body(("html",))
    assert rich is not None
    tags = rich.get_content()
    assert tags.count("<a ") == 2 and tags.count("<script") == 0 and tags.count("<p") == 3
    slack = str(body(ChatKind.SLACK, created)["text"])
    assert slack.count("<") == slack.count(">") == slack.count("|") == 1
    json.dumps(body(ChatKind.TEAMS, created))


def test_the_same_event_has_the_same_message_id_and_a_digest_that_of_its_notices() -> None:
    one = message([notice(requester="ana")], None, "example.com")
    assert one.id == message([notice(requester="ana")], "https://x.example", "example.com").id
    many = [Notice(f"n-{n}", f"e-{n}", "weir.grant.expiring", f"g{n}", "ana", Channel.MAIL, Topic.EXPIRY, "expiring", NOW,
                   "b", NOW) for n in range(250)]  # fmt: skip
    digest = message(many, None, "example.com")
    assert digest.id == message(many[::-1], None, "example.com").id != message(many[1:], None, "example.com").id
    assert digest.title == "Weir: 250 notices" and "and 150 more" in digest.plain and len(digest.lines) == 101


def test_lines_with_the_same_words_have_links_of_their_own() -> None:
    same = [notice(subject=f"req-{n}", requester="ana", dataset="prod/orders") for n in range(3)]
    digest = message([replace(n, id=str(i)) for i, n in enumerate(same)], "https://weir.example.com", "example.com")
    lines = str(body(ChatKind.SLACK, digest)["text"]).splitlines()
    assert [line.partition("|")[0] for line in lines] == [
        f"<https://weir.example.com/requests/req-{n}" for n in range(3)
    ]
    card = json.loads(json.dumps(body(ChatKind.TEAMS, digest)))
    actions = card["attachments"][0]["content"]["actions"]
    assert [each["url"][-5:] for each in actions] == ["req-0", "req-1", "req-2"]


def test_every_why_has_words() -> None:
    for why in ("decide", "approved", "denied", "asked", "comment", "escalated", "expiring", "revoked", "review", "used",
                "overdue", "owner", "test", "named", "new"):  # fmt: skip
        assert sentence(notice(why)).strip()


@given(st.text())
def test_plain_text_is_one_line(text: str) -> None:
    assert plain_text(text).isprintable() or all(ord(c) > 159 for c in plain_text(text) if not c.isprintable())
    assert len(plain_text(text).splitlines()) <= 1 and len(plain_text(text)) <= 200


@pytest.mark.parametrize(
    ("text", "kept_as"),
    [
        ("ana@example.com", "ana@example.com"), (" ana+x@example.com ", "ana+x@example.com"),
        ("ana@müller.example", "ana@xn--mller-kva.example"), ("a@b\r\nBcc: c@d", None), ("a,b@c.d", None), ("<a@b.c>", None),
        ("a b@c.d", None), ("ana", None), ("@b.c", None), ("a@", None), ("a@b..c", None), ("müller@example.com", None),
        ("a@b.c\x00", None), ("a" * 65 + "@b.c", None), ('"x y"@b.c', None),
    ],
)  # fmt: skip
def test_addresses_that_can_be_used(text: str, kept_as: str | None) -> None:
    assert usable(text) == kept_as
