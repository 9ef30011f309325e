"""How texts name some datasets: by reference, by name alone, in any case, as a part of a longer name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from catalog.records import DatasetOutline
from policies.matching import dataset_matches

SIGNS = re.compile(r"[./:_+-]")
_WORD = re.compile(r"[\w./:*+-]+")
_PLAIN = re.compile(r"[\w.+-]+")
_REGEX = re.compile(r"[.\[*+?{^$]")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of datasets, in small letters.

    words    references, names, and ids as brokers give them
    odd      names that are not one word, such as those with spaces: looked for anywhere in a text
    shared   names that a dataset which may be seen has, too: where a cluster is stated, that decides; else they count
    seen     how these others are written with their cluster, as they are
    parts    of the longest of `words`
    """

    words: frozenset[str] = frozenset()
    odd: tuple[str, ...] = ()
    shared: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    parts: int = 0

    @staticmethod
    def of(datasets: Iterable[DatasetOutline], others: Iterable[DatasetOutline] = ()) -> Names:
        """`others`: those that may be seen."""
        words, odd, bare = set[str](), set[str](), set[str]()
        for dataset in datasets:
            name = dataset.id.name.casefold()
            bare.add(name)
            if _PLAIN.fullmatch(name):
                words |= {each.casefold() for each in _written(dataset)} | {name}
            else:
                odd.add(name)
                words |= {each.casefold() for each in _written(dataset)} | {name}
        if not bare:
            return Names()
        shared, seen = set[str](), set[str]()
        for dataset in others:
            if dataset.id.name.casefold() in bare:
                shared.add(dataset.id.name.casefold())
                seen |= _written(dataset)
        parts = max(len(SIGNS.findall(word)) for word in words) + 1
        return Names(frozenset(words), tuple(sorted(odd)), frozenset(shared), frozenset(seen), parts)

    def are_in(self, text: str, cluster: str | None = None, regex: bool = False) -> bool:
        """Whether a text names one. `cluster`: that it is about, or its namespace; `regex`: the text is a regular expression."""
        if not self.words:
            return False
        written = text.replace("`", "")
        low = written.casefold()
        if any(each in low and not self._is_other(each, cluster) for each in self.odd):
            return True
        if low in self.words and written not in self.seen and not self._is_other(low, cluster):
            return True
        if regex and any(self._begins(each) for each in re.split(r"[|(),]", low)):
            return True
        return any(self._is_word(word, cluster) for word in dict.fromkeys(_WORD.findall(written)))

    def _is_word(self, word: str, cluster: str | None) -> bool:
        if "*" in word:
            glob = word.casefold()
            if not glob.rpartition("/")[2].strip("*"):
                return False
            return any(dataset_matches(glob, name) and not self._is_other(name, cluster) for name in self.words)
        for other in self.seen:
            if other in word:
                word = re.sub(rf"(?<!\w){re.escape(other)}(?!\w)", " ", word)
        return any(
            run in self.words and not self._is_other(run, cluster)
            for piece in word.split()
            for run in _runs(piece.casefold(), self.parts)
        )

    def _is_other(self, name: str, cluster: str | None) -> bool:
        """Whether a name is that of a dataset that may be seen, because it is in a cluster that has no hidden one."""
        return cluster is not None and name in self.shared and f"{cluster}/{name}".casefold() not in self.words

    def _begins(self, pattern: str) -> bool:
        fixed = _REGEX.split(pattern.replace("\\.", "\0"), maxsplit=1)[0].replace("\0", ".").strip("^ ")
        return bool(fixed) and any(name.startswith(fixed) for name in self.words)


def _written(dataset: DatasetOutline) -> set[str]:
    reference, id = dataset.reference, dataset.id
    return {
        reference,
        reference.replace("/", ".", 1),
        str(id),
        f"{id.namespace}/{id.name}",
        f"{id.namespace}:{id.name}",
    }


def _runs(word: str, most: int) -> Iterator[str]:
    """The word, and every run of up to `most` of its parts, with the signs between them."""
    yield word
    signs = [each.start() for each in SIGNS.finditer(word)]
    begins, ends = [0, *(at + 1 for at in signs)], [*signs, len(word)]
    for first, begin in enumerate(begins):
        for end in ends[first : first + most]:
            if begin < end:
                yield word[begin:end]
