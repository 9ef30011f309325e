"""The inbox of one person: what waits for them, part by part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import structlog

from api.config.logs import frames
from api.features.contracts.shown import shown_to
from api.features.health.service import Health
from api.features.inbox import decisions, incidents, masked_copies, operation, own_datasets, personal_data
from api.features.inbox.advice import advice
from api.features.inbox.answers import Inbox, UncountedPart
from api.features.inbox.counts import Count, Counts, Part
from api.features.inbox.person import Person
from api.features.inbox.rows import Row
from api.features.inbox.whole_catalog import WholeCatalog
from api.features.incidents.shown import ShownIncidents
from api.joins.responsible import ResponsiblePeople
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from catalog.contracts.service import Contracts
from catalog.errors import WeirError
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore, Clock
from catalog.questions import Questions
from catalog.scans.scans import Scans
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.campaigns.service import Campaigns
from policies.model import Subject
from policies.requests.approvals import Approvals

log = structlog.get_logger("weir.inbox")

PATIENCE_S = 3.5
"""How long the parts of one inbox may take together."""
_TONES = ("broken", "waiting", "news")
_DUTIES = ("owner", "officer", "administrator", "analyst")


@dataclass(frozen=True, slots=True)
class Services:
    """What the parts ask. `certificate_end`: of the API, None where it has none; `folder`: Weir's own."""

    store: CatalogStore
    readers: Readers
    sights: SightRules
    identity: Identity
    approvals: Approvals
    campaigns: Campaigns
    grants: Grants
    contracts: Contracts
    questions: Questions
    responsible: ResponsiblePeople
    incidents: Incidents
    copies: CopyKeeper
    comparison: Comparison
    scans: Scans
    health: Health
    certificate_end: Callable[[], datetime | None]
    folder: Path
    now: Clock


class Inboxes:
    """The service behind `/inbox`."""

    def __init__(self, services: Services, patience_s: float = PATIENCE_S) -> None:
        self.services, self._patience_s = services, patience_s
        self._whole = WholeCatalog(services.store)
        self._counts = Counts()

    def close(self) -> None:
        """What is still counted is not waited for."""
        self._counts.close()

    def of(self, subject: Subject, within_s: float | None = None) -> Inbox:
        """What waits for somebody. Takes at most a few seconds, whatever the parts do. Raises Unavailable.

        `within_s`: shorter than that: what is not counted by then is named in `counting`, and the next look has it.
        """
        person = self._person(subject)
        seconds = min(within_s or self._patience_s, self._patience_s)
        first = seconds < self._patience_s
        rows: list[Row] = []
        uncounted, counting = [], []
        counts = self._counts.look(subject, self._parts(person), seconds, first)
        for name, count in counts.items():
            if first and count is None:
                counting.append(name)
            elif isinstance(outcome := self._outcome(name, count), str):
                uncounted.append(UncountedPart(part=name, message=outcome))
            else:
                rows += outcome
        ordered = sorted(rows, key=lambda row: (_TONES.index(row.tone), _DUTIES.index(row.duty)))
        return Inbox(
            rows=[row.answer() for row in ordered],
            uncounted=uncounted,
            counting=counting,
            next=None if ordered or uncounted or counting else advice(person),
        )

    def _person(self, subject: Subject) -> Person:
        of = self.services
        return Person(subject, of.readers.of(subject), of.sights.of(subject), of.identity, of.now(), self._whole)

    def _parts(self, person: Person) -> Mapping[str, Part]:
        """Every part by its name in the sentence about one that cannot be counted."""
        of = self.services
        shown = shown_to(of.contracts, person.reader, person.sights, person.may("manage"))
        return {
            "requests to decide": partial(decisions.requests, person, of.approvals),
            "questions about requests": partial(decisions.questions, person, of.approvals),
            "rights to confirm": partial(decisions.rights, person, of.campaigns),
            "questions about datasets": partial(own_datasets.asked, person, of.questions, of.responsible),
            "contracts": partial(own_datasets.contracts, person, shown),
            "incidents": lambda: incidents.incidents(person, self._incidents(person)),
            "departures from schemas": partial(own_datasets.departures, person),
            "detections to review": partial(personal_data.detections, person),
            "people who see personal data": partial(personal_data.unmasked, person, of.grants),
            "personal data without an owner": partial(personal_data.unowned, person),
            "gaps of scans": partial(personal_data.gaps, person),
            "servers": partial(operation.servers, person, of.health),
            "lag of consumer groups": partial(operation.consumers, person, of.store),
            "failed scans": partial(operation.failed_scans, person, of.scans),
            "disk": partial(operation.disk, person, of.folder),
            "certificate": lambda: operation.certificate(person, of.certificate_end()),
            "masked copies": partial(masked_copies.masked_copies, person, of.copies, of.comparison),
            "grants that end": partial(decisions.ending_grants, person, of.grants),
            "new datasets": partial(own_datasets.new_data, person),
        }

    def _incidents(self, person: Person) -> ShownIncidents:
        """Those that the person may know of, without what is downstream of them."""
        of = self.services
        return ShownIncidents(
            of.incidents,
            person.subject,
            of.store.dataset,
            person.reader.known,
            person.sights.of,
            lambda _: ([], False, None),
        )

    def _outcome(self, name: str, count: Count | None) -> Sequence[Row] | str:
        """The rows of a part, or a sentence why it has none. The log has a fault of Weir."""
        if count is None:
            return f"This was not counted within {self._patience_s:g} seconds; look again in a minute."
        try:
            return count.result()
        except WeirError as error:
            return error.message
        except OSError as error:
            return f"This could not be read: {error.strerror}."
        except Exception as error:
            log.error("inbox_part_failed", part=name, kind=type(error).__name__, at=frames(error))
            return f"Counting this failed inside Weir ({type(error).__name__}); the log of the API shows where."
