"""What is declared is read again only where it changed, and equals what one gets by reading all of it."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.declared.state import GovernanceState, View, build_view
from policies.ports import Change
from tests.twins.policies.stores import MemoryPolicyStore
from tests.unit.policies.world import GOVERNANCE, START

SPECS: dict[str, list[dict[str, Any] | None]] = {
    "Role": [{"read": [{"dataset": "*"}]}, {"inherits": ["r1"]}, {"wrong": 1}, None],
    "Group": [{"members": ["u0", "u1"]}, {"members": ["u1"], "roles": ["r0"]}, None],
    "User": [{"roles": ["r0"]}, {"disabled": True}, None],
    "Policy": [
        {"type": "mask", "match": {"tags": ["PII"]}, "subjects": {"everyone": True}, "mask": {"type": "MASK"}},
        {"type": "mask"},
        None,
    ],
    "Grant": [
        {
            "subject": {who: name},
            "dataset": "prod/orders",
            "purpose": "p",
            "validFrom": "2026-01-01T00:00:00Z",
            "validTo": "2027-01-01T00:00:00Z",
            "status": status,
        }
        for who, name in (("user", "u0"), ("user", "u1"), ("group", "g0"))
        for status in ("approved", "revoked")
    ]
    + [None],
    "Workflow": [GOVERNANCE[6][2], None],
}
changes = st.sampled_from(sorted(SPECS)).flatmap(
    lambda kind: st.builds(
        lambda name, spec: Change(kind, f"{kind[0].lower()}{name}", spec),
        st.integers(0, 2),
        st.sampled_from(SPECS[kind]),
    )
)


def parts(view: View) -> dict[str, Any]:
    collected = {f.name: getattr(view, f.name) for f in fields(view)}
    compiled = collected.pop("policies")
    collected["policies"] = (compiled.masks, compiled.access, compiled.rows, compiled.problems)
    collected["grants_by_subject"] = {
        k: sorted(v, key=lambda g: g.name) for k, v in collected["grants_by_subject"].items() if v
    }
    return collected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(changes, min_size=1, max_size=4), max_size=8))
def test_the_view_after_changes_equals_the_view_of_everything(steps: list[list[Change]]) -> None:
    store = MemoryPolicyStore()
    state = GovernanceState(store, lambda: START)
    for step in steps:
        store.apply(step, START)
        assert parts(state.view()) == parts(build_view(store, state.version()))


def test_what_a_transaction_wrote_and_took_back_is_not_seen() -> None:
    store = MemoryPolicyStore()
    state = GovernanceState(store, lambda: START)
    try:
        with store.transaction():
            store.apply([Change("User", "u0", {"roles": ["r0"]})], START)
            assert "u0" in state.view().users
            raise RuntimeError
    except RuntimeError:
        pass
    store.apply([Change("User", "u1", {})], START)  # gets the version that the other had
    assert set(state.view().users) == {"u1"}


def test_parts_that_did_not_change_are_the_same_objects() -> None:
    store = MemoryPolicyStore()
    state = GovernanceState(store, lambda: START)
    store.apply([Change(kind, name, spec) for kind, name, spec in GOVERNANCE], START)
    before = state.view()
    store.apply([Change("User", "eva", {})], datetime.now(START.tzinfo))
    after = state.view()
    assert after is not before and after.policies is before.policies and after.grants is before.grants
    assert "eva" in after.users and "eva" not in before.users
