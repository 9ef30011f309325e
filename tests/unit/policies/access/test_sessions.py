"""Sessions and what their provider confirms: who asks, who waits, what counts meanwhile; and rights from claims."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import NotSignedIn, Unavailable
from policies.access.identity import Identity
from policies.access.provider_rights import Rights, claim_texts, of_interest, rights, user_name
from policies.access.session_ports import Account, AccountGone, LogoutNotice, NewTokensOnly, ProviderTokens
from policies.access.sessions import PREFIX, Sessions
from policies.declared.provider_specs import IdentityProviderSpec, RightsRuleSpec
from policies.model import Agent
from policies.settings import SignInSettings
from tests.twins.policies.sessions import MemorySessionStore
from tests.twins.policies.stores import MemoryTokenStore
from tests.unit.policies.world import World, company

PROVIDER = {
    "issuer": "https://id.example",
    "clientId": "weir",
    "rights": [{"claim": "groups", "value": "stewards", "roles": ["steward"]}],
}


class Plain:
    """Seals nothing."""

    def seal(self, text: str) -> str:
        return text

    def open(self, sealed: str, seconds: int | None = None) -> str | None:
        return sealed


class Answers:
    """A provider. `claims` are ana's now; `fails` is raised; `hold` keeps an answer back."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"groups": ["stewards"]}
        self.half = False
        self.fails: Exception | None = None
        self.asked = self.given = 0
        self.hold = threading.Event()
        self.hold.set()

    def confirm(self, spec: IdentityProviderSpec, subject: str, tokens: ProviderTokens) -> Account:
        self.asked += 1
        assert tokens == ProviderTokens(f"at-{self.given}", f"rt-{self.given}")  # each token is used once
        self.hold.wait(10)
        if self.fails is not None:
            raise self.fails
        self.given += 1
        tokens = ProviderTokens(f"at-{self.given}", f"rt-{self.given}")
        if self.half:
            raise NewTokensOnly(tokens)
        return Account(spec.issuer, subject, self.claims, tokens)

    def address(self, *_: object) -> str:
        raise NotImplementedError

    def finish(self, spec: IdentityProviderSpec, redirect_uri: str, answer: Mapping[str, str], *_: str) -> Account:
        raise NotImplementedError

    def logout_notice(self, *_: object) -> LogoutNotice:
        raise NotImplementedError

    def sign_out_address(self, *_: object) -> str | None:
        raise NotImplementedError


@pytest.fixture
def world() -> World:
    built = company()
    built.declare(("IdentityProvider", "company", PROVIDER))
    return built


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def sessions(world: World, answers: Answers) -> Sessions:
    store, clock = MemorySessionStore(), world.clock
    return Sessions(store, world.state, answers, Plain(), clock, SignInSettings())


def opened(sessions: Sessions, answers: Answers, kind: Any = "browser") -> str:
    account = Account("https://id.example", "s-nina", answers.claims, ProviderTokens("at-0", "rt-0"))
    secret, _ = sessions.open("company", account, "nina", kind, "Firefox on Linux")
    assert secret.startswith(PREFIX)
    return secret


def test_the_provider_is_asked_by_one_while_all_others_work(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    world.sleep(seconds=30)
    answers.hold.clear()
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(sessions.signed_in, secret, "browser") for _ in range(8)]
        others = [each for each in waiting if not _blocked(each)]
        assert len(others) == 7  # they go by what was confirmed 30 s ago
        answers.hold.set()
        assert {each.result().subject.roles for each in waiting} == {frozenset({"steward"})}
    assert answers.asked == 1


def test_rights_that_are_too_old_wait_for_the_answer(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    world.sleep(seconds=45)
    answers.claims = {"groups": []}
    answers.hold.clear()
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(sessions.signed_in, secret, "browser") for _ in range(8)]
        assert all(_blocked(each) for each in waiting)
        answers.hold.set()
        assert {each.result().subject.roles for each in waiting} == {frozenset()}
    assert answers.asked == 1


def test_a_slow_answer_is_waited_for_and_not_asked_for_twice(
    world: World, sessions: Sessions, answers: Answers
) -> None:
    """A second question would use up a refresh token that is good once: token, keys and userinfo take 5 s each or more."""
    secret = opened(sessions, answers)
    world.sleep(seconds=30)
    answers.hold.clear()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(sessions.signed_in, secret, "browser")
        assert _blocked(first)
        world.sleep(seconds=14.9 + 25)
        second = pool.submit(sessions.signed_in, secret, "browser")
        assert _blocked(second)
        answers.hold.set()
        assert first.result().subject.user == "nina"
    assert answers.asked == 1


def _blocked(future: Any) -> bool:
    try:
        future.result(timeout=0.3)
    except TimeoutError:
        return True
    return False


