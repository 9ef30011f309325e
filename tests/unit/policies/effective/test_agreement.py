"""A person's sheet, the list of a dataset and the decider agree, for everybody: declared people, people of the directory,
service accounts, people of a provider with sessions of different rights; over views of views, with grants at each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.model import DatasetId
from policies.access.decision_service import DecisionSubject, decide_now, subject_of
from policies.access.identity import Identity
from policies.access.provider_rights import Rights
from policies.declared.state import GovernanceState
from policies.effective.compare import Compare, Side
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moments
from policies.effective.person_access import PersonAccess
from policies.effective.shown import NOTHING, ShownParts, Summaries
from policies.matching import dataset_matches, is_active
from policies.model import DatasetFacts, FieldFacts, SourceFacts, SourceField, Subject, SubjectMatch
from policies.ports import Change
from policies.settings import PolicySettings
from tests.twins.policies.stores import MemoryFacts, MemoryPolicyStore, MemoryTokenStore
from tests.unit.policies.world import ORDERS, START

DECLARED, DIRECTORY, PROGRAMS, SIGNED_IN = ("u0", "u1"), ("d0", "d1", "d2"), ("svc0", "svc1"), ("s0", "s1", "u1", "d0")
OPENING = ("owner", "role", "grant")
"""Kinds of rules that open something for somebody."""

EVERYBODY = sorted({*DECLARED, *DIRECTORY, *PROGRAMS, *SIGNED_IN})
GROUPS = ["g0", "g1", "g2"]
ROLES = ["r0", "r1", "r2"]
NOW = START + timedelta(days=2)


def view(name: str, source: DatasetFacts) -> DatasetFacts:
    return DatasetFacts(
        DatasetId("weir", name),
        f"prod/{name}",
        (FieldFacts("value.mail", {"EMAIL_ADDRESS": ""}), FieldFacts("value.n")),
        sources=(SourceFacts(source.reference, source, (SourceField("value.mail", source.fields[0].path),)),),
    )


REFERENCES = ("prod/orders", "prod/one", "prod/two", "prod/three")


def made(owners: Sequence[SubjectMatch]) -> dict[str, DatasetFacts]:
    """orders, a view of it, a view of that one, and another of that."""
    plain = replace(ORDERS, fields=(FieldFacts("value.mail", {"EMAIL_ADDRESS": ""}), FieldFacts("value.n")))
    collected = [replace(plain, owners=owners[0])]
    for reference, owner in zip(REFERENCES[1:], owners[1:], strict=True):
        collected.append(replace(view(reference.removeprefix("prod/"), collected[-1]), owners=owner))
    return {each.reference: each for each in collected}


def some(names: Sequence[str], most: int = 2) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), max_size=most, unique=True)


patterns = st.sampled_from([*REFERENCES, "prod/*"])
subjects = st.one_of(
    st.sampled_from(EVERYBODY).map(lambda n: {"user": n}),
    st.sampled_from(GROUPS).map(lambda n: {"group": n}),
    st.sampled_from(ROLES).map(lambda n: {"role": n}),
)
grants = st.builds(
    lambda who, dataset, unmask, purpose, lasts: {
        "subject": who,
        "dataset": dataset,
        "fields": ["*"],
        "unmask": unmask,
        "purpose": purpose,
        "status": "approved",
        "validFrom": START.isoformat(),
        "validTo": (START + timedelta(days=lasts)).isoformat(),
    },
    subjects,
    patterns,
    st.sampled_from([["*"], ["*"], ["value.n"]]),
    st.sampled_from(["fraud", "campaign"]),
    st.sampled_from([9, 9, 1]),
)
policies = st.one_of(
    st.builds(
        lambda who, by: {
            "type": "mask",
            "match": {"tags": ["EMAIL_ADDRESS"]},
            "mask": {"type": "MASK_HASH"},
            "subjects": who,
            "except": by,
        },
        st.sampled_from([{"everyone": True}, {"groups": ["g0"]}, {"roles": ["r1"]}]),
        st.sampled_from([{"users": ["d0", "svc0"]}, {"groups": ["g1"]}, {"roles": ["r2"], "purposes": ["fraud"]}]),
    ),
    st.builds(
        lambda dataset: {"type": "access", "match": {"datasets": [dataset]}, "requires": {"purpose": ["fraud"]}},
        st.sampled_from(REFERENCES),
    ),
)
rights = st.builds(lambda g, r: Rights(frozenset(g), frozenset(r)), some(GROUPS), some(ROLES))
worlds = st.fixed_dictionaries(
    {
        "roles": st.fixed_dictionaries(
            {
                name: st.builds(
                    lambda read, above: {"read": [{"dataset": p} for p in read], "inherits": above},
                    st.lists(patterns, max_size=2),
                    some(ROLES, 1),
                )
                for name in ROLES
            }
        ),
        "groups": st.fixed_dictionaries(
            {n: st.builds(lambda m, r: {"members": m, "roles": r}, some(EVERYBODY), some(ROLES, 1)) for n in GROUPS[:2]}
        ),
        "users": st.fixed_dictionaries({n: st.builds(dict, groups=some(GROUPS), roles=some(ROLES)) for n in DECLARED}),
        "programs": st.fixed_dictionaries(
            {n: st.builds(dict, groups=some(GROUPS), roles=some(ROLES), disabled=st.booleans()) for n in PROGRAMS}
        ),
        "directory": st.fixed_dictionaries(
            {n: st.tuples(some(["Fraud", "Sales", "g2"]), st.booleans()) for n in DIRECTORY}
        ),
        "rules": st.lists(
            st.one_of(
                st.builds(
                    lambda g, to: {"group": g, "groups": [to]},
                    st.sampled_from(["Fraud", "Sales"]),
                    st.sampled_from(GROUPS),
                ),
                st.builds(
                    lambda g, to: {"group": g, "roles": [to]},
                    st.sampled_from(["Fraud", "Sales"]),
                    st.sampled_from(ROLES),
                ),
                st.just({"group": "g2", "groupOfSameName": True}),
            ),
            max_size=3,
        ),
        "sessions": st.fixed_dictionaries({n: st.lists(rights, max_size=3) for n in SIGNED_IN}),
        "policies": st.lists(policies, max_size=2),
        "grants": st.lists(grants, max_size=5),
        "owners": st.lists(
            st.builds(
                lambda u, g: SubjectMatch(users=frozenset(u), groups=frozenset(g)), some(EVERYBODY, 1), some(GROUPS, 1)
            ),
            min_size=4,
            max_size=4,
        ),
    }
)


class Given:
    """Sessions of people, newest first."""

    def __init__(self, sessions: Mapping[str, Sequence[Rights]]) -> None:
        self._sessions = sessions

    def given_now(self) -> Mapping[str, Sequence[Rights]]:
        return {name: tuple(dict.fromkeys(each)) for name, each in self._sessions.items() if each}


def declared(world: dict[str, Any]) -> GovernanceState:
    state = GovernanceState(MemoryPolicyStore(), lambda: NOW)
    for kind, key in (("Role", "roles"), ("Group", "groups"), ("User", "users"), ("ServiceAccount", "programs")):
        for name, spec in world[key].items():
            state.put(kind, name, {}, spec)
    state.put("User", "boss", {}, {"roles": ["admin"]})
    if world["rules"]:
        state.put("DirectoryRights", "company", {}, {"rights": world["rules"]})
    for kind, key in (("Policy", "policies"), ("Grant", "grants")):
        for number, spec in enumerate(world[key]):
            state.put(kind, f"{key}{number}", {}, spec)
    changes = [
        Change("ScimGroup", f"id-{n}", {"name": n, "created": "", "resource": {}}) for n in ("Fraud", "Sales", "g2")
    ]
    for name, (groups, active) in world["directory"].items():
        changes.append(
            Change("ScimUser", f"id-{name}", {"user": name, "active": active, "created": "", "resource": {}})
        )
        changes.append(Change("ScimName", name, {"id": f"id-{name}", "user": name}))
        changes += [Change("ScimMember", f"id-{group}/id-{name}", {}) for group in groups]
    state.store.apply(changes, START)
    return state


def below(facts: DatasetFacts) -> Iterator[DatasetFacts]:
    yield facts
    for source in facts.sources:
        if source.facts is not None:
            yield from below(source.facts)


@settings(max_examples=250, deadline=None)
@given(worlds)
def test_the_sheet_the_list_and_the_decider_agree(world: dict[str, Any]) -> None:
    state, known = declared(world), made(world["owners"])
    sessions = Given(world["sessions"])
    moments = Moments(state, MemoryFacts(*known.values()), lambda: NOW, sessions)
    identity = Identity(MemoryTokenStore(), state, moments.clock)
    lists = DatasetAccess(moments, identity)
    sheets = PersonAccess(moments, identity, lists, lambda: REFERENCES)
    boss = Subject("boss", roles=frozenset({"admin"}))
    view = state.view()

    seen: dict[tuple[str, str], set[object]] = {}
    for name in EVERYBODY:
        for way in sessions.given_now().get(name, (Rights(),)):
            subject, gone = subject_of(view, DecisionSubject(name, way.groups, way.roles))
            for reference, facts in known.items():
                about = {each.reference for each in below(facts)}  # the decider takes no grant's purpose but these
                mine = [g for g in view.grants_of(subject) if is_active(g, NOW)]
                stated = {g.purpose for g in mine if any(dataset_matches(g.dataset, each) for each in about)}
                for purpose in (None, *sorted(stated)):
                    decision = decide_now(view, subject, gone, facts, purpose, NOW, PolicySettings())
                    shown = Summaries(None, {}).of(decision)
                    if shown.shows != NOTHING:
                        seen.setdefault((name, reference), set()).add(shown.what)

    def opened(rows: Sequence[tuple[tuple[str, str], ShownParts]]) -> dict[tuple[str, str], set[object]]:
        collected: dict[tuple[str, str], set[object]] = {}
        for key, shown in rows:
            if shown.shows != NOTHING:
                collected.setdefault(key, set()).add(shown.what)
        return collected

    listings = [lists.of(boss, reference) for reference in REFERENCES]
    listed = [((e.who.name, each.facts.reference), e.shown) for each in listings for e in each.entries]
    assert opened([row for row in listed if row[0][0] in EVERYBODY]) == seen
    sheet = {name: sheets.of(boss, name) for name in EVERYBODY}
    assert opened([((name, r.facts.reference), r.shown) for name, each in sheet.items() for r in each.rows]) == seen

    for name, each in sheet.items():
        assert sum(each.totals.values()) == len(REFERENCES)
        for row in each.rows:
            assert all(each_rule.how for each_rule in each.rules(row) if each_rule.rule.kind in OPENING), (name, row)
    for listing in listings:
        readers = {entry.who.name for entry in listing.entries}
        assert sum(count for shows, count in listing.totals.items() if shows != NOTHING) == len(readers)
        holding = listing.holding()
        for entry in listing.entries:
            rules = holding.rules(entry.who, entry.shown.rules)
            assert all(each_rule.how for each_rule in rules if each_rule.rule.kind in OPENING), entry
    compared = Compare(moments, identity).of(boss, "prod/two", Side("d0"), Side("svc0"))
    shown_to_them = {row.shown.shows for row in sheet["d0"].rows if row.facts.reference == "prod/two"}
    assert compared.sides.left.shown.shows in shown_to_them | {NOTHING}
