"""Which people a notice could reach: those whom a channel of theirs is set up for and who did not switch its topic off."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from policies.notify.notices import AddressOf, Channel, NoticeStore, Preference, Topic
from policies.notify.who import People
from policies.settings import NotifySettings


@dataclass(frozen=True, slots=True)
class Reach:
    """`is_gone`: whether a person is disabled or deleted. Methods raise Unavailable."""

    store: NoticeStore
    people: People
    address_of: AddressOf
    is_gone: Callable[[str], bool]
    settings: NotifySettings

    def people_of(self, kind: str, name: str) -> frozenset[str]:
        """The people of an owner, a user or a group, without those who are gone."""
        if kind == "group":
            return frozenset(self.people.members(name))
        return frozenset() if self.is_gone(name) else frozenset({name})

    def reached(self, users: Collection[str], topic: Topic) -> frozenset[str]:
        """Of these people, those whom a notice of the topic would be sent to."""
        preferences = self.store.preferences(users)
        return frozenset(each for each in users if self._is_reached(preferences.get(each) or Preference(each), topic))

    def _is_reached(self, of: Preference, topic: Topic) -> bool:
        by_mail = self.settings.smtp_host is not None and self.address_of(of.user) is not None
        by_chat = self.settings.chat and of.chat_sealed is not None
        ways = {Channel.MAIL: by_mail, Channel.CHAT: by_chat}
        return topic not in of.off and any(ways[each] for each in of.channels)
