"""What goes with a view that is deleted, and who would miss it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from api.features.views import answers
from api.joins.views.declared import DeclaredViews
from api.joins.views.service import Views
from catalog.errors import Unavailable
from catalog.model import DatasetId
from catalog.records import rfc3339
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.model import Subject
from policies.plan.registry import RunningQueries
from policies.sql.names import fold
from views.declared import Sink
from views.runner.build import gated_once
from views.runner.state import Generation

_DAYS = 30
_MOST_ENTRIES = 1_000

Jobs = Callable[[DatasetId], Sequence[Mapping[str, Any]]]


class ViewRemovals:
    """The service behind `GET /views/{name}/removal`. Safe for threads."""

    def __init__(
        self,
        views: Views,
        declared: DeclaredViews,
        audit: AuditLog,
        running: RunningQueries,
        jobs: Jobs,
        grants: Callable[[str], Sequence[str]],
        resolve: Callable[[str, str], DatasetId],
        clock: Callable[[], datetime],
    ) -> None:
        """`jobs`: {name, lastSeen} of each job that reads a dataset; `grants`: names of those on CLUSTER/TOPIC;
        `resolve`: cluster, topic -> the dataset."""
        self._views, self._declared, self._audit, self._running = views, declared, audit, running
        self._jobs, self._grants, self._resolve, self._clock = jobs, grants, resolve, clock

    def removal(self, subject: Subject, name: str) -> answers.ViewRemoval:
        """Raises NotFound."""
        declared, state = self._views.find(name)
        shown = self._views.describe(subject, name)
        generations = [each for each in (state.active, state.building) if each is not None]
        topic = _topic(generations, declared.spec.sink)
        dataset = topic.topic if topic is not None and topic.kept else name
        reference = f"{topic.cluster}/{dataset}" if topic is not None else None
        removed = answers.ViewRemoval(
            name=name,
            rows=shown.rows,
            state_bytes=shown.counts.get("stateBytes"),
            generations=[each.number for each in generations],
            topic=topic,
            readers=self._readers(name),
            following=self._running.following(f"SELECT * FROM `{name}` EMIT CHANGES"),
            views=self._over(name, topic.topic if topic is not None else None),
            jobs=self._reading(topic),
            grants=list(self._grants(reference)) if reference is not None else [],
            text="",
        )
        removed.text = _text(removed)
        return removed

    def _readers(self, name: str) -> list[answers.ViewReader]:
        """Who read rows lately. The runner's own entries count for nothing."""
        since = self._clock() - timedelta(days=_DAYS)
        where = AuditFilter(action="view.read", target=name, decision="allow", since=since)
        last: dict[str, datetime] = {}
        for entry in self._audit.list(where, None, _MOST_ENTRIES).entries:
            last[entry.actor] = max(entry.at, last.get(entry.actor, entry.at))
        return [
            answers.ViewReader(user=user, last=rfc3339(at))
            for user, at in sorted(last.items(), key=lambda each: each[1], reverse=True)
        ]

    def _over(self, name: str, topic: str | None) -> list[str]:
        """Views whose SQL names this one, or its topic."""
        own = {fold(each) for each in (name, topic) if each}
        readers = []
        for other in self._declared.names():
            declared = self._declared.get(other)
            if declared is None or other == name:
                continue
            tables = [fold(ref.name) for ref in gated_once(declared.spec.sql).tables]
            if any(table in own or any(table.endswith(f".{each}") for each in own) for table in tables):
                readers.append(other)
        return readers

    def _reading(self, topic: answers.RemovedTopic | None) -> list[answers.ReadingJob] | None:
        if topic is None:
            return []
        try:
            jobs = self._jobs(self._resolve(topic.cluster, topic.topic))
        except Unavailable:
            return None
        return [answers.ReadingJob(name=str(each["name"]), last_seen=each.get("lastSeen")) for each in jobs]


def _topic(generations: Sequence[Generation], sink: Sink | None) -> answers.RemovedTopic | None:
    if sink is not None:
        return answers.RemovedTopic(cluster=sink.cluster, topic=sink.topic, kept=True)
    if not generations:
        return None
    return answers.RemovedTopic(cluster=generations[0].cluster, topic=generations[0].topic, kept=False)


def _text(removed: answers.ViewRemoval) -> str:
    topic = removed.topic
    goes = [f"{removed.rows:,} rows" if removed.rows is not None else "its rows", "its state"]
    if topic is not None:
        where = f"{topic.cluster}/{topic.topic}"
        goes.append(f"the records of {where}" if topic.kept else f"its private topic {where}")
    reads = [
        *([f"{_some(len(removed.readers), 'user')} in the last {_DAYS} days"] if removed.readers else []),
        *([f"{removed.following} who follow it now"] if removed.following else []),
        *([f"the views {', '.join(removed.views)}"] if removed.views else []),
        *([_some(len(removed.jobs), "job")] if removed.jobs else []),
    ]
    who = f" It is read by {_joined(reads)}." if reads else " Nobody is known to read it."
    unknown = (
        " Which jobs read its topic is unknown, since the lineage graph does not answer."
        if removed.jobs is None
        else ""
    )
    return f"With {removed.name} go {_joined(goes)}.{who}{unknown}"


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