def test_an_outage_is_no_right_and_no_end(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    answers.fails = Unavailable("down")
    world.sleep(seconds=30)
    assert sessions.signed_in(secret, "browser").subject.roles == {"steward"}
    sessions.signed_in(secret, "browser")
    assert answers.asked == 1  # not again for some seconds
    world.sleep(seconds=16)
    with pytest.raises(Unavailable, match="company does not answer"):
        sessions.signed_in(secret, "browser")


def test_after_an_outage_one_session_asks_for_all(world: World, sessions: Sessions, answers: Answers) -> None:
    """A provider that hangs would else keep a thread for each session, every five seconds."""
    secrets = [opened(sessions, answers) for _ in range(4)]
    answers.fails = Unavailable("down")
    world.sleep(seconds=50)
    with pytest.raises(Unavailable):
        sessions.signed_in(secrets[0], "browser")
    world.sleep(seconds=6)
    answers.hold.clear()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(sessions.signed_in, secrets[0], "browser")
        assert _blocked(first)
        for other in secrets[1:]:
            refused = pool.submit(sessions.signed_in, other, "browser")
            with pytest.raises(Unavailable, match="company does not answer"):
                refused.result(timeout=5)
        assert answers.asked == 2
        answers.fails = None
        answers.hold.set()
        assert first.result().subject.user == "nina"
    answers.given = 0  # each session has tokens of its own
    assert sessions.signed_in(secrets[1], "browser").subject.user == "nina"


def test_tokens_that_came_before_an_outage_are_kept(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    answers.half, answers.claims = True, {}
    world.sleep(seconds=30)
    assert sessions.signed_in(secret, "browser").subject.roles == {"steward"}
    answers.half = False
    world.sleep(seconds=10)
    assert sessions.signed_in(secret, "browser").subject.roles == frozenset()


def test_an_account_that_is_gone_ends_the_session_for_good(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    answers.fails = AccountGone()
    world.sleep(seconds=30)
    for _ in range(2):
        with pytest.raises(NotSignedIn, match="sign-in service ended it"):
            sessions.signed_in(secret, "browser")
    assert answers.asked == 1 and sessions.listed() == []


def test_work_that_goes_on_loses_what_its_person_loses(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    later = sessions.later(secret, "browser")
    assert later().roles == {"steward"}
    answers.claims = {}
    world.sleep(seconds=30)
    assert later().roles == frozenset()
    world.declare(("User", "nina", {"disabled": True}))
    with pytest.raises(NotSignedIn, match="nina is disabled"):
        later()


def test_a_changed_rule_counts_at_once(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    rules = [{"claim": "groups", "value": "stewards", "roles": ["auditor"]}]
    world.declare(("IdentityProvider", "company", {**PROVIDER, "rights": rules}))
    assert sessions.signed_in(secret, "browser").subject.roles == {"auditor"}
    world.declare(("IdentityProvider", "company", {**PROVIDER, "issuer": "https://other.example"}))
    with pytest.raises(NotSignedIn, match="not declared any more"):
        sessions.signed_in(secret, "browser")


def test_rights_of_a_person_who_is_not_here_do_not_count(world: World, sessions: Sessions, answers: Answers) -> None:
    opened(sessions, answers)
    assert sessions.given_to("nina", ask=False).roles == {"steward"}
    world.sleep(seconds=45)
    assert sessions.given_to("nina", ask=False) == Rights()
    assert sessions.given_to("nina", ask=True).roles == {"steward"}
    world.sleep(hours=3)
    assert sessions.given_to("nina", ask=True) == Rights()


def test_a_look_does_not_keep_a_session_alive(world: World, sessions: Sessions, answers: Answers) -> None:
    secret = opened(sessions, answers)
    for _ in range(4):
        world.sleep(minutes=29)
        sessions.signed_in(secret, "browser", use=False)
    world.sleep(minutes=10)
    with pytest.raises(NotSignedIn, match="not used for too long"):
        sessions.signed_in(secret, "browser", use=False)


@pytest.mark.parametrize(("kind", "other"), [("browser", "cli"), ("cli", "browser")])
def test_a_secret_opens_its_own_kind_only(sessions: Sessions, answers: Answers, kind: Any, other: Any) -> None:
    secret = opened(sessions, answers, kind)
    assert sessions.signed_in(secret, kind).subject.user == "nina"
    with pytest.raises(NotSignedIn):
        sessions.signed_in(secret, other)


# --- rights from claims ---------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS, lambda x: st.lists(x) | st.dictionaries(TEXTS, x)
)
RULES = [
    RightsRuleSpec(claim="groups", value="/weir/*", groupOfSameName=True),
    RightsRuleSpec(claim="realm_access.roles", value="weir-admin", roles=["admin"]),
    RightsRuleSpec(claim="https://x.example/groups", value="a", groups=["a-team"]),
]


@given(st.dictionaries(st.sampled_from(["groups", "realm_access", "https://x.example/groups"]), ANY_JSON))
def test_no_claim_gives_what_no_rule_names(claims: dict[str, Any]) -> None:
    kept = of_interest(claims, RULES)
    assert set(kept) == {rule.claim for rule in RULES}
    got = rights(kept, RULES)
    assert got.roles <= {"admin"}
    assert all(name == "a-team" or name.startswith("weir/") for name in got.groups)
    if got.roles:
        assert "weir-admin" in claim_texts(claims, "realm_access.roles")


def test_claims_as_providers_write_them() -> None:
    claims = {
        "groups": ["/weir/stewards", "/other", 3, None],
        "realm_access": {"roles": ["weir-admin", "offline_access"]},
        "https://x.example/groups": "a",
    }
    assert rights(of_interest(claims, RULES), RULES) == Rights(
        frozenset({"weir/stewards", "a-team"}), frozenset({"admin"})
    )
    assert rights({}, RULES) == rights(of_interest(claims, RULES), []) == Rights()


@pytest.mark.parametrize("value", [None, 3, "", " ana", "ana ", "a\nb", "x" * 300, ["ana"]])
def test_claims_that_are_not_names(value: Any) -> None:
    spec = IdentityProviderSpec.model_validate(PROVIDER)
    assert user_name({"preferred_username": value}, spec) is None
    assert user_name({"preferred_username": "ana"}, spec) == "ana"


@pytest.mark.parametrize(("verified", "counts"), [(True, True), (False, False), (None, False), ("true", False)])
def test_an_address_counts_when_the_provider_verified_it(verified: Any, counts: bool) -> None:
    rules = [{"claim": "email", "value": "*@weir.example", "roles": ["steward"]}]
    spec = IdentityProviderSpec.model_validate({**PROVIDER, "userClaim": "email", "rights": rules})
    claims = {"email": "ana@weir.example", "email_verified": verified, "preferred_username": "ana"}
    assert user_name(claims, spec) == ("ana@weir.example" if counts else None)
    assert rights(of_interest(claims, spec.rights), spec.rights).roles == ({"steward"} if counts else set())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"issuer": "http://id.example"}, "https"),
        ({"issuer": "ftp://id.example"}, "https"),
        ({"issuer": "https://id.example?x=1"}, "without a query"),
        ({"issuer": "https://me@id.example"}, "not an issuer"),
        ({"scopes": ["profile"]}, "openid"),
        ({"scopes": ["openid profile"]}, "one word"),
        ({"clientSecret": "s3cret"}, "never as the value"),
        ({"rights": [{"claim": "groups", "value": "x"}]}, "gives nothing"),
        ({"rights": [{"claim": "groups", "value": "*", "roles": ["admin"]}]}, "everybody"),
        ({"userPrefix": "a b"}, "pattern"),
    ],
)
def test_declarations_that_are_refused(world: World, change: dict[str, Any], why: str) -> None:
    from catalog.errors import InvalidInput

    with pytest.raises(InvalidInput, match=why) as raised:
        world.state.check("IdentityProvider", "company", {**PROVIDER, **change})
    assert "s3cret" not in raised.value.message


