"""Answers of `/incidents`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about

StateName = Literal["open", "acknowledged", "resolved"]
CauseName = Literal["contract", "quality"]
ResolutionName = Literal["recovered", "withdrawn", "fixed", "accepted", "falseAlarm"]


class IncidentPlace(Answer):
    """Where a record is."""

    time: Time | None
    partition: int
    offset: int


class IncidentMayDo(Answer):
    """What the caller may do with an incident."""

    change: bool = about("Acknowledge, assign, comment and resolve it.")


class Incident(Answer):
    """Something wrong with a dataset, from when a check saw it until it is resolved."""

    id: str
    dataset: str
    namespace: str
    name: str
    cause: CauseName = about("A rule of a contract is broken, or a series of quality left its usual course.")
    source: str = about("Name of the contract, or of the kind of series.")
    rule: str
    field: str | None = about("Null for the records or the topic.")
    title: str = about("What is promised or usual.")
    reason: str = about(
        "What the last check saw; empty where it is about records or values that the caller may not read."
    )
    state: StateName
    assignee: str | None
    openedAt: Time
    seenAt: Time = about("Of the last check that saw it.")
    checks: int = about("How many checks saw it.")
    records: int | None = about("Records that broke it; null where no check knows, or the caller may not know.")
    share: float | None = about("Of the records of the last check.")
    first: IncidentPlace | None
    last: IncidentPlace | None
    faultEndedAt: Time | None = about("When a check saw nothing wrong any more; null while the fault lasts.")
    resolvedAt: Time | None
    resolution: ResolutionName | None = about("Recovered and withdrawn are stated by checks, the others by people.")
    resolvedBy: str | None = about("Null where no person did it.")
    withheld: bool = about("Counts, places and reasons are left out, as the caller may not read what they are about.")
    may: IncidentMayDo


class IncidentStep(Answer):
    """One step in the history of an incident."""

    at: Time
    kind: Literal["opened", "again", "notified", "acknowledged", "assigned", "commented", "resolved"] = about(
        "Again: it was resolved, and a check saw it once more. Notified: owners downstream were."
    )
    by: str | None = about("Null where no person did it.")
    text: str
    event: str | None = about("Id of the event that goes with it.")


class IncidentDetails(Incident):
    """An incident with its history."""

    history: list[IncidentStep] = about("The oldest first.")
    affected: list[str] = about("Datasets downstream that get the field, or the records, nearest first; at most 100.")
    affectedMore: bool = about("There are more of them.")
    affectedProblem: str | None = about("Why it is not known what is downstream; null where it is.")


class Incidents(Answer):
    """Incidents that are not resolved, then those that are; each the newest first."""

    incidents: list[Incident]
    more: bool = about("There are more that fit; ask for a higher limit, or filter.")


class BrokenDataset(Answer):
    """How many incidents of a dataset are not resolved."""

    dataset: str
    namespace: str
    name: str
    incidents: int


class BrokenDatasets(Answer):
    """Datasets with an incident that is not resolved."""

    datasets: list[BrokenDataset]
