"""Domains: patterns within patterns, who holds what where, and that a domain's policies never open anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.model import DatasetId
from policies.decision.decide import decide
from policies.decision.domains import (
    ADMIN,
    STEWARD,
    Domain,
    Power,
    Reach,
    covers,
    in_both,
    overlap,
    powers_on,
    reach,
    within_scopes,
)
from policies.decision.mask_order import strictest
from policies.matching import dataset_matches, resolve
from policies.model import (
    DatasetFacts,
    Effect,
    FieldFacts,
    Mask,
    MaskPolicy,
    MaskType,
    Role,
    Subject,
    SubjectMatch,
    Target,
)

PATTERNS = st.text("ab*/", max_size=7)
NAMES = st.text("ab/", max_size=8)


def matched(pattern: str, texts: list[str]) -> str:
    """The pattern with a text for each star."""
    for text in texts:
        pattern = pattern.replace("*", text, 1)
    return pattern.replace("*", "")


@given(PATTERNS, PATTERNS, st.lists(NAMES, max_size=4))
def test_what_is_covered_matches_nothing_else(wide: str, narrow: str, texts: list[str]) -> None:
    name = matched(narrow, texts)
    assert dataset_matches(narrow, name)
    if covers(wide, narrow):
        assert dataset_matches(wide, name)
    # A letter that is in neither pattern proves the other direction: nothing is refused that could be proven.
    assert covers(wide, narrow) == dataset_matches(wide, matched(narrow, ["z"] * 7))


@given(PATTERNS, PATTERNS, PATTERNS)
def test_covering_is_an_order(one: str, two: str, three: str) -> None:
    assert covers(one, one) and covers("*", one)
    if covers(one, two) and covers(two, three):
        assert covers(one, three)


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("prod/hr.*", "prod/hr.pay", True),
        ("prod/hr.*", "prod/hr.*", True),
        ("prod/hr.*", "prod/hr*", False),
        ("prod/hr.*", "prod/*", False),
        ("prod/hr.*", "*", False),
        ("prod/hr.*", "*/hr.pay", False),
        ("prod/hr.*", "prod/hr.*.eu", True),
        ("prod/hr.pay", "prod/hr.pay*", False),
        ("prod/*.pay", "prod/hr.*", False),
    ],
)
def test_patterns_within_patterns(wide: str, narrow: str, expected: bool) -> None:
    assert covers(wide, narrow) is expected


def test_a_letter_that_stands_for_any_text_is_no_letter_of_the_domain() -> None:
    assert not covers("prod/\ue000", "prod/*")


@given(PATTERNS, PATTERNS, NAMES)
def test_what_is_in_both(one: str, other: str, name: str) -> None:
    common = in_both(one, other)
    if common is None:
        assert not (dataset_matches(one, name) and dataset_matches(other, name))
    else:
        assert dataset_matches(one, common) and dataset_matches(other, common)
    assert (in_both(other, one) is None) == (common is None)
    if covers(one, other):
        assert common is not None


def test_an_overlap_names_both_patterns_and_an_example() -> None:
    hr = Domain("hr", ("prod/hr.*", "prod/pay"))
    assert overlap(hr, Domain("eu", ("test/*", "prod/*.eu"))) == ("prod/hr.*", "prod/*.eu", "prod/hr.eu")
    assert overlap(hr, Domain("fin", ("prod/fin.*",))) is None


HR = Domain(
    "hr",
    ("prod/hr.*",),
    SubjectMatch(users=frozenset({"ada"}), groups=frozenset({"hr-leads"})),
    SubjectMatch(users=frozenset({"stan"})),
)
FIN = Domain("fin", ("prod/fin.*",), SubjectMatch(users=frozenset({"finn"})))


def held(user: str, reference: str, *groups: str, domains: tuple[Domain, ...] = (HR, FIN)) -> frozenset[Power]:
    return powers_on(resolve(Subject(user, frozenset(groups)), {}), reference, domains)


def test_rights_hold_for_the_datasets_of_the_domain_alone() -> None:
    assert held("ada", "prod/hr.pay") == ADMIN == held("x", "prod/hr.pay", "hr-leads")
    assert held("stan", "prod/hr.pay") == STEWARD == {Power.EDIT, Power.REVIEW, Power.REPORT, Power.SCAN}
    for user in ("ada", "stan"):
        assert held(user, "prod/fin.pay") == held(user, "prod/hr") == held(user, "test/hr.pay") == frozenset()
    assert held("finn", "prod/hr.pay") == held("x", "prod/hr.pay") == frozenset()


def test_a_dataset_that_two_domains_claim_is_nobodys() -> None:
    both = (HR, replace(FIN, datasets=("prod/*",)))
    assert held("ada", "prod/hr.pay", domains=both) == held("finn", "prod/hr.pay", domains=both) == frozenset()


def test_what_several_patterns_cover_together_is_not_proven() -> None:
    halves = replace(HR, datasets=("prod/hr.a*", "prod/hr.*a"))
    assert halves.has_all("prod/hr.ab*") and not halves.has_all("prod/hr.*")


def test_a_limited_token_has_no_more_than_its_scopes() -> None:
    assert within_scopes(ADMIN, None) == ADMIN
    assert within_scopes(ADMIN, frozenset({"read"})) == frozenset()
    assert within_scopes(ADMIN, frozenset({"manage"})) == {Power.EDIT, Power.DECLARE, Power.CERTIFY}
    assert within_scopes(STEWARD, frozenset({"review", "request"})) == {Power.REVIEW}


PEOPLE = st.builds(
    SubjectMatch,
    everyone=st.booleans(),
    users=st.frozensets(st.sampled_from(["ana", "ben"]), max_size=1),
    roles=st.frozensets(st.sampled_from(["reader"]), max_size=1),
)
MASKS = st.builds(
    Mask,
    st.sampled_from([MaskType.MASK_NONE, "MASK_HASH", "MASK_SHOW_LAST_4", MaskType.MASK_NULL, MaskType.DROP]),
)
TARGETS = st.sampled_from(
    [
        Target(dataset="prod/hr.pay"),
        Target(dataset="prod/hr.*", path="value.mail"),
        Target(tag="EMAIL_ADDRESS"),
    ]
)


def policies(domain: str | None) -> st.SearchStrategy[list[MaskPolicy]]:
    one = st.builds(
        MaskPolicy,
        st.sampled_from("pqr"),
        st.lists(TARGETS, min_size=1, max_size=2).map(tuple),
        PEOPLE,
        MASKS,
        PEOPLE,
        st.just(domain),
    )
    return st.lists(one, max_size=2)


@given(policies(None), policies("hr"), st.booleans(), st.booleans())
def test_policies_of_a_domain_never_open(
    given_: list[MaskPolicy], of_domain: list[MaskPolicy], classified: bool, tagged: bool
) -> None:
    tags = {"EMAIL_ADDRESS": "declared"} if tagged else {}
    fields = (FieldFacts("value.mail", tags, classified), FieldFacts("value.note", {}, classified))
    facts = DatasetFacts(DatasetId("k", "hr.pay"), "prod/hr.pay", fields)
    roles = {"reader": Role("reader", (Target(dataset="*"),))}
    subject = Subject("ana", roles=frozenset({"reader"}))

    def seen(listed: list[MaskPolicy]) -> dict[str, Mask | None]:
        decision = decide(
            subject, facts, roles=roles, policies=listed, grants=(), purpose=None, now=datetime(2026, 1, 1, tzinfo=UTC)
        )
        assert decision.effect is Effect.ALLOW
        return {each.path: each.mask for each in decision.columns}

    alone, together = seen(given_), seen([*given_, *of_domain])
    for path, mask in alone.items():
        if mask is not None:
            other = together.get(path)
            assert other is not None and strictest([mask, other]) == other


def test_reach_is_what_a_power_is_given_for() -> None:
    def of(user: str, power: Power, *more: Domain) -> Reach:
        return reach(resolve(Subject(user), {}), [HR, FIN, *more], power)

    assert of("ada", Power.AUDIT).names == ("hr",) and not of("stan", Power.AUDIT) and of("stan", Power.SCAN)
    mine = of("ada", Power.SCAN)
    assert mine.has("prod/hr.pay") and not mine.has("prod/fin.x") and not mine.has("prod/other")
    assert mine.has_all("prod/hr.p*") and not mine.has_all("prod/*") and not mine.has_all("prod/fin.*")
    assert not of("nobody", Power.SCAN).has_all("prod/hr.pay")
    assert mine.of("hr") == mine and not mine.of("fin") and not mine.of("fin").has("prod/hr.pay")


def test_what_two_domains_claim_is_in_reach_of_nobody() -> None:
    twice = Domain("twice", ("prod/hr.pay*",), SubjectMatch(users=frozenset({"ada"})))
    mine = reach(resolve(Subject("ada"), {}), [HR, FIN, twice], Power.SCAN)
    assert not mine.has("prod/hr.pay") and not mine.has_all("prod/hr.*") and not mine.has_all("prod/hr.pay")
    assert mine.has("prod/hr.staff") and mine.has_all("prod/hr.staff")
