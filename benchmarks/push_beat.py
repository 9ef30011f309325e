"""The beat of a push query while hidden records arrive: `python -m benchmarks.push_beat`.

One push query is followed for 12 seconds without news, and for 12 in which a record that its row filter hides arrives
every 1.5 seconds and keeps the engine busy for 0.8. Printed: the gaps between its events, in seconds. The engine is a
sleep; everything else is real.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

from policies.gate import gate
from policies.model import Subject
from policies.plan.cancellation import Stop
from policies.plan.model import Range, Result, Window
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import UnreadableReport
from policies.query.running_access import Access
from policies.query.stream import Stream

_SECONDS, _EVERY, _BUSY = 12.0, 1.5, 0.8


def followed(arrives: bool) -> list[float]:
    """The gaps between events, in seconds."""
    gated = gate.check("SELECT id FROM orders EMIT CHANGES")
    (ref,) = gated.tables
    begun = time.monotonic()

    def end() -> int:
        return 100 + (int((time.monotonic() - begun) / _EVERY) if arrives else 0)

    class Offsets:
        def window(self, *_: Any) -> Window:
            return Window((Range(0, 0, end()),))

    def run(*_: Any) -> Result:
        time.sleep(_BUSY)
        return Result((), [], False)

    table = SimpleNamespace(table=SimpleNamespace(kafka={}, topic="orders"))
    prepared: Any = SimpleNamespace(
        gated=gated, tables={ref: table}, windows={ref: Window((Range(0, 0, 100),))}, decisions=[]
    )
    preparer: Any = SimpleNamespace(again=lambda *_: prepared, look=lambda _: None)
    stop = Stop()
    live: Any = SimpleNamespace(stop=stop, purpose=None, now=lambda subject: subject)
    offsets: Any = Offsets()
    stream = Stream(
        access=Access(preparer, Subject("ana"), prepared, live, 5.0, fixed=False),
        preparer=preparer,
        offsets=offsets,
        run=run,
        header=lambda *_: [],
        settings=QuerySettings(),
        report=lambda *_: UnreadableReport(),
        stop=stop,
        columns=[],
    )
    gaps = []
    before = time.monotonic()
    for event in stream.follow(prepared):
        now = time.monotonic()
        if event["type"] == "idle":
            gaps.append(now - before)
            before = now
        if now - begun > _SECONDS:
            break
    return gaps


if __name__ == "__main__":
    for name, arrives in (("quiet", False), ("hidden records arrive", True)):
        gaps = followed(arrives)
        print(f"{name}: {len(gaps)} idle, gaps {min(gaps):.2f} to {max(gaps):.2f} s")
