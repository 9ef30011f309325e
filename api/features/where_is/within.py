"""The report of admins and stewards of a domain: about its datasets alone."""

from __future__ import annotations

from api.joins.cross_room import ReportFlows, ReportReaders
from api.visibility.readers import Reader
from catalog.where_is.report import Part, WhereIs
from policies.decision.domains import Reach


def where_is_within(where_is: WhereIs, reach: Reach, reader: Reader) -> WhereIs:
    """The report over the datasets within reach; where they flow to is shown as far as the reader may know of it."""
    many = "s" if len(reach.names) > 1 else ""
    words = f"This report is about the datasets of domain{many} {', '.join(reach.names)} alone."
    return where_is.of(Part(reach.has, words), ReportFlows(reader.lineage), ReportReaders(reader.lineage))
