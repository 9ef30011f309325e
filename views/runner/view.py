"""One view: its stream, its rows and its generations, kept in step with what is declared and decided.

    document, decision -> Built -> a generation: stream on the engine -> topic -> serving table -> readers

`step` does what is due and is called again and again by one thread. What it knows is in a `Record`, which is kept before
anything is done that rests on it, so a runner that is killed at any place continues from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import structlog

from catalog.change_cache import one_moment
from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound, NotSignedIn, Unavailable, WeirError
from views.model import State
from views.runner.build import Basis, Built, basis_of, of_basis
from views.runner.compacted import or_as_before
from views.runner.lineage_event import running_event
from views.runner.tools import DeclaredView, Pause
from views.runner.view_stream import LOOK_S, ViewStream

_log = structlog.get_logger(__name__)
_REST_S = 2.5
"""Between two decisions on what the view may contain where nothing was written: grants end by the clock."""
_ALL_S = 10.0
"""Between two looks at everything where nothing was written."""
_FORGET_S = 30.0
_ENDS_ACCESS = (NotAllowed, NotSignedIn)
_FOR_A_PERSON = frozenset({"data-loss", "state", "topic", "access", "sql", "value", "too-large"})
"""Failures of a stream that stay until somebody acts; see `views.adapters.spark_failures`."""


@dataclass(slots=True)
class View(ViewStream):
    """Not safe for threads: one thread steps it."""

    _basis: Basis | None = None

    def step(self) -> bool:
        """Do what is due; False when nothing was. Raises nothing that Weir raises: what fails is in the state."""
        before, rested = replace(self._due), self._rests
        try:
            busy = self._step()
        except WeirError as error:
            self._ended_by(error)
            busy = False
        # Of a view that stays at rest only a look at everything changes more than times.
        looked = self._due.searched != before.searched
        if busy or self._stream is None or looked or (self._due != before and not (rested and self._rests)):
            self.record.save()
        return busy

    @property
    def over(self) -> bool:
        """Whether the view was deleted and nothing of it is left."""
        return self.record.blank

    # -- one step -----------------------------------------------------------------------------------------------------

    def _step(self) -> bool:
        now = self.tools.monotonic()
        if now - self._due.looked >= LOOK_S:
            written = self.tools.written()
            if written != self._due.written or now - self._due.searched >= _ALL_S or self._stream is None:
                self._due.looked, self._due.searched, self._due.written = now, now, written
                self._look()
            elif now - self._due.looked >= _REST_S:
                self._due.looked = now
                self._recheck()
        return self._work()

    def _look(self) -> None:
        """Compare what runs with what is declared, wished and decided."""
        if self._stream is None and self.state.session:
            if not self._pause.over(self.tools.monotonic()):
                return
            self._end_left_over()
        declared = self.tools.document(self.name)
        if declared is None:
            self._delete()
            return
        wish = self.tools.states.wish(self.name)
        paused = bool(wish.get("paused", declared.spec.paused))
        if int(wish.get("restart", 0)) > self.state.restart:
            self.state.restart = int(wish["restart"])
            self._stop()
            self._pause, self._declared, self._barred = Pause(), None, None
            self.record.turn(State.RESTARTING)
        if paused:
            self._stop()
            self.record.turn(State.PAUSED)
        self._generations.bury()
        if self.tools.monotonic() - self._due.forgot >= _FORGET_S:
            self._due.forgot = self.tools.monotonic()
            self._generations.forget_gone()
        if self._pause.over(self.tools.monotonic()):
            self._settle(declared, int(wish.get("rebuild", 0)), wish.get("from"), paused)
            if not paused:
                self._run(declared)
        self._report()

    def _recheck(self) -> None:
        """Nothing was written; what the view may contain may have changed with the time."""
        if self._declared is not None and self._pause.over(self.tools.monotonic()):
            self._settle(self._declared, self.state.rebuild, None, False)

    def _settle(self, declared: DeclaredView, rebuild: int, since: str | None, paused: bool) -> None:
        """Decide again, where that is due, and turn to another generation where that is asked for; `since`: from where."""
        now = self.tools.monotonic()
        changed = self._declared is None or declared.digest != self._declared.digest
        rebuilds = rebuild > self.state.rebuild
        if not changed and not rebuilds and now - self._due.decided < self.tools.settings.recheck_seconds:
            return
        subject = self.tools.subject(declared.spec.runAs.subject)
        before = self.state.writing
        compaction = or_as_before(self._compaction, before.compacted if before is not None else {})
        with one_moment():
            basis = basis_of(declared.spec, self.tools.preparer, subject, compaction)
        same = self._built is not None and basis == self._basis
        current = self._built if same and self._built is not None else of_basis(basis, self.tools.preparer)
        self._due.decided = now
        if paused:
            self._settle_paused(current)
        elif self.state.writing is None:
            if rebuilds or self.state.state != State.STOPPED or (changed and self._declared is not None):
                with self._answering(rebuild):
                    self._generations.begin(declared, current, "it was declared", since if rebuilds else None)
        elif rebuilds:
            self._stop()
            why = f"somebody asked for it, from {since}" if since else "somebody asked for it"
            with self._answering(rebuild):
                self._generations.replace(declared, current, why, since)
        elif self.state.writing.hash != current.generation:
            self._turn_to(declared, current)
        elif self._built is not None and current.reads != self._built.reads:
            self._stop()  # the same generation, with the schemas of now
        self._generations.retag(current)
        self._built, self._basis, self._declared = current, basis, declared

    @contextmanager
    def _answering(self, rebuild: int) -> Iterator[None]:
        """The wish to rebuild is met, or fails for a reason that stays; after any other failure it is tried again."""
        number, before = self.state.number, self.state.rebuild
        self.state.rebuild = rebuild
        try:
            yield
        except WeirError as error:
            if self.state.number == number and not _needs_a_person(error):
                self.state.rebuild = before
            raise

    def _report(self) -> None:
        """Send the lineage of a new generation; one that cannot be sent now is tried again with the next look."""
        writing, current = self.state.writing, self._built
        if (
            writing is None
            or current is None
            or writing.hash != current.generation
            or self.state.reported == writing.id
        ):
            return
        try:
            self.tools.report(running_event(self.name, writing, current.prepared, self.tools))
        except Unavailable as error:
            _log.warning("view_lineage_not_sent", view=self.name, message=error.message)
            return
        self.state.reported = writing.id

    def _settle_paused(self, current: Built) -> None:
        """Rows that rest on another decision than the one of now are not kept for when the view is resumed."""
        writing = self.state.writing
        if writing is not None and writing.hash != current.generation:
            self.tools.journal("view.stop", self.name, ["what it may contain changed while it was paused"])
            self._generations.retire_all()

    def _turn_to(self, declared: DeclaredView, current: Built) -> None:
        """The declaration, the decision or a type is another: the old stream takes no record any more."""
        self._stop()
        writing, subject = self.state.writing, declared.spec.runAs.subject
        if writing is not None and writing.declared != declared.digest:
            self._generations.replace(declared, current, "its declaration changed")
        elif declared.spec.onDecisionChange == "rebuild":
            self._generations.replace(declared, current, f"what {subject} may see, or a type of a source, changed")
        else:
            sentence = f"What {subject} may see of the sources, or a type in them, changed."
            self.tools.journal("view.stop", self.name, [sentence])
            self._generations.retire_all()
            fix = f"Its rows were deleted; weir view rebuild {self.name} builds them again."
            self.record.turn(State.STOPPED, Conflict(f"{sentence} {fix}", details={"view": self.name}))

    # -- ends ---------------------------------------------------------------------------------------------------------

    def _delete(self) -> None:
        """The view is not declared any more: nothing of it stays, but an output topic without its records."""
        self._stop()
        self._generations.retire_all()
        self._generations.bury()
        self._generations.delete_letters()
        self.record.forget()

    def _ended_by(self, error: WeirError) -> None:
        """The stream ends with every failure; whether anything is left of it depends on the failure."""
        was = self.state.state
        self.close()
        now, most = self.tools.monotonic(), self.tools.settings.restart_most_seconds
        if isinstance(error, _ENDS_ACCESS):
            # State that was computed under a right that has ended is deleted.
            self._retire(error)
            self._pause.until = now + self.tools.settings.recheck_seconds
            self.record.turn(State.FAILED, error)
            return
        self._pause.grow(now, most)
        writing, current, declared = self.state.writing, self._built, self._declared
        if error.details.get("condition") == "value" and writing and current and declared:
            self._barred = (declared.digest, writing.id, current.reads)
        if _needs_a_person(error):
            self.record.turn(State.FAILED, error)
        else:
            self.state.restarts += was in (State.RUNNING, State.CATCHING_UP)
            self.record.turn(State.RESTARTING, error)

    def _retire(self, error: WeirError) -> None:
        if self.state.writing is None:
            return
        try:
            self.tools.journal("view.stop", self.name, [error.message])
            self._generations.retire_all()
        except Unavailable as away:  # it is tried again with the next look, and the stream has ended
            _log.warning("view_not_retired", view=self.name, message=away.message)


def _needs_a_person(error: WeirError) -> bool:
    """Whether the error stays until the declaration, a topic or the catalog changes."""
    return isinstance(error, (InvalidInput, Conflict, NotFound)) or error.details.get("condition") in _FOR_A_PERSON
