"""`/me/notifications`, `/notifications`: what people choose, tests, and what was not delivered."""

from __future__ import annotations

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Limit
from api.features.notifications import answers
from api.features.notifications.service import Notify
from api.guard.guards import Caller, case, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.access.identity import Identity

router = FeatureRouter(tags=["notifications"])


class NotifyPreferenceBody(RequestBody):
    """How the caller wants to be notified; what is left out gets the default."""

    channels: list[str] = Field(["mail"], max_length=2, description="mail, chat; empty for none.")
    off: list[str] = Field([], max_length=20, description="Topics to switch off.")
    digest: str = Field("at-once", max_length=20, description="at-once, hourly or daily.")
    at: str = Field("08:00", max_length=5, description="Of a daily digest: HH:MM.")
    zone: str = Field("UTC", max_length=60, examples=["Europe/Berlin"])
    chat_kind: str | None = Field(None, max_length=10, description="slack or teams.")
    chat_url: str | None = Field(
        None, max_length=2000, description="Webhook address of one's own; as before when absent, forgotten when empty."
    )


class NotifyTestBody(RequestBody):
    """Which channel to test."""

    channel: str = Field("mail", max_length=10, description="mail or chat.")
    user: str | None = Field(None, max_length=253, description="Another person, for those who manage.")


@router.get("/me/notifications", dependencies=[signed_in("the caller's own")])
def mine(notify: From[Notify], caller: Caller) -> answers.NotifyPreference:
    """How the caller is notified."""
    return answers.NotifyPreference.of(notify.service.preference(caller.user))


@router.put("/me/notifications", dependencies=[signed_in("the caller's own")])
def choose(notify: From[Notify], caller: Caller, body: NotifyPreferenceBody) -> answers.NotifyPreference:
    """Choose channels, topics, and whether at once or as a digest."""
    chosen = notify.service.choose(
        caller, body.channels, body.off, body.digest, body.at, body.zone, body.chat_kind, body.chat_url
    )
    return answers.NotifyPreference.of(chosen)


@router.get("/me/notices", dependencies=[signed_in("the caller's own")])
def notices(notify: From[Notify], caller: Caller, limit: Limit = 100) -> answers.Notices:
    """What the caller was notified of, newest first, and what became of each."""
    return answers.Notices(notices=[answers.Notice.of(each) for each in notify.service.mine(caller.user, limit)])


@router.post(
    "/notifications/test",
    dependencies=[signed_in("the caller's own", cases={" (user: another)": case("manage")})],
)
def test(
    notify: From[Notify], identity: From[Identity], caller: Caller, body: NotifyTestBody | None = None
) -> answers.NotifyTest:
    """Send a test message now, to oneself; to another person for those who manage."""
    trial = body or NotifyTestBody()
    if trial.user is not None and trial.user != caller.user:
        identity.require(caller, "manage")
    return answers.NotifyTest.of(notify.service.test(caller, trial.channel, trial.user))


@router.get("/notifications", dependencies=[needs("manage", scope="read")])
def status(notify: From[Notify]) -> answers.NotifyStatus:
    """What is set up, how many notices were sent, wait or failed and why, and whose address is unknown."""
    return answers.NotifyStatus.of(notify.service.status())
