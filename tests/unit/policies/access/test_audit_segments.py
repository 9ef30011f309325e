"""Segments of the audit: sealed, linked, removed whole; what is left is proven, and no tampering passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from api.features.audit.answers import AuditVerification
from policies.adapters.signing import Ed25519Signer, verified
from policies.audit.file_check import verify as verify_file
from policies.audit.log import AuditLog
from policies.audit.ports import AuditEntry, Removal
from policies.audit.seals import REMOVE, SEAL, Trust, digest, sealed
from policies.audit.segments import AuditSegments
from policies.audit.verify import Seals, Verification
from policies.settings import PolicySettings
from tests.twins.policies.segments import MemorySegmentStore
from tests.twins.policies.stores import MemoryAuditStore, MemoryHeadPublisher
from tests.unit.policies.world import START

SIGNER = Ed25519Signer(lambda: b"ours")
OTHER = Ed25519Signer(lambda: b"another's")


class World:
    def __init__(self, entries: int = 10, **settings: object) -> None:
        self.now = START
        self.store, self.heads = MemoryAuditStore(), MemoryHeadPublisher()
        self.seals = MemorySegmentStore(self.store)
        trust = Trust(verified, frozenset({SIGNER.public_key()}))
        self.audit = AuditLog(self.store, lambda: self.now, self.heads, Seals(self.seals, trust))
        self.shipped: int | None = None
        self.settings = PolicySettings.model_validate(settings)
        self.segments = AuditSegments(
            self.store,
            self.seals,
            self.audit,
            SIGNER,
            lambda: self.now,
            self.settings,
            lambda: self.shipped,
            entries,
        )

    def write(self, count: int, **pause: float) -> None:
        for number in range(count):
            self.audit.record("ana", "query", "prod/orders", "allow", ["role analyst"], {"rows": number})
            self.now += timedelta(**(pause or {"seconds": 1}))

    def steps(self) -> None:
        while self.segments.step():
            pass

    def verify(self) -> Verification:
        return self.audit.verify()


def removed(days: int = 30) -> World:
    """Two segments removed, one sealed, some entries open."""
    world = World(audit_keep_days=days)
    world.write(19)
    world.steps()
    world.now += timedelta(days=days + 1)
    world.write(10)
    world.steps()
    world.write(3)
    return world


def test_a_segment_is_sealed_by_count_and_names_the_one_before() -> None:
    world = World()
    world.write(25)
    world.steps()
    first, second = world.seals.segments()
    assert (first.first, first.last, second.first, second.last) == (1, 10, 11, 20)
    assert second.previous == digest(first) and second.before == first.head == world.store.rows[9].hash
    assert [e.action for e in world.store.rows[25:]] == [SEAL, SEAL]
    assert world.verify().holds and world.verify().sealed == 2
    world.steps()
    assert len(world.seals.rows) == 2, "sealing again seals nothing"


def test_a_segment_is_sealed_by_time() -> None:
    world = World(1000, audit_segment_days=7)
    world.write(3)
    world.steps()
    assert world.seals.segments() == []
    world.now += timedelta(days=7)
    world.steps()
    assert [(s.first, s.last) for s in world.seals.segments()] == [(1, 3)]
    world.now += timedelta(days=6)
    world.steps()
    assert len(world.seals.segments()) == 1


def test_whole_old_segments_are_removed_and_the_rest_is_proven() -> None:
    world = removed()
    assert [s.removal is not None for s in world.seals.segments()] == [True, True, False]
    assert min(e.seq for e in world.store.rows) == 21
    proven = world.verify()
    assert proven.holds, proven.problem
    assert proven.removed is not None
    assert (proven.removed.first, proven.removed.last, proven.removed.segments) == (1, 20, 2)
    assert proven.removed.setting == "policies.audit_keep_days=30"
    assert proven.entries == world.store.head().seq - 20
    entry = next(e for e in world.store.rows if e.action == REMOVE)
    assert entry.reasons == ("entries 1 to 10 by policies.audit_keep_days=30",)


def test_nothing_is_removed_without_the_setting_or_before_its_time_or_before_it_is_shipped() -> None:
    world = World()
    world.write(30)
    world.now += timedelta(days=4000)
    world.steps()
    assert len(world.store.rows) > 30 and world.seals.rows[0].removal is None
    world = World(audit_keep_days=30)
    world.shipped = 5
    world.write(30)
    world.now += timedelta(days=29)
    world.steps()
    world.now += timedelta(days=2)
    world.steps()
    assert all(s.removal is None for s in world.seals.segments()), "entries that were not shipped are kept"
    world.shipped = 15
    world.steps()
    assert [s.removal is not None for s in world.seals.segments()][:2] == [True, False]


Tamper = Callable[[World], None]


def drop_first_kept(world: World) -> None:
    world.store.rows = [e for e in world.store.rows if e.seq != 21]


def drop_seal(world: World) -> None:
    del world.seals.rows[-1]


def drop_first_seals(world: World) -> None:
    world.seals.rows = []


def mark_by_hand(world: World) -> None:
    """The third segment's entries go, and its row is marked as if retention had done it."""
    third = world.seals.rows[2]
    world.seals.rows[2] = replace(
        third, removal=Removal(world.now, "policies.audit_keep_days=30", None, SIGNER.public_key())
    )
    world.store.rows = [e for e in world.store.rows if e.seq > third.last]


