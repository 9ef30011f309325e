"""Columns of scalars of one path: counted into the node, shown to who counts shapes and to the detectors. In Spark's workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from scanners.columns import scalars
from scanners.columns.distinct_values import Integers, Texts
from scanners.containers.text_forms import embedded_text
from scanners.decode import json_text
from scanners.sketch.nodes import Node

Detect = Callable[[Node, tuple[str, ...], Mapping[str, int]], None]
"""(node, names on its path, text -> how often)"""

Listed = Callable[[], tuple[Sequence[str], Sequence[int]]]
"""Texts one by one, with their records; seldom asked for."""

Embed = Callable[[Node, Sequence[Any], Sequence[int], tuple[str, ...], int], bool]
"""(node of the texts, documents in them, their records, names, depth): profiles them; False when they are too deep."""


class TextObserver(Protocol):
    """Who is shown the texts of columns, with their records and how often each is there."""

    def wants(self, node: Node) -> bool:
        """Whether the texts of this node are of any interest, so that they have to be listed."""
        ...

    def __call__(self, node: Node, counts: Mapping[str, int], listed: Listed, /) -> None: ...


class ScalarColumns:
    """Takes in columns of one kind each; `observer` is shown texts and truth values before anything else is done."""

    def __init__(self, salt: str, detect: Detect | None, embed: Embed) -> None:
        self.observer: TextObserver | None = None
        self._distinct = scalars.Distinct(salt)
        self._detect = detect
        self._embed = embed

    def booleans(self, node: Node, true: int, false: int, listed: Listed) -> None:
        """Take in truth values, so many of each, which are listed as the texts `true` and `false`."""
        if self.observer is not None and self.observer.wants(node):
            self.observer(node, {text: often for text, often in (("true", true), ("false", false)) if often}, listed)

    def floats(self, node: Node, numbers: Any, telling: scalars.Telling = scalars.every) -> None:
        """Take in a numpy array of doubles; `telling` selects those that the distinct estimate has to be fed."""
        scalars.floats(node, numbers, self._distinct, telling)

    def integers(self, node: Node, names: tuple[str, ...], column: Integers) -> None:
        """Take in integers."""
        largest = scalars.integers(node, column, self._distinct)
        if largest >= scalars.NUMBERS_LOOKED_AT and self._detect is not None:
            self._look(node, names, {str(v): n for v, n in column.counts().items() if v >= scalars.NUMBERS_LOOKED_AT})

    def texts(self, node: Node, names: tuple[str, ...], depth: int, column: Texts, listed: Listed) -> None:
        """Take in texts."""
        if self.observer is not None and self.observer.wants(node):
            self.observer(node, column.counts(), listed)
        forms = scalars.texts(node, column, self._distinct)
        if forms.get("json") or forms.get("base64"):
            self._look(node, names, self._embedded(node, names, depth, column.counts(), listed))
        elif self._detect is not None:
            self._look(node, names, column.counts())

    def others(self, node: Node, names: tuple[str, ...], kind: type, values: Sequence[Any]) -> None:
        """Take in scalars of any other kind."""
        self._look(node, names, scalars.others(node, kind, values, self._distinct))

    def _look(self, node: Node, names: tuple[str, ...], counts: Mapping[str, int] | None) -> None:
        if counts and self._detect is not None:
            self._detect(node, names, counts)

    def _embedded(
        self, node: Node, names: tuple[str, ...], depth: int, counts: Mapping[str, int], listed: Listed
    ) -> Counter[str]:
        """JSON in texts is profiled below them; what base64 hides is shown to the detectors. Returns what they read."""
        readable: Counter[str] = Counter()
        documents: dict[str, object] = {}
        for text, count in counts.items():
            plain = embedded_text(text)
            if plain is None:
                readable[text] += count
                continue
            if plain is not text:
                node.traits["base64"] = node.traits.get("base64", 0) + count
            document, _ = (
                json_text.loads(plain.encode("utf-8", "replace")) if plain.lstrip()[:1] in ("{", "[") else (None, None)
            )
            if isinstance(document, (dict, list)):
                documents[text] = document
            readable[plain] += count
        if documents:
            inside = [(documents[text], row) for text, row in zip(*listed(), strict=True) if text in documents]
            if self._embed(node, [inner for inner, _ in inside], [row for _, row in inside], names, depth):
                node.traits["json"] = node.traits.get("json", 0) + sum(counts[text] for text in documents)
        return readable
