"""Records of one topic as columns, the form in which workers get and profile them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scanners.model import RawRecord

Header = tuple[str, bytes | None]


@dataclass(slots=True)
class Batch:
    """Columns of equal length. `headers` is empty when no record has one; times are milliseconds since 1970."""

    keys: list[bytes | None] = field(default_factory=list)
    values: list[bytes | None] = field(default_factory=list)
    headers: list[Sequence[Header]] = field(default_factory=list)
    partitions: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    timestamps: list[int | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values)

    @staticmethod
    def of(records: Sequence[RawRecord]) -> Batch:
        return Batch(
            keys=[r.key for r in records],
            values=[r.value for r in records],
            headers=[r.headers for r in records] if any(r.headers for r in records) else [],
            partitions=[r.partition for r in records],
            offsets=[r.offset for r in records],
            timestamps=[r.timestamp for r in records],
        )

    def extend(self, other: Batch) -> None:
        """Add the records of another batch at the end."""
        if self.headers or other.headers:
            self.headers = self._all_headers() + other._all_headers()
        self.keys += other.keys
        self.values += other.values
        self.partitions += other.partitions
        self.offsets += other.offsets
        self.timestamps += other.timestamps

    def only(self, rows: Sequence[int]) -> Batch:
        """These records alone."""
        return Batch(
            *(
                [column[row] for row in rows] if column else []
                for column in (
                    self.keys,
                    self.values,
                    self.headers,
                    self.partitions,
                    self.offsets,
                    self.timestamps,
                )
            )  # type: ignore[arg-type]
        )

    def slices(self, records: int) -> Iterator[Batch]:
        """The batch in parts of at most so many records."""
        for start in range(0, len(self), records):
            yield self.only(range(start, min(len(self), start + records)))

    def sizes(self) -> list[int]:
        """Bytes of key, value and headers of each record."""
        sizes = [len(value) if value else 0 for value in self.values]
        if self.keys.count(None) < len(self.keys):
            sizes = [size + len(key or b"") for size, key in zip(sizes, self.keys, strict=True)]
        if self.headers:
            sizes = [
                size + sum(len(name) + len(body or b"") for name, body in headers)
                for size, headers in zip(sizes, self.headers, strict=True)
            ]
        return sizes

    def size(self) -> int:
        """Bytes of keys, values and headers of all records."""
        size = sum(map(len, filter(None, self.values))) + sum(map(len, filter(None, self.keys)))
        for headers in self.headers:
            size += sum(len(name) + len(body or b"") for name, body in headers)
        return size

    def places(self) -> list[tuple[int, int, int]]:
        """(time, partition, offset) of each record."""
        times = [time or 0 for time in self.timestamps] if None in self.timestamps else self.timestamps
        return list(zip(times, self.partitions, self.offsets, strict=True))  # type: ignore[arg-type]

    def _all_headers(self) -> list[Sequence[Header]]:
        return self.headers or [()] * len(self)
