"""Who may know what: rules of the decision, and what holds for every subject, dataset and set of documents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.decision.visibility import (
    ALL,
    Aspect,
    Audience,
    DatasetKnowledge,
    Outline,
    Rules,
    Viewer,
    VisibilityRule,
    what_is_known,
)
from policies.model import Grant, GrantStatus, Role, Subject, SubjectMatch, Target

NOW = datetime(2026, 11, 1, tzinfo=UTC)
NAMES = st.sampled_from(["ana", "ben", "hr", "sales"])
REFERENCES = st.sampled_from(["prod/orders", "prod/hr.pay", "test/orders"])
PATTERNS = st.sampled_from(["*", "prod/*", "prod/hr.*", "prod/orders", "test/*"])
TAGS = st.frozensets(st.sampled_from(["domain.sales", "EMAIL_ADDRESS", "PII"]), max_size=2)
MATCHES = st.builds(
    SubjectMatch,
    users=st.frozensets(NAMES, max_size=2),
    groups=st.frozensets(NAMES, max_size=2),
    roles=st.frozensets(NAMES, max_size=2),
)
OWNERS = st.builds(SubjectMatch, users=st.frozensets(NAMES, max_size=1), groups=st.frozensets(NAMES, max_size=1))
AUDIENCES = st.builds(Audience, st.booleans(), MATCHES)
RULES = st.builds(
    VisibilityRule,
    NAMES,
    st.lists(PATTERNS, max_size=2).map(tuple),
    TAGS,
    OWNERS,
    st.dictionaries(st.sampled_from(list(Aspect)), AUDIENCES, max_size=4),
)
OUTLINES = st.builds(Outline, REFERENCES, OWNERS, TAGS)
SUBJECTS = st.builds(Subject, NAMES, st.frozensets(NAMES, max_size=2), st.frozensets(NAMES, max_size=2))
READS = st.builds(Target, dataset=PATTERNS)
ROLES = st.dictionaries(NAMES, st.lists(READS, max_size=1).map(tuple), max_size=3).map(
    lambda built: {name: Role(name, read) for name, read in built.items()}
)
PERMISSIONS = st.frozensets(st.sampled_from(["scan", "lineage:write"]), max_size=2)


def viewer(
    subject: Subject, roles: dict[str, Role], permissions: frozenset[str] = frozenset(), *grants: Grant
) -> Viewer:
    return Viewer.of(subject, roles, permissions, grants, NOW)


def more(first: DatasetKnowledge, second: DatasetKnowledge) -> bool:
    """Whether the first knows all that the second does."""
    return all(first.of(aspect) or not second.of(aspect) for aspect in Aspect)


@given(SUBJECTS, ROLES, PERMISSIONS, OUTLINES, st.lists(RULES, max_size=4), st.booleans())
def test_what_holds_always(
    subject: Subject,
    roles: dict[str, Role],
    permissions: frozenset[str],
    outline: Outline,
    rules: list[VisibilityRule],
    closed: bool,
) -> None:
    who = viewer(subject, roles, permissions)
    results = what_is_known(who, outline, Rules.of(rules, closed))
    assert results == what_is_known(who, outline, Rules.of(reversed(rules), closed)), (
        "the order of documents does not matter"
    )
    assert not results.schema or results.existence
    assert not results.lineage or results.existence
    assert not results.evidence or results.schema
    assert what_is_known(viewer(subject, roles, permissions | {"manage"}), outline, Rules.of(rules, closed)) == ALL
    owned = Outline(outline.reference, SubjectMatch(users=frozenset({subject.user})), outline.tags)
    assert what_is_known(who, owned, Rules.of(rules, closed)) == ALL, "owners know everything"
    if not rules and not closed:
        assert results == ALL


@given(SUBJECTS, ROLES, OUTLINES, st.lists(RULES, max_size=3), RULES)
def test_where_all_is_open_a_further_document_never_opens(
    subject: Subject, roles: dict[str, Role], outline: Outline, rules: list[VisibilityRule], another: VisibilityRule
) -> None:
    who = viewer(subject, roles)
    assert more(what_is_known(who, outline, Rules.of(rules)), what_is_known(who, outline, Rules.of([*rules, another])))


@given(SUBJECTS, ROLES, PERMISSIONS, OUTLINES, st.lists(RULES, max_size=3))
def test_closing_by_the_setting_never_opens(
    subject: Subject,
    roles: dict[str, Role],
    permissions: frozenset[str],
    outline: Outline,
    rules: list[VisibilityRule],
) -> None:
    who = viewer(subject, roles, permissions)
    assert more(what_is_known(who, outline, Rules.of(rules)), what_is_known(who, outline, Rules.of(rules, closed=True)))


@given(OUTLINES, st.lists(RULES, max_size=4))
def test_documents_found_by_name_are_those_that_match(outline: Outline, rules: list[VisibilityRule]) -> None:
    by_name = Rules.of(rules)
    one_by_one = Rules((*rules,), False, {}, tuple(range(len(rules))))
    results, expected = list(by_name.matching(outline)), list(one_by_one.matching(outline))
    assert len(results) == len(expected) and all(each in expected for each in results)


def test_a_document_that_names_a_dataset_twice_is_found_once() -> None:
    twice = VisibilityRule("twice", ("prod/hr.pay", "prod/hr.pay"))
    assert list(Rules.of([twice]).matching(PAY)) == [twice]


HR = VisibilityRule(
    "hr", ("prod/hr.*",), audiences={Aspect.EXISTENCE: Audience(people=SubjectMatch(groups=frozenset({"hr"})))}
)
PAY = Outline("prod/hr.pay")
OUT = Subject("out")


def test_a_document_keeps_existence_to_a_group() -> None:
    rules = Rules.of([HR])
    assert what_is_known(viewer(OUT, {}), PAY, rules) == DatasetKnowledge(False, False, False, False)
    assert what_is_known(viewer(Subject("ina", frozenset({"hr"})), {}), PAY, rules) == ALL
    assert what_is_known(viewer(OUT, {}), Outline("prod/orders"), rules) == ALL


def test_closed_leaves_what_a_role_opens() -> None:
    rules = Rules.of([], closed=True)
    roles = {"analyst": Role("analyst", (Target(dataset="prod/orders"), Target(tag="EMAIL_ADDRESS")))}
    ana = viewer(Subject("ana", roles=frozenset({"analyst"})), roles)
    assert what_is_known(ana, Outline("prod/orders"), rules) == ALL
    assert what_is_known(ana, Outline("prod/mails", tags=frozenset({"EMAIL_ADDRESS"})), rules) == ALL
    assert not what_is_known(ana, PAY, rules).existence


def test_closed_is_opened_by_a_document_for_one_aspect() -> None:
    everyone = VisibilityRule("names", ("*",), audiences={Aspect.EXISTENCE: Audience(everyone=True)})
    assert what_is_known(viewer(OUT, {}), PAY, Rules.of([everyone], closed=True)) == DatasetKnowledge(
        True, False, False, False
    )


@pytest.mark.parametrize(("until", "knows"), [(timedelta(hours=1), True), (timedelta(hours=-1), False)])
def test_a_grant_lets_know_of_what_it_opens_while_it_holds(until: timedelta, knows: bool) -> None:
    grant = Grant(
        "g",
        SubjectMatch(users=frozenset({"out"})),
        "prod/hr.pay",
        NOW - timedelta(days=1),
        NOW + until,
        "x",
        status=GrantStatus.APPROVED,
    )
    results = what_is_known(viewer(OUT, {}, frozenset(), grant), PAY, Rules.of([HR]))
    assert (results.existence, results.schema) == (knows, knows)


def test_a_document_that_cannot_be_read_closes_everything_but_to_owners_and_officers() -> None:
    rules = Rules.of([VisibilityRule("broken", problem="it has a field of a later version")])
    assert what_is_known(viewer(OUT, {}), PAY, rules) == DatasetKnowledge(False, False, False, False)
    assert what_is_known(viewer(OUT, {}, frozenset({"review"})), PAY, rules) == ALL
