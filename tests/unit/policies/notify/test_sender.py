"""From events to messages over twins: once for each event, digests, pauses, what is dropped and what is counted."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from catalog.event_model import Event
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.settings import EventSettings
from policies.model import SubjectMatch
from policies.notify.addresses import address_of
from policies.notify.intake import NoticeIntake
from policies.notify.notices import Channel, ChatKind, Digest, Message, NoticeState, Preference, Topic, Undelivered
from policies.notify.purposes import is_declared
from policies.notify.sender import NoticeSender
from policies.notify.service import ChannelProblem, Notifications
from policies.requests.approvals import Approvals
from policies.requests.grant_notices import GrantNotices
from policies.requests.notified import RequestPeople
from policies.settings import NotifySettings
from tests.twins.catalog.store import MemoryCatalogStore
from tests.twins.policies.notices import MemoryNoticeStore
from tests.unit.policies.world import START, World, company

EMAIL = "value.customer.email"


class Box:
    """A mail server or chat service that keeps what it takes; `fails`: what the next messages get instead."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Message]] = []
        self.fails: list[BaseException] = []

    def send(self, address: str, *rest: Any) -> None:
        if self.fails:
            raise self.fails.pop(0)
        self.sent.append((address, rest[-1]))

    def check(self, address: str) -> str:
        return "hooks.example.com"

    def close(self) -> None: ...


class Notices:
    """A company whose events become messages."""

    def __init__(self, **settings: Any) -> None:
        self.world: World = company()
        for name in ("ana", "otto", "petra"):
            spec = dict(self.world.state.get("User", name).spec or {})
            self.world.declare(("User", name, {**spec, "email": f"{name}@example.com"}))
        self.settings = NotifySettings(**({"smtp_host": "mail", "chat": True, "sender": "weir@example.com"} | settings))
        catalog = MemoryCatalogStore()
        self.events = Events(catalog, self.clock)
        self.catalog = catalog
        w = self.world
        self.approvals = Approvals(w.state, w.facts, w.identity, w.audit, w.clock, events=self.events)
        self.store = MemoryNoticeStore(self.clock)
        self.mail, self.chat = Box(), Box()
        self.restart()

    def restart(self) -> None:
        """A new worker over the same stores."""
        w = self.world
        people = RequestPeople(w.state, self.approvals.deciders)
        self.intake = NoticeIntake(
            self.store,
            people,
            self.address,
            self.clock,
            self.settings,
            is_declared=lambda purpose: is_declared(w.state.view(), purpose),
        )
        self.deliveries = Deliveries(self.catalog, lambda: [self.intake], self.clock, EventSettings())
        gone = {"gone": ""}
        self.sender = NoticeSender(
            self.store,
            self.mail,
            self.chat,
            self.address,
            lambda user: gone.get(user) or self.gone(user),
            lambda sealed: sealed.removeprefix("sealed "),
            self.clock,
            self.settings,
            "https://weir.example.com",
            lambda: 0.5,
            people.sees,
        )
        self.service = Notifications(
            self.store,
            self.sender,
            self.chat,
            lambda text: f"sealed {text}",
            self.address,
            lambda: sorted(w.state.view().people),
            w.audit,
            self.clock,
            self.settings,
            "https://weir.example.com",
        )

    def gone(self, user: str) -> str | None:
        from policies.access.sessions import gone_because

        return gone_because(self.world.state.view(), user)

    def address(self, user: str) -> str | None:
        return address_of(self.world.state.view(), user)

    def clock(self) -> datetime:
        return self.world.now

    def ask(self, purpose: str = "p", **more: Any) -> Any:
        return self.approvals.create(self.world.user("ana"), "prod/orders", [EMAIL], purpose=purpose, **more)

    def work(self) -> None:
        while self.deliveries.step(wait=True):
            pass
        while self.sender.step():
            pass

    def titles(self) -> list[tuple[str, str]]:
        return [(to, m.title) for to, m in self.mail.sent]

    def counts(self) -> dict[tuple[str, str], int]:
        return {(c.channel, c.state): c.notices for c in self.store.counts()}


@pytest.fixture
def notices() -> Notices:
    created = Notices()
    created.work()
    return created


def test_the_story_of_a_request_in_mails(notices: Notices) -> None:
    created = notices.ask()
    notices.work()
    assert notices.titles() == [
        ("otto@example.com", "Weir: ana requests access to prod/orders; it is pending for your decision")
    ]
    notices.approvals.ask_back(notices.world.user("otto"), created.id, "why?")
    notices.approvals.comment(notices.world.user("ana"), created.id, "because")
    notices.approvals.approve(notices.world.user("otto"), created.id)
    notices.approvals.approve(notices.world.user("petra"), created.id)
    notices.work()
    assert sorted(to.partition("@")[0] for to, _ in notices.titles()[1:]) == ["ana", "ana", "otto", "petra"]
    assert ("ana@example.com", "Weir: Your request for prod/orders was approved") in notices.titles()
    assert all("because" not in m.plain and "why?" not in m.plain for _, m in notices.mail.sent)


