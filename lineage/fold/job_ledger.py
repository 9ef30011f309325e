"""What is remembered of one owner of lineage (a job, or a dataset that declares its own): its runs and their facts.

A book is a union: adding events in any order, or twice, gives the same book, as long as a job has no more than
`runs_kept` runs and a run no more than `phases_kept` distinct reports; beyond that the oldest are folded into `base`.
The edges of the graph are a pure function of the books (`derive.py`). Books are stored next to the graph, one document
each, compressed; they are what makes edges retractable and runs answerable without a node per run.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from catalog.field_names import FieldNames
from catalog.model import DatasetId
from lineage.fold.facts import Fact, Facts, datasets_in
from lineage.fold.micro_batches import Halves, halves_of_json, halves_to_json
from lineage.fold.runs import Run, Turns


@dataclass(slots=True)
class Remembered:
    """An edge that was open when the runs which spoke of it were forgotten: (variant, valid from, last support).

    `parent` is the run that started the last of them.
    """

    variant: tuple[str, ...]
    vf: int
    seen: int
    parent: str | None = None
    data: int = 0
    """When data last came this way."""
    ct: int | None = None
    """When its target was overwritten since; None while the data is there."""
    unfinished: bool = False


@dataclass(slots=True)
class Past:
    """A stretch that ended, as seen from the last run, at `vt`; what came this way is there until `ct` (None: still)."""

    pair: tuple[str, ...]
    variant: tuple[str, ...]
    how: str
    vf: int
    vt: int
    seen: int
    data: int
    ct: int | None = None
    unfinished: bool = False


Pair = tuple[str, ...]

Mark = tuple[Any, tuple[tuple[DatasetId, FieldNames | None], ...]]
"""What a statement depends on besides its facts: the integration, what its datasets are called, and their known fields."""


@dataclass(slots=True)
class Cache:
    """What was computed of a book and may be computed again. Never stored."""

    facts: dict[str, bytes] = field(default_factory=dict)
    emitted: bytes | None = None
    named: dict[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)
    statements: dict[frozenset[str], tuple[Mark, Any]] = field(default_factory=dict)
    ids: dict[tuple[str, int], dict[Pair, str]] = field(default_factory=dict)
    """Of edges, by their origin and the time they are valid from."""


@dataclass(slots=True)
class Book:
    """Everything remembered of one owner. `version` counts writes; 0 = not stored yet."""

    owner: str
    namespace: str
    name: str
    is_job: bool = True
    version: int = 0
    runs: dict[str, Run] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    declared: dict[str, int] = field(default_factory=dict)
    """Declarations (job and dataset events): facts' digest -> first time."""
    declared_turns: Turns = field(default_factory=list)
    """The same with their repetitions."""
    base: dict[Pair, Remembered] = field(default_factory=dict)
    past: list[Past] = field(default_factory=list)
    """What forgotten runs left in their targets, though the last run does not do it any more."""
    info: dict[str, tuple[int, Any]] = field(default_factory=dict)
    """What the job reports of itself: key -> (time, value); the newest wins."""
    about: dict[str, int] = field(default_factory=dict)
    """Digest of what an event stated about its datasets (links, drops, owners...) -> the newest minute of that."""
    halves: Halves = field(default_factory=dict)
    """Parts of micro-batches that runs of this owner started."""
    emitted: dict[str, list[Any]] = field(default_factory=dict)
    """Edge id -> [kind, vt, seen, flags]: what is in the graph on behalf of this book. Equal rows may be one list."""
    cache: Cache = field(default_factory=Cache, repr=False, compare=False)

    def named(self, key: str) -> frozenset[tuple[str, ...]]:
        """Namespace and name of every dataset in one set of facts."""
        names = self.cache.named.get(key)
        if names is None:
            names = self.cache.named[key] = datasets_in(self.facts[key])
        return names

    def note(self, key: str, facts: Facts, named: frozenset[tuple[str, ...]]) -> None:
        """Remember a set of facts under its digest, with the datasets in it."""
        if key not in self.facts:
            self.facts[key], self.cache.named[key] = facts, named

    def emit(self, emitted: dict[str, list[Any]]) -> None:
        """This is in the graph from now on."""
        if emitted != self.emitted:
            self.emitted, self.cache.emitted = emitted, None

    def forget(self, edge_id: str) -> None:
        """This edge stays in the graph, and is no longer looked after."""
        if self.emitted.pop(edge_id, None) is not None:
            self.cache.emitted = None

    def datasets(self) -> set[tuple[str, ...]]:
        """Namespace and name of every dataset its facts name."""
        names: set[tuple[str, ...]] = set()
        for key in self.facts:
            names |= self.named(key)
        for children in self.halves.values():
            for half in children.values():
                names |= half.datasets()
        for pair in (*self.base, *(row.pair for row in self.past)):
            if pair[0] in ("feeds", "derives", "influences"):
                names |= {(pair[1], pair[2]), (pair[4], pair[5])}
            elif pair[0] in ("reads", "writes"):
                names.add((pair[4], pair[5]))
        return names

    def digest(self, facts: Facts) -> str:
        """Remember a set of facts and give its name."""
        key = digest_of(facts)
        self.facts.setdefault(key, facts)
        return key

    def sweep(self) -> None:
        """Forget facts no run refers to."""
        used = {key for run in self.runs.values() for key in run.phases} | set(self.declared)
        for key in [key for key in self.facts if key not in used]:
            del self.facts[key]
            self.cache.facts.pop(key, None)
            self.cache.named.pop(key, None)

    def dump(self) -> bytes:
        """The book as a compressed document."""
        if self.cache.emitted is None:
            self.cache.emitted = orjson.dumps(_by_row(self.emitted))
        for key in self.facts.keys() - self.cache.facts.keys():
            self.cache.facts[key] = _facts_document(self.facts[key])
        document = {
            "owner": self.owner,
            "name": [self.namespace, self.name, self.is_job],
            "runs": [
                [
                    r.id,
                    r.first,
                    r.last,
                    r.types,
                    r.processing,
                    r.snapshot,
                    r.parent,
                    r.phases,
                    r.turns,
                    r.claimed,
                    r.firsts,
                ]
                for r in self.runs.values()
            ],
            "facts": {key: orjson.Fragment(self.cache.facts[key]) for key in self.facts},
            "declared": self.declared,
            "declared_turns": self.declared_turns,
            "base": [
                [list(p), list(m.variant), m.vf, m.seen, m.parent, m.data, m.ct, m.unfinished]
                for p, m in self.base.items()
            ],
            "past": [[list(p.pair), list(p.variant), p.how, p.vf, p.vt, p.seen, p.data] for p in self.past],
            "info": self.info,
            "about": self.about,
            "halves": halves_to_json(self.halves),
            "emitted": orjson.Fragment(self.cache.emitted),
        }
        return zlib.compress(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), 1)

    @staticmethod
    def load(data: bytes, version: int) -> Book:
        document = orjson.loads(zlib.decompress(data))
        namespace, name, is_job = document["name"]
        return Book(
            owner=document["owner"],
            namespace=namespace,
            name=name,
            is_job=is_job,
            version=version,
            runs={row[0]: _run_of(row) for row in document["runs"]},
            facts={key: _facts_of(entry, document) for key, entry in document["facts"].items()},
            declared=document["declared"],
            declared_turns=_turns_of(document.get("declared_turns", ())),
            base={tuple(p): Remembered(tuple(v), *rest) for p, v, *rest in document["base"]},
            past=[Past(tuple(p), tuple(v), *rest) for p, v, *rest in document.get("past", ())],
            info={key: (row[0], row[1]) for key, row in document["info"].items()},
            about=document["about"],
            halves=halves_of_json(document["halves"]),
            emitted=_by_id(document["emitted"]),
        )


