"""The background worker process: scans, the lineage fold, re-indexing."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable

import structlog

from api.bootstrap import build
from api.config.extras import notices
from api.config.home import Home, write_private
from api.config.log_files import keep_small
from api.config.logs import configure, frames
from api.config.settings import Settings, load
from api.features.access_reviews.service import AccessReviews
from api.features.contracts.checker import NewRecordChecker
from api.features.incidents.downstream_notices import DownstreamNotices
from api.features.notifications.service import Notify
from api.features.scans.runner import ScanRunner
from api.features.topics.group_lags import GroupLags
from api.features.views.failures import ViewFailures
from api.joins.connectors.sync import ConnectorSync
from api.joins.observing import Observing
from api.processes.heap import few_arenas
from api.processes.tag_sweep import Fold, TagSweep
from api.processes.view_runner import ViewProcess
from api.processes.wakeups import Wakeups
from api.wiring import traces
from api.wiring.duties import Duties
from api.wiring.engines import Logs, PythonDaemons, Revival
from api.wiring.instance import Instance
from catalog.contracts.queried import QueriedRules
from catalog.datasets.tag_propagation import TagFlow
from catalog.errors import Unavailable
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.scans.schedules import Schedules
from catalog.search.service import Search
from lineage.producers.catalog import ProducerCatalog
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.watch import RightsWatch
from policies.notify.notices import Channel
from policies.requests.escalations import Escalations
from policies.requests.grant_notices import GrantNotices

log = structlog.get_logger("weir.worker")

SCAN_POLL_S = 0.3
UPKEEP_S = 2.0
CHECKS_S = 1.0
EVENTS_POLL_S = 0.5
INCIDENTS_S = 2.0
NOTICES_S = 1.0
TAGS_S = 30.0
DATASETS_S = 1.0
ENGINES_S = 1.0
LOGS_S = 60.0
PYTHON_S = 60.0
LAGS_S = 60.0
VIEWS_S = 1.0
CONNECTORS_S = 10.0
REVIEWS_S = 2.0
IDLE_S = 5.0
"""The most between two looks at what is due by the clock, where nobody wrote to the record store."""
WRITES_S = 30.0
"""The same for duties that nothing but a write gives work."""
RIGHTS_S = 1.0
SEGMENTS_S = 60.0
SHIPPING_S = 1.0
SETTLING_S = 1.0
"""Longest that one transaction of settling should hold the record store."""
SETTLED_LEAST, SETTLED_MOST = 10, 100


LEASED = (
    "access reviews",
    "audit segments",
    "audit shipping",
    "chat",
    "checks",
    "connectors",
    "datasets",
    "events",
    "incidents",
    "lags",
    "notices",
    "observing",
    "rights",
    "rule queries",
    "tags",
    "upkeep",
)
"""Duties that one worker does at a time. Scans are claimed one by one, lineage is shared by partitions, and each worker keeps
its own machine's engines, logs and Python processes; views have a lease of their process."""
Guarded = Callable[[str, Callable[[], object]], Callable[[], bool]]


def run(home: Home) -> None:
    """Work until TERM or Ctrl-C. Each duty has a thread of its own, so that none waits for another's server."""
    few_arenas()
    settings = load(home)
    configure(settings.log)
    traces.start(settings.traces, "worker")
    keep_small(home.root / "logs" / "weir-worker.log")
    services = build(settings, home)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    view_process = ViewProcess(home, services)
    wakeups = Wakeups(services[Duties].written, stop)
    leases = services[Duties].leases(LEASED)
    leased = leases.guarded
    with contextlib.suppress(Unavailable):
        leases.step()
    fold = Fold(services[Duties].lineage_worker)
    tags = TagSweep(services[TagFlow], fold.folded)
    duties: list[tuple[str, Callable[[], None]]] = [
        ("wakeups", wakeups.run),
        ("leases", lambda: leases.run(stop)),
        ("lineage", lambda: fold.run(stop)),
        ("scans", lambda: wakeups.repeat(SCAN_POLL_S, IDLE_S, services[ScanRunner].run_next)),
        ("checks", lambda: wakeups.repeat(CHECKS_S, IDLE_S, leased("checks", services[NewRecordChecker].step))),
        ("rule queries", lambda: wakeups.repeat(CHECKS_S, IDLE_S, leased("rule queries", services[QueriedRules].step))),
        ("events", lambda: deliver(wakeups, leased, services[Deliveries])),
        (
            "notices",
            lambda: wakeups.repeat(
                NOTICES_S, IDLE_S, leased("notices", lambda: services[Notify].sender.step(Channel.MAIL))
            ),
        ),
        (
            "chat",
            lambda: wakeups.repeat(
                NOTICES_S, IDLE_S, leased("chat", lambda: services[Notify].sender.step(Channel.CHAT))
            ),
        ),
        ("observing", lambda: observe(stop, leased, services)),
        ("lags", lambda: sample_lags(stop, leased, services)),
        ("tags", lambda: repeat(stop, TAGS_S, leased("tags", tags.step))),
        ("datasets", lambda: settle_datasets(stop, wakeups, leased, services)),
        ("audit segments", lambda: repeat(stop, SEGMENTS_S, leased("audit segments", services[AuditSegments].step))),
        ("audit shipping", lambda: repeat(stop, SHIPPING_S, leased("audit shipping", services[AuditShipping].step))),
        ("engines", lambda: repeat(stop, ENGINES_S, Revival(home).step)),
        ("logs", lambda: repeat(stop, LOGS_S, Logs(home).step)),
        ("python", lambda: repeat(stop, PYTHON_S, PythonDaemons(home).step)),
        ("connectors", lambda: repeat(stop, CONNECTORS_S, leased("connectors", services[ConnectorSync].step))),
        ("views", lambda: wakeups.repeat(VIEWS_S, IDLE_S, view_process.step, lambda: view_process.started)),
        (
            "access reviews",
            lambda: wakeups.repeat(REVIEWS_S, IDLE_S, leased("access reviews", lambda: review_access(services))),
        ),
        ("rights", lambda: keep_rights(wakeups, leased, services[RightsWatch], services[CopyKeeper])),
        (
            "incidents",
            lambda: wakeups.repeat(INCIDENTS_S, WRITES_S, leased("incidents", services[DownstreamNotices].step)),
        ),
        ("upkeep", lambda: wakeups.repeat(UPKEEP_S, IDLE_S, leased("upkeep", lambda: upkeep(services)))),
    ]
    threads = [
        threading.Thread(target=guarded, args=(stop, name, duty), name=name, daemon=True) for name, duty in duties
    ]
    for thread in threads:
        thread.start()
    marker = home.root / "run" / "worker.pid"
    write_private(marker, str(os.getpid()))
    log.info("working")
    for notice in notices():
        log.warning("extra_missing", notice=notice)
    stop.wait()
    for thread in threads:
        thread.join(10)
    view_process.close()
    leases.give_back()
    services.close()
    marker.unlink(missing_ok=True)


