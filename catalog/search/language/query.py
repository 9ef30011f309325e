"""What people type into the search box -> filters and needles. Pure; every text is understood somehow."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from catalog.search.language.vocabulary import BROADER, CONCEPT, STEM, Phrase, Vocabulary, stem
from catalog.search_model import FILTERS, Needle, Way
from catalog.tokens import spelled, split

_PART = re.compile(r'(?:(?<!\S)([A-Za-z]+):(?:"([^"]*)(?:"|$)|(\S*)))|"([^"]*)"|(\S+)')
_MOST_NEEDLES = 12  # of a longer text only the beginning is searched for
_MOST_WORDS = 16
_JOINED, _STEMMED, _PARTS, _MEANT, _KIND_OF = 0.95, 0.9, 0.85, 0.8, 0.5
_LONGEST_JOINED = 64
_OF_CONTENT = 100  # what a word is worth in a phrase; a filler: 1
_WHO = frozenset({"who", "whom", "whose", "person", "people"})


@dataclass(frozen=True, slots=True)
class Question:
    """A query as it is understood.

    text      the words that say what is sought, without filters and fillers
    needles   what is sought; filters: those that were typed, `owner:otto`
    spelled   the whole as a name, None for an empty one
    fillers   words without meaning for what is sought, which were left out
    hints     concepts of what would answer it (`when`: a time)
    agents    nouns for the doer of its verb (`who pushed`: pusher)
    likely    concepts that it may mean as a whole, with their likeness
    typed     the whole as it was typed, without filters
    wide      0..1, how much it asks for datasets rather than for fields
    """

    needles: tuple[Needle, ...]
    spelled: str | None
    filters: dict[str, tuple[str, ...]]
    fillers: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    wide: float = 0.0
    agents: frozenset[str] = frozenset()
    likely: tuple[tuple[str, float], ...] = ()
    typed: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What was typed, without fillers."""
        return tuple(word for needle in self.needles for word in needle.words)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    words: tuple[str, ...]
    quoted: bool


def parse(text: str, vocabulary: Vocabulary, known: Container[str] = frozenset()) -> Question:
    """Words in quotes must be side by side. `customer.email`, `customerEmail` and `e-mail` are one needle each, whose
    words may also be apart or be written as one. Words that mean something together (`zip code`) are one needle.

    known: words that documents hold, and which are therefore not misspelled.
    """
    tokens, filters, rest = _tokens(text.strip())
    name = spelled(" ".join(rest).strip('"')) or None
    if not tokens:
        return Question((), name, filters)
    phrases = _phrases(tokens, vocabulary)
    needles: list[Needle] = []
    fillers: list[str] = []
    agents: set[str] = set()
    asks_who = any(word in _WHO for token in tokens if not token.quoted for word in token.words)
    at = 0
    while at < len(tokens):
        last, concepts = phrases.get(at, (at, ()))
        inside = tokens[at : last + 1]
        at = last + 1
        if not concepts and not inside[0].quoted and vocabulary.fillers.issuperset(inside[0].words):
            fillers += [each.text for each in inside]
            continue
        doers = _agents(inside, vocabulary, known) if asks_who else ()
        agents.update(doers)
        needle = _needle(inside, concepts, vocabulary, known, doers)
        content = [token for token in inside if not vocabulary.fillers.issuperset(token.words)]
        if len(content) > 1:
            parts = (_needle([token], (), vocabulary, known) for token in content)
            needle = replace(needle, parts=tuple(parts))
        needles.append(needle)
    if not needles:  # a question of fillers alone asks for them
        needles = [_needle([token], (), vocabulary, known) for token in tokens]
        fillers = []
    words = [word for token in tokens if not token.quoted for word in token.words]
    return Question(
        needles=tuple(_distinct(needles)[:_MOST_NEEDLES]),
        spelled=name,
        filters=filters,
        fillers=tuple(fillers),
        hints=_hints(words, vocabulary),
        wide=_wide(tokens, needles, vocabulary),
        agents=frozenset(agents),
        typed=" ".join(rest),
    )