def _by_row(emitted: Mapping[str, list[Any]]) -> list[list[Any]]:
    """Edges by what is in the graph of them, which is the same of many: [row, [id...]]."""
    ids: dict[int, list[str]] = {}
    rows: dict[int, list[Any]] = {}
    for key, row in emitted.items():
        rows[id(row)] = row
        ids.setdefault(id(row), []).append(key)
    return [[row, ids[at]] for at, row in rows.items()]


def _by_id(stored: Any) -> dict[str, list[Any]]:
    """Ledgers of earlier versions have each edge with its row."""
    return stored if isinstance(stored, dict) else {key: row for row, keys in stored for key in keys}


def _run_of(row: Sequence[Any]) -> Run:
    """Books of earlier versions have fewer columns."""
    run = Run(*row[:8])
    run.turns = _turns_of(row[8]) if len(row) > 8 else []
    run.claimed = (row[9][0], row[9][1]) if len(row) > 9 and row[9] else None
    run.firsts = row[10] if len(row) > 10 else {}
    return run


def _turns_of(rows: Iterable[Any]) -> Turns:
    return [(time, key) for time, key in rows]


def _facts_document(facts: Facts) -> bytes:
    """Facts with each text once."""
    texts: dict[str, int] = {}
    rows = [[texts.setdefault(text, len(texts)) for text in fact] for fact in sorted(facts)]
    return orjson.dumps({"texts": list(texts), "rows": rows})


def _facts_of(entry: Any, document: Mapping[str, Any]) -> Facts:
    # Books of earlier versions had one list of texts for all their facts.
    texts, rows = (entry["texts"], entry["rows"]) if isinstance(entry, dict) else (document["texts"], entry)
    return frozenset(tuple(texts[at] for at in row) for row in rows)


def digest_of(facts: Iterable[Fact]) -> str:
    """The name of a set of facts."""
    rows = sorted(facts)
    text = "\x1e".join(["\x1f".join(fact) for fact in rows]) + "\x1e" if rows else ""
    if text.count("\x1e") != len(rows) or text.count("\x1f") != sum(map(len, rows)) - len(rows):
        text = "".join([joined(fact) + "\x1e" for fact in rows])
    return blake2b(text.encode(errors="replace"), digest_size=12).hexdigest()


def joined(texts: Sequence[str]) -> str:
    """Texts as one, different for different texts; names may hold the separator too."""
    text = "\x1f".join(texts)
    if text.count("\x1f") == len(texts) - 1 and "\x1e" not in text:
        return text
    return repr(tuple(texts))


def newest(info: Mapping[str, tuple[int, Any]], key: str, time: int, value: Any) -> bool:
    """Whether (time, value) should replace what `info` has for the key: newer, or of the same time and greater as text."""
    if key not in info:
        return True
    at, old = info[key]
    if time != at:
        return time > at
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) > orjson.dumps(old, option=orjson.OPT_SORT_KEYS)
