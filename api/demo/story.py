"""The frame of the story: numbered steps with their times, what was produced, a scan followed to its end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from api.demo.client import Person
from api.demo.errors import DemoFailed
from api.demo.jobs import JobDone
from api.demo.produce import Produced

CLUSTER = "prod"


class Story:
    """Runs step after step, shown on `console`. `begun` is the `time.monotonic()` at which the command started."""

    def __init__(self, admin: Person, console: Console, begun: float) -> None:
        self._admin = admin
        self._console = console
        self._begun = begun
        self._number = 0
        self._jobs_told = 0
        self.first_visible: float | None = None
        """Seconds from the command's start to the first scanned topic that Weir showed."""

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """A numbered step: its title before, the time it took after."""
        self._number += 1
        self._console.print()
        self._console.print(Rule(f"[bold]{self._number} · {escape(title)}[/]", align="left", style="dim"))
        at = time.monotonic()
        yield
        now = time.monotonic()
        self._say(f"[dim]{now - at:.1f} s, {now - self._begun:.0f} s since the start[/]")

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    # -- before the story proper ---------------------------------------------------------------------------------

    def topics(self, produced: Sequence[Produced]) -> None:
        """What was produced."""
        total = sum(topic.records for topic in produced)
        added = sum(topic.added for topic in produced)
        was = "" if added == total else f" ({total - added:,} of them were there already)"
        self._say(
            f"{len(produced)} topics hold {total:,} records{was}: " + ", ".join(topic.topic for topic in produced)
        )

    def declared(self, answer: Any, tokens: Path) -> None:
        """What the governance file changed."""
        changes = answer.get("changes") or []
        done: dict[str, int] = {}
        for change in changes:
            done[change["action"]] = done.get(change["action"], 0) + 1
        self._say(f"{len(changes)} documents: " + ", ".join(f"{count} {action}" for action, count in done.items()))
        who = "ana is an analyst, otto owns orders, petra is the privacy officer"
        self._say(f"{who}; their tokens are in {escape(str(tokens))}")

    def follow(self, topics: Sequence[str], jobs: Sequence[JobDone]) -> None:
        """Scan the topics and wait for the end, showing how far it is and which jobs have ended."""
        at = time.monotonic()
        started = self._admin.post("/api/v1/scans", {"cluster": CLUSTER, "topics": list(topics)})
        path = f"/api/v1/scans/{started['id']}"
        with self._console.status("Scanning ...") as status:
            while True:
                scan = self._admin.get(path)
                if scan["datasets"] and self.first_visible is None:
                    self.first_visible = time.monotonic() - self._begun
                status.update(f"Scanning: {len(scan['datasets'])} of {len(topics)} topics are in the catalog")
                self._tell_jobs(jobs)
                if scan["state"] not in ("queued", "running"):
                    break
                time.sleep(0.25)
        if scan["state"] != "done":
            why = (
                "; ".join(str(problem.get("message", problem)) for problem in scan["problems"]) or "no reason was given"
            )
            raise DemoFailed(f"The scan ended as {scan['state']}: {why}")
        first = f", the first one visible {self.first_visible:.0f} s after the start" if self.first_visible else ""
        self._say(f"[green]✓[/] scanned {len(topics)} topics in {time.monotonic() - at:.1f} s{first}")

    def jobs(self, done: Sequence[JobDone], waited: float) -> None:
        """Those that were not shown yet; `waited` = seconds the scan had to wait for them."""
        self._tell_jobs(done)
        self._say(f"[dim]{len(done)} jobs have ended; waited {waited:.1f} s for the last of them[/]")

    def _tell_jobs(self, done: Sequence[JobDone]) -> None:
        for job in list(done)[self._jobs_told :]:
            self._say(f"[green]✓[/] job {job.name} ended after {job.seconds:.1f} s")
            self._jobs_told += 1

    def what_next(self, url: str, tokens: Path) -> None:
        """Where to go from here."""
        token = tokens / "petra"
        self._console.print()
        self._console.print(Rule("[bold]Now you[/]", align="left", style="dim"))
        self._say(f"Web pages, API and its documentation:  [bold]{url}[/]   {url}/docs")
        self._say("weir query 'SELECT * FROM orders' --as ana         weir where-is --entity PHONE_NUMBER --as petra")
        self._say("weir lineage impact prod/orders --field value.customer.email    weir search address --kind field")
        self._say(
            f'curl -H "Authorization: Bearer $(cat {escape(str(token))})" '
            f"'{url}/api/v1/reports/where-is?entity=EMAIL_ADDRESS&format=csv'"
        )
        self._say("Your own Kafka:  weir scan --bootstrap-servers HOST:PORT --topics 'shop.*'")
        self._say(f"[bold green]✓[/] The story is complete. {time.monotonic() - self._begun:.0f} s from start to end.")
