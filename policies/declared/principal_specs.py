"""The spec of `kind: Principal`: which person, group or program a principal of Kafka is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Literal

import re2
from pydantic import AfterValidator, Field, model_validator

from policies.declared.spec_parts import DatasetPattern, Name, Spec
from policies.matching import dataset_matches

SubjectKind = Literal["user", "group", "serviceAccount"]
_MOST_CHARACTERS = 1000


def principal(text: str) -> str:
    """The text, where it names one principal. Raises ValueError."""
    kind, colon, name = text.partition(":")
    if not (kind and colon and name):
        raise ValueError(
            f"{text[:100]!r} is not a principal; write its type and its name, as in User:orders-app or User:CN=app,O=Example"
        )
    if name == "*":
        raise ValueError(f"{text!r} is everybody and cannot be one person; list principals one by one")
    return text


class _Parts:
    """A rule in its parts: pattern, replacement, and L, U or nothing for the letters of the result."""

    def __init__(self, text: str) -> None:
        body = text.removeprefix("RULE:")
        parts: list[str] = [""]
        escaped = False
        for sign in body:
            if sign == "/" and not escaped and len(parts) < 3:
                parts.append("")
                continue
            parts[-1] += sign
            escaped = sign == "\\" and not escaped
        if body == text or len(parts) != 3 or parts[2].strip() not in ("", "L", "U"):
            raise ValueError(
                f"{text[:100]!r} is not a rule; write RULE:PATTERN/REPLACEMENT/ with L or U behind it for small or large letters,"
                " as in ssl.principal.mapping.rules of Kafka: RULE:^CN=([^,]+),.*$/$1/L"
            )
        self.replacement, self.letters = parts[1].replace("\\/", "/"), parts[2].strip()
        options = re2.Options()
        options.log_errors = False
        try:
            self.pattern = re2.compile(parts[0].replace("\\/", "/"), options)
        except re2.error:
            raise ValueError(
                f"the pattern {parts[0][:100]!r} cannot be read; it is a regular expression without look-around and back references"
            ) from None
        highest = max((int(each) for each in re2.findall(r"\$(\d)", self.replacement)), default=0)
        if highest > self.pattern.groups:
            raise ValueError(
                f"{text[:100]!r} uses ${highest}, and its pattern has {self.pattern.groups} groups in brackets"
            )


@lru_cache(maxsize=1024)
def _parts(rule: str) -> _Parts:
    return _Parts(rule)


def _rule(text: str) -> str:
    _Parts(text)
    return text


KIND_WORDS: Mapping[SubjectKind, str] = {"user": "person", "group": "group", "serviceAccount": "service account"}


class PrincipalSubjectSpec(Spec):
    """One person, group or program of Weir."""

    user: Name | None = None
    group: Name | None = None
    service_account: Name | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> PrincipalSubjectSpec:
        if sum(each is not None for each in (self.user, self.group, self.service_account)) != 1:
            raise ValueError("names one of user, group or serviceAccount, as in {serviceAccount: orders-app}")
        return self

    @property
    def who(self) -> tuple[SubjectKind, str]:
        """Kind and name."""
        if self.user is not None:
            return "user", self.user
        return ("group", self.group) if self.group is not None else ("serviceAccount", str(self.service_account))


class PrincipalRuleSpec(Spec):
    """Makes a name of Weir out of the name of a principal.

    rule   as in Kafka's ssl.principal.mapping.rules: `RULE:PATTERN/REPLACEMENT/L`; it is about the name behind `User:`
    gives  what the name is of
    """

    rule: Annotated[str, Field(max_length=_MOST_CHARACTERS), AfterValidator(_rule)]
    gives: SubjectKind = "serviceAccount"


class PrincipalSpec(Spec):
    """Principals that are somebody in Weir, one by one or by rules.

    clusters        patterns of clusters; all when absent
    principals      as ACLs write them: User:orders-app
    subject         who they are; goes with `principals`
    rules           the first that fits gives the name; for principals that no document lists
    consumerGroups  patterns of consumer groups that they read with
    clientIds       patterns of client ids that they connect with
    transactionalIds  transactional ids that they write with; a name, or its beginning and *
    produces        patterns of datasets that they are meant to write
    consumes        patterns of datasets that they read as consumers; `weir rights plan` opens those that they may see whole
    """

    description: str = Field("", max_length=5000)
    clusters: list[Name] = Field(["*"], min_length=1)
    principals: list[Annotated[Name, AfterValidator(principal)]] = Field([])
    subject: PrincipalSubjectSpec | None = None
    rules: list[PrincipalRuleSpec] = Field([], max_length=100)
    consumer_groups: list[Name] = Field([])
    client_ids: list[Name] = Field([])
    transactional_ids: list[Name] = Field([])
    produces: list[DatasetPattern] = Field([])
    consumes: list[DatasetPattern] = Field([])

    @model_validator(mode="after")
    def _one_way(self) -> PrincipalSpec:
        if bool(self.principals) is bool(self.rules):
            raise ValueError("gives either principals with the subject that they are, or rules")
        if bool(self.principals) is not (self.subject is not None):
            raise ValueError("principals and subject go together; rules have gives instead of a subject")
        listed = (self.consumer_groups, self.client_ids, self.transactional_ids, self.produces, self.consumes)
        if self.rules and any(listed):
            raise ValueError(
                "consumerGroups, clientIds, transactionalIds, produces and consumes go with principals, not with rules"
            )
        return self

    def about(self, cluster: str) -> bool:
        """Whether it is about a cluster."""
        return any(dataset_matches(pattern, cluster) for pattern in self.clusters)


def name_by_rule(rule: str, name: str) -> str | None:
    """The name that a rule gives for the name of a principal; None where it does not fit."""
    parts = _parts(rule)
    match = parts.pattern.fullmatch(name)
    if match is None:
        return None
    result = ""
    signs = iter(parts.replacement)
    for sign in signs:
        digit = next(signs, "") if sign == "$" else ""
        if digit.isascii() and digit.isdigit():
            result += match.group(int(digit)) or ""
        else:
            result += sign + digit
    return {"L": result.lower(), "U": result.upper()}.get(parts.letters, result)


def listed_elsewhere(
    name: str, spec: PrincipalSpec, declared: Mapping[str, PrincipalSpec]
) -> tuple[str, str, tuple[SubjectKind, str]] | None:
    """A principal that another document maps to somebody else in a cluster of both: (principal, document, who); None: none.

    Two patterns of clusters count as about the same cluster where one fits the other.
    """
    if spec.subject is None:
        return None
    for other, each in sorted(declared.items()):
        if other == name or each.subject is None or each.subject.who == spec.subject.who:
            continue
        shared = sorted(set(spec.principals) & set(each.principals))
        if shared and _overlap(spec.clusters, each.clusters):
            return shared[0], other, each.subject.who
    return None


def _overlap(ones: Iterable[str], others: Iterable[str]) -> bool:
    others = list(others)
    return any(dataset_matches(a, b) or dataset_matches(b, a) for a in ones for b in others)
