"""Sessions in memory, for fast tests: every promise of `SessionStore` but durability."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime
from typing import Any

from policies.access.provider_rights import Claims
from policies.access.session_ports import DeviceLogin, SessionRecord


class MemorySessionStore:
    """`SessionStore`."""

    def __init__(self) -> None:
        self._sessions: dict[str, SessionRecord] = {}
        self._claimed: dict[str, datetime] = {}
        self._marks: dict[str, datetime] = {}
        self._accounts: dict[tuple[str, str], str] = {}
        self._devices: dict[str, DeviceLogin] = {}
        self._lock = threading.RLock()

    def add(self, session: SessionRecord) -> None:
        self._sessions[session.id] = session

    def find(self, digest: str) -> SessionRecord | None:
        return next((s for s in self._sessions.values() if s.digest == digest), None)

    def sessions(self, user: str | None = None) -> list[SessionRecord]:
        sessions = [s for s in self._sessions.values() if s.ended_at is None and user in (None, s.user)]
        return sorted(sessions, key=lambda s: (s.created_at, s.id))

    def used(self, session_id: str, at: datetime) -> None:
        self._change(session_id, used_at=at)

    def claim(self, session_id: str, now: datetime, until: datetime) -> bool:
        with self._lock:
            session = self._sessions.get(session_id)
            claimed = self._claimed.get(session_id)
            if session is None or session.ended_at is not None or (claimed is not None and claimed > now):
                return False
            self._claimed[session_id] = until
            return True

    def confirm(self, session_id: str, at: datetime, claims: Claims, sealed: str | None) -> None:
        with self._lock:
            session = self._sessions.get(session_id)
            if session is not None and session.ended_at is None:
                self._change(session_id, confirmed_at=at, claims=dict(claims), sealed=sealed)
                self._claimed.pop(session_id, None)

    def release(self, session_id: str) -> None:
        self._claimed.pop(session_id, None)

    def renew(self, session_id: str, digest: str) -> None:
        self._change(session_id, digest=digest)

    def end(self, session_id: str, at: datetime, because: str) -> bool:
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None or session.ended_at is not None:
                return False
            self._change(session_id, ended_at=at, ended_because=because, sealed=None)
            return True

    def end_of_account(
        self, provider: str, subject: str | None, provider_session: str | None, at: datetime, because: str
    ) -> list[SessionRecord]:
        if subject is None and provider_session is None:
            return []
        with self._lock:
            sessions = [
                session
                for session in self.sessions()
                if session.provider == provider
                and subject in (None, session.subject)
                and provider_session in (None, session.provider_session)
            ]
            for session in sessions:
                self.end(session.id, at, because)
            return sessions

    def forget(self, before: datetime) -> int:
        with self._lock:
            self._marks = {mark: until for mark, until in self._marks.items() if until > before}
            self._devices = {key: each for key, each in self._devices.items() if each.expires_at > before}
            digests = [
                s.id
                for s in self._sessions.values()
                if s.ends_at <= before or (s.ended_at is not None and s.ended_at <= before)
            ]
            for each in digests:
                del self._sessions[each]
            return len(digests)

    def once(self, mark: str, until: datetime) -> bool:
        with self._lock:
            if mark in self._marks:
                return False
            self._marks[mark] = until
            return True

    def linked(self, issuer: str, subject: str) -> str | None:
        return self._accounts.get((issuer, subject))

    def link(self, issuer: str, subject: str, user: str, at: datetime) -> bool:
        with self._lock:
            owner = self._accounts.get((issuer, subject))
            if owner is not None:
                return owner == user
            if user in self._accounts.values():
                return False
            self._accounts[issuer, subject] = user
            return True

    def unlink(self, user: str) -> bool:
        with self._lock:
            left = {account: name for account, name in self._accounts.items() if name != user}
            changed = len(left) < len(self._accounts)
            self._accounts = left
            return changed

    def wait(self, login: DeviceLogin) -> bool:
        with self._lock:
            if any(each.code == login.code for each in self._devices.values()):
                return False
            self._devices[login.digest] = login
            return True

    def waiting_count(self, now: datetime) -> int:
        with self._lock:
            self._devices = {key: each for key, each in self._devices.items() if each.expires_at > now}
            return len(self._devices)

    def waiting(self, *, digest: str | None = None, code: str | None = None) -> DeviceLogin | None:
        if digest is not None:
            return self._devices.get(digest)
        return next((each for each in self._devices.values() if each.code == code), None)

    def decide(self, code: str, session: str | None) -> bool:
        with self._lock:
            login = self.waiting(code=code)
            if login is None or login.session is not None or login.refused:
                return False
            self._devices[login.digest] = replace(login, session=session, refused=session is None)
            return True

    def done(self, digest: str) -> bool:
        with self._lock:
            return self._devices.pop(digest, None) is not None

    def _change(self, session_id: str, **values: Any) -> None:
        with self._lock:
            if session_id in self._sessions:
                self._sessions[session_id] = replace(self._sessions[session_id], **values)
