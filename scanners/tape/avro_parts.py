"""Avro bodies of a part by compiled code, by the programs of their registered schemas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scanners.columns.profiler import Profiler
from scanners.decode import bulk
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import Node
from scanners.tape.compiled_parts import Quick, tried

if TYPE_CHECKING:
    from scanners.tape.avro_reader import AvroReader
    from scanners.tape.reader import Paths, Walked


class QuickAvro(Quick):
    """Records of schemas that have a program; what has none is left."""

    FORMAT = "avro"

    def __init__(self, root: Node, profiler: Profiler, schemas: Schemas) -> None:
        super().__init__(root, profiler)
        self._schemas = schemas
        self._readers: dict[bytes, AvroReader | None] = {}

    def _walks(
        self, paths: Paths, bodies: Sequence[bytes], records: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Walked | None]]:
        groups = _by_head(bodies)
        for head, which in groups.items():
            reader = self._reader_of(head, paths)
            if reader is None:
                yield which, None
            elif len(groups) == 1:
                yield which, reader.read(bodies, records)
            else:
                walked = reader.read([bodies[index] for index in which], [records[index] for index in which])
                yield which, walked.kept()

    def _reader_of(self, head: bytes, paths: Paths) -> AvroReader | None:
        if head not in self._readers:
            from scanners.tape.avro_program import program_of
            from scanners.tape.avro_reader import AvroReader

            schema = bulk.avro_schema(head, self._schemas)
            program = None if schema is None else program_of(schema)
            self._readers[head] = None if program is None else AvroReader(paths, program, self._readable)
        return self._readers[head]

    def _readable(self, body: bytes) -> bool:
        return not bulk.avro([body], self._schemas)[1]

    def _try(self) -> None:
        from scanners.tape.avro_program import program_of
        from scanners.tape.avro_reader import AvroReader
        from scanners.tape.reader import Paths

        schema = {
            "type": "record",
            "name": "Own",
            "fields": [{"name": "a", "type": {"type": "array", "items": "long"}}],
        }
        program, paths = program_of(schema), Paths(Node(), Profiler(""))
        assert program is not None
        tried(AvroReader(paths, program, lambda _: True), [b"\0\0\0\0\1\2\4\0"], paths)


def _by_head(bodies: Sequence[bytes]) -> dict[bytes, Sequence[int]]:
    """Which bodies begin alike, by byte 0 and the id of their schema."""
    heads = [body[:5] for body in bodies]
    if heads.count(heads[0]) == len(heads):
        return {heads[0]: range(len(bodies))}
    bodies_of: dict[bytes, list[int]] = {}
    for index, head in enumerate(heads):
        bodies_of.setdefault(head, []).append(index)
    return dict(bodies_of)
