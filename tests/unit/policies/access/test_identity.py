"""Tokens and permissions."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest

from catalog.errors import InvalidInput, NotAllowed, NotFound, NotSignedIn
from policies.access.identity import Identity
from policies.model import Subject
from tests.unit.policies.world import World, company


@pytest.fixture
def world() -> World:
    return company()


def refusal(world: World, token: str) -> str:
    with pytest.raises(NotSignedIn) as raised:
        world.identity.authenticate(token)
    return raised.value.message


def test_a_token_signs_its_user_in(world: World) -> None:
    token = world.identity.create_token("petra", name="laptop")
    assert token.text.startswith("weir_") and len(token.text) == 5 + 43
    assert world.identity.authenticate(token.text) == Subject(
        "petra", frozenset({"privacy"}), frozenset({"privacy-officer"})
    )


def test_only_a_digest_is_kept(world: World) -> None:
    token = world.identity.create_token("ana")
    kept = world.tokens.tokens()[0]
    assert token.text not in repr(kept) and token.text[5:] not in repr(kept)
    assert kept.digest == hashlib.sha256(token.text.encode()).hexdigest()


def test_wrong_expired_and_revoked_are_one_message(world: World) -> None:
    short = world.identity.create_token("ana", timedelta(hours=1))
    revoked = world.identity.create_token("ana")
    world.identity.revoke(revoked.id)
    world.sleep(hours=1)
    messages = {
        refusal(world, text)
        for text in (short.text, revoked.text, "weir_" + "A" * 43, "", "Bearer x", short.text + "x", short.text[:-1])
    }
    assert len(messages) == 1


def test_a_token_holds_until_its_end(world: World) -> None:
    token = world.identity.create_token("ana", timedelta(hours=1))
    world.sleep(minutes=59)
    assert world.identity.authenticate(token.text).user == "ana"
    world.sleep(minutes=1)
    refusal(world, token.text)


def test_roles_are_those_of_the_moment(world: World) -> None:
    token = world.identity.create_token("ana")
    world.declare(("User", "ana", {"roles": ["steward"]}))
    assert world.identity.authenticate(token.text).roles == {"steward"}


def test_disabled_and_deleted_users_are_out(world: World) -> None:
    tokens = [world.identity.create_token(name) for name in ("ana", "otto")]
    world.declare(("User", "ana", {"disabled": True}))
    world.state.delete("User", "otto")
    for token in tokens:
        refusal(world, token.text)
    with pytest.raises(InvalidInput, match="is disabled"):
        world.identity.create_token("ana")
    with pytest.raises(InvalidInput, match="was deleted"):
        world.identity.create_token("otto")
    with pytest.raises(NotSignedIn):
        world.identity.current("otto")
    world.declare(("User", "otto", {}))
    assert world.identity.authenticate(tokens[1].text).user == "otto"


def test_a_user_nobody_declared_holds_nothing(world: World) -> None:
    token = world.identity.create_token("stranger")
    assert world.identity.authenticate(token.text) == Subject("stranger")
    assert world.identity.permissions(Subject("stranger")) == frozenset()


@pytest.mark.parametrize("user", ["", " ana", "ana ", "x" * 300])
def test_names_that_cannot_be_users(world: World, user: str) -> None:
    with pytest.raises(InvalidInput):
        world.identity.create_token(user)


def test_the_first_admin_token_is_made_once(world: World) -> None:
    token = world.identity.ensure_admin()
    assert token is not None and world.identity.ensure_admin() is None
    admin = world.identity.authenticate(token.text)
    assert "manage" in world.identity.permissions(admin)
    world.identity.revoke(token.id)
    assert world.identity.ensure_admin() is not None


def test_the_admin_stays_admin_whatever_is_declared(world: World) -> None:
    token = world.identity.ensure_admin()
    assert token is not None
    world.declare(("User", "admin", {"disabled": True, "roles": []}))
    world.state.delete("User", "admin")
    assert world.identity.authenticate(token.text).roles == {"admin"}


def test_revoking_what_is_not_there(world: World) -> None:
    with pytest.raises(NotFound, match="tok_x"):
        world.identity.revoke("tok_x")


def test_permissions_come_by_role_and_inheritance(world: World) -> None:
    world.declare(
        ("Role", "lead", {"inherits": ["steward"], "permissions": ["audit:read"]}),
        ("User", "ana", {"roles": ["lead"]}),
    )
    ana = world.user("ana")
    assert world.identity.permissions(ana) == {"scan", "review", "report:read", "audit:read", "decide"}
    world.identity.require(ana, "scan")
    with pytest.raises(NotAllowed, match="'manage'") as raised:
        world.identity.require(ana, "manage")
    assert raised.value.details["reasons"]


def test_another_issuer_can_vouch(world: World) -> None:
    class Issuer:
        def verify(self, token: str) -> Subject | None:
            return Subject("ana", frozenset({"from-idp"})) if token == "header.payload.signature" else None

    identity = Identity(world.tokens, world.state, world.clock, [Issuer()])
    subject = identity.authenticate("header.payload.signature")
    assert subject == Subject("ana", frozenset({"from-idp"}), frozenset({"analyst"}))
    with pytest.raises(NotSignedIn):
        identity.authenticate("another")
    world.declare(("User", "ana", {"disabled": True}))
    with pytest.raises(NotSignedIn):
        identity.authenticate("header.payload.signature")


def test_a_session_gives_who_asks_as_they_are_then(world: World) -> None:
    token = world.identity.create_token("ana", timedelta(hours=2))
    now = world.identity.session(token.text)
    assert now() == world.identity.authenticate(token.text)
    world.declare(("User", "ana", {"roles": ["steward"]}))
    assert now().roles == {"steward"}
    world.declare(("User", "ana", {"disabled": True}))
    with pytest.raises(NotSignedIn, match="User ana is disabled"):
        now()
    world.declare(("User", "ana", {}))
    world.identity.revoke(token.id)
    with pytest.raises(NotSignedIn, match="revoked or has expired"):
        now()
    short = world.identity.session(world.identity.create_token("ana", timedelta(hours=1)).text)
    world.sleep(hours=1)
    with pytest.raises(NotSignedIn, match="revoked or has expired"):
        short()


def test_a_session_of_another_issuer_outlives_its_token_but_not_its_user(world: World) -> None:
    class Issuer:
        valid = True

        def verify(self, token: str) -> Subject | None:
            return Subject("ana", frozenset({"from-token"})) if self.valid and token == "theirs" else None

    issuer = Issuer()
    identity = Identity(world.tokens, world.state, world.clock, [issuer])
    with pytest.raises(NotSignedIn):
        identity.session("nobody's")
    now = identity.session("theirs")
    issuer.valid = False
    assert "from-token" in now().groups
    world.declare(("User", "ana", {"disabled": True}))
    with pytest.raises(NotSignedIn, match="is disabled"):
        now()
