"""`/me/notifications`, `/notifications`: what people choose, tests, and what was not delivered."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Limit
from api.features.notifications import answers as schemas
from api.features.notifications.service import Notify
from api.guard.credentials import require
from api.guard.guards import Caller, case, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import InstanceOf

router = FeatureRouter(tags=["notifications"])


class Chosen(RequestBody):
    """How the caller wants to be notified; what is left out gets the default."""

    channels: list[str] = Field(["mail"], max_length=2, description="mail, chat; empty for none.")
    off: list[str] = Field([], max_length=20, description="Topics to switch off.")
    digest: str = Field("at-once", max_length=20, description="at-once, hourly or daily.")
    at: str = Field("08:00", max_length=5, description="Of a daily digest: HH:MM.")
    zone: str = Field("UTC", max_length=60, examples=["Europe/Berlin"])
    chatKind: str | None = Field(None, max_length=10, description="slack or teams.")
    chatUrl: str | None = Field(
        None, max_length=2000, description="Webhook address of one's own; as before when absent, forgotten when empty."
    )


class Tested(RequestBody):
    """Which channel to test."""

    channel: str = Field("mail", max_length=10, description="mail or chat.")
    user: str | None = Field(None, max_length=253, description="Another person, for those who manage.")


@router.get(
    "/me/notifications",
    dependencies=[signed_in("the caller's own")],
    responses=answers_with(schemas.NotifyPreference),
)
def mine(built: InstanceOf, subject: Caller) -> Any:
    """How the caller is notified."""
    return built[Notify].service.preference(subject.user)


@router.put(
    "/me/notifications",
    dependencies=[signed_in("the caller's own")],
    responses=answers_with(schemas.NotifyPreference),
)
def choose(built: InstanceOf, subject: Caller, body: Chosen) -> Any:
    """Choose channels, topics, and whether at once or as a digest."""
    return built[Notify].service.choose(
        subject, body.channels, body.off, body.digest, body.at, body.zone, body.chatKind, body.chatUrl
    )


@router.get("/me/notices", dependencies=[signed_in("the caller's own")], responses=answers_with(schemas.Notices))
def notices(built: InstanceOf, subject: Caller, limit: Limit = 100) -> Any:
    """What the caller was notified of, newest first, and what became of each."""
    return {"notices": built[Notify].service.mine(subject.user, limit)}


@router.post(
    "/notifications/test",
    dependencies=[signed_in("the caller's own", cases={" (user: another)": case("manage")})],
    responses=answers_with(schemas.NotifyTest),
)
def test(built: InstanceOf, subject: Caller, body: Tested | None = None) -> Any:
    """Send a test message now, to oneself; to another person for those who manage."""
    trial = body or Tested()
    if trial.user is not None and trial.user != subject.user:
        require(built, subject, "manage")
    return built[Notify].service.test(subject, trial.channel, trial.user)


@router.get(
    "/notifications", dependencies=[needs("manage", scope="read")], responses=answers_with(schemas.NotifyStatus)
)
def status(built: InstanceOf, _: Caller) -> Any:
    """What is set up, how many notices were sent, wait or failed and why, and whose address is unknown."""
    return built[Notify].service.status()