def mark_and_note_by_hand(world: World) -> None:
    mark_by_hand(world)
    world.audit.record("weir", REMOVE, "segment 3", "allow", ["entries 21 to 30"], {"segment": 3, "last": 30})


def forge_a_seal(world: World) -> None:
    """All seals again, with another key, over another head."""
    key = OTHER.public_key()
    world.seals.rows = [sealed(replace(s, key=key, signature=""), OTHER.sign) for s in world.seals.rows]


def move_a_seal(world: World) -> None:
    world.seals.rows[2] = replace(world.seals.rows[2], head="0" * 64)


def other_setting(world: World) -> None:
    second = world.seals.rows[1]
    assert second.removal is not None
    world.seals.rows[1] = replace(second, removal=replace(second.removal, setting="policies.audit_keep_days=1"))


def edit_sealed(world: World) -> None:
    at = next(i for i, e in enumerate(world.store.rows) if e.seq == 25)
    world.store.rows[at] = replace(world.store.rows[at], actor="otto")


@pytest.mark.parametrize(
    "tamper",
    [
        drop_first_kept,
        drop_seal,
        drop_first_seals,
        mark_by_hand,
        mark_and_note_by_hand,
        forge_a_seal,
        move_a_seal,
        other_setting,
        edit_sealed,
    ],
)
def test_no_tampering_with_seals_or_removed_entries_passes(tamper: Tamper) -> None:
    world = removed()
    assert world.verify().holds
    tamper(world)
    verified_now = world.verify()
    assert not verified_now.holds and verified_now.problem and verified_now.first_bad is not None


def test_a_broken_segment_is_neither_sealed_nor_removed() -> None:
    world = World(audit_keep_days=30)
    world.write(15)
    edit = replace(world.store.rows[3], actor="otto")
    world.store.rows[3] = edit
    world.now += timedelta(days=60)
    world.steps()
    assert world.seals.segments() == [] and len(world.store.rows) == 15
    world = World(audit_keep_days=30)
    world.write(15)
    world.steps()
    world.store.rows[3] = replace(world.store.rows[3], actor="otto")
    world.now += timedelta(days=60)
    world.steps()
    assert world.seals.segments()[0].removal is None


def test_a_segment_is_exported_before_it_is_removed(tmp_path: Path) -> None:
    world = World(audit_keep_days=30, audit_export_folder=tmp_path / "out")
    world.write(12)
    world.now += timedelta(days=31)
    world.steps()
    (file,) = (tmp_path / "out").iterdir()
    assert file.name == "audit-memory-1-10.jsonl"
    with file.open("rb") as lines:
        checked = verify_file(lines, verified, [SIGNER.public_key()])
    assert checked.holds and checked.trusted and (checked.first, checked.last, checked.entries) == (1, 10, 10)
    verification = world.verify()
    assert verification.holds and verification.removed is not None and verification.removed.files == (file.name,)


