"""The report of admins and stewards of a domain: about its datasets alone."""

from __future__ import annotations

from collections.abc import Callable

from api.joins.cross_room import ReportFlows, ReportReaders
from api.visibility.readers import Reader, Readers
from catalog.where_is.report import Part, WhereIs
from policies.decision.agents import reaches
from policies.decision.domains import Reach
from policies.model import Subject


def where_is_for(where_is: WhereIs, reach: Reach | None, caller: Subject, readers: Readers) -> WhereIs:
    """The report that a caller gets. `reach`: the datasets of their domains; None: a permission gives all of them."""
    agent = caller.agent
    if agent is not None:
        return _part(
            where_is,
            lambda reference: reaches(agent, reference) and (reach is None or reach.has(reference)),
            f"This report is about the datasets that the token of agent {agent.name} names alone.",
            readers.of(caller),
        )
    return where_is if reach is None else where_is_within(where_is, reach, readers.of(caller))


def where_is_within(where_is: WhereIs, reach: Reach, reader: Reader) -> WhereIs:
    """The report over the datasets within reach; where they flow to is shown as far as the reader may know of it."""
    many = "s" if len(reach.names) > 1 else ""
    words = f"This report is about the datasets of domain{many} {', '.join(reach.names)} alone."
    return _part(where_is, reach.has, words, reader)


def _part(where_is: WhereIs, has: Callable[[str], bool], words: str, reader: Reader) -> WhereIs:
    return where_is.of(Part(has, words), ReportFlows(reader.lineage), ReportReaders(reader.lineage))