def test_a_purpose_is_named_where_it_is_declared(notices: Notices) -> None:
    notices.ask("fraud-investigation")
    notices.ask("call Maria https://evil.example")
    notices.work()
    titles = sorted(title.partition(";")[0] for _, title in notices.titles())
    assert titles == [
        "Weir: ana requests access to prod/orders",
        "Weir: ana requests access to prod/orders for fraud-investigation",
    ]


def test_events_that_come_again_are_sent_once(notices: Notices) -> None:
    notices.ask()
    notices.work()
    first = notices.mail.sent[0][1].id
    for event in notices.events.list():
        assert notices.intake.take(event) == 0
    notices.restart()
    notices.work()
    assert [m.id for _, m in notices.mail.sent] == [first]


def test_what_was_sent_before_a_crash_is_sent_again_with_the_same_id(notices: Notices) -> None:
    notices.ask()
    notices.mail.fails = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        notices.work()
    notices.restart()
    notices.work()
    assert notices.mail.sent == []  # the worker that ended has it still
    notices.world.sleep(minutes=11)
    notices.work()
    assert len(notices.mail.sent) == 1


def test_a_service_that_is_away_is_left_alone_and_tried_again(notices: Notices) -> None:
    notices.ask("one")
    notices.ask("two")
    notices.mail.fails = [Undelivered("The mail server does not answer.", server=True)] * 2
    notices.work()
    assert notices.mail.sent == [] and len(notices.mail.fails) == 1
    assert notices.service.status().problems == [ChannelProblem(Channel.MAIL, "The mail server does not answer.", 1)]
    notices.world.sleep(seconds=8)
    notices.work()
    notices.world.sleep(seconds=30)
    notices.work()
    notices.world.sleep(seconds=30)
    notices.work()
    assert len(notices.mail.sent) == 2 and notices.counts() == {("mail", "sent"): 2}


def test_what_is_refused_for_good_is_failed_and_the_rest_goes_out(notices: Notices) -> None:
    notices.ask("one")
    notices.ask("two")
    notices.mail.fails = [Undelivered("The mail server refused the address (550).", lasting=True)]
    notices.work()
    assert notices.counts() == {("mail", "failed"): 1, ("mail", "sent"): 1}
    notices.mail.fails = [ZeroDivisionError("x@y.z")]
    notices.ask("three")
    notices.work()
    assert "inside Weir (ZeroDivisionError)" in str(notices.service.status().problems)
    assert "x@y" not in str(notices.service.status())


def test_given_up_after_two_days(notices: Notices) -> None:
    notices.ask()
    for _ in range(60):
        notices.mail.fails = [Undelivered("away", server=True)]
        notices.work()
        notices.world.sleep(hours=1)
    assert notices.counts() == {("mail", "failed"): 1}


def test_who_has_no_address_is_counted_and_named(notices: Notices) -> None:
    spec = dict(notices.world.state.get("User", "otto").spec or {})
    notices.world.declare(("User", "otto", {**spec, "email": ""}))
    notices.ask()
    notices.work()
    status = notices.service.status()
    assert notices.mail.sent == [] and notices.counts() == {("mail", "unaddressed"): 1}
    assert (status.missed, list(status.missed_names)) == (1, ["otto"])
    assert status.without_address == ["grace", "otto"]
    assert notices.service.preference("otto").mail_address_known is False


def test_a_digest_is_one_message_and_later_ones_are_the_next(notices: Notices) -> None:
    notices.store.put_preference(Preference("otto", digest=Digest.HOURLY))
    for purpose in ("one", "two", "three"):
        notices.ask(purpose)
        notices.work()
    assert notices.mail.sent == []
    notices.world.sleep(hours=1)
    notices.ask("four")
    notices.work()
    assert notices.titles() == [("otto@example.com", "Weir: 3 notices")]
    assert notices.mail.sent[0][1].plain.count("/requests/req-") == 3
    notices.world.sleep(hours=1)
    notices.work()
    assert len(notices.mail.sent) == 2


