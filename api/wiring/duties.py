"""What the processes of an instance do besides answering requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

from catalog.leases.leases import Leases
from lineage.worker.consume import LineageWorker
from views.runner.runner import Runner


@dataclass(frozen=True, slots=True)
class Duties:
    """Each is made or done when it is called: no process does all of them.

    rebuild_lineage  builds the graph again from the topic of events; gives how many events and nodes it holds
    warm             what an instance does before its first requests, so that they need not wait for it
    written          differs once somebody wrote to the record store; raises Unavailable
    leases           the leases of this process, of the duties that it would do
    """

    lineage_worker: Callable[[], LineageWorker]
    view_runner: Callable[[], Runner]
    rebuild_lineage: Callable[[], dict[str, int]]
    warm: Callable[[], None]
    written: Callable[[], Hashable]
    leases: Callable[[Collection[str]], Leases]
