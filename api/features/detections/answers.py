"""Answers of `/classifications` and `/datasets/{namespace}/{name}/classifications`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, OpenAnswer, Time, about, absent
from catalog.datasets.reviews import Detection, Outcome
from catalog.model import ReviewState
from catalog.records import ClassificationRecord, rfc3339


class NamedRecognizer(Answer):
    """What found it."""

    name: str
    version: str = absent()


class EvidenceWindow(OpenAnswer):
    """The records that were looked at."""

    records: int = absent()
    scans: int = absent("Scans whose records these are, where there were several.")
    time_from: Time | None = absent()
    time_to: Time | None = absent()


class LatestLook(OpenAnswer):
    """What a later, smaller scan saw of records that may be the same."""

    matched: int = absent("Values that matched.")
    sampled: int = absent("Values looked at.")
    rate: float = absent("matched of sampled, 0 to 1.")
    window: EvidenceWindow = absent()


class Evidence(OpenAnswer):
    """Why a field is believed to hold a kind of personal data; counts and names only, never a value."""

    matched: int = absent("Values that matched.")
    sampled: int = absent("Values looked at.")
    validated: int = absent("Matches that a checksum or rule confirmed.")
    rate: float = absent("matched of sampled, 0 to 1.")
    candidates: int = absent("Texts of the right form.")
    recognizers: list[NamedRecognizer] = absent()
    field_name: str = absent("Whether the field's name suggests it.")
    window: EvidenceWindow = absent()
    latest: LatestLook = absent("A later, smaller look, which does not replace these counts.")
    from_: list[str] = absent("Where lineage carries the value from: nodeIds.", alias="from")
    locale: str | None = absent()
    free_text: bool = absent("Found inside longer texts.")
    note: str | None = absent()
    term: str = absent("The glossary term that gives the tag.")
    withheld: Literal[True] = absent("Counts are left out, as the reader may not see them.")


class Classification(Answer):
    """That a field holds a kind of personal data."""

    path: str
    entity: str = about("EMAIL_ADDRESS, PERSON, ... or a kind of one's own.")
    score: float = about("0 to 1.")
    state: ReviewState
    evidence: Evidence
    source: Literal["scan", "declared", "review"] = about("What last decided the state.")
    reviewed_by: str | None
    reviewed_at: Time | None
    reason: str | None
    first_at: Time | None = about("When it was first found.")
    seen_at: Time | None = about("When a scan last found it.")

    @classmethod
    def of(cls, record: ClassificationRecord) -> Classification:
        return cls(**_parts(record))


def _parts(record: ClassificationRecord) -> dict[str, object]:
    return {
        "path": record.path,
        "entity": record.entity,
        "score": record.score,
        "state": record.state,
        "evidence": Evidence.model_validate(record.evidence),
        "source": record.source.value,
        "reviewed_by": record.reviewed_by,
        "reviewed_at": rfc3339(record.reviewed_at),
        "reason": record.reason,
        "first_at": rfc3339(record.first_at),
        "seen_at": rfc3339(record.seen_at),
    }


class FoundClassification(Classification):
    """A classification, with its dataset."""

    namespace: str
    name: str
    dataset: str = about("CLUSTER/TOPIC.")
    may_review: bool = about("The caller may confirm or reject it.")

    @classmethod
    def in_dataset(cls, detection: Detection, seen: ClassificationRecord, may_review: bool) -> FoundClassification:
        """`seen`: what of it the caller may see."""
        return cls(
            **_parts(seen),
            namespace=detection.dataset.namespace,
            name=detection.dataset.name,
            dataset=detection.reference,
            may_review=may_review,
        )


class Classifications(Answer):
    """A page of classifications."""

    total: int
    counts: dict[str, dict[str, int]] = about("state, entity, dataset -> value -> how many, of all that fit.")
    classifications: list[FoundClassification]


class ReviewOutcome(Answer):
    """What became of one item: its `state` now, or the `problem` why it was not taken."""

    namespace: str
    name: str
    path: str
    entity: str
    state: ReviewState = absent()
    problem: str = absent("One sentence.")

    @classmethod
    def of(cls, outcome: Outcome) -> ReviewOutcome:
        decision, record = outcome.decision, outcome.record
        became: dict[str, object] = {"state": record.state} if record is not None else {"problem": outcome.problem}
        return cls(
            namespace=decision.dataset.namespace,
            name=decision.dataset.name,
            path=decision.path,
            entity=decision.entity,
            **became,
        )


class ReviewOutcomes(Answer):
    """What became of each item, in order."""

    reviewed: int
    refused: int
    results: list[ReviewOutcome]