def test_a_provider_s_name_is_a_part_of_addresses(world: World) -> None:
    from catalog.errors import InvalidInput

    for name in ("a/b", "Company", "a b", "-x", "a" * 64, "ü"):
        with pytest.raises(InvalidInput, match=r"metadata\.name"):
            world.state.check("IdentityProvider", name, PROVIDER)


def test_each_session_gives_its_own_rights_and_none_of_another(
    world: World, sessions: Sessions, answers: Answers
) -> None:
    opened(sessions, answers)
    world.sleep(seconds=1)
    answers.claims = {"groups": []}
    opened(sessions, answers)
    assert sessions.given_now() == {"nina": (Rights(), Rights(frozenset(), frozenset({"steward"})))}
    opened(sessions, answers)
    assert len(sessions.given_now()["nina"]) == 2  # the same rights once


def test_what_a_provider_gives_a_person_counts_for_their_agents_while_a_session_continues(
    world: World, sessions: Sessions, answers: Answers
) -> None:
    identity = Identity(MemoryTokenStore(), world.state, world.clock, sessions=sessions)
    limits = Agent("", "helper", "support", ("prod/*",), 10, 100)
    token = identity.create_token("nina", timedelta(days=1), "helper", ["read"], limits).text
    plain = identity.create_token("nina", timedelta(days=1)).text
    assert identity.authenticate(token).roles == frozenset()
    opened(sessions, answers)
    assert identity.authenticate(token).roles == {"steward"}
    assert identity.authenticate(token).agent is not None
    assert identity.permissions(identity.authenticate(token)) == frozenset()
    assert identity.authenticate(plain).roles == frozenset()
    later = identity.session(token)
    assert later().roles == {"steward"}
    world.sleep(hours=3)
    assert later().roles == frozenset()
    answers.fails = Unavailable("The provider does not answer.")
    world.declare(("User", "nina", {"disabled": True}))
    with pytest.raises(NotSignedIn):
        identity.authenticate(token)
    with pytest.raises(NotSignedIn):
        later()
