"""What a query does about values that do not fit their columns: report them, refuse the answer, ask for a scan."""

from __future__ import annotations

from policies.model import OnUnreadable
from policies.plan.errors import ValuesUnreadable
from policies.plan.model import Unreadable
from policies.plan.ports import Drift
from policies.plan.prepare import PreparedQuery
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import UnreadableReport, report


class Unfit:
    """`drift` None: no scan is queued."""

    def __init__(self, settings: QuerySettings, drift: Drift | None = None) -> None:
        self._settings, self._drift = settings, drift

    def is_error(self, choice: OnUnreadable | None) -> bool:
        return (choice or self._settings.unreadable) is OnUnreadable.ERROR

    def report(
        self, prepared: PreparedQuery, unreadable: Unreadable | None, choice: OnUnreadable | None
    ) -> UnreadableReport:
        """The report of an answer. Raises ValuesUnreadable where that is asked for and something was counted."""
        answer = report(prepared.read(), unreadable)
        queued: dict[str, str] = {}
        if self._drift is not None:
            numbers = {reference: self._drift(reference) for reference in answer.drifted}
            queued = {reference: number for reference, number in numbers.items() if number is not None}
        answer = answer.with_scans(queued)
        if answer.text is not None and self.is_error(choice):
            datasets = list(dict.fromkeys(governed.table.reference for governed in prepared.tables.values()))
            raise ValuesUnreadable(answer.text, details={"unreadable": answer.counts, "datasets": datasets})
        return answer
