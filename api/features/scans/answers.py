"""Answers of `/scans` and `/recognizers`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, Time, about, absent
from api.features.datasets.answers import Problem


class ScannedDataset(Answer):
    """One topic of a scan; without counts where rows are hidden from the reader."""

    namespace: str
    name: str
    state: Literal["done"]
    version: int = about("The schema version after it; 0 where nothing is known.")
    format: dict[str, str] = about("Part (key, value) -> json, avro, ...")
    records: int = absent("Records read.")
    fields: int
    shapes: int
    entities: list[str] = about("Kinds of personal data found.")
    problems: list[str] = about("Sentences.")


class Scan(Answer):
    """A scan."""

    id: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: float = about("0 to 1.")
    request: FreeForm = about("{cluster, topics, sample}, as asked.")
    datasets: list[ScannedDataset] = about("Topics done so far.")
    problems: list[Problem]
    requested_by: str | None
    cancel_requested: bool
    created_at: Time
    started_at: Time | None
    finished_at: Time | None


class Scans(Answer):
    """Scans, newest first."""

    scans: list[Scan]


class TrialOnValues(Answer):
    """How a recognizer did on given values."""

    name: str
    entity: str
    version: str
    sampled: int = about("Values tried.")
    matched: int = about("Values it found something in.")
    rate: float = about("matched of sampled, 0 to 1.")
    score: float = about("What a scan would give a field of such values, 0 to 1.")
    tagged: bool = about("Whether that makes a tag.")
    clean: int = about("Columns of harmless look-alikes it was tried on.")
    flagged: list[str] = about("Those it would tag.")
    seconds: float
    problem: str | None = about("Why it could not be finished.")


class TrialField(Answer):
    """A field that a recognizer would tag."""

    path: str
    score: float
    matched: int
    sampled: int


class TrialOnDataset(Answer):
    """The fields of a dataset's newest records that a recognizer would tag."""

    name: str
    entity: str
    version: str
    dataset: str = about("CLUSTER/TOPIC.")
    records: int | None = about("Records read; null where that is withheld.")
    fields: list[TrialField]
    others: list[str] = about("Paths it would tag beside the field asked for.")
    unscanned: list[str]
    withheld: int = about("Fields of which nothing is shown.")
