"""Answers of `/contracts`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about

StateName = Literal["holds", "broken", "undecided", "waiting"]


class RecordPlace(Answer):
    """Where a record is."""

    time: Time | None
    partition: int
    offset: int


class RuleCounts(Answer):
    """How many rules are in each state."""

    holds: int
    broken: int
    undecided: int
    waiting: int


class ContractSummary(Answer):
    """A declared contract in a line."""

    name: str
    title: str = about("The name where the caller may not know all its datasets.")
    version: str
    status: str = about("As ODCS has it. Breaches of an active contract are reported, those of others only shown.")
    owner: str = about("The team that promises; empty where the document names none.")
    state: StateName = about("Of the datasets that the caller may know of.")
    datasets: list[str] = about("Those that the caller may know of.")
    rules: RuleCounts
    checkedAt: Time | None = about("Of the dataset that was checked last; null while none was.")


class Contracts(Answer):
    """Contracts by name."""

    contracts: list[ContractSummary]


class ContractRule(Answer):
    """One promise and what the last scan saw of it."""

    id: str
    kind: str
    path: str | None = about("Null for a rule on the records or the topic.")
    text: str
    state: StateName
    reason: str = about("Empty where it is about records or values that the caller may not read.")
    since: Time | None
    count: int | None = about("Records of the sample that broke it.")
    share: float | None
    first: RecordPlace | None = about("The first record seen that broke it, where the scan knows it.")
    last: RecordPlace | None


class ContractPromise(Answer):
    """What is promised of one dataset."""

    dataset: str
    namespace: str | None = about("Null while the dataset is not in the catalog.")
    name: str | None
    title: str
    description: str
    state: StateName
    checkedAt: Time | None
    checkEvery: float | None = about(
        "Seconds within which a breach is to be found in new records; null: by scans alone."
    )
    unread: int | None = about(
        "Records that no check of new records looked at: retention took them, or too many came at once. Null where none is"
        " asked for, and where the caller may not read every row."
    )
    late: bool | None = about(
        "Whether no check of new records ended within that time, as where the worker does not run. What came meanwhile is read"
        " by the next one. Null where none is asked for."
    )
    rules: list[ContractRule]
    withheld: list[Literal["rows", "fields"]] = about(
        "Counts, places and reasons are left out: of all rules (rows), as the caller may not read every row, or of those on"
        " fields that they do not read unmasked (fields)."
    )


class ContractBreach(Answer):
    """A rule that was broken for a while."""

    id: str
    dataset: str
    rule: str
    text: str
    reason: str
    beganAt: Time
    seenAt: Time = about("Of the last check that saw it.")
    endedAt: Time | None = about("Null while it lasts.")
    count: int | None
    share: float | None
    first: RecordPlace | None
    last: RecordPlace | None


class Contract(ContractSummary):
    """A contract as a document one can read."""

    purpose: str
    promises: list[ContractPromise]
    breaches: list[ContractBreach] = about("The newest 100: those that last, then those that ended.")
    notes: list[str] = about("Rules that no scan can decide, a sentence each.")
    document: dict[str, object] | None = about(
        "The ODCS document; null where the caller may not know all its datasets and where they hold personal data."
    )
    appliedAt: Time | None
    appliedBy: str | None


class ContractDraft(Answer):
    """A contract that is not declared yet."""

    dataset: str
    name: str = about("For metadata.name.")
    document: dict[str, object] = about("ODCS.")
