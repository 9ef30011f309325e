"""JSON bodies of a part by compiled code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scanners.columns.profiler import Profiler
from scanners.sketch.nodes import Node
from scanners.tape.compiled_parts import Quick, tried

if TYPE_CHECKING:
    from scanners.tape.reader import Paths, Reader, Walked


class QuickJson(Quick):
    """Documents; what is not plain JSON is left."""

    FORMAT = "json"
    _reader: Reader | None = None

    def _walks(
        self, paths: Paths, bodies: Sequence[bytes], records: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Walked | None]]:
        from scanners.tape.reader import Reader

        if self._reader is None:
            self._reader = Reader(paths)
        yield range(len(bodies)), self._reader.read(bodies, records)

    def _try(self) -> None:
        from scanners.tape.reader import Paths, Reader

        paths = Paths(Node(), Profiler(""))
        tried(Reader(paths), [b'{"a":[1,2.5,"x"]}'], paths)
