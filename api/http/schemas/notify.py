"""Answers of `/me/notifications` and `/notifications`."""

from __future__ import annotations

from api.edge.answer import Answer, Time, about


class NotifyPreference(Answer):
    """How the caller is notified, and what is possible here."""

    user: str
    channels: list[str] = about("mail, chat.")
    off: list[str] = about("Topics that are switched off.")
    digest: str = about("at-once, hourly or daily.")
    at: str = about("Of a daily digest: HH:MM.")
    zone: str = about("Of that time: a name of the time zone database.")
    changed: bool = about("The caller chose something before.")
    chatKind: str | None = about("slack or teams.")
    chatHost: str | None = about("Host of the chat service's address, which is a secret.")
    mailAvailable: bool = about("A mail server is set up.")
    mailAddressKnown: bool = about("The caller's mail address is known, as declared or by the directory.")
    chatAvailable: bool = about("Chat services are allowed.")
    topics: list[str] = about("Every topic.")


class Notice(Answer):
    """What the caller was notified of."""

    id: str
    type: str
    subject: str
    channel: str
    topic: str
    text: str
    at: Time
    dueAt: Time
    state: str = about("waiting, sent, failed, dropped or unaddressed.")
    problem: str | None
    doneAt: Time | None


class Notices(Answer):
    """Newest first."""

    notices: list[Notice]


class NotifyTest(Answer):
    """What became of a test message."""

    user: str
    channel: str
    sent: bool
    problem: str | None


class NotifyMail(Answer):
    """The mail server as set."""

    host: str | None
    port: int
    security: str
    sender: str
    signsIn: bool


class NoticeCount(Answer):
    """Notices of a channel in a state."""

    channel: str
    state: str
    notices: int
    oldest: Time = about("When the oldest of them was due.")
    ageSeconds: float


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
    withoutAddress: int = about("People whose mail address is unknown.")
    withoutAddressNames: list[str] = about("Some of them.")
    missedByAddress: int = about("People who missed a notice since their address is unknown.")
    missedByAddressNames: list[str]
