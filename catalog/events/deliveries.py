"""Delivery of events to each receiver: in order, at least once, with growing pauses while it fails, independent of others."""

from __future__ import annotations

import os
import random
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from datetime import timedelta

from catalog.errors import WeirError
from catalog.event_model import DeliveryFailed, DeliveryState, Event, EventFilter
from catalog.ports import CatalogStore, Clock, Receiver
from catalog.settings import EventSettings
from catalog.spans import span

_PAGE = 500
_ROUND_S = 20.0  # one receiver gets events for so long, then others get the thread
_LEASE_S = 180.0  # longer than a round and one slow call with all its attempts
_FIRST_PAUSE_S = 2.0
_THREADS = 8


class Deliveries:
    """Delivers events to receivers. `step` does what is due; any number of processes may do it, a receiver has one at a time.

    A receiver's position is kept after every call it answered, so that after a crash it receives at most one call again.
    """

    def __init__(
        self,
        store: CatalogStore,
        receivers: Callable[[], Sequence[Receiver]],
        clock: Clock,
        settings: EventSettings,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._receivers = receivers
        self._clock = clock
        self._settings = settings
        self._jitter = jitter
        self._worker = f"{os.uname().nodename}:{os.getpid()}:{uuid.uuid4().hex[:6]}"
        self._busy: dict[str, Future[int]] = {}
        self._postponed = False
        # Receivers that may be slow as they like have threads of their own, so that the lasting one always has one.
        self._pools: dict[bool, ThreadPoolExecutor] = {}

    def step(self, wait: bool = False) -> bool:
        """Begin what is due for every receiver; True when something was delivered since the last step.

        `wait`: until all of it is done. Raises Unavailable when the record store does not answer.
        """
        delivered = 0
        for name, future in list(self._busy.items()):
            if future.done():
                del self._busy[name]
                delivered += future.result()
        receivers = {r.name: r for r in self._receivers()}
        states = {s.name: s for s in self._store.deliveries()}
        for name in states.keys() - receivers.keys():
            self._store.forget_delivery(name)
        newest = self._store.newest_event()
        now = self._clock()
        self._postponed = False
        for name, receiver in receivers.items():
            state = states.get(name) or self._begin(receiver)
            due = state.next_try_at is None or state.next_try_at <= now
            self._postponed |= state.position < newest and not due
            if name not in self._busy and state.position < newest and due:
                self._busy[name] = self._threads(receiver.lasting).submit(copy_context().run, self._tell, receiver)
        if wait:
            delivered += sum(future.result() for future in self._busy.values())
            self._busy.clear()
        return delivered > 0

    @property
    def waits(self) -> bool:
        """Whether a call was under way or postponed at the last step, so that the next one should come soon."""
        return bool(self._busy) or self._postponed

    def close(self) -> None:
        """Let what is under way end."""
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=True)

    def _threads(self, lasting: bool) -> ThreadPoolExecutor:
        if lasting not in self._pools:
            self._pools[lasting] = ThreadPoolExecutor(_THREADS, thread_name_prefix="events")
        return self._pools[lasting]

    def _begin(self, receiver: Receiver) -> DeliveryState:
        at = self._store.event_before(receiver.since) if receiver.since is not None else 0
        state = DeliveryState(receiver.name, position=at)
        self._store.put_delivery(state)
        return state

    def _tell(self, receiver: Receiver) -> int:
        """One round with one receiver; gives how many events it took."""
        now = self._clock()
        state = self._store.claim_delivery(receiver.name, self._worker, now, now + timedelta(seconds=_LEASE_S))
        if state is None:
            return 0
        delivered = 0
        chunk: list[Event] = []
        until = time.monotonic() + _ROUND_S
        try:
            while time.monotonic() < until:
                page = self._store.events(EventFilter(after=state.position), _PAGE)
                if not page:
                    break
                for chunk, position in _chunks(page, receiver):
                    if chunk:
                        with span("delivery", events=len(chunk)):
                            receiver.tell(chunk)
                        delivered += len(chunk)
                    state = self._passed(receiver.name, position, bool(chunk))
                    if time.monotonic() >= until:
                        break
        except DeliveryFailed as failure:
            self._failed(receiver, chunk, failure)
            delivered += failure.taken
        except WeirError:
            raise
        except Exception as error:
            # A fault of ours in one receiver must not stop deliveries to the others.
            self._failed(receiver, [], DeliveryFailed(f"Delivery failed inside Weir ({type(error).__name__})."))
        finally:
            self._change(receiver.name, worker=None, leased_until=None)
        return delivered

    def _passed(self, name: str, position: int, delivered: bool) -> DeliveryState:
        if not delivered:
            return self._change(name, position=position)
        return self._change(
            name,
            position=position,
            failures=0,
            failed_at=None,
            next_try_at=None,
            problem=None,
            delivered_at=self._clock(),
        )

    def _failed(self, receiver: Receiver, chunk: Sequence[Event], failure: DeliveryFailed) -> None:
        now = self._clock()
        state = self._store.delivery(receiver.name)
        if state is None:
            return
        position, dropped = state.position, state.dropped
        if failure.taken:
            position = chunk[failure.taken - 1].seq
        too_old = now - timedelta(hours=self._settings.webhook_give_up_hours)
        # Old events alone are not a reason: it may be Weir that was away.
        if not receiver.lasting and (state.failed_at or now) <= too_old:
            for event in self._store.events(EventFilter(after=position), _PAGE):
                if event.time >= too_old:
                    break
                position, dropped = event.seq, dropped + receiver.wants(event)
        longest = self._settings.webhook_longest_pause_s
        pause = min(longest, _FIRST_PAUSE_S * 2 ** min(state.failures, 30)) * (0.75 + self._jitter() / 2)
        pause = max(pause, min(longest, failure.retry_after_s or 0.0))
        self._change(
            receiver.name,
            position=position,
            dropped=dropped,
            failures=state.failures + 1,
            failed_at=state.failed_at or now,
            next_try_at=now + timedelta(seconds=pause),
            problem=failure.problem,
        )

    def _change(self, name: str, **changes: object) -> DeliveryState:
        """Change only these, as pruning may move the position meanwhile."""
        with self._store.transaction():
            state = self._store.delivery(name) or DeliveryState(name)
            if "position" in changes:
                changes["position"] = max(int(str(changes["position"])), state.position)
            changed: DeliveryState = replace(state, **changes)  # type: ignore[arg-type]
            self._store.put_delivery(changed)
            return changed


def _chunks(page: Sequence[Event], receiver: Receiver) -> Iterator[tuple[list[Event], int]]:
    """Events it wants, as many as it takes at once, each time with the position they bring it to."""
    chunk: list[Event] = []
    for event in page:
        if receiver.wants(event):
            chunk.append(event)
            if len(chunk) >= receiver.at_once:
                yield chunk, event.seq
                chunk = []
    if chunk or page:
        yield chunk, page[-1].seq
