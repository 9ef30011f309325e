"""Several datasets in one request, and requests by template. Each dataset is a part that is decided on its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from catalog.errors import DatasetNotFound, InvalidInput, NotFound
from policies.access_request import AccessRequest
from policies.declared import convert
from policies.declared.access_specs import RequestTemplateSpec
from policies.declared.spec_parts import duration
from policies.declared.state import GovernanceState
from policies.matching import resolve
from policies.model import Subject
from policies.ports import Clock
from policies.requests.approvals import Approvals

MOST_PARTS = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of every dataset of a bundle; see `Approvals.create`."""

    fields: tuple[str, ...]
    purpose: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    rows: str | None = None
    unmask: tuple[str, ...] | None = None
    reason: str = ""
    ticket: str = ""
    consumer: str | None = None


def no_template(name: str) -> NotFound:
    """For a template that is not there, and for one that is not for who asks."""
    return NotFound(f"There is no request template {name!r} that you may use.", details={"template": name})


class Bundles:
    """The service of bundles and templates. `named` gives `CLUSTER/TOPIC` of a dataset as callers may write it."""

    def __init__(
        self, state: GovernanceState, approvals: Approvals, clock: Clock, named: Callable[[str], str] = str
    ) -> None:
        self._state, self._approvals, self._clock, self._named = state, approvals, clock, named

    def create(
        self, subject: Subject, datasets: Sequence[str], wish: Wish, template: str | None = None
    ) -> list[AccessRequest]:
        """One request for each dataset, all of them or none. They share `bundle`, where there are several.

        Parts that are pending already are given as they are: a client that lost its connection asks again. One that was
        in no bundle joins this one; one of another bundle stays there.
        Raises InvalidInput, DatasetNotFound.
        """
        references = list(dict.fromkeys(self._named(each) for each in datasets))
        if not 1 <= len(references) <= MOST_PARTS:
            raise InvalidInput(f"Name between 1 and {MOST_PARTS} datasets.", details={"field": "datasets"})
        bundle = "bun-" + secrets.token_hex(6) if len(references) > 1 else None
        with self._state.store.transaction():
            created = [
                self._approvals.create(
                    subject,
                    reference,
                    wish.fields,
                    purpose=wish.purpose,
                    valid_from=wish.valid_from,
                    valid_to=wish.valid_to,
                    rows=wish.rows,
                    unmask=wish.unmask,
                    reason=wish.reason,
                    ticket=wish.ticket,
                    bundle=bundle,
                    template=template,
                    consumer=wish.consumer,
                )
                for reference in references
            ]
            return [self._joined(subject, each, bundle) for each in created]

    def _joined(self, subject: Subject, request: AccessRequest, bundle: str | None) -> AccessRequest:
        """The request in the bundle, unless it is in one."""
        if bundle is None or request.bundle is not None:
            return request
        records = self._approvals.records
        joined = replace(request, bundle=bundle)
        records.write(joined, records.document(request.id).version, subject.user)
        return joined

    # --- templates -------------------------------------------------------------------------------------------------

    def templates(self, subject: Subject) -> dict[str, RequestTemplateSpec]:
        """The templates that a subject may use, in the order of their names."""
        declared = sorted(self._state.view().templates.items())
        return {name: spec for name, spec in declared if self._may_use(subject, spec)}

    def from_template(
        self, subject: Subject, name: str, reason: str = "", ticket: str = "", valid_to: datetime | None = None
    ) -> list[AccessRequest]:
        """Make what a template describes; its text of the reason counts where none is given, its duration where no end is.

        Raises NotFound for a template that is not there or not for the subject, InvalidInput for an end after the
        template's, and as `create`.
        """
        spec = self._state.view().templates.get(name)
        if spec is None or not self._may_use(subject, spec):
            raise no_template(name)
        now = self._clock()
        longest = now + duration(spec.duration)
        if valid_to is not None and valid_to.tzinfo is not None and valid_to > longest:
            raise InvalidInput(
                f"Template {name} lasts {spec.duration}; ask for an end before that.", details={"field": "until"}
            )
        wish = Wish(
            fields=tuple(spec.fields),
            purpose=spec.purpose,
            valid_from=now,
            valid_to=valid_to or longest,
            rows=spec.rows,
            unmask=tuple(spec.unmask) if spec.unmask is not None else None,
            reason=reason or spec.reason,
            ticket=ticket,
        )
        try:
            return self.create(subject, spec.datasets, wish, name)
        except DatasetNotFound as error:
            raise InvalidInput(
                f"Template {name} names a dataset that is not in the catalog; its owner must change it.",
                details=error.details,
            ) from None

    def _may_use(self, subject: Subject, spec: RequestTemplateSpec) -> bool:
        if spec.subjects is None:
            return True
        who = resolve(subject, self._state.view().roles)
        exempt = spec.subjects.exempt
        return who.among(convert.people(spec.subjects)) and not (
            exempt is not None and who.among(convert.people(exempt))
        )
