"""The words of governance: subjects, roles, policies, grants, and the decision that follows from them.

Everything here is frozen and free of I/O: `decide.py` is a pure function over these. Times are aware datetimes, UTC.
Dataset references in roles, policies and grants are written `CLUSTER/TOPIC`; `*` matches any text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from sys import intern

from catalog.model import DatasetId

UNSCANNED_TAG = "UNSCANNED"
"""Carried by a field that no scan has looked at and no declaration covers; counts as personal data."""


class Effect(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


class OnUnreadable(StrEnum):
    """What an answer with values that do not fit their column is."""

    REPORT = "report"
    ERROR = "error"


class RecordWindow(StrEnum):
    """Which records of a topic a query reads where it names no window behind the table."""

    NEWEST = "newest"
    ALL = "all"


class MaskType(StrEnum):
    """The masks that decisions and columns treat in a way of their own. `policies.masks.registry` has all masks."""

    MASK = "MASK"
    MASK_NONE = "MASK_NONE"
    MASK_NULL = "MASK_NULL"
    DROP = "DROP"
    CUSTOM = "CUSTOM"


_OWN_WAY: Mapping[str, MaskType] = {str(each): each for each in MaskType}


@dataclass(frozen=True, slots=True)
class Mask:
    """How a value is hidden. `expression` is Spark SQL of `{col}`, for CUSTOM only; `params` by mask type.

    type  a name of `policies.masks.registry`; a member of MaskType where it is one, so that `is` holds
    kind  the kind of personal data of the field that is masked, one of its tags: each has keys of its own
    """

    type: str
    expression: str | None = None
    params: Mapping[str, float | int | str] = field(default_factory=dict)
    kind: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", _OWN_WAY.get(self.type) or intern(self.type))


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that acts for a person by a token of its own, and what the token narrows. What the person may do is read at each
    call; these limits only take away from it.

    token        id of the token
    name         what the person calls the agent
    purpose      the one purpose of all its queries
    datasets     `CLUSTER/TOPIC` or patterns of it; no other dataset exists for the agent
    rows         most rows in one answer
    rows_a_day   most rows in all answers of a day (UTC)
    masked_only  personal data, and all that any mask policy is about, shows masked, whatever lifts the mask for the person
    provided     an identity provider gave the person groups or roles when the token was made. Policies may be about these, so the
                 agent acts only while a session of the person continues
    """

    token: str
    name: str
    purpose: str
    datasets: tuple[str, ...]
    rows: int
    rows_a_day: int
    masked_only: bool = False
    provided: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """Who asks. `roles` are the roles assigned directly; inheritance is resolved by `decide`.

    scopes       what the token of the request is limited to; None = not limited
    certificate  SHA-256 fingerprint of the client certificate that signed them in; None = something else did
    agent        the agent that acts for them; None = they act themselves
    tool         the tool that was called, for the audit; no decision depends on it
    """

    user: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] | None = None
    certificate: str | None = None
    agent: Agent | None = None
    tool: str | None = field(default=None, compare=False)

    def by_tool(self, name: str) -> Subject:
        """The same subject calling a tool: entries of the audit name it."""
        return replace(self, tool=name)

    @property
    def sign_in_method(self) -> dict[str, str]:
        """How they act, for the audit: `{certificate}`, `{agent, agentToken}`, `{tool}`; each where there is one."""
        named = {} if self.agent is None else {"agent": self.agent.name, "agentToken": self.agent.token}
        given = {"certificate": self.certificate, "tool": self.tool} | named
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class SubjectMatch:
    """Which subjects a policy is about: any of the lists, or everyone."""

    everyone: bool = False
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    purposes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Target:
    """What is meant: a dataset pattern `prod/clicks.*` or a tag; with `path`, one field of the dataset."""

    dataset: str | None = None
    tag: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class RowFilter:
    """`where` is a Spark SQL condition over the stored value's fields; rows for which it is not true are not there."""

    dataset: str
    where: str