def test_topics_and_channels_that_are_off(notices: Notices) -> None:
    otto = notices.world.user("otto")
    notices.service.choose(
        otto, ["chat"], ["comments"], "at-once", "08:00", "UTC", "slack", "https://hooks.example.com/secret"
    )
    created = notices.ask()
    notices.approvals.comment(notices.world.user("ana"), created.id, "hello")
    notices.work()
    assert notices.mail.sent == [] and [a for a, _ in notices.chat.sent] == ["https://hooks.example.com/secret"]
    shown = notices.service.preference("otto")
    assert shown.preference.chat_host == "hooks.example.com" and "secret" not in str(shown)
    assert "secret" not in str([e.details for e in notices.world.entries.rows])
    kept = notices.service.choose(otto, ["chat"], [], "daily", "07:30", "Europe/Berlin", "teams")
    assert (kept.preference.chat_host, kept.preference.chat_kind) == ("hooks.example.com", "teams")
    forgotten = notices.service.choose(otto, [], [], "at-once", "08:00", "UTC", None, "")
    assert forgotten.preference.chat_host is None
    notices.ask("later")
    notices.work()
    assert len(notices.chat.sent) == 1


def test_what_is_switched_off_after_the_event_is_dropped(notices: Notices) -> None:
    notices.store.put_preference(Preference("otto", digest=Digest.HOURLY))
    notices.ask()
    notices.work()
    notices.store.put_preference(Preference("otto", off=frozenset({Topic.REQUESTS})))
    notices.world.sleep(hours=1)
    notices.work()
    assert notices.mail.sent == [] and notices.counts() == {("mail", "dropped"): 1}


def test_who_lost_the_right_while_a_digest_waited_is_not_notified(notices: Notices) -> None:
    notices.store.put_preference(Preference("otto", digest=Digest.DAILY))
    notices.ask()
    notices.approvals.create(notices.world.user("ana"), "prod/payments", purpose="p")
    notices.work()
    known = notices.world.facts.known
    known["prod/orders"] = replace(known["prod/orders"], owners=SubjectMatch(users=frozenset({"petra"})))
    notices.world.sleep(days=1)
    notices.work()
    [(to, message)] = notices.mail.sent
    assert to == "otto@example.com" and "prod/payments" in message.plain and "prod/orders" not in message.plain
    assert notices.counts() == {("mail", "sent"): 1, ("mail", "dropped"): 1}


def test_who_is_disabled_meanwhile_gets_nothing(notices: Notices) -> None:
    notices.ask()
    while notices.deliveries.step(wait=True):
        pass
    spec = dict(notices.world.state.get("User", "otto").spec or {})
    notices.world.declare(("User", "otto", {**spec, "disabled": True}))
    notices.work()
    assert notices.mail.sent == [] and notices.counts() == {("mail", "dropped"): 1}


def test_too_many_for_one_person_become_a_digest_and_all_of_them_are_bounded() -> None:
    notices = Notices(person_per_hour=3, messages_per_minute=5)
    notices.work()
    for n in range(10):
        notices.ask(f"p{n}")
    notices.work()
    assert len(notices.mail.sent) == 3
    notices.world.sleep(hours=1)
    notices.work()
    assert notices.titles()[-1][1] == "Weir: 7 notices"
    notices = Notices(messages_per_minute=5)
    notices.work()
    for n in range(10):
        notices.ask(f"p{n}")
    notices.work()
    assert len(notices.mail.sent) == 5
    notices.world.sleep(minutes=1)
    notices.work()
    assert len(notices.mail.sent) == 10


def by_chat(notices: Notices, *users: str) -> None:
    """These people are notified by chat alone."""
    for user in users:
        notices.store.put_preference(
            Preference(user, frozenset({Channel.CHAT}), chat_kind=ChatKind.SLACK, chat_sealed=f"sealed https://{user}")
        )


class Hooks(Box):
    """Chat services by address; those of `broken` fail, `tries` counts."""

    def __init__(self, *broken: str) -> None:
        super().__init__()
        self.broken, self.tries = set(broken), Counter[str]()

    def send(self, address: str, *rest: Any) -> None:
        self.tries[address] += 1
        if address in self.broken:
            raise Undelivered("The call failed (ReadTimeout).")
        super().send(address, *rest)


def announce(notices: Notices, user: str, number: int) -> None:
    for n in range(number):
        notices.events.emit("grant.expiring", f"g-{user}-{n}", {"user": [user], "dataset": "prod/orders"})


def test_one_failing_chat_service_is_tried_once_and_delays_nobody(notices: Notices) -> None:
    notices.sender._chat = hooks = Hooks("https://ana")
    by_chat(notices, "ana", "petra")
    announce(notices, "ana", 25)
    announce(notices, "petra", 3)
    announce(notices, "otto", 1)
    notices.work()
    assert hooks.tries == {"https://ana": 1, "https://petra": 3} and len(notices.mail.sent) == 1
    notices.world.sleep(seconds=1)
    announce(notices, "ana", 1)
    notices.work()
    assert hooks.tries["https://ana"] == 1  # one pause for the person, whatever else comes for them
    hooks.broken.clear()
    for _ in range(5):
        notices.world.sleep(seconds=30)
        notices.work()
    assert len(hooks.sent) == 29 and notices.counts() == {("chat", "sent"): 29, ("mail", "sent"): 1}


