"""What producers of lineage report of a dataset, in answers about it."""

from __future__ import annotations

from api.edge.answer import Answer, OpenAnswer, Time, about, absent


class ReportedTag(Answer):
    """A tag that a producer gives."""

    key: str
    value: str = absent()
    source: str = absent()
    field: str = absent()


class ReportedOwner(Answer):
    """An owner whom a producer names."""

    name: str
    type: str | None = absent()


class ReportedSummary(Answer):
    """What producers of lineage report of a dataset, in short; empty where they report nothing."""

    description: str = absent()
    owners: list[ReportedOwner] = absent()
    tags: list[ReportedTag] = absent()
    type: str = absent()
    sub_type: str = absent()
    lifecycle: str = absent("CREATE, ALTER, DROP, ...")
    columns: int = absent("How many columns of it are reported.")
    columns_left_out: int = absent("Columns beyond those that are kept.")


class ReportedName(Answer):
    """A name a dataset goes by."""

    namespace: str
    name: str


class ReportedFacet(OpenAnswer):
    """An OpenLineage facet as it is kept."""

    at: Time | None = about("The last report, rounded down to the hour.")


class Reported(ReportedSummary):
    """All that producers report of a dataset."""

    facets: dict[str, ReportedFacet] = absent("By the facet's name.")
    schema_at: Time | None = absent("Last report of its schema, rounded down to the hour.")
    names: list[ReportedName] = absent()
    log_only: list[str] = absent("Facets of which nothing but their presence is kept.")