def _hints(words: list[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    hints = (vocabulary.hints.get(tuple(words[at : at + length]), ()) for at in range(len(words)) for length in (1, 2))
    return tuple(dict.fromkeys(concept for concepts in hints for concept in concepts))


def _wide(tokens: list[_Token], needles: list[Needle], vocabulary: Vocabulary) -> float:
    """A plural or a word such as `logs` at the end asks for datasets; so does `data` among words that say nothing."""
    words = [token.words[-1] for token in tokens if not token.quoted]
    if not words or any(len(token.words) > 1 for token in tokens):
        return 0.0
    if words[-1] in vocabulary.collections or vocabulary.collections & set(words):
        return 1.0
    last = needles[-1].words[-1] if needles and needles[-1].words else ""
    plural = len(last) > 4 and last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return 0.7 if plural and not all(_personal(needle, vocabulary) for needle in needles) else 0.0


def _personal(needle: Needle, vocabulary: Vocabulary) -> bool:
    """Whether it names a kind of personal data: `passport numbers` are fields, and no dataset of that name is meant."""
    meant = {word.removeprefix(CONCEPT) for way in needle.ways for word in way.words if word.startswith(CONCEPT)}
    return not meant.isdisjoint(vocabulary.personal)


def _distinct(needles: Iterable[Needle]) -> list[Needle]:
    return list({needle.ways: needle for needle in needles}.values())


def _tokens(text: str) -> tuple[list[_Token], dict[str, tuple[str, ...]], list[str]]:
    """Tokens, the filters among them, and the text without the filters."""
    tokens: list[_Token] = []
    filters: dict[str, tuple[str, ...]] = {}
    rest: list[str] = []
    for match in _PART.finditer(text):
        key, quoted_value, value, phrase, token = match.groups()
        name = (key or "").lower()
        if name in FILTERS:
            # `owner:` alone is a filter whose value is not typed yet.
            if wanted := quoted_value or value:
                filters[name] = (*filters.get(name, ()), wanted)
            continue
        if key is not None:
            token = match.group()
        rest.append(match.group())
        words = tuple(split(phrase or token or "")[:_MOST_WORDS])
        if words and len(tokens) < 4 * _MOST_NEEDLES:
            tokens.append(_Token(phrase or token, words, phrase is not None))
    return tokens, filters, rest


def _phrases(tokens: list[_Token], vocabulary: Vocabulary) -> dict[int, tuple[int, tuple[str, ...]]]:
    """Token -> (last token, concepts) of what means something; phrases do not begin or end inside a token."""
    words: list[str] = []
    token_of: list[int] = []
    for number, token in enumerate(tokens):
        for word in token.words if not token.quoted else ('"',):
            for part in vocabulary.parts(word):
                words.append(part)
                token_of.append(number)
    content = [at for at, word in enumerate(words) if word not in vocabulary.fillers]
    found = [
        phrase
        for phrase in vocabulary.every(words)
        if _whole(phrase, token_of) and (phrase.end - phrase.start > 1 or words[phrase.start] not in vocabulary.fillers)
    ]
    fewer = [token_of[at] for at in content]
    # `money is on the account` is `money on the account`, too.
    for phrase in vocabulary.every([words[at] for at in content]):
        start, end = content[phrase.start], content[phrase.end - 1] + 1
        if end - start > phrase.end - phrase.start > 1 and _whole(phrase, fewer):
            found.append(Phrase(start, end, phrase.concepts))
    before = [0, *accumulate(word not in vocabulary.fillers for word in words)]
    return {
        token_of[phrase.start]: (token_of[phrase.end - 1], phrase.concepts) for phrase in _side_by_side(found, before)
    }


def _side_by_side(found: Iterable[Phrase], content: Sequence[int]) -> list[Phrase]:
    """Those phrases, of which none overlap, that make the most of the question together: one of two words more than two of
    one, the longer of two that end alike. content: how many words before each are not fillers."""
    ending: dict[int, list[Phrase]] = defaultdict(list)
    for phrase in found:
        ending[phrase.end].append(phrase)
    best: list[tuple[int, list[Phrase]]] = [(0, [])]
    for end in range(1, len(content)):
        chosen = best[end - 1]
        for phrase in reversed(ending[end]):
            before, listed = best[phrase.start]
            worth = before + _OF_CONTENT * (content[end] - content[phrase.start]) ** 2 + end - phrase.start
            if worth > chosen[0]:
                chosen = worth, [*listed, phrase]
        best.append(chosen)
    return best[-1][1]


def _whole(phrase: Phrase, token_of: list[int]) -> bool:
    begins = phrase.start == 0 or token_of[phrase.start - 1] != token_of[phrase.start]
    ends = phrase.end == len(token_of) or token_of[phrase.end] != token_of[phrase.end - 1]
    return begins and ends


def _agents(tokens: list[_Token], vocabulary: Vocabulary, known: Container[str]) -> tuple[str, ...]:
    """`pushed` -> pusher: nouns for who does it, of those that documents hold."""
    words = [word for token in tokens for word in token.words if word not in _WHO and word not in vocabulary.fillers]
    if len(words) != 1 or tokens[0].quoted:
        return ()
    (word,) = words
    bases = dict.fromkeys((word, stem(word), *(word.removesuffix(end) for end in ("s", "d", "ed", "es"))))
    nouns = (base + end for base in bases if len(base) > 2 for end in ("er", "or", "r", "ee"))
    return tuple(noun for noun in dict.fromkeys(nouns) if noun in known)


def _needle(
    tokens: list[_Token],
    concepts: tuple[str, ...],
    vocabulary: Vocabulary,
    known: Container[str],
    agents: tuple[str, ...] = (),
) -> Needle:
    text = " ".join(token.text for token in tokens)
    words = tuple(word for token in tokens for word in token.words)
    if tokens[0].quoted:
        return Needle(text, (Way(words),), phrase=len(words) > 1)
    content = tuple(w for w in words if w not in vocabulary.fillers) or words
    right = frozenset(word for word in (*content, *words) if word in known or word in vocabulary.lexicon)
    ways = [Way(content, loose=True, known=right)]
    if len(words) > 1 and len("".join(words)) <= _LONGEST_JOINED:
        ways.append(Way(("".join(words),), _JOINED))
    if len(words) == 1:
        root = stem(words[0])
        if root != words[0]:
            ways.append(Way((root,), _STEMMED))
        ways.append(Way((STEM + root,), _STEMMED))
    elif (roots := tuple(_rooted(word) for word in content)) != content:
        ways.append(Way(roots, _STEMMED))
    ways += [Way((agent,)) for agent in agents]
    parts = tuple(part for word in words for part in vocabulary.parts(word))
    if parts != words:
        ways.append(Way(parts, _PARTS, loose=True, known=right | frozenset(parts)))
    if len(parts) > 1 and not concepts:
        meant = tuple(_concept(part, vocabulary) for part in parts)
        if meant != parts:
            ways.append(Way(meant, _MEANT))
    for concept in concepts:
        if concept in vocabulary.spoken:
            ways += [Way(other, _MEANT) for other in vocabulary.spoken[concept] if other != words]
        else:
            ways += [Way((CONCEPT + concept,), _MEANT), Way((BROADER + concept,), _KIND_OF)]
    return Needle(text, tuple(ways))


def _rooted(word: str) -> str:
    """The stem's mark, or the word itself where it is one."""
    root = stem(word)
    return word if root == word else STEM + root


def _concept(word: str, vocabulary: Vocabulary) -> str:
    """The concept that a word names alone, else the word."""
    phrases = vocabulary.find([word])
    return CONCEPT + phrases[0].concepts[0] if phrases and phrases[0].concepts[0] not in vocabulary.spoken else word
