"""Whose a principal is: listed, by a rule, not known with suggestions, or two at once."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Principals
from policies.declared.kinds import parse
from policies.declared.principal_specs import name_by_rule
from policies.declared.read_documents import build_view
from policies.declared.state import GovernanceState
from policies.ports import Change
from tests.twins.policies.stores import MemoryPolicyStore

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PEOPLE = [
    ("User", "ana", {}),
    ("User", "ben", {}),
    ("ServiceAccount", "orders-app", {}),
    ("Group", "fraud", {"members": ["ana"]}),
]


def principals(*documents: tuple[str, dict[str, Any]], cluster: str = "prod", own: str | None = None) -> Principals:
    store = MemoryPolicyStore()
    changes = [Change(kind, name, spec) for kind, name, spec in PEOPLE]
    store.apply([*changes, *(Change("Principal", name, spec) for name, spec in documents)], NOW)
    return Principals(build_view(store, 1), cluster, own=own)


def one(text: str, *documents: tuple[str, dict[str, Any]], **given: Any) -> BrokerPrincipal:
    return principals(*documents, **given).of(text)


ANA = {"principals": ["User:ana@example.org"], "subject": {"user": "ana"}}


def test_a_listed_principal_is_who_the_document_says() -> None:
    assert one("User:ana@example.org", ("a", ANA)).who == ("user", "ana")
    group = {"principals": ["User:shared"], "subject": {"group": "fraud"}}
    assert one("User:shared", ("g", group)).who == ("group", "fraud")
    assert one("User:ana", ("a", ANA)).mapping is MappingState.UNMAPPED


def test_a_document_is_about_its_clusters() -> None:
    spec = ANA | {"clusters": ["prod", "eu-*"]}
    for cluster, mapping in (("prod", "mapped"), ("eu-1", "mapped"), ("test", "unmapped")):
        assert one("User:ana@example.org", ("a", spec), cluster=cluster).mapping == mapping


def test_rules_give_names_and_lists_go_before_them() -> None:
    rules = (
        "certificates",
        {
            "rules": [
                {"rule": "RULE:^CN=([^,]+),OU=People.*$/$1/L", "gives": "user"},
                {"rule": "RULE:^CN=([^,]+),.*$/$1/L"},
            ]
        },
    )
    assert one("User:CN=Ana,OU=People,O=X", rules).who == ("user", "ana")
    assert one("User:CN=Orders-App,O=X", rules).who == ("serviceAccount", "orders-app")
    listed = ("b", {"principals": ["User:CN=Ana,OU=People,O=X"], "subject": {"user": "ben"}})
    assert one("User:CN=Ana,OU=People,O=X", rules, listed).who == ("user", "ben")
    unknown = one("User:CN=Ghost,O=X", rules)
    assert unknown.mapping is MappingState.UNMAPPED
    assert (
        unknown.note
        == "A rule of the document certificates gives the service account ghost, and there is none of this name."
    )


def test_two_at_once_count_for_nobody() -> None:
    rules = [(n, {"rules": [{"rule": "RULE:^.*$/" + n + "/", "gives": "user"}]}) for n in ("ana", "ben")]
    both = one("User:x", *rules)
    assert (both.mapping, both.who, both.claims) == (MappingState.AMBIGUOUS, None, (("user", "ana"), ("user", "ben")))
    assert both.note is not None and "the person ana and the person ben" in both.note


@pytest.mark.parametrize(
    ("principal", "suggested"),
    [
        ("User:ana", [("user", "ana")]),
        ("User:ANA@EXAMPLE.ORG", [("user", "ana")]),
        ("User:CN=orders-app,OU=x", [("serviceAccount", "orders-app")]),
        ("User:ben/host@REALM", [("user", "ben")]),
        ("User:fraud", [("group", "fraud")]),
        ("User:nobody", []),
    ],
)
def test_suggestions_are_of_the_same_name(principal: str, suggested: list[tuple[str, str]]) -> None:
    assert list(one(principal).suggestions) == suggested


def test_weirs_own_principal_is_told_from_others() -> None:
    assert one("User:weir", own="User:weir").mapping is MappingState.WEIR
    assert one("User:*").mapping is MappingState.EVERYONE


def test_a_principal_of_two_documents_is_refused_and_one_of_other_clusters_is_not() -> None:
    store = MemoryPolicyStore()
    state = GovernanceState(store, lambda: NOW)
    state.put("Principal", "one", {}, ANA | {"clusters": ["prod"]})
    other = {"principals": ["User:ana@example.org"], "subject": {"user": "ben"}}
    with pytest.raises(InvalidInput, match=r"is the person ana by the document one; a principal is one"):
        state.put("Principal", "two", {}, other)
    assert state.put("Principal", "two", {}, other | {"clusters": ["test"]})
    assert state.put("Principal", "one", {}, ANA | {"clusters": ["prod"], "description": "again"})


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"principals": ["User:*"], "subject": {"user": "a"}}, "is everybody and cannot be one person"),
        ({"principals": ["ana"], "subject": {"user": "a"}}, "write its type and its name"),
        ({"principals": ["User:a"]}, "principals and subject go together"),
        (
            {"principals": ["User:a"], "subject": {"user": "a", "group": "b"}},
            "names one of user, group or serviceAccount",
        ),
        ({"rules": [{"rule": "CN=(.*)"}]}, "is not a rule; write RULE:PATTERN/REPLACEMENT/"),
        ({"rules": [{"rule": "RULE:a(/b/"}]}, "cannot be read; it is a regular expression"),
        ({"rules": [{"rule": "RULE:(a)/$2/"}]}, "uses $2, and its pattern has 1 groups"),
        ({"rules": [{"rule": "RULE:a/b/"}], "produces": ["prod/x"]}, "go with principals, not with rules"),
        ({}, "gives either principals with the subject that they are, or rules"),
    ],
)
def test_what_is_wrong_in_a_document_is_one_sentence(spec: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(problem)):
        parse("Principal", "x", spec)


@given(st.text("ab,=CNO$/\\.", max_size=12), st.sampled_from(["", "L", "U"]))
def test_a_rule_does_to_a_name_what_its_pattern_says(name: str, letters: str) -> None:
    whole = name_by_rule(f"RULE:^(.*)$/<$1>/{letters}", name)
    changed = {"L": name.lower(), "U": name.upper()}.get(letters, name)
    assert whole == f"<{changed}>"
    match = re.fullmatch(r"CN=([^,]+),?.*", name)
    assert name_by_rule("RULE:CN=([^,]+),?.*/$1/", name) == (match[1] if match else None)
