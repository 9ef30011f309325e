"""A changed, moved, missing or added line of an exported audit is found, and named where it can be."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from policies.adapters.signing import Ed25519Signer, verified
from policies.audit.export import About, export
from policies.audit.file_check import FileVerification, verify
from policies.audit.ports import AuditFilter
from tests.unit.policies.world import World

SIGNER, OTHER = Ed25519Signer(lambda: b"one"), Ed25519Signer(lambda: b"another")
ABOUT = About("chain", 6, "h", {}, "2026-06-01T12:00:00Z", "admin")


def exported(form: str, where: AuditFilter | None = None) -> list[bytes]:
    world = World()
    for n, actor in enumerate(["ana", "otto", "ana", "ana", "otto", "ana"]):
        world.now += timedelta(seconds=1)
        world.audit.record(actor, "query", "prod/orders", "allow", ["=SUM(A1)", "ü\n2"], {"n": n, "share": 0.1})
    entries = world.audit.matching(where or AuditFilter(), 6)
    return b"".join(export(entries, form, ABOUT, SIGNER)).splitlines(keepends=True)


def checked(lines: list[bytes]) -> FileVerification:
    return verify(lines, verified, [SIGNER.public_key()])


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_file_as_it_was_written_holds(form: str) -> None:
    seen = checked(exported(form))
    assert seen.holds and seen.complete and seen.trusted and (seen.entries, seen.first, seen.last) == (6, 1, 6)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_part_holds_too_and_is_known_to_be_one(form: str) -> None:
    seen = checked(exported(form, AuditFilter(actor="otto")))
    assert seen.holds and not seen.complete and (seen.entries, seen.first, seen.last) == (2, 2, 5)


def test_the_signature_may_lie_beside_the_file() -> None:
    *lines, last = exported("jsonl")
    assert verify(lines, verified, (), last).holds and not verify(lines, verified).holds


def _edit(old: bytes, new: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [line.replace(old, new) if number == 2 else line for number, line in enumerate(lines)]


HARM: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int | None, str]] = {
    "changed": (_edit(b'"otto"', b'"ana"'), None, ""),
    "entry changed": (lambda ls: [*ls[:2], ls[2].replace(b'"n":2', b'"n":7'), *ls[3:]], 3, "was changed"),
    "line removed": (lambda ls: [*ls[:2], *ls[3:]], 3, "is missing before"),
    "lines swapped": (lambda ls: [ls[1], ls[0], *ls[2:]], 1, "is missing before"),
    "line doubled": (lambda ls: [*ls[:2], ls[1], *ls[2:]], 3, "comes after"),
    "end cut off": (lambda ls: ls[:4], None, "no signature"),
    "end cut off but the signature": (lambda ls: [*ls[:4], ls[-1]], None, "missing at the end"),
    "not an entry": (lambda ls: [ls[0], b"{}\n", *ls[1:]], 2, "not an entry"),
    "something behind": (lambda ls: [*ls, ls[0]], 8, "behind the signature"),
    "signature changed": (lambda ls: [*ls[:-1], ls[-1].replace(b'"by":"admin"', b'"by":"otto"')], None, "does not fit"),
    "last bytes changed": (lambda ls: [ls[0], ls[1].rstrip()[:-2] + b"}}\n", *ls[2:]], 2, "not an entry"),
    "end of a line changed": (lambda ls: [ls[0], ls[1].rstrip()[:-1] + b" \n", *ls[2:]], 2, "not an entry"),
    "something beside the signature": (
        lambda ls: [*ls[:-1], ls[-1].rstrip()[:-1] + b',"note":1}'],
        None,
        "cannot be read",
    ),
    "signature without sense": (lambda ls: [*ls[:-1], b'{"signed":1}'], None, "cannot be read"),
}
del HARM["changed"]


@pytest.mark.parametrize("what", sorted(HARM))
def test_harm_is_found_and_the_first_wrong_line_named(what: str) -> None:
    harm, line, problem = HARM[what]
    seen = checked(harm(exported("jsonl")))
    assert not seen.holds and seen.first_bad == line and problem in (seen.problem or "")


def test_a_file_written_anew_with_another_key_is_not_trusted() -> None:
    world = World()
    world.audit.record("ana", "query", "prod/orders")
    lines = b"".join(export(world.audit.matching(AuditFilter(), 1), "jsonl", ABOUT, OTHER)).splitlines(keepends=True)
    seen = checked(lines)
    assert not seen.holds and "not the one given" in (seen.problem or "")
    itself = verify(lines, verified)
    assert itself.holds and not itself.trusted and itself.key == OTHER.public_key()


def test_an_entry_and_its_hashes_rewritten_do_not_fit_the_signature() -> None:
    world = World()
    for _ in range(2):
        world.audit.record("ana", "query", "prod/orders")
    forged = b"".join(export(world.audit.matching(AuditFilter(), 2), "jsonl", ABOUT, OTHER)).splitlines(keepends=True)
    signature = exported("jsonl", AuditFilter(actor="otto"))[-1]
    seen = checked([*forged[:-1], signature])
    assert not seen.holds and "written again" in (seen.problem or "")


def test_a_cell_of_csv_that_was_changed_is_found() -> None:
    lines = exported("csv")
    place = next(n for n, line in enumerate(lines) if line.startswith(b"2,"))
    lines[place] = lines[place].replace(b",otto,", b",ana,", 1)
    seen = checked(lines)
    assert not seen.holds and "column actor" in (seen.problem or "")


@pytest.mark.parametrize(
    "header",
    [b"seq,at,target,action,actor", b"seq,when,actor,action,target", b"actor,at,seq,action,target", b"\xefseq,at"],
)
def test_columns_with_other_names_are_found(header: bytes) -> None:
    lines = exported("csv")
    assert lines[0].startswith(b"seq,at,actor,action,target,")
    lines[0] = header + lines[0].removeprefix(b"seq,at,actor,action,target")
    seen = checked(lines)
    assert not seen.holds and seen.first_bad == 1 and "columns" in (seen.problem or "")


def test_a_cell_beside_the_signature_of_csv_is_found() -> None:
    lines = exported("csv")
    lines[-1] = lines[-1].rstrip() + b",checked by nobody\r\n"
    assert not checked(lines).holds


def test_each_line_of_json_is_json_and_csv_holds_no_formula() -> None:
    assert [json.loads(line)["entry"]["seq"] for line in exported("jsonl")[:-1]] == [1, 2, 3, 4, 5, 6]
    assert not any(line.startswith((b"=", b"+", b"@")) or b",=" in line for line in exported("csv"))
