"""What makes detection cheap must change nothing it finds: what is remembered, the common pass, gates, tables of names."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from scanners.adapters.presidio import detector as presidio_detector
from scanners.adapters.presidio.detector import PresidioAnalyzer
from scanners.detectors.core.quick_pass import QuickSet
from scanners.detectors.core.verdict_cache import VerdictCache
from scanners.detectors.engine import MAX_LENGTH, Detector, standard_patterns
from scanners.detectors.kinds import addresses as addresses_of
from scanners.detectors.kinds import people
from scanners.detectors.lists.name_words import EXACTLY
from scanners.detectors.names.fields import speaks, words
from scanners.detectors.names.words_against import AGAINST, GENERIC, PEOPLE
from scanners.detectors.names.words_for import FOR
from scanners.settings import ScannerSettings
from scanners.sketch.nodes import Node
from tests.examples import deep
from tests.pii_corpus import first, second
from tests.pii_corpus.columns import Column

REGIONS = tuple(ScannerSettings().phone_regions)

ODD = (
    "rue de² la paix",
    "José\u00a0García",
    "a\nb 12 Main St\n",
    "\ud800 12 Main Street",
    "x" * (MAX_LENGTH + 5),
    "x" * (MAX_LENGTH + 6),
    "mail%40ex.com and a.b%40example.org",
    "अनिता शर्मा",
    "a,b",
    "东京都 1 号",
    "①② Calle Mayor",
    " ",
    "10.0.0.1\n",
    "1.2.3.4 and 5.6.7.8 were seen there",
    "call +49 30 1234567 or 030/1234567 before noon",
    "",
    "4111 1111 1111 1111",
    "jane.doe@example.com",
    "ſ1234567 is it a licence",
    "\u212a1234567 is one more of these",
)


def batches(column: Column, seed: int = 1) -> list[Counter[str]]:
    """Batches that repeat texts, within and among themselves, the later ones with odd texts amid."""
    rng = random.Random(seed)
    texts = list(map(str, column.values))
    drawn = [Counter(rng.choices(texts, k=size)) for size in (400, 30, 400, 120)]
    for batch in drawn[1:]:
        batch.update({text: rng.randrange(1, 4) for text in rng.sample(ODD, 5)})
    return drawn


def state(node: Node) -> Any:
    return node.hits, node.scanned, node.traits, node.unscanned


@pytest.mark.sampled(1)
@pytest.mark.parametrize("corpus", [first, second])
def test_what_is_remembered_changes_nothing(corpus) -> None:
    plain, remembers, forgets = Detector(REGIONS, remembered=0), Detector(REGIONS), Detector(REGIONS, remembered=60)
    hits = 0
    for column in list(corpus.corpus(count=80))[:: 1 if deep() else 4]:
        nodes = [Node(), Node(), Node()]
        for batch in batches(column):
            for node, detector in zip(nodes, (plain, remembers, forgets), strict=True):
                detector(node, column.names, batch)
        assert state(nodes[0]) == state(nodes[1]) == state(nodes[2]), column.names
        hits += len(nodes[0].hits)
    assert hits > (100 if deep() else 25)


def test_batches_of_repeating_texts_say_what_one_batch_says() -> None:
    """The counters of texts that all are looked at add up, however they are cut and whatever is known from before."""
    detector = Detector(REGIONS)
    sums = ("texts", "valid_texts", "candidates", "valid", "whole", "looked", "stopped")
    for column in second.corpus(count=60):
        some = Counter(list(map(str, column.values))[:48])
        once, often = Node(), Node()
        detector(once, column.names, {text: count * 3 for text, count in some.items()})
        for _ in range(3):
            detector(often, column.names, some)
        assert once.scanned == often.scanned
        for key, counters in once.hits.items():
            assert {n: counters.get(n) for n in sums} == {n: often.hits[key].get(n) for n in sums}, (column.names, key)


def test_a_memo_is_bounded_and_holds_no_text() -> None:
    memo = VerdictCache(100)
    for start in range(0, 1000, 40):
        texts = [f"person{number}@example.com" for number in range(start, start + 40)]
        hashes = memo.hashes(texts)
        memo.add(hashes, {0: range(40)})
        assert all(outcome is not None and outcome.stops == (0,) for outcome in memo.known(hashes))
        assert len(memo._young) <= 100 and len(memo._old) <= 100
    kept = [*memo._young, *memo._old]
    assert kept and all(type(key) is int for key in kept)
    assert VerdictCache(100).hashes(["a@example.com"]) != memo.hashes(["a@example.com"]), "each has a key of its own"


@pytest.mark.parametrize("without", [False, True], ids=["hyperscan", "re"])
def test_texts_of_a_column_are_passed_over_as_each_alone(without: bool) -> None:
    quick = QuickSet([pattern.quick for pattern in standard_patterns(REGIONS)])
    if without:
        quick._database = None
    texts = [text for text in ODD if len(text) < 1000]
    for column in first.corpus(count=4):
        texts += list(map(str, column.values))
    for some in (texts, [text for text in texts if text.isascii()]):
        alone = {(number, place) for place, text in enumerate(some) for number in quick.find([text])}
        hit = quick.find(some)
        assert {(number, place) for number, where in hit.items() for place in where} == alone
        assert all(where == sorted(set(where)) for where in hit.values())
        assert hit == quick.find(some, "\n".join((*some, "")))


def plainly(entity: str, path: Sequence[str]) -> int:
    """What `speaks` does, by its rules and nothing else."""
    for_, against = FOR.get(entity, frozenset()), AGAINST.get(entity, frozenset())

    def within(phrases: frozenset[str], tokens: Sequence[str]) -> bool:
        return any("_" in phrase and f"_{phrase}_" in f"_{'_'.join(tokens)}_" for phrase in phrases)

    tokens = [words(name) for name in path]
    for place in reversed(range(len(path))):
        own = tokens[place]
        if not own:
            continue
        last = own[-2] if own[-1].isdigit() and len(own) > 1 else own[-1]
        if "_".join(own) in for_ | EXACTLY.get(entity, frozenset()) or last in for_ or within(for_, own):
            if set(own[:-1]) & against:
                return -1
            if len(own) > 1 or own[0] not in GENERIC or entity not in ("PERSON", "LOCATION"):
                return 1
            above = set(tokens[place - 1]) if place else set()
            return 1 if above & PEOPLE or not above & against else -1
        if set(own) & against or within(against, own):
            return -1
        if set(own) & for_:
            return 1
        if place < len(path) - 1:
            break
    return 0


def test_names_say_what_their_rules_say() -> None:
    rng = random.Random(3)
    phrases = [
        *FOR.values(),
        *AGAINST.values(),
        PEOPLE,
        GENERIC,
    ]
    known = [*sorted({word for each in phrases for word in each}), "", "-", "2", "other", "x"]
    entities = [*FOR, "NONE"]
    seen = Counter[int]()
    for _ in range(4000):
        path = tuple("_".join(rng.choices(known, k=rng.choice((1, 1, 2, 3)))) for _ in range(rng.randrange(6)))
        for entity in rng.sample(entities, 6):
            assert speaks(entity, path) == plainly(entity, path), (entity, path)
            seen[speaks(entity, path)] += 1
    assert min(seen[-1], seen[0], seen[1]) > 200


def test_no_person_and_no_address_is_missed_by_a_glance_at_the_column() -> None:
    columns = [list(map(str, column.values))[:30] for column in [*first.corpus(count=30), *second.corpus(count=30)]]
    columns += [[text] for text in ODD if text]
    counter = Counter[str]()
    for texts in columns:
        few = Counter(texts)
        count = sum(few.values())
        together = "\0".join(few)
        persons = people._persons(few, False)["full"] * 2 >= count
        addresses = addresses_of.counters(few, False)["texts"] * 3 >= count
        assert people._mostly_persons(few, together) == persons
        assert addresses_of.often(few, together) == addresses
        counter.update(persons=persons, addresses=addresses)
    assert counter["persons"] > 3 and counter["addresses"] > 3


def test_free_text_that_is_not_read_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = PresidioAnalyzer()
    monkeypatch.setattr(presidio_detector, "_sieve", lambda _: presidio_detector._all)
    reads_all = PresidioAnalyzer()
    for texts in ([t for t in ODD if t and len(t) < 1000], *_free_texts()):
        assert quick.prose(texts, ("note",)) == reads_all.prose(texts, ("note",))
    assert (
        len(quick._worth_reading(["nothing of that kind is in here", "passport 512345678 was shown at the desk"])) == 1
    )


def _free_texts() -> list[list[str]]:
    columns = [c for c in [*first.corpus(count=12), *second.corpus(count=12)] if c.kind == "free text"]
    return [list(map(str, column.values)) for column in columns]
