"""Bodies of a part by compiled code (`scanners.tape`), where it is worth its while. Runs in Spark's workers.

Making machine code takes some ten seconds the first time on a machine, and loading it less than one, so that a process
reads some ten thousand records without it first. Whatever a walk leaves alone is for `scanners.decode.bulk` and
`scanners.decode.records`.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scanners.columns.profiler import Profiler
from scanners.sketch.nodes import Node

if TYPE_CHECKING:
    from scanners.tape.fold import Fold
    from scanners.tape.reader import Paths, Walked

WORTH = 20_000
"""Bodies after which a process makes or loads the compiled code: some 0.2 s of reading without it."""

FEW = 64
"""Bodies for which handing columns over costs more than it saves."""

MOST_ODD = 0.25
"""Share of bodies left alone beyond which they are not walked any more: they are read twice."""


class Process:
    """How much this process has read without compiled code, and of which formats it has any, or cannot have any."""

    bodies = 0
    compiled: set[str] = set()  # noqa: RUF012 - one for the process is what is meant
    broken: set[str] = set()  # noqa: RUF012


class Quick(ABC):
    """Reads the values of one topic, batch by batch: `read` as they come, `columns` when the batch ends."""

    FORMAT: str

    def __init__(self, root: Node, profiler: Profiler) -> None:
        self._root = root
        self._profiler = profiler
        self._paths: Paths | None = None
        self._given_up = False
        self._folds: list[Fold] = []

    def read(self, bodies: Sequence[bytes], records: Sequence[int]) -> list[int] | None:
        """Profile what is plain; which bodies are left, in order, or None when none was looked at.

        Shapes of the records are in the profiler afterwards, and scalars are counted from `columns`.
        """
        if self._given_up or len(bodies) < FEW or not self._ready(len(bodies)):
            return None
        from scanners.tape.reader import MOST_BYTES

        if sum(map(len, bodies)) + len(bodies) > MOST_BYTES:
            return None
        assert self._paths is not None
        left: list[int] = []
        for which, walked in self._walks(self._paths, bodies, records):
            if walked is None:
                left += which
                continue
            where = records if len(which) == len(bodies) else [records[index] for index in which]
            self._take(self._paths, walked, where)
            left += [index for index, alone in zip(which, walked.odd.tolist(), strict=True) if alone]
        self._given_up = len(left) > MOST_ODD * len(bodies)
        return sorted(left)

    def columns(self) -> list[Any]:
        """What was walked since the last time, for `Profiler.finish`."""
        folds, self._folds = self._folds, []
        return folds

    @abstractmethod
    def _walks(
        self, paths: Paths, bodies: Sequence[bytes], records: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Walked | None]]:
        """Which bodies, and what was found of them; None for those that have no walk."""

    @abstractmethod
    def _try(self) -> None:
        """Make or load the machine code, by a record of our own."""

    def _take(self, paths: Paths, walked: Walked, where: Sequence[int]) -> None:
        from scanners.tape.fold import Fold

        fold = Fold(paths, walked, where, self._profiler.places, self._profiler.in_order)
        fold.count()
        self._folds.append(fold)
        for number, (values, rows) in walked.by_python.items():
            at = [where[row] for row in rows]
            self._profiler.gather(paths.nodes[number], values, at, paths.names[number], paths.depths[number])
        shape, coarse, odd = self._profiler.shape, self._profiler.coarse, walked.odd.tolist()
        for row, alone, code, rough in zip(where, odd, walked.shapes.tolist(), walked.coarse.tolist(), strict=True):
            if not alone:
                shape[row], coarse[row] = code, rough

    def _ready(self, bodies: int) -> bool:
        if self._paths is not None:
            return True
        if self.FORMAT not in Process.compiled and Process.bodies < WORTH:
            Process.bodies += bodies
            return False
        if self.FORMAT not in Process.compiled | Process.broken:
            self._compile()
        if self.FORMAT in Process.broken:
            return False
        from scanners.tape.reader import Paths

        self._paths = Paths(self._root, self._profiler)
        return True

    def _compile(self) -> None:
        """A machine where machine code cannot be had scans in Python."""
        try:
            self._try()
        except Exception as error:
            Process.broken.add(self.FORMAT)
            logging.getLogger(__name__).warning(
                "%s is read without compiled code: %s", self.FORMAT, type(error).__name__
            )
        else:
            Process.compiled.add(self.FORMAT)


def tried(reader: Any, bodies: Sequence[bytes], paths: Paths) -> None:
    """Read bodies of our own and count them, so that every function is compiled."""
    from scanners.tape import values
    from scanners.tape.fold import Fold

    profiler = Profiler("")
    profiler.start([(0, 0, 0)])
    walked = reader.read(bodies, [0])
    fold = Fold(paths, walked, [0], profiler.places, in_order=True)
    fold.count()
    profiler.finish(None, [fold])
    values.tried()
