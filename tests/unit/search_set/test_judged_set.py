"""The judged set of search is whole, and its figures are what they are called."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.search_set import catalogs, generated
from tests.search_set.bm25 import NamesOnly, words
from tests.search_set.judged import KINDS, Catalog, Query, load
from tests.search_set.measure import means, score
from tests.search_set.planned import Field, Planned

A, B, C = ("a", None), ("b", None), ("c", "value.x")


def test_the_best_order_scores_one_and_worse_ones_less() -> None:
    grades = {A: 3, B: 2, C: 1}
    assert score([A, B, C], grades).ndcg == 1
    # (3 + 7 / log2(3) + 1 / 2) / (7 + 3 / log2(3) + 1 / 2)
    assert score([B, A, C], grades).ndcg == pytest.approx(0.8428, abs=1e-4)
    assert score([C, A], grades).rr == 0.5
    assert score([C], grades).missed and score([], grades).ndcg == 0


def test_a_place_counts_once_and_only_among_the_first_ten() -> None:
    assert score([A, A], {A: 3, B: 3}).ndcg == score([A], {A: 3, B: 3}).ndcg
    assert score([("x", str(n)) for n in range(10)] + [A], {A: 3}).missed


def test_means_are_by_kind_and_half() -> None:
    queries = [Query("x", "plain", "tune", "demo", {A: 3}), Query("y", "exact", "test", "demo", {B: 3})]
    given = [score([A], queries[0].grades), score([A], queries[1].grades)]
    assert {kind: mean.ndcg for kind, mean in means(queries, given).items()} == {"exact": 0, "plain": 1, "all": 0.5}
    assert list(means(queries, given, "tune")) == ["plain", "all"]


def test_the_baseline_ranks_rare_words_and_short_names_first() -> None:
    assert words("customer.giftEMail_2 DWH_ORD") == ["customer", "gift", "e", "mail", "2", "dwh", "ord"]
    datasets = [Planned("orders", (Field("value.email"), Field("value.customer.email"))), Planned("mails", ())]
    names = NamesOnly(datasets)
    assert names.search("customer email")[0] == ("orders", "value.customer.email")
    assert names.search("email")[0] == ("orders", "value.email")
    assert names.search("zebra") == []


def test_every_kind_is_halved_and_the_set_is_large_enough() -> None:
    queries = [*catalogs.first(Path("/nowhere")).queries, *catalogs.second().queries]
    assert len(queries) >= 240
    halves = Counter((query.kind, query.half) for query in queries)
    assert {kind for kind, _ in halves} == set(KINDS)
    assert all(0 <= halves[kind, "tune"] - halves[kind, "test"] <= 2 and halves[kind, "test"] >= 9 for kind in KINDS)
    assert len({query.q for query in queries}) == len(queries)


def test_paraphrased_questions_are_none_of_the_judged_ones_and_of_no_half() -> None:
    judged = catalogs.second()
    asked = catalogs.paraphrased(judged)
    assert len(asked) >= 80 and {query.half for query in asked} == {""}
    assert {query.q for query in asked}.isdisjoint(query.q for query in judged.queries)
    assert catalogs.paraphrased(catalogs.first(Path("/nowhere"))) == []


def test_the_first_datasets_are_the_same_whatever_the_size() -> None:
    small, large = list(generated.datasets(300)), list(generated.datasets(400))
    assert large[:300] == small
    assert len({one.name for one in large}) == 400
    assert {len(one.fields) for one in large} == {generated.FIELDS}
    kinds = {(query.q, query.kind, query.half) for query in load("generated", Catalog(small))}
    assert kinds == {(query.q, query.kind, query.half) for query in load("generated", Catalog(large))}