@dataclass(frozen=True, slots=True)
class Role:
    """What its holders may read, and how little of it.

    permissions      what they may do in Weir (see `spec_parts.PERMISSIONS`); opens no data
    sees_unscanned   fields that no scan has looked at are not hidden from them (privacy officers)
    problem          why the stored role cannot be read, in words; a user with such a role is denied
    """

    name: str
    read: tuple[Target, ...] = ()
    inherits: tuple[str, ...] = ()
    row_filters: tuple[RowFilter, ...] = ()
    permissions: frozenset[str] = frozenset()
    sees_unscanned: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class MaskPolicy:
    """`domain`: whose admins declared it. Such a policy never takes the place of the mask of unscanned fields."""

    name: str
    match: tuple[Target, ...]
    subjects: SubjectMatch
    mask: Mask
    exempt: SubjectMatch = SubjectMatch()
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Reading a matched dataset takes an active grant, and one of these purposes where any is named."""

    name: str
    match: tuple[Target, ...]
    grant: bool = True
    purposes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RowPolicy:
    name: str
    match: tuple[Target, ...]
    subjects: SubjectMatch
    where: str
    exempt: SubjectMatch = SubjectMatch()


Policy = MaskPolicy | AccessPolicy | RowPolicy


class GrantStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Grant:
    """What an approved request ends in. `fields` and `unmask` hold paths, tags or `*`; `rows` a Spark SQL condition.

    sources  of a stream view: the topics it came from when it was approved; beyond these it opens nothing of it
    consumer  the principal of Kafka that reads by it, as User:orders-app; None: it is for reading through Weir
    """

    name: str
    subject: SubjectMatch
    dataset: str
    valid_from: datetime
    valid_to: datetime
    purpose: str
    fields: tuple[str, ...] = ("*",)
    unmask: tuple[str, ...] = ()
    rows: str | None = None
    requested_by: str | None = None
    approved_by: tuple[str, ...] = ()
    status: GrantStatus = GrantStatus.APPROVED
    break_glass: bool = False
    sources: frozenset[str] = frozenset()
    consumer: str | None = None


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """What the catalog knows of one leaf field. `tags`: tag -> the evidence in words ("98% of 1,000")."""

    path: str
    tags: Mapping[str, str] = field(default_factory=dict)
    classified: bool = True


@dataclass(frozen=True, slots=True)
class SourceField:
    """A field of a source in a stream view's rows. at: path in the rows; path: at the source; mask: what the view has of it in
    every row, None: its value."""

    at: str
    path: str
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A dataset that the rows of a stream view come from. Nobody gets more by the view than by this, without a grant.

    facts    None where the catalog does not know it any more, or what comes from it is not known
    fields   the fields here that are in the view's rows
    filters  conditions of the rows here that the view has; none: all rows
    """

    reference: str
    facts: DatasetFacts | None
    fields: tuple[SourceField, ...] = ()
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """What the catalog knows of one dataset. `reference` is `CLUSTER/TOPIC`.

    sources, generation  of a stream view: what its rows come from, and which of its lives they are of
    """

    id: DatasetId
    reference: str
    fields: tuple[FieldFacts, ...]
    tags: frozenset[str] = frozenset()
    owners: SubjectMatch = SubjectMatch()
    sources: tuple[SourceFacts, ...] = ()
    generation: str = ""

    @property
    def topics(self) -> Mapping[str, DatasetFacts | None]:
        """Of a stream view: `CLUSTER/TOPIC` -> facts of all that its rows come from, through other views, too."""
        below: dict[str, DatasetFacts | None] = {}
        for each in self.sources:
            nested = each.facts is not None and each.facts.sources
            below |= each.facts.topics if nested and each.facts is not None else {each.reference: each.facts}
        return below


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of the argument: which rule (kind, name) and what it means, in words. `exception`: a policy that does not hold
    for the subject, because it excepts them or a grant lifts it."""

    kind: str  # role | owner | grant | policy | purpose | tag | row-filter | default | gap
    name: str
    text: str
    exception: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class ColumnDecision:
    """`mask` None = unmasked. `clear_when`: a row condition under which the unmasked value shows (a grant with rows)."""

    path: str
    effect: Effect
    mask: Mask | None = None
    clear_when: str | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer for one dataset. Rows must satisfy every one of `filters`. `gaps` = what could not be decided."""

    dataset: DatasetId
    reference: str
    effect: Effect
    columns: Sequence[ColumnDecision] = ()
    filters: tuple[RowFilter, ...] = ()
    reasons: tuple[Reason, ...] = ()
    gaps: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()
    expires: datetime | None = None

    def column(self, path: str) -> ColumnDecision | None:
        return next((c for c in self.columns if c.path == path), None)
