"""Answers of `/recognizers`."""

from __future__ import annotations

from api.edge.answer import Answer, about
from scanners.scan.trial import Trial


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

    @classmethod
    def of(cls, trial: Trial) -> TrialOnValues:
        return cls(
            name=trial.name,
            entity=trial.entity,
            version=trial.version,
            sampled=trial.sampled,
            matched=trial.matched,
            rate=round(trial.matched / max(1, trial.sampled), 6),
            score=trial.score,
            tagged=trial.tagged,
            clean=trial.clean,
            flagged=list(trial.flagged),
            seconds=trial.seconds,
            problem=trial.problem,
        )


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
