"""What somebody does next while nothing waits for them."""

from __future__ import annotations

from api.features.inbox.answers import InboxAdvice
from api.features.inbox.person import Person
from api.features.inbox.rows import page
from policies.decision.domains import Power


def advice(person: Person) -> InboxAdvice:
    """By what the catalog lacks, then by what the person may do."""
    if not person.datasets:
        if person.may("manage"):
            return InboxAdvice(
                text="The catalog is empty. Connect a cluster, then scan its topics.",
                action="Add a cluster",
                link=page("/admin/clusters", add="cluster"),
            )
        return InboxAdvice(
            text="There is no dataset that you may know of yet. Who manages Weir connects clusters.",
            action="Search",
            link="/search",
        )
    if person.may(Power.REPORT):
        return InboxAdvice(
            text="Nothing waits for you. See where personal data is, and who reads it.",
            action="Data locations",
            link=page("/reports", entity="PII"),
        )
    if any(person.owns(each) for each in person.datasets.values()):
        return InboxAdvice(
            text="Nothing waits for you. See what your datasets hold.",
            action="Your datasets",
            link=page("/search", kind="dataset", owner=person.subject.user),
        )
    return InboxAdvice(
        text="Nothing waits for you. Search for data, and ask a query of it.", action="Search", link="/search"
    )
