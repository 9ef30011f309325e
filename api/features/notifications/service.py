"""Notifications, joined: who is concerned, the stores, the mail server, chat services."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from api.config.settings import Settings
from api.features.notifications.chat import WebhookChat
from api.features.notifications.mail import SmtpMailer
from api.webhooks.ssrf_guard import Guard
from api.wiring.adapters import Adapters
from policies.access.sessions import gone_because
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.notify.addresses import address_of
from policies.notify.intake import NoticeIntake
from policies.notify.purposes import is_declared
from policies.notify.reach import Reach
from policies.notify.sender import NoticeSender
from policies.notify.service import Notifications
from policies.requests.approvers import Deciders
from policies.requests.notified import RequestPeople


@dataclass(frozen=True, slots=True)
class Notify:
    """`intake` is a receiver of events, None where no channel is set up; `sender` a duty of the worker; `reach` knows whom
    a notice could reach."""

    intake: NoticeIntake | None
    sender: NoticeSender
    service: Notifications
    reach: Reach


def notify(
    settings: Settings,
    parts: Adapters,
    state: GovernanceState,
    deciders: Deciders,
    audit: AuditLog,
    guard: Guard,
    clock: Callable[[], datetime],
    knows: Callable[[str, str], bool],
) -> Notify:
    """`knows`: whether a user may know of a dataset now.

    Raises SettingsError for a mail password that would be sent unencrypted.
    """
    notify_settings, store, sealer = settings.notify, parts.notice_store, parts.notice_sealer()
    people = RequestPeople(state, deciders)

    def address(user: str) -> str | None:
        return address_of(state.view(), user)

    def is_gone(user: str) -> bool:
        return gone_because(state.view(), user) is not None

    def names() -> list[str]:
        view = state.view()
        return sorted(user for user in view.people - view.services.keys() if gone_because(view, user) is None)

    def password() -> str | None:
        kind, _, place = (notify_settings.smtp_password or "").partition(":")
        return parts.secrets.read({kind: place}, "notify.smtp_password") if place else None

    mailer = SmtpMailer(notify_settings, password) if notify_settings.smtp_host is not None else None
    chat = WebhookChat(notify_settings, settings.events, guard) if notify_settings.chat else None
    base_url = settings.api.public_url
    sender = NoticeSender(
        store,
        mailer,
        chat,
        address,
        lambda user: gone_because(state.view(), user),
        sealer.open,
        clock,
        notify_settings,
        base_url,
        sees=people.sees,
        knows=knows,
    )

    def declared(purpose: str) -> bool:
        return is_declared(state.view(), purpose)

    return Notify(
        NoticeIntake(store, people, address, clock, notify_settings, is_declared=declared)
        if notify_settings.on
        else None,
        sender,
        Notifications(store, sender, chat, sealer.seal, address, names, audit, clock, notify_settings, base_url),
        Reach(store, people, address, is_gone, notify_settings),
    )
