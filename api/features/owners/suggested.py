"""Owners suggested by what is known of a dataset: pure functions from facts to names with reasons."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from api.features.owners.answers import OwnerReason, OwnerSuggestion
from catalog.broker_acls import Operation
from lineage.questions.answers import Reader
from policies.broker_rights.rows import RightsRow

Source = Literal["acl", "consumer", "lineage", "git", "document", "description"]
GIT_AUTHOR = "git-author"
"""The annotation of a declared document that names who wrote it in git: NAME, or NAME <ADDRESS>."""
MOST = 10
_ORDER: tuple[Source, ...] = ("git", "acl", "lineage", "document", "description", "consumer")
_ADDRESSED = re.compile(r"(?P<name>[^<]*)<(?P<address>[^>]*)>\s*")


class Hint(NamedTuple):
    """A name, as sources write it, and why. `group`: it is a group's."""

    name: str
    source: Source
    text: str
    group: bool = False


def of_rights(rows: Iterable[RightsRow]) -> Iterator[Hint]:
    """Principals that may write, by rules that are about them; and those whose consumer groups read."""
    for row in rows:
        if row.principal.who is None or row.super_user:
            continue
        kind, name = row.principal.who
        group = str(kind) == "group"
        write = row.possible.get(Operation.WRITE)
        if write is not None and (write.others or write.hosts) and not row.only_everyone:
            yield Hint(name, "acl", f"{row.principal.principal} may write it by the ACLs of the brokers", group)
        for each in row.used.groups:
            yield Hint(
                name, "consumer", f"{row.principal.principal} reads it with the consumer group {each.name}", group
            )


def of_jobs(writers: Iterable[Reader], readers: Iterable[Reader]) -> Iterator[Hint]:
    """Owners that producers report of jobs which write it, and of those which read it."""
    for job in writers:
        for owner in job.owners:
            yield _reported(owner, "lineage", f"owns the job {job.name}, which writes it")
    for reader in readers:
        what = "consumer group" if reader.kind == "consumer_group" else "job"
        for owner in reader.owners:
            yield _reported(owner, "consumer", f"owns the {what} {reader.name}, which reads it")


def of_document(metadata: Mapping[str, Any], applied_by: str | None) -> Iterator[Hint]:
    """Who wrote the declared document in git, as its annotation has it, and who applied it."""
    author = str((metadata.get("annotations") or {}).get(GIT_AUTHOR) or "").strip()
    if author:
        yield Hint(author, "git", "wrote its declared document, as git has it")
    if applied_by:
        yield Hint(applied_by, "document", "applied its declared document last")


def of_descriptions(authors: Iterable[str | None]) -> Iterator[Hint]:
    """People who described it or its fields."""
    for name in dict.fromkeys(each for each in authors if each):
        yield Hint(name, "description", "described it or a field of it")


def suggestions(
    hints: Iterable[Hint],
    users: Mapping[str, str | None],
    groups: Collection[str],
    owners: Collection[str],
    owner_of: Mapping[str, str],
) -> list[OwnerSuggestion]:
    """Hints joined by who is meant. `users`: people -> mail address; `owner_of`: program -> its owner, who is meant by it."""
    by_address = {address.casefold(): user for user, address in users.items() if address}
    joined: dict[str, list[OwnerReason]] = {}
    for hint in hints:
        name = _person(hint, by_address, users, owner_of)
        reasons = joined.setdefault(f"group:{name}" if hint.group else name, [])
        if all(each.text != hint.text for each in reasons):
            reasons.append(OwnerReason(source=hint.source, text=hint.text))
    listed = [
        OwnerSuggestion(
            name=name,
            known=name.removeprefix("group:") in groups if name.startswith("group:") else name in users,
            reasons=sorted(reasons, key=lambda each: _ORDER.index(each.source))[:MOST],
        )
        for name, reasons in joined.items()
        if name not in owners
    ]
    return sorted(listed, key=lambda each: (not each.known, _best(each), -len(each.reasons), each.name))[:MOST]


def _best(suggestion: OwnerSuggestion) -> int:
    return min(_ORDER.index(each.source) for each in suggestion.reasons)


def _reported(owner: str, source: Source, text: str) -> Hint:
    kind, _, name = owner.partition(":")
    return Hint(name, source, text, kind in ("group", "team")) if name else Hint(owner, source, text)


def _person(hint: Hint, by_address: Mapping[str, str], users: Collection[str], owner_of: Mapping[str, str]) -> str:
    if hint.group:
        return hint.name
    name = owner_of.get(hint.name) or hint.name
    if name in users:
        return name
    match = _ADDRESSED.fullmatch(name)
    written, address = (match["name"].strip(), match["address"]) if match else (name, name)
    return by_address.get(address.strip().casefold()) or written or name
