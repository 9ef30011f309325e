"""What is written about a campaign beside itself: audit entries, and events for the outbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from catalog.ports import EventSink
from catalog.records import rfc3339
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.audit.ports import AuditEntry
from policies.campaigns.model import Campaign, Item, Kind

MOST_PEOPLE = 5000
"""Names of people in one event."""


def path(campaign: str) -> str:
    """The page of a campaign."""
    return f"/access-reviews/{quote(campaign, safe='').replace('~', '%7E')}"


def asks(campaign: Campaign) -> str:
    """The title of an event for reviewers."""
    return f"Access review {campaign.id} waits for your decisions until {campaign.due_at:%Y-%m-%d}"


class CampaignRecords:
    """Writes entries and events, in the caller's transaction."""

    def __init__(self, audit: AuditLog, events: EventSink | None) -> None:
        self._audit, self._events = audit, events

    def campaign(
        self, by: str, action: AuditAction, campaign: Campaign, reasons: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
    ) -> AuditEntry:  # fmt: skip
        """An entry on the campaign as a whole: `campaign.start`, `campaign.close`."""
        about = {"campaign": campaign.id, "review": campaign.review, "due": rfc3339(campaign.due_at), **(details or {})}
        return self._audit.record(by, action, campaign.id, "allow", reasons, about)

    def item(self, by: str, action: AuditAction, item: Item, reason: str) -> AuditEntry:
        """An entry on one item; it is found by its person, dataset and grant."""
        right = item.right
        details: dict[str, object] = {
            "campaign": item.campaign, "item": item.number, "right": right.text, "holder": right.holder,
            "outcome": str(item.outcome), "leftAt": list(item.left_at), "sources": list(right.sources),
            "lastUsed": item.evidence.get("lastUsed"), "unused": item.unused, "changed": item.changed,
        }  # fmt: skip
        if right.person is not None:
            details["users"] = [right.person]
        if right.kind is Kind.GRANT:
            details["grant"] = right.name
        if right.dataset is not None:
            details["dataset"] = right.dataset
        if item.instead_of is not None:
            details["insteadOf"] = item.instead_of
        decision = "deny" if action == "campaign.revoke" else "allow"
        return self._audit.record(by, action, item.campaign, decision, [reason] if reason else [], details)

    def report(
        self, kind: str, campaign: Campaign, title: str, data: Mapping[str, Any], people: Sequence[str] = ()
    ) -> None:
        """An event about a campaign: `campaign.started`, `campaign.reminder`, `campaign.closed`, `campaign.failed`,
        `campaign.came_back`. `people`: whom it is for, who are notified; those beyond `MOST_PEOPLE` are counted.
        """
        if self._events is not None:
            start = {
                "review": campaign.review, "due": rfc3339(campaign.due_at), "title": title, "path": path(campaign.id),
                "people": list(people[:MOST_PEOPLE]),
            }  # fmt: skip
            more = {"morePeople": len(people) - MOST_PEOPLE} if len(people) > MOST_PEOPLE else {}
            self._events.emit(kind, campaign.id, {**start, **more, **data})

    def returned(self, campaign: Campaign, item: Item, sources: Sequence[str], people: Sequence[str]) -> None:
        """An entry and an event: a right that was revoked is there again."""
        right = item.right
        self.item("weir", "campaign.came_back", item, f"there again by {', '.join(sources)}")
        title = f"Access review {item.campaign}: {right.text} of {right.holder} was revoked and is there again"
        self.report("campaign.came_back", campaign, title, {
            "item": item.number, "right": right.text, "holder": right.holder, "sources": list(sources),
        }, people)  # fmt: skip

    def source(self, item: Item, by: str) -> None:
        """An event: somebody has to end a right where it comes from."""
        if self._events is not None and item.left_at:
            self._events.emit("campaign.ends_at_source", item.campaign, {
                "title": f"Access review {item.campaign}: {item.right.text} of {item.right.holder} has to be ended at its source",
                "path": path(item.campaign), "item": item.number, "right": item.right.text, "holder": item.right.holder,
                "sources": list(item.left_at), "outcome": str(item.outcome), "by": by,
            })  # fmt: skip
