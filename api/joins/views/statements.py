"""CREATE, DROP and SHOW of stream views, as declared state: what SQL declares is a document like any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from pydantic import ValidationError

from api.joins.declared import AppliedDocuments
from api.joins.views.declared import KIND, DeclaredViews
from api.joins.views.seen import SeenStates
from catalog.datasets.datasets import Datasets
from catalog.declared.yaml_text import dump
from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound, NotSignedIn
from policies.access.identity import Identity
from policies.model import Effect, Subject
from policies.plan.prepare import Preparer
from policies.sql.view_statements import ViewStatement
from views.declared import ViewSpec
from views.runner.build import gated_once
from views.runner.state import ViewState
from views.shape.shape import shape

PERMISSION = "manage"
_OPTIONS = {
    "key": "key",
    "keys": "key",
    "topic": "topic",
    "kafkatopic": "topic",
    "cluster": "cluster",
    "format": "format",
    "valueformat": "format",
    "partitions": "partitions",
    "replication": "replication",
    "replicas": "replication",
    "cleanup": "cleanup",
    "startfrom": "startFrom",
    "start": "startFrom",
    "watermark": "watermark",
    "watermarkcolumn": "watermark_column",
    "ttl": "ttl",
    "retention": "ttl",
    "onerror": "onError",
    "ondecisionchange": "onDecisionChange",
    "trigger": "trigger",
    "compactedas": "compactedAs",
    "paused": "paused",
    "runas": "user",
    "user": "user",
    "serviceaccount": "serviceAccount",
    "purpose": "purpose",
    "description": "description",
}
_SHOWN = (
    "key, topic, cluster, format, partitions, replication, cleanup, start_from, watermark, watermark_column, ttl, on_error,"
    " on_decision_change, trigger, compacted_as, run_as, service_account, purpose, description and paused"
)
_SINK = ("format", "partitions", "replication", "cleanup")
_KEY = re.compile(r"(?:^|,)\s*(?:(?P<quoted>`(?:[^`]|``)+`)\s*(?=,|\Z)|(?P<plain>[^,]*))")
_OFFSETS = re.compile(r"\d+:\d+(,\d+:\d+)*\Z")
_ERRORS = {"stop": "stop", "deadletter": "deadLetter", "deadletters": "deadLetter"}


class Apply(Protocol):
    """`api.joins.declared.DeclaredService`."""

    def apply(self, text: str, subject: Subject, *, dry_run: bool, prune: bool) -> AppliedDocuments: ...

    def delete(self, kind: str, name: str, subject: Subject) -> dict[str, str]: ...


def _everything(_: str, sources: Sequence[str]) -> Sequence[str]:
    return sources


class SqlViews:
    """Implements `policies.query.view_statements.ViewStatements`. Safe for threads."""

    def __init__(
        self,
        declared: DeclaredViews,
        seen: SeenStates,
        identity: Identity,
        datasets: Datasets,
        apply: Callable[[], Apply],
        preparer: Callable[[], Preparer],
    ) -> None:
        self._declared, self._seen, self._identity = declared, seen, identity
        self._datasets, self._apply, self._preparer = datasets, apply, preparer
        self.seen_by: Callable[[Subject], Callable[[str, Sequence[str]], Sequence[str] | None]] = lambda _: _everything
        """Of a view and its sources, the sources that a subject may know of; None where they may not know of the view."""

    def create(self, subject: Subject, statement: ViewStatement, purpose: str | None) -> str:
        self._allowed(subject, "declare")
        known = self._declared.named(statement.name)
        if known is not None and statement.lenient:
            return "unchanged"
        if known is not None and not statement.replace:
            raise Conflict(
                f"There is a view {known} already; write CREATE OR REPLACE MATERIALIZED VIEW to build it again beside the"
                " rows of now.",
                details={"view": known},
            )
        spec = self._spec(subject, statement, purpose)
        self._check(spec, statement.query)
        document = {
            "apiVersion": "weir/v1",
            "kind": KIND,
            "metadata": {"name": known or statement.name},
            "spec": spec,
        }
        text = dump([document])
        (applied,) = self._apply().apply(text, subject, dry_run=False, prune=False).changes
        return str(applied.change.action)

    def drop(self, subject: Subject, statement: ViewStatement) -> str:
        self._allowed(subject, "drop")
        known = self._declared.named(statement.name)
        if known is None:
            if statement.lenient:
                return "unchanged"
            raise NotFound(
                f"There is no view {statement.name!r}; SHOW VIEWS lists all.", details={"view": statement.name}
            )
        return self._apply().delete(KIND, known, subject)["action"]

    def all(self, subject: Subject) -> Sequence[tuple[str, str, str, str]]:
        states, seen = self._seen.all(), self.seen_by(subject)
        shown = []
        for name in self._declared.names():
            declared, state = self._declared.get(name), states.get(name, ViewState())
            sources = seen(name, state.active.sources if state.active is not None else [])
            if declared is None or sources is None:
                continue
            sink = declared.spec.sink
            shown.append((name, str(state.state), ", ".join(sources), f"{sink.cluster}/{sink.topic}" if sink else ""))
        return shown

    def _allowed(self, subject: Subject, verb: str) -> None:
        if PERMISSION not in self._identity.permissions(subject):
            raise NotAllowed(
                f"{subject.user} may not {verb} views; that takes the permission {PERMISSION!r}.",
                details={"reasons": [f"no role of {subject.user} carries {PERMISSION}"]},
            )

    def _spec(self, subject: Subject, statement: ViewStatement, purpose: str | None) -> dict[str, object]:
        options = _named(statement)
        run_as: dict[str, object] = {
            name: options.pop(name) for name in ("user", "serviceAccount", "purpose") if name in options
        }
        if not {"user", "serviceAccount"} & set(run_as):
            run_as = {"user": subject.user, **run_as}
        if purpose is not None:
            run_as.setdefault("purpose", purpose)
        spec: dict[str, object] = {"sql": statement.query.strip(), "runAs": run_as}
        if "key" in options:
            spec["key"] = _keys(options.pop("key"))
        sink = {name: _number(options.pop(name)) for name in _SINK if name in options}
        cluster, topic = options.pop("cluster", None), options.pop("topic", None)
        if topic is not None:
            spec["sink"] = {**self._place(statement, cluster, topic), **sink}
        elif sink or cluster:
            raise InvalidInput(
                "cluster, format, partitions, replication and cleanup are of an output topic; name one: topic ="
                " 'prod/shop.totals'.",
                details={"field": "topic"},
            )
        if "watermark_column" in options:
            column = options.pop("watermark_column")
            if "watermark" not in options:
                raise InvalidInput("watermark_column needs watermark = '10 minutes'.", details={"field": "watermark"})
            spec["watermark"] = {"column": column, "delay": options.pop("watermark")}
        start = options.get("startFrom")
        if start is not None and _OFFSETS.match(start):
            spec["startFrom"] = {"offsets": options.pop("startFrom")}
        if "onError" in options:
            spec["onError"] = _ERRORS.get(_plain(options["onError"]), options["onError"])
            options.pop("onError")
        if "paused" in options:
            spec["paused"] = options.pop("paused").lower() == "true"
        return spec | options

    def _check(self, spec: dict[str, object], query: str) -> None:
        """Raises SqlRefused naming the place in the whole statement, NotAllowed where the view could not read a source; what
        else is wrong is reported when it is applied."""
        try:
            checked = ViewSpec.model_validate(spec)
        except ValidationError:
            return
        gated = gated_once(query)
        shape(
            gated, key=checked.key, watermark=checked.watermark is not None, watermark_column=checked.watermark_column
        )
        try:
            subject = self._identity.current(checked.runAs.subject)
        except NotSignedIn as error:
            raise NotAllowed(f"The view would run as {checked.runAs.subject}: {error}") from None
        tables = self._preparer().find(subject, gated, checked.runAs.purpose)
        denied = [each for each in tables.decisions.values() if each.effect is Effect.DENY]
        if denied:
            names = ", ".join(dict.fromkeys(each.reference for each in denied))
            raise NotAllowed(
                f"The view would run as {subject.user}, who may not read {names}; name somebody who may, as in"
                " WITH (run_as = reporting).",
                details={"reasons": list(dict.fromkeys(r.text for each in denied for r in each.reasons))},
            )

    def _place(self, statement: ViewStatement, cluster: str | None, topic: str) -> dict[str, str]:
        """`prod/shop.totals`, or a topic of the cluster that the query reads first."""
        before, slash, rest = topic.partition("/")
        if slash:
            return {"cluster": before, "topic": rest}
        if cluster is None:
            first = gated_once(statement.query).tables[0]
            cluster = self._datasets.get(self._datasets.find_in_any_case(first.name)).cluster
        if cluster is None:
            raise InvalidInput(f"Name the cluster of the topic: topic = 'prod/{topic}'.", details={"field": "topic"})
        return {"cluster": cluster, "topic": topic}


def _keys(text: str) -> list[str]:
    """Columns between commas; one with a comma, or with blanks at its ends, is written between back quotes."""
    return [
        match["quoted"][1:-1].replace("``", "`") if match["quoted"] else match["plain"].strip()
        for match in _KEY.finditer(text)
    ]


def _named(statement: ViewStatement) -> dict[str, str]:
    """The options by the names of the spec. Raises InvalidInput for one that there is not."""
    given: dict[str, str] = {}
    for written, value in statement.options.items():
        name = _OPTIONS.get(_plain(written))
        if name is None:
            raise InvalidInput(
                f"There is no option {written!r} of a view; there are {_SHOWN}.", details={"field": written}
            )
        if name in given:
            raise InvalidInput(f"The option {written} is given twice.", details={"field": written})
        given[name] = value
    if "format" in given:
        given["format"] = given["format"].lower()
    return given


def _plain(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def _number(text: str) -> int | str:
    return int(text) if text.isdigit() else text
