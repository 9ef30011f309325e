"""What a change of declared documents is about, so that the audit is found by it."""

from __future__ import annotations

from policies.declared.mentioned import MOST_NAMES, details, mentioned


def test_of_a_group_whose_members_changed_those_who_came_or_went() -> None:
    before, after = {"members": ["ana", "ben"], "roles": []}, {"members": ["ben", "eli"], "roles": []}
    assert list(mentioned("Group", "crew", before, after)) == [("users", "ana"), ("users", "eli")]
    more = {"members": ["ben"], "roles": ["reader"]}
    assert list(mentioned("Group", "crew", {"members": ["ben"]}, more)) == [("users", "ben")]
    assert list(mentioned("Group", "crew", before, None)) == [("users", "ana"), ("users", "ben")]


def test_of_a_dataset_the_owners_who_came_or_went() -> None:
    before = {"owners": [{"user": "ana"}, {"group": "crew"}]}
    assert list(mentioned("Dataset", "prod/orders", before, {"owners": [{"user": "ana"}], "description": "x"})) == [
        ("dataset", "prod/orders")
    ]
    assert ("users", "ana") in list(mentioned("Dataset", "prod/orders", before, {"owners": []}))


def test_of_a_policy_whom_it_names() -> None:
    spec = {"type": "mask", "subjects": {"users": ["ana"]}, "except": {"users": ["otto"]}}
    assert list(mentioned("Policy", "p", None, spec)) == [("users", "ana"), ("users", "otto")]


def test_of_what_gives_powers_whom_it_names() -> None:
    people = {"users": ["ana"], "groups": ["crew"]}
    assert list(mentioned("Domain", "hr", None, {"datasets": ["prod/hr.*"], "admins": people, "stewards": {}})) == [
        ("users", "ana")
    ]
    assert list(mentioned("Domain", "hr", {"stewards": people}, {"stewards": {"users": ["ben"]}})) == [
        ("users", "ana"),
        ("users", "ben"),
    ]
    stage = {"name": "one", "approvers": {"users": ["otto"]}}
    glass = {"subjects": {"users": ["ana"]}, "review": {"users": ["petra"]}}
    assert list(mentioned("Workflow", "w", None, {"stages": [stage], "breakGlass": glass})) == [
        ("users", "ana"),
        ("users", "otto"),
        ("users", "petra"),
    ]
    assert list(mentioned("Visibility", "v", {"existence": people, "schema": "everyone"}, None)) == [("users", "ana")]
    for kind in ("user", "serviceAccount"):
        spec = {"principals": ["User:app"], "subject": {kind: "app"}}
        assert list(mentioned("Principal", "p", None, spec)) == [("users", "app")]


def test_more_names_than_one_entry_holds_get_more_entries() -> None:
    parts = details([("users", f"u{n}") for n in range(MOST_NAMES + 5)] + [("grants", "g"), ("users", "u0")])
    assert [sum(map(len, part.values())) for part in parts] == [MOST_NAMES, 6] and parts[1]["grants"] == ["g"]
    assert details([]) == [{}]
