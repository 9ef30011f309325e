"""Tests of features reach no network either, and mail is kept where a test looks at it."""

from __future__ import annotations

import pytest

from tests.kept_mails import Mails
from tests.unit.conftest import no_network as no_network


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Mails:
    """What the application sends from now on."""
    created = Mails()
    monkeypatch.setattr("api.features.notifications.service.SmtpMailer", lambda *_: created)
    return created
