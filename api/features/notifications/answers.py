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
    chat_kind: str | None = about("slack or teams.")
    chat_host: str | None = about("Host of the chat service's address, which is a secret.")
    mail_available: bool = about("A mail server is set up.")
    mail_address_known: bool = about("The caller's mail address is known, as declared or by the directory.")
    chat_available: bool = about("Chat services are allowed.")
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
    due_at: Time
    state: str = about("waiting, sent, failed, dropped or unaddressed.")
    problem: str | None
    done_at: Time | None


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
    signs_in: bool


class NoticeCount(Answer):
    """Notices of a channel in a state."""

    channel: str
    state: str
    notices: int
    oldest: Time = about("When the oldest of them was due.")
    age_seconds: float


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
