"""Answers of `/decisions`, `/policies/simulate`, `/policies/test`, `/policies/masks/preview`, `/masks`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, Self

from api.edge.answer import Answer, FreeForm, Time, about
from api.edge.error_answer import Failure
from api.edge.reason import Effect, Reason
from catalog.records import rfc3339
from policies import model
from policies.access import decision_service
from policies.effective.policy_reach import ReachReport
from policies.masks.kind import MaskKind


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


def decided(answer: decision_service.DecisionAnswer | decision_service.UndecidedQuestion) -> Decision | Undecided:
    """One of several answers."""
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


class MaskParameter(Answer):
    """A parameter of a mask."""

    name: str
    number: bool = about("Whether it is a number; a text otherwise.")
    default: float | int | str
    least: float | None = about("The least number that may be given; null for a text.")
    most: float | None = about("The greatest; null for a text.")
    hint: str


class MaskExample(Answer):
    """A text, and what the mask makes of it."""

    value: str
    masked: str | None


class KnownMask(Answer):
    """A mask that policies may name."""

    name: str
    aliases: list[str] = about("Other names, those of other products among them.")
    rank: int | None = about("Place in the order, higher = hides more; null: beside a different mask nothing shows.")
    text: str = about("What it makes of a text.")
    number: str = about("What it makes of a number.")
    moment: str = about("What it makes of a date or a time.")
    hides: str
    equality: bool = about("Whether equal values stay equal, and different ones different.")
    reversible: bool = about("Whether somebody who may write values, or saw some unmasked, can recognize masked ones.")
    plugged: bool = about("Whether it comes with another package.")
    parameters: list[MaskParameter]
    example: MaskExample | None

    @classmethod
    def of(cls, kind: MaskKind, plugged: bool) -> Self:
        example = None if kind.example is None else MaskExample(value=kind.example[0], masked=kind.example[1])
        return cls(
            name=kind.name,
            aliases=list(kind.aliases),
            rank=kind.rank,
            text=kind.meaning.text,
            number=kind.meaning.number,
            moment=kind.meaning.moment,
            hides=kind.meaning.hides,
            equality=kind.equality,
            reversible=kind.reversible,
            plugged=plugged,
            parameters=[
                MaskParameter(
                    name=each.name,
                    number=each.is_number,
                    default=each.default,
                    least=each.least if each.is_number else None,
                    most=each.most if each.is_number else None,
                    hint=each.hint,
                )
                for each in kind.parameters
            ],
            example=example,
        )


class Masks(Answer):
    """Every mask, from what hides least to what hides most, then those without a place in the order."""

    masks: list[KnownMask]


class PolicyReach(Answer):
    """How far one policy reaches now."""

    name: str
    fields: int | None = about("Fields that it meets; null for a row filter, which meets whole datasets.")
    datasets: int
    people: int = about("Declared people whom it holds for, by their names, groups and roles.")
    queries: int | None = about("Queries since `since` that read what it meets; null without audit:read.")


class PolicyReaches(Answer):
    """Every policy that can be read, by name."""

    policies: list[PolicyReach]
    since: Time
    notes: list[str] = about("What was not counted to the end.")

    @classmethod
    def of(cls, reached: ReachReport) -> Self:
        policies = [PolicyReach.model_validate(asdict(each)) for each in reached.policies]
        return cls(policies=policies, since=rfc3339(reached.since), notes=list(reached.notes))
