"""Answers of `/me/notifications` and `/notifications`."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.notify import notices
from policies.notify.notices import Count
from policies.notify.service import MOST_NAMED, NotifyReport, ShownPreference, TestOutcome
from policies.notify.words import sentence
from policies.settings import NotifySettings


class NotifyPreference(Answer):
    """How the caller is notified, and what is possible here."""

    user: str
    channels: list[str] = about("mail, chat.")
    off: list[str] = about("Topics that are switched off.")
    digest: str = about("at-once, hourly or daily.")
    at: str = about("Of a daily digest: HH:MM.")
    zone: str = about("Of that time: a name of the time zone database.")
    changed: bool = about("The caller chose something before.")
    chat_kind: str | None = about("slack or teams.")
    chat_host: str | None = about("Host of the chat service's address, which is a secret.")
    mail_available: bool = about("A mail server is set up.")
    mail_address_known: bool = about("The caller's mail address is known, as declared or by the directory.")
    chat_available: bool = about("Chat services are allowed.")
    topics: list[str] = about("Every topic.")

    @classmethod
    def of(cls, shown: ShownPreference) -> Self:
        chosen = shown.preference
        return cls(
            user=chosen.user,
            channels=sorted(chosen.channels),
            off=sorted(chosen.off),
            digest=chosen.digest,
            at=chosen.at,
            zone=chosen.zone,
            changed=chosen.changed_at is not None,
            chat_kind=chosen.chat_kind,
            chat_host=chosen.chat_host,
            mail_available=shown.mail_available,
            mail_address_known=shown.mail_address_known,
            chat_available=shown.chat_available,
            topics=list(notices.Topic),
        )


class Notice(Answer):
    """What the caller was notified of."""

    id: str
    type: str
    subject: str
    channel: str
    topic: str
    text: str
    at: Time
    due_at: Time
    state: str = about("waiting, sent, failed, dropped or unaddressed.")
    problem: str | None
    done_at: Time | None

    @classmethod
    def of(cls, notice: notices.Notice) -> Self:
        return cls(
            id=notice.id,
            type=notice.type,
            subject=notice.subject,
            channel=notice.channel,
            topic=notice.topic,
            text=sentence(notice),
            at=rfc3339(notice.at),
            due_at=rfc3339(notice.due_at),
            state=notice.state,
            problem=notice.problem,
            done_at=rfc3339(notice.done_at),
        )


class Notices(Answer):
    """Newest first."""

    notices: list[Notice]


class NotifyTest(Answer):
    """What became of a test message."""

    user: str
    channel: str
    sent: bool
    problem: str | None

    @classmethod
    def of(cls, outcome: TestOutcome) -> Self:
        return cls(user=outcome.user, channel=outcome.channel, sent=outcome.problem is None, problem=outcome.problem)


class NotifyMail(Answer):
    """The mail server as set."""

    host: str | None
    port: int
    security: str
    sender: str
    signs_in: bool

    @classmethod
    def of(cls, settings: NotifySettings) -> Self:
        return cls(
            host=settings.smtp_host,
            port=settings.smtp_port,
            security=settings.smtp_security,
            sender=settings.sender,
            signs_in=settings.smtp_user is not None,
        )


class NoticeCount(Answer):
    """Notices of a channel in a state."""

    channel: str
    state: str
    notices: int
    oldest: Time = about("When the oldest of them was due.")
    age_seconds: float

    @classmethod
    def of(cls, count: Count, now: datetime) -> Self:
        return cls(
            channel=count.channel,
            state=count.state,
            notices=count.notices,
            oldest=rfc3339(count.oldest),
            age_seconds=max(0.0, (now - count.oldest).total_seconds()),
        )


class NoticeProblem(Answer):
    """Why notices wait or failed."""

    channel: str
    problem: str
    notices: int


class PausedChannel(Answer):
    """A channel whose service does not answer."""

    channel: str
    until: Time | None


class NotifyStatus(Answer):
    """Notifications of everybody, in figures."""

    mail: NotifyMail
    chat: bool = about("Chat services are allowed.")
    links: bool = about("Messages have links, since api.public_url is set.")
    counts: list[NoticeCount]
    problems: list[NoticeProblem] = about("The most frequent first.")
    paused: list[PausedChannel] = about("By this process; the worker pauses on its own.")
    without_address: int = about("People whose mail address is unknown.")
    without_address_names: list[str] = about("Some of them.")
    missed_by_address: int = about("People who missed a notice since their address is unknown.")
    missed_by_address_names: list[str]

    @classmethod
    def of(cls, report: NotifyReport) -> Self:
        return cls(
            mail=NotifyMail.of(report.settings),
            chat=report.settings.chat,
            links=report.links,
            counts=[NoticeCount.of(each, report.at) for each in report.counts],
            problems=[
                NoticeProblem(channel=each.channel, problem=each.problem, notices=each.notices)
                for each in report.problems
            ],
            paused=[PausedChannel(channel=channel, until=rfc3339(until)) for channel, until in report.paused.items()],
            without_address=len(report.without_address),
            without_address_names=list(report.without_address[:MOST_NAMED]),
            missed_by_address=report.missed,
            missed_by_address_names=list(report.missed_names),
        )