def test_what_cannot_be_exported_is_kept(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file, not a folder")
    world = World(audit_keep_days=30, audit_export_folder=tmp_path / "out")
    world.write(12)
    world.now += timedelta(days=31)
    world.steps()
    assert world.seals.segments()[0].removal is None and len(world.store.rows) > 12


def test_a_verification_says_what_it_proves_as_json() -> None:
    answer = AuditVerification.of(removed().verify()).model_dump(mode="json")
    assert json.loads(json.dumps(answer))["removed"]["last"] == 20


@pytest.mark.parametrize("entries", [1, 2, 3])
def test_seals_are_not_sealed_for_ever(entries: int) -> None:
    world = World(entries, audit_keep_days=5)
    world.write(7)
    for _ in range(3):
        world.steps()
    sealed_now, length = len(world.seals.rows), world.store.head().seq
    world.now += timedelta(days=400)
    for _ in range(4):
        world.steps()
    assert len(world.seals.rows) <= sealed_now + 3, "removals of what is old are noted, and no more"
    length = world.store.head().seq
    world.now += timedelta(days=400)
    world.steps()
    assert world.store.head().seq == length, "nothing happened, so nothing is noted"
    world.write(3)
    world.steps()
    assert world.seals.rows[-1].last > length and world.verify().holds


def test_a_segment_cannot_be_set_to_a_few_entries() -> None:
    with pytest.raises(ValidationError):
        PolicySettings(audit_segment_entries=999)


class Host:
    """Another process on the record store of `world`, with a key of its own."""

    def __init__(self, world: World, signer: Ed25519Signer, *listed: str) -> None:
        trust = Trust(verified, frozenset({signer.public_key(), *listed}))
        settings = PolicySettings(audit_trusted_keys=list(listed), audit_keep_days=30)
        self.audit = AuditLog(world.store, lambda: world.now, world.heads, Seals(world.seals, trust))
        self.segments = AuditSegments(
            world.store, world.seals, self.audit, signer, lambda: world.now, settings, entries=10
        )


def test_a_host_with_another_key_seals_and_removes_nothing_and_says_so() -> None:
    world = World()
    world.write(15)
    world.steps()
    other = Host(world, OTHER)
    world.write(30)
    world.now += timedelta(days=60)
    other.segments.step()
    assert [s.key for s in world.seals.rows] == [SIGNER.public_key()] and world.seals.rows[0].removal is None
    problem = other.segments.problem() or ""
    assert SIGNER.public_key() in problem and OTHER.public_key() in problem and "audit_trusted_keys" in problem
    assert world.segments.problem() is None
    world.steps()
    assert len(world.seals.rows) >= 4 and world.verify().holds, "the host with the key continues, and nothing is broken"


def test_a_healthy_chain_is_not_broken_for_who_does_not_trust_its_key_and_not_proven_either() -> None:
    world = removed()
    seen = Host(world, OTHER).audit.verify()
    assert (seen.holds, seen.first_bad, seen.sealed) == (False, None, 0)
    assert seen.problem is not None and "No entry is broken" in seen.problem and SIGNER.public_key() in seen.problem
    assert Host(world, OTHER, SIGNER.public_key()).audit.verify().holds
    edit_sealed(world)
    assert Host(world, OTHER).audit.verify().first_bad == 25, "what is broken is broken for everybody"


def test_a_new_key_seals_once_it_is_listed_with_the_one_of_before() -> None:
    world = World()
    world.write(15)
    world.steps()
    world.write(10)
    half = Host(world, OTHER, SIGNER.public_key())
    half.segments.step()
    assert len(world.seals.rows) == 1 and "new key" in (half.segments.problem() or ""), "others may not know it"
    both = Host(world, OTHER, SIGNER.public_key(), OTHER.public_key())
    both.segments.step()
    assert world.seals.rows[-1].key == OTHER.public_key() and both.audit.verify().holds
    assert Host(world, SIGNER, SIGNER.public_key(), OTHER.public_key()).audit.verify().holds
    assert "sealed with" in (world.segments.problem() or ""), "who was not given the new key stops, too"


@pytest.mark.parametrize("number", ["x", [], {}, None, 7.5, True, "1", 10**30, -1])
def test_a_forged_note_of_a_seal_is_named(number: object) -> None:
    world = World()
    world.write(12)
    world.steps()
    world.audit.record("weir", SEAL, "segment", "allow", [], {"segment": number, "seal": "0"})
    forged = world.store.head().seq
    seen = world.verify()
    assert not seen.holds and seen.first_bad == forged and f"Entry {forged}" in (seen.problem or "")


def test_a_second_note_does_not_hide_a_seal_that_is_not_there() -> None:
    world = World()
    world.write(12)
    world.steps()
    seal = digest(world.seals.rows[0])
    noted = [e.seq for e in world.store.rows if e.action == SEAL]
    world.audit.record("weir", SEAL, "segment 1", "allow", [], {"segment": 1, "seal": "0"})
    world.audit.record("weir", SEAL, "segment 1", "allow", [], {"segment": 1, "seal": seal})
    assert world.verify().first_bad == noted[0] + 1


def test_segments_that_are_sealed_while_the_chain_is_walked_are_no_tampering() -> None:
    world = World()
    world.write(30)
    world.steps()
    chain = world.store.chain

    def grows(after: int, limit: int) -> list[AuditEntry]:
        if not after:  # each walk begins here
            world.store.chain = chain  # type: ignore[method-assign]
            world.write(12)
            world.steps()
            world.store.chain = grows  # type: ignore[method-assign]
        return chain(after, limit)

    world.store.chain = grows  # type: ignore[method-assign]
    seen, sealed_before = world.verify(), 3
    assert seen.holds, seen.problem
    assert len(world.seals.rows) > sealed_before


def test_a_seal_that_is_not_there_is_found_where_the_noted_head_was_put_back_too() -> None:
    world = World()
    world.write(12)
    world.steps()
    drop_seal(world)
    assert world.verify().first_bad == 13
    world.store.noted = replace(world.store.noted, seq=12, hash=world.store.rows[11].hash)
    world.audit = AuditLog(
        world.store, lambda: world.now, None, Seals(world.seals, Trust(verified, frozenset({SIGNER.public_key()})))
    )
    assert world.verify().first_bad == 13


def test_two_hosts_that_seal_at_the_same_moment_do_not_mix_their_keys() -> None:
    world = World()
    world.write(35)
    other = Host(world, OTHER)
    looked = other.segments._may_seal()
    world.steps()  # between the other's look and its seal
    assert looked and world.segments.problem() is None
    other.segments._seal_due()
    assert {s.key for s in world.seals.rows} == {SIGNER.public_key()}
    world.write(10)
    other.segments._seal_due()
    assert {s.key for s in world.seals.rows} == {SIGNER.public_key()} and world.verify().holds
