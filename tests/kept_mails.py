"""Mails that are kept instead of sent."""

from __future__ import annotations

from policies.notify.notices import Message


class Mails:
    """`policies.notify.notices.Mailer` that keeps what it is given: address and text."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send(self, address: str, message: Message) -> None:
        self.sent.append((address, message.plain))

    def close(self) -> None:
        """Nothing is open."""