def test_pauses_of_a_person_grow_and_end_in_giving_up(notices: Notices) -> None:
    notices.sender._chat = hooks = Hooks("https://ana")
    by_chat(notices, "ana")
    announce(notices, "ana", 30)
    for _ in range(50):
        notices.work()
        notices.world.sleep(hours=1)
    assert notices.counts() == {("chat", "failed"): 30} and hooks.tries["https://ana"] <= 51


def test_attempts_cost_as_much_as_successes() -> None:
    notices = Notices(messages_per_minute=5)
    notices.work()
    names = [f"u{n}" for n in range(9)]
    notices.sender._chat = hooks = Hooks(*(f"https://{name}" for name in names))
    by_chat(notices, *names)
    for name in names:
        announce(notices, name, 1)
    notices.work()
    assert hooks.tries.total() == 5


def test_a_slow_chat_service_holds_up_neither_mail_nor_other_chats(notices: Notices) -> None:
    others = threading.Event()

    class Slow(Box):
        def send(self, address: str, *rest: Any) -> None:
            if address == "https://ana":
                assert others.wait(20)  # answers only when the others' messages are through
            else:
                super().send(address, *rest)
                others.set()

    notices.sender._chat = slow = Slow()
    by_chat(notices, "ana", "petra")
    announce(notices, "ana", 1)
    announce(notices, "petra", 1)
    announce(notices, "otto", 1)
    while notices.deliveries.step(wait=True):
        pass
    notices.sender.step(Channel.MAIL)
    assert len(notices.mail.sent) == 1 and slow.sent == []
    notices.sender.step(Channel.CHAT)
    assert [address for address, _ in slow.sent] == ["https://petra"]
    assert notices.counts() == {("chat", "sent"): 2, ("mail", "sent"): 1}


def test_the_parts_of_a_bundle_are_one_message_to_who_decides_them(notices: Notices) -> None:
    for dataset in ("prod/orders", "prod/payments"):
        notices.approvals.create(notices.world.user("ana"), dataset, purpose="p", bundle="bun-1")
    notices.work()
    [(_, message)] = notices.mail.sent
    assert "prod/orders and other datasets" in message.title
    assert "https://weir.example.com/requests?show=decide&bundle=bun-1" in message.plain


def test_an_event_that_cannot_be_read_is_counted_and_stops_nobody(
    notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    notices.events.emit("grant.expiring", "g", {"user": ["ana"], "dataset": "prod/orders", "until": "soon"})
    people: Any = notices.intake._people
    monkeypatch.setattr(people, "members", lambda group: 1 / 0)
    notices.events.emit("grant.expiring", "g2", {"group": ["team"]})
    notices.ask()
    notices.work()
    assert len(notices.mail.sent) == 2 and notices.counts()["mail", "failed"] == 1


def test_a_grant_that_ends_soon_is_announced_once(notices: Notices) -> None:
    created = notices.ask(valid_to=START + timedelta(days=5))
    notices.approvals.approve(notices.world.user("otto"), created.id)
    notices.approvals.approve(notices.world.user("petra"), created.id)
    notices.work()
    notices.mail.sent.clear()
    notices.world.sleep(days=4, hours=1)
    for _ in range(3):
        GrantNotices(notices.world.state, notices.events, notices.clock).step()
        notices.restart()
        notices.work()
    [(to, title)] = notices.titles()
    assert to == "ana@example.com" and "ends 2026-06-06" in title


def test_a_test_message_shows_what_the_server_answered_and_is_bounded(notices: Notices) -> None:
    ana = notices.world.user("ana")
    assert notices.service.test(ana, "mail").problem is None
    notices.mail.fails = [Undelivered("The mail server refused the sign-in (535).", server=True)]
    assert notices.service.test(ana, "mail").problem == "The mail server refused the sign-in (535)."
    assert notices.service.test(ana, "chat").problem is not None
    for _ in range(7):
        notices.service.test(ana, "mail")
    from catalog.errors import LimitExceeded

    with pytest.raises(LimitExceeded):
        notices.service.test(ana, "mail")
    notices.world.sleep(hours=1, seconds=1)
    assert notices.service.test(ana, "mail").problem is None


def test_old_notices_are_forgotten(notices: Notices) -> None:
    notices.ask()
    notices.work()
    notices.world.sleep(days=31)
    notices.work()
    assert notices.counts() == {}


def test_ten_thousand_people_in_a_group_of_approvers(notices: Notices) -> None:
    people = [f"u{n}" for n in range(10_000)]
    notices.world.declare(("Group", "privacy", {"members": people}))
    event = Event("e-9", "weir.campaign.opened", "c", START, {"people": people, "title": "Review"})
    assert notices.intake.take(event) == 10_000
    assert notices.store.unaddressed(50)[0] == 10_000
    assert ChatKind.SLACK and Channel.MAIL and NoticeState.SENT
