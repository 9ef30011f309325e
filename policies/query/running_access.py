"""The right of a query that runs: decided again while it runs, so that what was revoked ends it.

Runs, exports and push queries share this. A thread decides again every few seconds and stops the engine; and nothing
goes out on a decision that is older, so a thread that is late lets nothing through.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import structlog

from catalog.errors import NotAllowed, NotSignedIn, Unavailable, WeirError
from policies.model import Subject
from policies.plan.checked_batches import PassedOn
from policies.plan.errors import AccessChanged
from policies.plan.model import Batches
from policies.plan.prepare import PreparedQuery, Preparer
from policies.plan.registry import Running

_log = structlog.get_logger(__name__)


class Access:
    """What one query may see, from the moment it was decided. Safe for threads."""

    def __init__(
        self,
        preparer: Preparer,
        subject: Subject,
        prepared: PreparedQuery,
        live: Running,
        every: float,
        *,
        fixed: bool = True,
    ) -> None:
        """`every`: seconds between decisions. `fixed`: a decision that would give another answer ends the query; a push
        query continues under the new one instead."""
        self._preparer, self._subject, self._prepared, self._live = preparer, subject, prepared, live
        self._every, self._fixed = every, fixed
        self._checked = time.monotonic()
        self._lock = threading.Lock()

    def again(self, prepared: PreparedQuery | None = None) -> PreparedQuery:
        """The query as it is decided now, for who asks as they are now.

        Raises NotAllowed when access ended, NotSignedIn when the token or the user did, DatasetNotFound when the dataset
        is gone, AccessChanged when the answer would be another one.
        """
        before = prepared or self._prepared
        try:
            now = self._preparer.again(self._live.now(self._subject), self._live.purpose, before)
            changed = self._fixed and now.tables is not before.tables and _answered(now) != _answered(before)
        except WeirError:
            raise
        except Exception as error:
            _log.error("rights not read", error=type(error).__name__)
            raise Unavailable("Whether you may still read this could not be decided, so the query was ended.") from None
        if changed:
            names = ", ".join(dict.fromkeys(each.table.reference for each in now.tables.values()))
            raise AccessChanged(
                f"What you may see of {names} changed while the query ran; ask again for the answer of now.",
                details={"datasets": names.split(", "), "reasons": []},
            )
        self._checked = time.monotonic()
        return now

    def fresh(self) -> None:
        """Called before anything goes out. Raises what ended the query, and what `again` raises when the last decision is
        too old."""
        self._live.stop.check()
        with self._lock:
            if time.monotonic() - self._checked >= self._every:
                self._look()
        self._live.stop.check()

    def over(self) -> None:
        """Called when everything was read. Rows of a view may have been replaced and deleted before they were read, however
        short that was. Raises as `fresh`."""
        if any(each.table.rows is not None for each in self._prepared.tables.values()):
            with self._lock:
                self._look()
        self.fresh()

    def _look(self) -> None:
        """Decide again; stop the query when that ends it."""
        try:
            self.again()
        except WeirError as error:
            self._live.stop.stop(_why(error), error)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While the block runs, it is decided again and again; the query is stopped when that ends it."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(self._every) and not self._live.stop.stopped:
                self._look()

        watcher = threading.Thread(target=watch, name="weir-access", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()


class AllowedBatches(PassedOn):
    """Those of an engine, each given only while access lasts."""

    def __init__(self, batches: Batches, access: Access) -> None:
        super().__init__(batches)
        self._access = access

    def __iter__(self) -> Iterator[Any]:
        for batch in self._batches:
            self._access.fresh()
            yield batch
        self._access.over()


class CountedBatches(PassedOn):
    """Those of an engine, each counted before it is given."""

    def __init__(self, batches: Batches, count: Callable[[int], object]) -> None:
        """`count` raises where a number of rows is too many."""
        super().__init__(batches)
        self._count = count

    def __iter__(self) -> Iterator[Any]:
        for batch in self._batches:
            self._count(batch.num_rows)
            yield batch


def _answered(prepared: PreparedQuery) -> Any:
    """What an answer depends on: masks, filters and columns of what the query names. Not the reasons for them."""
    return prepared.plan(1, 1.0)


def _why(error: WeirError) -> str:
    match error:
        case NotSignedIn():
            return "was ended, since its token or user is no longer valid"
        case AccessChanged():
            return "was ended, since what it may show changed"
        case NotAllowed():
            return "was ended, since access to its data ended"
        case _:
            return "was ended, since its rights could not be decided again"
