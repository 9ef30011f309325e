"""What a change of search is worth for words that nobody has listed: the tune half of the judged set, and what is hidden of it.

    weir test --bench search_hidden

Asks each question of the tune half five times: with the whole vocabulary, twice with half of its concepts hidden from
questions, and twice with half of its phrases; documents keep theirs. Besides, it asks the paraphrased questions of
tests/search_set, which nothing was tuned by when they were written. Prints nDCG@10 by kind. The test half is not asked.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from api.features.search.answers import SearchAnswer
from benchmarks._search_world import opened
from benchmarks._servers import servers
from catalog.adapters.word_vectors import WordVectors
from catalog.search import nearby, words
from catalog.search.language.vocabulary import Vocabulary, builtin
from catalog.search.service import Search
from tests.search_set import catalogs
from tests.search_set.catalogs import Judged, places
from tests.search_set.judged import KINDS, Query
from tests.search_set.measure import DEPTH, score

SOFT = ("dataset", "entity", "intent", "plain", "synonym")
"""Kinds whose questions need the vocabulary."""

PARAPHRASED = "paraphrased"

Asked = dict[str, dict[str, list[float]]]
"""Draw -> kind -> nDCG@10 of each question."""


def without_concepts(vocabulary: Vocabulary, seed: int) -> Vocabulary:
    """Half of the concepts are named by no phrase."""
    names = sorted({concept for listed in vocabulary.phrases.values() for concept in listed})
    gone = set(random.Random(seed).sample(names, len(names) // 2))
    left = {phrase: tuple(c for c in listed if c not in gone) for phrase, listed in vocabulary.phrases.items()}
    return replace(vocabulary, phrases={phrase: listed for phrase, listed in left.items() if listed})


def without_phrases(vocabulary: Vocabulary, seed: int) -> Vocabulary:
    """Each phrase is there with a chance of one half."""
    drawn = random.Random(seed)
    return replace(vocabulary, phrases={p: c for p, c in sorted(vocabulary.phrases.items()) if drawn.random() < 0.5})


def draws(vocabulary: Vocabulary) -> Mapping[str, Vocabulary]:
    return {
        "whole": vocabulary,
        **{f"concepts {seed}": without_concepts(vocabulary, seed) for seed in (1, 2)},
        **{f"phrases {seed}": without_phrases(vocabulary, seed) for seed in (1, 2)},
    }


def understanding(search: Search, vocabulary: Vocabulary) -> Search:
    """The same search, which reads questions by this vocabulary."""
    with patch.object(words, "builtin", lambda: vocabulary), patch.object(nearby, "builtin", lambda: vocabulary):
        other = Search(search._store, search._index, search._clusters, WordVectors())
        other.warm()
    return other


def main() -> int:
    console = Console(width=150)
    if sys.argv[1:]:
        console.print(__doc__, markup=False)
        return 2
    asked: Asked = defaultdict(lambda: defaultdict(list))
    with servers(["elasticsearch"]) as addresses:
        for judged in (catalogs.first(), catalogs.second()):
            if judged.skipped:
                console.print(f"[yellow]{judged.skipped}[/]")
            with opened(judged.write, addresses.elasticsearch, direct=True) as door:
                for draw, vocabulary in draws(builtin()).items():
                    _ask(understanding(door.search, vocabulary), _questions(judged, draw), asked[draw])
    console.print(_table(asked))
    return 0


def _questions(judged: Judged, draw: str) -> Sequence[tuple[str, Query]]:
    """(kind, question): with something hidden only of kinds that need the vocabulary."""
    tune = [(q.kind, q) for q in judged.queries if q.half == "tune" and (draw == "whole" or q.kind in SOFT)]
    return [*tune, *((PARAPHRASED, q) for q in catalogs.paraphrased(judged))]


def _ask(search: Search, questions: Sequence[tuple[str, Query]], into: dict[str, list[float]]) -> None:
    for kind, query in questions:
        answer = SearchAnswer.of(search.search(query.q, limit=DEPTH)).model_dump(mode="json", exclude_unset=True)
        into[kind].append(score(places(answer), query.grades).ndcg)


def _table(asked: Asked) -> Table:
    """Both draws of a kind in one row."""
    table = Table("", "all", *KINDS, PARAPHRASED, title="nDCG@10 of the tune half", title_justify="left", box=None)
    for name in ("whole", "concepts", "phrases"):
        drawn = [kinds for draw, kinds in asked.items() if draw.split()[0] == name]
        means = {kind: [v for kinds in drawn for v in kinds.get(kind, ())] for kind in (*KINDS, PARAPHRASED)}
        everything = [v for kind in KINDS for v in means[kind]]
        cells = (everything, *means.values())
        heading = name if name == "whole" else f"half of the {name} hidden"
        table.add_row(heading, *(f"{fmean(each):.3f}" if each else "" for each in cells))
    return table


if __name__ == "__main__":
    sys.exit(main())
