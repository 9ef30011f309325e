"""Ordinary statements on a machine whose processors others use, some of them cancelled: no engine may be replaced for it.

    weir test --bench engine_busy               300 statements, 5 of them cancelled, beside 20 loops that never pause
    weir test --bench engine_busy --loops 0     the same with nothing beside

Starts an instance of its own: Kafka, the engine of queries, and Weir's API, with the settings that Weir ships with. Four people
ask one after another. Printed: the answers by status, the seconds they took, and how often another engine was started.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator

from benchmarks.engine import QUESTIONS, Door, Honest, door, side_by_side

_ASKING = 4
_CANCELLED = (
    "SELECT a.region, count(*), avg(a.amount * b.amount) FROM orders a JOIN orders b ON a.region = b.region GROUP BY 1"
)
_CANCELLED_AFTER_S = 1.0
_PATIENCE_S = 600.0


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Processes that use whatever processor time they get."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def ask(door: Door, statements: int, cancels: int) -> Honest:
    """Ask so many ordinary statements, and meanwhile leave others unfinished, spread over the run."""
    met, lock, numbers = Honest(), threading.Lock(), itertools.count()

    def client(user: int) -> None:
        while (number := next(numbers)) < statements:
            if cancels and number % (statements // cancels) == 0:
                # The client goes, as with Ctrl-C; the statement is to be stopped for it.
                threading.Thread(target=door.ask, args=("mallory", _CANCELLED, _CANCELLED_AFTER_S)).start()
            begun = time.monotonic()
            status, body, _ = door.ask(f"honest{user}", QUESTIONS[number % len(QUESTIONS)], _PATIENCE_S)
            took = time.monotonic() - begun
            with lock:
                met.note(status, body, took)

    side_by_side(client, range(_ASKING))
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statements", type=int, default=300, help="how many ordinary statements")
    parser.add_argument(
        "--cancels", type=int, default=5, help="how many others that their client leaves after a second"
    )
    parser.add_argument("--loops", type=int, default=20, help="processes that use whatever they get")
    chosen = parser.parse_args()
    with door({}) as opened:
        ask(opened, 12, 0)  # warm
        engines: Counter[int | None] = Counter()
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.5):
                engines[opened.engine_pid()] += 1

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            with busy(chosen.loops):
                met = ask(opened, chosen.statements, chosen.cancels)
        finally:
            over.set()
            watching.join()
        replaced = len([pid for pid in engines if pid is not None]) - 1
        sys.stdout.write(f"{met.line()}\nengines replaced: {replaced}\n")
        for log in sorted(opened.instance.home.root.rglob("*.log")):
            ended = [line for line in log.read_text(errors="replace").splitlines() if "engine_ended" in line]
            sys.stdout.writelines(f"  {line[:300]}\n" for line in ended)
    return 0 if not met.failed and not replaced else 1


if __name__ == "__main__":
    sys.exit(main())
