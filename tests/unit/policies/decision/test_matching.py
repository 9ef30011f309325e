"""Names, patterns, selections and roles: what matches and what does not."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from policies.matching import Who, dataset_matches, folded, is_active, is_path, resolve, selection
from policies.model import Grant, GrantStatus, Role, Subject, SubjectMatch

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("pattern", "reference", "fits"),
    [
        ("prod/orders", "prod/orders", True),
        ("prod/orders", "prod/orders2", False),
        ("prod/orders", "prod/order", False),
        ("prod/*", "prod/orders", True),
        ("prod/*", "prod/", True),
        ("prod/*", "dev/orders", False),
        ("*", "prod/orders", True),
        ("*/orders", "prod/orders", True),
        ("*/orders", "prod/orders.eu", False),
        ("prod*od", "prod", False),
        ("prod*od", "prodod", True),
        ("prod*od", "prod-x-od", True),
        ("prod/ord*orders", "prod/orders", False),
        ("*rde*der*", "prod/orders", False),
        ("*rde*rs", "prod/orders", True),
        ("a*b*c", "abc", True),
        ("a*b*c", "acb", False),
        ("a*bc*c", "abc", False),
        ("a*bb*b", "abb", False),
        ("*a*b*", "aba", True),
        ("prod/Orders", "prod/orders", False),
        ("PROD/*", "prod/orders", False),
        ("", "", True),
        ("", "x", False),
        ("**", "x", True),
        ("a**b", "ab", True),
        ("prod/o?ders", "prod/orders", False),
        ("prod/[o]rders", "prod/orders", False),
    ],
)
def test_dataset_patterns(pattern: str, reference: str, fits: bool) -> None:
    assert dataset_matches(pattern, reference) is fits


@given(st.text("ab/*", max_size=8), st.text("ab/", max_size=10))
def test_a_pattern_is_the_expression_it_stands_for(pattern: str, reference: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert dataset_matches(pattern, reference) == (re.fullmatch(expression, reference) is not None)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("value", True),
        ("key", True),
        ("headers", True),
        ("value.a", True),
        ("value[]", True),
        ("value{}", True),
        ("value@keys", True),
        ("headers.x", True),
        ("valued", False),
        ("keys.x", False),
        ("VALUE.a", False),
        ("EMAIL_ADDRESS", False),
        ("a.value", False),
        ("*", False),
        ("domain.key", False),
    ],
)
def test_which_entries_are_paths(text: str, path: bool) -> None:
    assert is_path(text) is path


def test_names_of_fields_and_keys_of_maps_are_folded() -> None:
    assert folded(FieldPath.parse("value.Ab.m{Cd}.Straße[]")) == FieldPath.parse("value.ab.m{cd}.strasse[]")
    assert folded(FieldPath.parse("headers.Tra\u00adce")) == FieldPath.parse("headers.trace")
    assert folded(FieldPath.parse("value.M@keys")) == FieldPath.parse("value.m@keys")


def test_a_selection_covers_by_star_tag_and_path() -> None:
    path = FieldPath.parse("value.who.mail")
    everything = selection(("*",))
    assert everything.everything and everything.covers_tags(()) and everything.covers(path, ())
    tagged = selection(("EMAIL_ADDRESS", "value.x"))
    assert (tagged.everything, tagged.tags, tagged.paths) == (
        False,
        frozenset({"EMAIL_ADDRESS"}),
        (FieldPath.parse("value.x"),),
    )
    assert tagged.covers_tags(["GOLD", "EMAIL_ADDRESS"]) and not tagged.covers_tags(["GOLD"])
    assert not tagged.covers(path, ()) and tagged.covers(path, ["EMAIL_ADDRESS"])
    assert selection(("value.who",)).covers(path, ()) and not selection(("value.who.mail.x",)).covers(path, ())
    assert not selection(("value.WHO",)).covers(path, ()), "what opens matches exactly"
    with pytest.raises(InvalidInput):
        selection(("value..x",))


def test_personal_data_covers_its_kinds_and_not_what_nobody_has_scanned() -> None:
    personal = selection(("PII",))
    assert personal.covers_tags(["EMAIL_ADDRESS"]) and personal.covers_tags(["PII.Sensitive"])
    assert personal.covers_tags(["PII"]) and not personal.covers_tags(["UNSCANNED"])
    assert not personal.covers_tags(["domain.sales"]) and not personal.covers_tags([])
    assert not selection(("EMAIL_ADDRESS",)).covers_tags(["PERSON"]), "one kind does not cover another"
    assert selection(("UNSCANNED",)).covers_tags(["UNSCANNED"])


def test_who_is_among() -> None:
    who = Who("ana", frozenset({"g"}), {"r": None})
    assert who.problems == ()
    assert who.among(SubjectMatch(everyone=True)) and who.among(SubjectMatch(users=frozenset({"ana"})))
    assert who.among(SubjectMatch(groups=frozenset({"g", "h"}))) and who.among(SubjectMatch(roles=frozenset({"r"})))
    assert not who.among(SubjectMatch(False, frozenset({"g"}), frozenset({"ana"}), frozenset({"ana", "g"})))
    assert not who.among(SubjectMatch(purposes=frozenset({"ana", "g", "r"})))


def test_roles_are_followed_and_what_is_broken_is_named() -> None:
    roles = {
        "a": Role("a", inherits=("b",)),
        "b": Role("b", inherits=("a", "c")),
        "c": Role("c"),
        "heir": Role("heir", inherits=("gone",)),
        "bad": Role("bad", problem="no YAML"),
        "loose": Role("loose"),
    }
    who = resolve(Subject("ana", frozenset({"g"}), frozenset({"a", "undeclared"})), roles)
    assert (who.user, set(who.groups), list(who.problems)) == ("ana", {"g"}, [])
    assert set(who.roles) == {"a", "b", "c", "undeclared"}
    assert who.roles["undeclared"] is None and who.roles["b"] is roles["b"]
    (problem,) = resolve(Subject("ana", roles=frozenset({"heir"})), roles).problems
    assert problem == "Role heir inherits gone, which is not declared; declare gone or take it out."
    (problem,) = resolve(Subject("ana", roles=frozenset({"bad", "loose"})), roles).problems
    assert problem == "Role bad cannot be read: no YAML"
    # What is undeclared does not end the search: roles after it count.
    assert set(resolve(Subject("ana", roles=frozenset({"zz", "a", "00"})), roles).roles) == {"zz", "00", "a", "b", "c"}


def test_a_grant_is_active_from_its_first_instant_to_before_its_last() -> None:
    grant = Grant("g", SubjectMatch(), "*", NOW, NOW + timedelta(days=1), "p")
    assert is_active(grant, NOW) and not is_active(grant, NOW - timedelta(microseconds=1))
    assert is_active(grant, grant.valid_to - timedelta(microseconds=1)) and not is_active(grant, grant.valid_to)
    for status in set(GrantStatus) - {GrantStatus.APPROVED}:
        assert not is_active(Grant("g", SubjectMatch(), "*", NOW, grant.valid_to, "p", status=status), NOW)
