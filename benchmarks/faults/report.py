"""The table: for each fault what was tried, acknowledged, present afterwards, lost, doubled, and the seconds to ready."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.faults.calls import Journal
from benchmarks.faults.ledger import Tally

SHOWN = 25
"""Sentences about what is wrong that are printed for one fault; the JSON file has all."""


@dataclass
class Outcome:
    """One fault, done `times` times.

    seconds: from the fault's end (kill, thaw, freed space) to ready; by_itself: how often no `weir up` was needed.
    problems: everything that is a fault of Weir's beside what `tallies` hold.
    """

    fault: str
    times: int
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    seconds: Sequence[float] = ()
    by_itself: int | None = None
    journal: Journal | None = None
    problems: Sequence[str] = ()
    notes: Sequence[str] = ()
    connection_expected: bool = False
    """Whether the API itself was away, so that calls without a connection are not a fault."""

    def lost(self) -> list[str]:
        return [f"{kind} lost: {each}" for kind, tally in self.tallies.items() for each in tally.lost]

    def doubled(self) -> list[str]:
        return [f"{kind} doubled: {each}" for kind, tally in self.tallies.items() for each in tally.doubled]

    def faults(self) -> list[str]:
        """Sentences; empty where all is within its limit."""
        wrong = [*self.lost(), *self.doubled(), *self.problems]
        if self.journal is not None:
            wrong += [f"{count} times {text}" for text, count in self.journal.unclean.items()]
            wrong += [f"{count} times {text}" for text, count in self.journal.hangs.items()]
            if self.journal.absent and not self.connection_expected:
                wrong.append(f"{self.journal.absent} calls found no connection although the API was not touched")
        return wrong

    def to_file(self) -> dict[str, object]:
        """All of it, as `from_json` reads it."""
        journal = self.journal
        kept = (
            None
            if journal is None
            else {
                "answered": journal.answered,
                "unavailable": journal.unavailable,
                "absent": journal.absent,
                "unclean": dict(journal.unclean),
                "hangs": dict(journal.hangs),
                "longest": journal.longest,
            }
        )
        tallies = {kind: asdict(tally) for kind, tally in self.tallies.items()}
        mine = ("fault", "times", "seconds", "by_itself", "problems", "notes", "connection_expected")
        return {name: getattr(self, name) for name in mine} | {"tallies": tallies, "journal": kept}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Outcome:
        tallies = {
            kind: Tally(**{**tally, "lost": tuple(tally["lost"]), "doubled": tuple(tally["doubled"])})
            for kind, tally in row["tallies"].items()
        }
        journal = row["journal"]
        if journal is not None:
            journal = Journal(**{**journal, "unclean": Counter(journal["unclean"]), "hangs": Counter(journal["hangs"])})
        return cls(**{**row, "tallies": tallies, "journal": journal})

    def as_json(self) -> dict[str, object]:
        journal = self.journal or Journal()
        return {
            "fault": self.fault,
            "times": self.times,
            "tried": sum(t.tried for t in self.tallies.values()),
            "acknowledged": sum(t.acknowledged for t in self.tallies.values()),
            "present": sum(t.present for t in self.tallies.values()),
            "lost": len(self.lost()),
            "doubled": len(self.doubled()),
            "seconds": [round(s, 1) for s in self.seconds],
            "by_itself": self.by_itself,
            "kinds": {
                k: [t.tried, t.acknowledged, t.present, len(t.lost), len(t.doubled)] for k, t in self.tallies.items()
            },
            "answered": journal.answered,
            "unavailable": journal.unavailable,
            "no_connection": journal.absent,
            "unclean": sum(journal.unclean.values()),
            "hangs": sum(journal.hangs.values()),
            "longest_s": round(journal.longest, 1),
            "notes": list(self.notes),
            "faults": self.faults(),
        }


def show(outcomes: Sequence[Outcome], console: Console | None = None) -> None:
    """Print the table, then what is wrong, then notes."""
    console = console or Console(width=180, highlight=False)
    table = Table(
        "fault",
        "times",
        "tried",
        "acknowl.",
        "present",
        "lost",
        "doubled",
        "s to ready p50 / max",
        "by itself",
        "503",
        "no conn.",
        "unclean",
        "> 10 s",
        "longest",
        box=None,
    )
    for outcome in outcomes:
        row = outcome.as_json()
        seconds = outcome.seconds
        took = f"{statistics.median(seconds):.1f} / {max(seconds):.1f}" if seconds else ""
        by_itself = "" if outcome.by_itself is None else f"{outcome.by_itself} of {outcome.times}"
        words = [
            outcome.fault,
            *(str(row[name]) for name in ("times", "tried", "acknowledged", "present", "lost", "doubled")),
        ]
        words += [took, by_itself]
        if outcome.journal is not None:
            words += [str(row[name]) for name in ("unavailable", "no_connection", "unclean", "hangs", "longest_s")]
        table.add_row(*words)
    console.print(table)
    for outcome in outcomes:
        kinds = ", ".join(f"{kind} {tally.present} of {tally.acknowledged}" for kind, tally in outcome.tallies.items())
        if kinds:
            console.print(f"{outcome.fault}: {kinds}", markup=False)
        for note in outcome.notes:
            console.print(f"{outcome.fault}: {note}", markup=False)
        wrong = outcome.faults()
        for each in wrong[:SHOWN]:
            console.print(f"✗ {outcome.fault}: {each}", markup=False, soft_wrap=True)
        if len(wrong) > SHOWN:
            console.print(f"✗ {outcome.fault}: and {len(wrong) - SHOWN} more", markup=False)


def keep(path: Path, outcome: Outcome) -> None:
    """Add one outcome to a file of JSON lines."""
    with path.open("a") as file:
        file.write(json.dumps(outcome.as_json()) + "\n")