def upkeep(services: Instance) -> bool:
    """What is due now: scheduled scans are asked for, old events forgotten, ends of grants announced, datasets that changed
    while the index was away indexed. Each is tried whatever became of the others; the first failure is raised at the end.
    """
    first: Exception | None = None
    duties: tuple[Callable[[], object], ...] = (
        services[Schedules].request_due,
        services[Events].prune,
        services[GrantNotices].step,
        services[Escalations].step,
        services[ViewFailures].step,
        services[ProducerCatalog].realign,
        services[Search].reindex_dirty,
    )
    for duty in duties:
        try:
            duty()
        except Exception as error:
            first = first or error
    if first is not None:
        raise first
    return False


def review_access(services: Instance) -> bool:
    """Access reviews start, remind and close; a thread of its own, since a large one takes a while."""
    done = services[AccessReviews].duty.step()
    if done:
        log.info("access_reviews", done=done)
    return False


def keep_rights(wakeups: Wakeups, leased: Guarded, watch: RightsWatch, copies: CopyKeeper) -> None:
    """ACLs at the brokers end with their right; a thread of its own, as brokers may be slow."""

    def step() -> bool:
        changed = watch.step()
        changed += copies.step()
        if changed:
            log.info("rights_kept", changed=changed)
        return False

    wakeups.repeat(RIGHTS_S, IDLE_S, leased("rights", step), lambda: watch.keeps)


def deliver(wakeups: Wakeups, leased: Guarded, deliveries: Deliveries) -> None:
    """Events go to their receivers."""
    wakeups.repeat(EVENTS_POLL_S, IDLE_S, leased("events", deliveries.step), lambda: deliveries.waits)


def settle_datasets(stop: threading.Event, wakeups: Wakeups, leased: Guarded, services: Instance) -> None:
    """Datasets that lineage named get their records in the catalog; at most half of the time, as the fold needs the rest."""
    wanted, settled = SETTLED_MOST, 0

    def step() -> bool:
        nonlocal settled
        settled = services[ProducerCatalog].settle(wanted)
        return bool(settled)

    leased_step = leased("datasets", step)
    while not stop.is_set():
        seen, started, settled = wakeups.writes, time.monotonic(), 0
        leased_step()
        took = time.monotonic() - started
        if settled:
            wanted = settled_next(wanted, took)
        stop.wait(took if settled else DATASETS_S)
        if not settled:
            wakeups.wait(seen, WRITES_S)


def settled_next(wanted: int, took_s: float) -> int:
    """How many names the next transaction settles: other writers wait for it, so on a busy machine it takes fewer."""
    if took_s > SETTLING_S:
        return max(SETTLED_LEAST, wanted // 2)
    return min(SETTLED_MOST, wanted * 2) if took_s < SETTLING_S / 4 else wanted


def observe(stop: threading.Event, leased: Guarded, services: Instance) -> None:
    """Ask brokers and the servers beside them who reads what, every `lineage.observe_seconds`."""
    pause = services[Settings].lineage.observe_seconds
    step = leased("observing", services[Observing].step)
    while not stop.is_set():
        if pause > 0:
            step()
        stop.wait(pause or 3600)


def sample_lags(stop: threading.Event, leased: Guarded, services: Instance) -> None:
    """Keep how far consumer groups are behind, a sample every `lineage.observe_seconds`, once a minute at most."""
    pause = services[Settings].lineage.observe_seconds
    step = leased("lags", services[GroupLags].step)
    while not stop.is_set():
        if pause > 0:
            step()
        stop.wait(max(LAGS_S, pause) if pause > 0 else 3600)


def repeat(stop: threading.Event, pause_s: float, step: Callable[[], bool]) -> None:
    """Do steps until stopped; pause where a step found nothing to do."""
    while not stop.is_set():
        if not step():
            stop.wait(pause_s)


def guarded(stop: threading.Event, name: str, duty: Callable[[], None]) -> None:
    """Start a duty again after it failed, with growing pauses: a server that is away comes back."""
    pause = 0.5
    while not stop.is_set():
        try:
            duty()
            pause = 0.5
        except Unavailable as error:
            log.warning("waiting", duty=name, message=error.message)
        except Exception as error:
            log.error("duty_failed", duty=name, kind=type(error).__name__, at=frames(error))
        stop.wait(pause)
        pause = min(pause * 2, 10.0)
