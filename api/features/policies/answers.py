"""Answers of `/decisions`, `/policies/simulate`, `/policies/test`, `/policies/masks/preview`."""

from __future__ import annotations

from typing import Any, Literal, Self

from api.edge.answer import Answer, FreeForm, Time, about
from api.edge.error_answer import Failure
from api.edge.reason import Effect, Reason
from policies import model


class DecidedSubject(Answer):
    """Whom the decision is about, with the groups and roles that counted."""

    user: str
    groups: list[str]
    roles: list[str]


class DecidedMask(Answer):
    """A mask to apply."""

    type: str
    expression: str | None = about("Spark SQL, of a CUSTOM mask.")
    params: FreeForm

    @classmethod
    def of(cls, mask: model.Mask) -> Self:
        return cls(type=mask.type, expression=mask.expression, params=dict(mask.params))


class DecidedColumn(Answer):
    """What to show of one column."""

    path: str
    effect: Literal["allow", "mask", "deny", "gap"] = about("gap: hidden, since nobody has looked at it yet.")
    mask: DecidedMask | None
    clear_when: str | None = about("Condition under which it shows unmasked.")
    reasons: list[Reason]


class Decision(Answer):
    """What a subject may read of a dataset."""

    subject: DecidedSubject
    dataset: str = about("CLUSTER/TOPIC.")
    action: str
    purpose: str | None
    purpose_path: list[str] | None = about(
        "The purpose behind those that cover it, root first; null: none is declared."
    )
    effect: Effect
    filters: list[str] = about("Conditions that rows must meet.")
    columns: list[DecidedColumn]
    reasons: list[Reason]
    gaps: list[str]
    grants: list[str]
    expires: Time | None = about("When the earliest grant it rests on ends.")
    at: Time


class Undecided(Answer):
    """A question of several that has no answer."""

    dataset: str = about("As it was asked.")
    effect: Literal["deny"]
    error: Failure


def decided(answer: dict[str, Any]) -> Decision | Undecided:
    """One of several answers of `policies.access.decision_service`."""
    kind: type[Decision] | type[Undecided] = Undecided if "error" in answer else Decision
    return kind.model_validate(answer)


class Decisions(Answer):
    """One answer for each question, in order."""

    decisions: list[Decision | Undecided]


class AccessChange(Answer):
    """What one user would gain or lose."""

    user: str
    dataset: str = about("CLUSTER/TOPIC.")
    purpose: str | None
    path: str | None = about("Null: it is about which rows there are.")
    change: Literal["gain", "loss", "other"]
    before: str
    after: str
    reasons: list[Reason]


class ProposedDocument(Answer):
    """What would become of one document."""

    kind: str
    name: str
    action: Literal["create", "change", "same", "remove"]


class Simulation(Answer):
    """Who would gain and who would lose what."""

    changes: list[AccessChange]
    gains: int
    losses: int
    total: int
    truncated: bool
    note: str | None = about("Why it was cut.")
    users: int = about("Looked at.")
    datasets: int = about("Looked at.")
    decisions: int = about("Made.")
    documents: list[ProposedDocument]
    notes: list[str]


class UnmetExpectation(Answer):
    """What a test expected, and what was found."""

    what: str
    expected: Any
    found: Any


class PolicyTestCase(Answer):
    """How one test ended."""

    name: str
    ok: bool
    problems: list[UnmetExpectation]
    reasons: list[str]


class PolicyTestReport(Answer):
    """How tests of policies ended."""

    cases: list[PolicyTestCase]
    passed: int
    failed: int
    total: int


class MaskedValue(Answer):
    """A value, and what the mask makes of it."""

    value: Any
    masked: Any


class MaskPreview(Answer):
    """What a mask makes of given values."""

    mask: str
    type: str | None = about("Spark's type of the masked values; null where the engine computed them.")
    values: list[MaskedValue]
    note: str | None
