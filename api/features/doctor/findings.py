"""Findings of an examination, and examinations run side by side, each with a limit of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from catalog.errors import WeirError


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """`message` and `fix` are a sentence each, without a secret and without a value of a record."""

    name: str
    level: Level
    message: str
    fix: str = ""


def ok(name: str, message: str) -> Finding:
    return Finding(name, Level.OK, message)


def warning(name: str, message: str, fix: str) -> Finding:
    return Finding(name, Level.WARNING, message, fix)


def fault(name: str, message: str, fix: str) -> Finding:
    return Finding(name, Level.FAULT, message, fix)


def of_error(name: str, error: WeirError, fix: str) -> Finding:
    """A fault with an error's sentence, whose second half is what to do; else `fix`."""
    message, _, what_to_do = error.message.rstrip(".").partition("; ")
    return fault(name, f"{message}.", f"{what_to_do[0].upper()}{what_to_do[1:]}." if what_to_do else fix)


@dataclass(frozen=True, slots=True)
class Examination:
    """`look` gives findings one after another; those before a failure count. `seconds`: how long all of it may take."""

    name: str
    look: Callable[[], Iterable[Finding]]
    seconds: float = 10.0
    setting: str = ""


class _Run:
    """One examination on a thread that is left behind where it does not end."""

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        self._findings: list[Finding] = []
        self._lock = threading.Lock()
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._work, name=f"doctor-{examination.name}", daemon=True)
        self._thread.start()

    def findings(self) -> list[Finding]:
        """Waits until the examination has ended, or its time is over."""
        self._thread.join(max(0.0, self._begun + self.examination.seconds - time.monotonic()))
        with self._lock:
            findings = list(self._findings)
        if self._thread.is_alive():
            findings.append(self._late())
        return findings

    def _work(self) -> None:
        name = self.examination.name
        try:
            for finding in self.examination.look():
                with self._lock:
                    self._findings.append(finding)
            return
        except WeirError as error:
            failed = of_error(name, error, self._fix())
        except Exception as error:  # the text of a driver's error may hold what it was given
            failed = fault(name, f"It cannot be looked at ({type(error).__name__}).", self._fix())
        with self._lock:
            self._findings.append(failed)

    def _late(self) -> Finding:
        seconds = self.examination.seconds
        return fault(self.examination.name, f"It did not answer within {seconds:g} seconds.", self._fix())

    def _fix(self) -> str:
        setting = self.examination.setting
        return f"Check {setting}, and that the server runs." if setting else "See the message."


def run(examinations: Sequence[Examination]) -> list[Finding]:
    """All findings, in the order of the examinations. Takes as long as the slowest of them may."""
    runs = [_Run(each) for each in examinations]
    return [finding for each in runs for finding in each.findings()]
