"""The evidence report of a campaign: who decided what, when, why, from which evidence, with a hash; to read, keep and print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from urllib.parse import quote

from catalog.records import rfc3339
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.campaigns.closing import CLOSE, Summary, every_item, evidence, summary
from policies.campaigns.deciding import Present
from policies.campaigns.model import Campaign, Item, ItemState, Kind, Right, RightEvidence, digest_of
from policies.campaigns.ports import CampaignStore

COLUMNS = (
    "number",
    "kind",
    "name",
    "holder",
    "dataset",
    "purpose",
    "since",
    "until",
    "sources",
    "sees",
    "lastUsed",
    "unused",
    "state",
    "outcome",
    "by",
    "insteadOf",
    "at",
    "reason",
    "changed",
    "leftAt",
    "there",
    "audit",
)
"""Of the CSV. `there`: a revoked right that is there again, or still."""

_STYLE = """
@page { size: A4 landscape; margin: 12mm 11mm 14mm; }
body { color: #1a1a1a; background: #fff; font: 13px/1.4 system-ui, sans-serif; margin: 0 auto; max-width: 90rem;
  padding: 1.5rem 1rem; color-scheme: light; }
h1 { font-size: 1.5em; line-height: 1.2; margin: 0 0 .5em; } h2 { font-size: 1.15em; margin: 1.4em 0 .4em; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15em 1.2em; margin: 0; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } thead { display: table-header-group; } tr { break-inside: avoid; }
th, td { border-bottom: 1px solid #ccc; padding: .35em .7em .35em 0; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
th { border-bottom: 2px solid #555; } small { color: #555; }
@media print { body { max-width: none; padding: 0; font-size: 8.6pt; } }
"""


@dataclass(frozen=True, slots=True)
class ReportHead:
    """holds: the evidence has the hash that the audit's entry of the close has; None before the close, and where that entry is
    not kept any more. problem: why it is not True. audit_entries: where the audit's entries of the campaign are."""

    counts: Summary
    holds: bool | None
    problem: str | None
    audit_entries: str


@dataclass(frozen=True, slots=True)
class Report:
    """One campaign's evidence. `items` are read one by one from the store."""

    campaign: Campaign
    store: CampaignStore
    present: Present
    audit: AuditLog

    def head(self) -> ReportHead:
        """The counts of the items, and whether the evidence is as it was at the close."""
        holds, problem = self._compared()
        entries = f"/api/v1/audit?target={quote(self.campaign.id, safe='')}"
        return ReportHead(summary(self.store, self.campaign.id), holds, problem, entries)

    def _compared(self) -> tuple[bool | None, str | None]:
        """Who can write the campaign can write a hash beside it, so the one that counts is in the chain of the audit."""
        campaign = self.campaign
        where = AuditFilter(action=CLOSE, target=campaign.id)
        entries = self.audit.matching(where, self.audit.head().seq)
        entry = next((each for each in entries if each.action == CLOSE), None)  # the first: a later one is forged
        if entry is None and campaign.digest is None:
            return None, None
        if entry is None:
            return (
                None,
                f"The audit has no entry of the close any more (entry {campaign.audit}): nothing to compare the hash with.",
            )
        if entry.seq != campaign.audit or entry.details.get("hash") != campaign.digest:
            return False, f"The campaign's hash is not the one of audit entry {entry.seq}, of its close."
        if digest_of(evidence(self.store, campaign)) != campaign.digest:
            return False, f"The evidence was changed after the close: it has not the hash of audit entry {entry.seq}."
        return True, None

    def items(self) -> Iterator[tuple[Item, bool]]:
        """Each item, and whether a right that was revoked is there now."""
        rights = self.present.rights()
        for item in every_item(self.store, self.campaign.id):
            yield item, item.state is ItemState.REVOKED and self.present.of(item.right, rights) is not None

    def rows(self) -> Iterator[Mapping[str, object]]:
        """Items for the CSV."""
        for item, there in self.items():
            yield {**item.record(), "there": there, "sees": _sees(item.evidence), "lastUsed": _last(item.evidence)}

    def html(self, author: str) -> Iterator[str]:
        """A whole page, in parts; no script, nothing loaded, every text escaped."""
        head = self.head()
        campaign, counts = self.campaign, head.counts
        title = f"Access review {escape(campaign.id)}"
        facts = [
            ("State", campaign.state),
            ("Began", f"{_moment(campaign.started_at)}, by {campaign.started_by}"),
            ("Due", _moment(campaign.due_at)),
            (
                "Closed",
                f"{_moment(campaign.closed_at)}, by {campaign.closed_by}" if campaign.closed_at else "not yet",
            ),
            ("What nobody confirms", _unconfirmed(campaign)),
            (
                "Items",
                f"{counts.items:,}: {counts.kept:,} kept ({counts.unconfirmed:,} of them unconfirmed),"
                f" {counts.revoked:,} revoked, {counts.gone:,} ended by something else, {counts.open:,} open",
            ),
            ("Left to end at their source", f"{counts.at_source:,}"),
            ("Hash", _hash(self.campaign.digest, head)),
            ("Audit", head.audit_entries),
            ("Made for", author),
        ]
        entries = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in facts)
        heads = ("Right", "Holder", "Lets them see", "Last used", "Decision", "By", "Reason")
        yield (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{title}</title><style>{_STYLE}</style></head><body><main><h1>{title}</h1><dl>{entries}</dl><h2>Items</h2>"
            f"<table><thead><tr>{''.join(f'<th scope=col>{name}</th>' for name in heads)}</tr></thead><tbody>\n"
        )
        for item, there in self.items():
            yield _row(item, there)
        notes = "".join(f"<li>{escape(note)}</li>" for note in campaign.notes)
        yield f"</tbody></table><h2>Not known</h2>{f'<ul>{notes}</ul>' if notes else '<p>Nothing.</p>'}</main></body></html>\n"


def _row(item: Item, there: bool) -> str:
    right = item.right
    decided = " ".join(part for part in (item.state, f"({item.outcome})" if item.outcome else "") if part)
    notes = [
        *(f"ends only at: {source}" for source in item.left_at),
        *(["changed meanwhile"] if item.changed else []),
        *(["there now"] if there else []),
    ]
    by = f"{item.by or ''}{f' in place of {item.instead_of}' if item.instead_of else ''}"
    audit = f", audit {item.audit}" if item.audit else ""
    cells = (
        f"{escape(_right(right))}<br><small>from {escape(', '.join(right.sources))}</small>",
        escape(right.holder),
        escape(_sees(item.evidence)),
        escape(_last(item.evidence)) + (" <small>(unused)</small>" if item.unused else ""),
        escape(decided) + "".join(f"<br><small>{escape(note)}</small>" for note in notes),
        f"{escape(by)}<br><small>{escape(_moment(item.at))}{audit}</small>",
        escape(item.reason),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"


def _right(right: Right) -> str:
    about = f" on {right.dataset}" if right.kind is Kind.GRANT else ""
    return f"{right.kind} {right.name}{about}"


def _sees(evidence: RightEvidence) -> str:
    """`prod/orders: clear (EMAIL_ADDRESS), none without it`."""
    parts = []
    for each in evidence.get("datasets", ()):
        personal = f" ({', '.join(each['personal'])})" if each["personal"] else ""
        without = f", {each['without']} without it" if each["without"] is not None else ""
        parts.append(f"{each['dataset']}: {each['shows']}{personal}{without}")
    more = evidence.get("moreDatasets", 0)
    return "; ".join([*parts, *([f"{more} more datasets"] if more else [])])


def _last(evidence: RightEvidence) -> str:
    last = evidence.get("lastUsed")
    return _time(last) if last else f"not since {_time(evidence.get('lookedSince'))}"


def _hash(digest: str | None, head: ReportHead) -> str:
    if digest is None and head.problem is None:
        return "at the close"
    words = {True: "holds", False: f"DOES NOT HOLD: {head.problem}", None: f"not compared: {head.problem}"}
    return f"{digest} ({words[head.holds]})"


def _unconfirmed(campaign: Campaign) -> str:
    words = {"revoke": "is revoked", "keep": "is kept"}
    chosen, declared = campaign.no_answer, campaign.declared
    if chosen == declared:
        return words[chosen]
    return f"{words[chosen]}, though it was declared that it {words[declared]}: {campaign.reason}"


def _moment(at: datetime | None) -> str:
    return _time(rfc3339(at))


def _time(text: str | None) -> str:
    """`2026-11-22 12:19:24 UTC` of an RFC 3339 time in UTC."""
    return f"{text.partition('.')[0].removesuffix('Z').replace('T', ' ')} UTC" if text else ""
