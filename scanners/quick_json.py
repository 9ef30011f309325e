"""JSON bodies of a part by compiled code (`scanners.tape`), where it is worth its while. Runs in Spark's workers.

Making machine code takes seconds the first time on a machine, and loading it half a second, so that a process reads some
ten thousand records without it first. Whatever the walk leaves alone is for `scanners.bulk` and `scanners.decode`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scanners.columns import Profiler
from scanners.nodes import Node

if TYPE_CHECKING:
    from scanners.tape.fold import Fold
    from scanners.tape.reader import Reader

WORTH = 20_000
"""Bodies after which a process makes or loads the compiled code: some 0.2 s of reading without it."""

_FEW = 64
"""Bodies for which handing columns over costs more than it saves."""

_MOST_ODD = 0.25
"""Share of bodies left alone beyond which they are not walked any more: they are read twice."""


class _Process:
    """How much this process has read without compiled code, and whether it has any, or cannot have any."""

    bodies = 0
    compiled = False
    broken = False


class QuickJson:
    """Reads the values of one topic, batch by batch: `read` as they come, `columns` when the batch ends."""

    def __init__(self, root: Node, profiler: Profiler) -> None:
        self._root = root
        self._profiler = profiler
        self._reader: Reader | None = None
        self._given_up = False
        self._folds: list[Fold] = []

    def read(self, bodies: Sequence[bytes], records: Sequence[int]) -> list[int] | None:
        """Profile what is plain; which bodies are left, or None when none was looked at.

        Shapes of the records are in the profiler afterwards, and scalars are counted from `columns`.
        """
        if self._given_up or len(bodies) < _FEW or not self._ready(len(bodies)):
            return None
        assert self._reader is not None
        from scanners.tape.fold import Fold
        from scanners.tape.reader import MOST_BYTES

        if sum(map(len, bodies)) + len(bodies) > MOST_BYTES:
            return None
        walked = self._reader.read(bodies, records)
        fold = Fold(self._reader.paths, walked, records, self._profiler.places, self._profiler.in_order)
        fold.count()
        self._folds.append(fold)
        shape, coarse, odd = self._profiler.shape, self._profiler.coarse, walked.odd.tolist()
        for row, alone, code, rough in zip(records, odd, walked.shapes.tolist(), walked.coarse.tolist(), strict=True):
            if not alone:
                shape[row], coarse[row] = code, rough
        left = [index for index, alone in enumerate(odd) if alone]
        self._given_up = len(left) > _MOST_ODD * len(bodies)
        return left

    def columns(self) -> list[Any]:
        """What was walked since the last time, for `Profiler.finish`."""
        folds, self._folds = self._folds, []
        return folds

    def _ready(self, bodies: int) -> bool:
        if self._reader is not None:
            return True
        if not _Process.compiled and _Process.bodies < WORTH:
            _Process.bodies += bodies
            return False
        if not _Process.compiled and not _Process.broken:
            _compile()
        if _Process.broken:
            return False
        from scanners.tape.reader import Reader

        self._reader = Reader(self._root, self._profiler)
        return True


def _compile() -> None:
    """Make or load the machine code, by a record of our own. A machine where that cannot be had scans in Python."""
    try:
        from scanners.tape.fold import Fold
        from scanners.tape.reader import Reader

        profiler = Profiler("")
        profiler.start([(0, 0, 0)])
        reader = Reader(Node(), profiler)
        walked = reader.read([b'{"a":[1,2.5,"x"]}'], [0])
        profiler.finish(None, [Fold(reader.paths, walked, [0], profiler.places, in_order=True)])
    except Exception as error:
        _Process.broken = True
        logging.getLogger(__name__).warning("JSON is read without compiled code: %s", type(error).__name__)
    else:
        _Process.compiled = True
