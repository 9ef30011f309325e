"""The idle end of a browser's session: a page that only looks again does not move it, a person at work does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from policies.access.sessions import Sessions
from tests.api_world import world
from tests.openid_world import browser, csrf, declared, issuer, sign_in

AGAIN = {"X-Weir-Looks-Again": "1"}


def test_a_page_that_polls_does_not_move_the_idle_end(tmp_path: Path) -> None:
    with world(tmp_path) as weir, issuer() as provider:
        weir.apply(declared("company", provider.url))
        client = browser(weir)
        assert sign_in(client, "company", provider, "s-ana").status_code == 303
        proof = csrf(client)
        store = weir.services[Sessions].store
        (session,) = store.sessions("ana")
        before = datetime.now(UTC) - timedelta(minutes=100)

        def used() -> datetime:
            return store.sessions("ana")[0].used_at

        store.used(session.id, before)
        for path in ("/api/v1/me", "/api/v1/auth/session", "/api/v1/datasets"):
            assert client.get(path, headers=AGAIN).status_code == 200
            assert used() == before, path
        assert client.get("/api/v1/me").status_code == 200
        assert used() > before
        # What changes something is work, whatever the request names itself.
        store.used(session.id, before)
        client.put("/api/v1/me/delegation", json={}, headers={**AGAIN, **proof})
        assert used() > before
        # Nobody at work for two hours: the session is over, however often the page looked.
        store.used(session.id, datetime.now(UTC) - timedelta(minutes=121))
        assert client.get("/api/v1/me", headers=AGAIN).status_code == 401
