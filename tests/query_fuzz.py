"""Random SQL over the tables of `query_world`: mostly valid, some of it failing, all of it looking at what is masked."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
TEXTS = [
    "order_id", "customer.name", "customer.email", "customer.phone", "customer.born", "ip", "region", "_key",
    "attributes['color']", "attributes['contact']", "_headers['actor']", "_headers['trace']", "get(items, 0).gift_email",
    "map_keys(contacts)[0]", "get(items, 1).sku",
]  # fmt: skip
NUMBERS = ["amount", "card", "salary", "size(items)", "map_values(contacts)[0]", "length(customer.name)", "_offset"]
PEOPLE_TEXTS, PEOPLE_NUMBERS = ["id", "email", "city"], ["level"]
HIDDEN = ["note", "secret.pin", "secret", "_value", "weir_value", "nosuch"]
WORDS = ["anna1@example1.eu", "xxxx@example1.eu", "%anna%", "Anna K", "Xxxx X", "bert", "k1", "xn", "US", "EU", "0171 555",
         "red", "o1", "12", "not a number", "10.1.2.0", "1961-01-01", "x", ""]  # fmt: skip
COUNTS = ["0", "1", "2", "5", "6", "12", "4111111111111112", "91234.5", "5500000000000004", "-1", "1000"]


@dataclass
class Queries:
    """A stream of queries from a seed."""

    seed: int
    dice: random.Random = field(init=False)
    texts: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)

    def take(self, count: int) -> list[str]:
        return [self.query(2) for _ in range(count)]

    # --- queries ---------------------------------------------------------------------------------------------------

    def query(self, depth: int) -> str:
        form = self.dice.random()
        if depth and form < 0.06:
            return f"WITH t AS ({self.plain(('a', 'b'))}) SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY 1, 2"
        if depth and form < 0.12:
            word = self.one(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
            return f"{self.plain(('a', 'b'))} {word} {self.plain(('a', 'b'))}"
        if depth and form < 0.18:
            test = self.one(["a IS NOT NULL", "b > a", "b <> a", "length(b) > 3"])
            return f"SELECT a, {self.one(['b', 'upper(b)', 'length(b)'])} FROM ({self.plain(('a', 'b'))}) AS s WHERE {test}"
        if form < 0.3:
            return self.grouped()
        if form < 0.4:
            return self.windowed()
        if form < 0.46:
            self.scope("orders")
            outer = self.one(["", "OUTER "])
            items = f"{self.text(1)}, i.sku, i.gift_email"
            return f"SELECT {items} FROM orders LATERAL VIEW {outer}explode(items) t AS i WHERE {self.test(1)}"
        if form < 0.52:
            self.scope("orders")
            of = self.one(["attributes", "contacts", "_headers"])
            return (
                f"SELECT k, v, {self.number(1)} FROM orders LATERAL VIEW explode({of}) t AS k, v WHERE {self.test(1)}"
            )
        return self.plain(None)

    def scope(self, *tables: str) -> None:
        self.texts = [t for name, of in (("orders", TEXTS), ("people", PEOPLE_TEXTS)) if name in tables for t in of]
        self.numbers = [
            t for name, of in (("orders", NUMBERS), ("people", PEOPLE_NUMBERS)) if name in tables for t in of
        ]

    def source(self) -> str:
        form = self.dice.random()
        if form < 0.6:
            self.scope("orders")
            return "orders"
        if form < 0.7:
            self.scope("people")
            return "people"
        self.scope("orders", "people")
        join = self.one(["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN", "CROSS JOIN"])
        people = "(SELECT id, email, city, level FROM people)"
        if join == "CROSS JOIN":
            return f"orders CROSS JOIN {people} p"
        on = self.one(
            ["order_id = id", "customer.email = email", "order_id = id AND " + self.test(1), "length(ip) = level"]
        )
        return f"orders {join} {people} p ON {on}"

    def plain(self, names: Sequence[str] | None) -> str:
        source = self.source()
        if names is None:
            items = [self.any(2) for _ in range(self.dice.randint(1, 4))]
            if self.chance(0.05):
                items = (
                    [self.one(["*", "customer.*", "struct(*)", "to_json(struct(*))"])] if source == "orders" else ["*"]
                )
        else:
            items = [f"{self.text(2)} AS {name}" for name in names]
        sql = f"SELECT {'DISTINCT ' if self.chance(0.1) else ''}{', '.join(items)} FROM {source}"
        if self.chance(0.6):
            sql += f" WHERE {self.test(2)}"
        if names is None and "DISTINCT" not in sql and self.chance(0.3):
            sql += f" ORDER BY {self.any(1)}"
            if self.chance(0.4):
                sql += f" LIMIT {self.dice.randint(1, 9)}"
        return sql

    def grouped(self) -> str:
        source = self.source()
        keys = [self.any(1) for _ in range(self.dice.randint(1, 2))]
        aggregates = [self.aggregate() for _ in range(self.dice.randint(1, 3))]
        sql = f"SELECT {', '.join([*keys, *aggregates])} FROM {source}"
        if self.chance(0.4):
            sql += f" WHERE {self.test(2)}"
        sql += f" GROUP BY {', '.join(keys)}"
        if self.chance(0.3):
            sql += f" HAVING {self.aggregate()} IS NOT NULL"
        return sql

    def windowed(self) -> str:
        source = self.source()
        over = f"OVER ({'PARTITION BY ' + self.text(1) + ' ' if self.chance(0.5) else ''}ORDER BY {self.any(1)})"
        call = self.of([
            "row_number()", "rank()", "dense_rank()", "ntile(3)", f"lag({self.text(1)})", f"lead({self.number(1)})",
            f"count({self.any(1)})", f"max({self.any(1)})", f"sum({self.number(1)})", f"first_value({self.text(1)})",
        ])  # fmt: skip
        sql = f"SELECT {self.any(1)}, {call} {over} AS w FROM {source}"
        if self.chance(0.3):
            sql += f" WHERE {self.test(1)}"
        return sql + (" QUALIFY w IS NOT NULL" if self.chance(0.1) else "")

    # --- expressions -----------------------------------------------------------------------------------------------

    def any(self, depth: int) -> str:
        return self.one([self.text, self.number, self.text, self.test])(depth)

    def text(self, depth: int) -> str:
        if depth == 0 or self.chance(0.35):
            if self.chance(0.004):
                return self.one(HIDDEN)
            return self.one(self.texts) if self.chance(0.85) else f"'{self.one(WORDS)}'"
        a: Callable[[], str] = lambda: self.text(depth - 1)  # noqa: E731
        n: Callable[[], str] = lambda: self.number(depth - 1)  # noqa: E731
        return self.of([
            f"upper({a()})", f"substring({a()}, {self.dice.randint(1, 5)}, 3)", f"concat({a()}, '-', {a()})",
            f"coalesce({a()}, {a()})", f"CASE WHEN {self.test(depth - 1)} THEN {a()} ELSE {a()} END",
            f"CAST({n()} AS STRING)", f"md5({a()})", f"reverse({a()})", f"replace({a()}, 'x', 'y')",
            f"split({a()}, '@')[0]", f"regexp_replace({a()}, '[a-z]+', '#')", f"nullif({a()}, {a()})",
            f"if({self.test(depth - 1)}, {a()}, NULL)", f"array_join(transform(items, i -> i.gift_email || {a()}), ',')",
            f"to_json(struct({a()} AS x, {n()} AS y))", f"try_element_at(split({a()}, '[.@ ]'), 2)", f"greatest({a()}, {a()})",
            f"(SELECT max(email) FROM people WHERE city < {a()})" if depth > 1 and "id" not in self.texts else f"lower({a()})",
        ])  # fmt: skip

    def number(self, depth: int) -> str:
        if depth == 0 or self.chance(0.35):
            return self.one(self.numbers) if self.chance(0.8) else self.one(COUNTS)
        n: Callable[[], str] = lambda: self.number(depth - 1)  # noqa: E731
        t: Callable[[], str] = lambda: self.text(depth - 1)  # noqa: E731
        if self.chance(0.04):
            return self.of([f"1 / ({n()} - {self.one(COUNTS)})", f"CAST({t()} AS INT)", f"{n()} % {n()}",
                            f"array(1, 2, 3)[CAST({n()} AS INT)]"])  # fmt: skip
        return self.of([
            f"length({t()})", f"try_add({n()}, {n()})", f"try_divide({n()}, {n()})", f"abs({n()})", f"hash({t()}, {n()})",
            f"coalesce({n()}, {n()})", f"try_cast({t()} AS INT)", f"CASE WHEN {self.test(depth - 1)} THEN {n()} ELSE {n()} END",
            f"levenshtein({t()}, {t()})", f"crc32({t()})", f"instr({t()}, 'a')", f"round({n()}, 1)", f"sign({n()})",
            f"try_multiply({n()}, {n()})", "aggregate(items, 0, (a, i) -> a + i.qty)" if "ip" in self.texts else f"ascii({t()})",
            f"least({n()}, {n()})",
        ])  # fmt: skip

    def test(self, depth: int) -> str:
        t: Callable[[], str] = lambda: self.text(max(0, depth - 1))  # noqa: E731
        n: Callable[[], str] = lambda: self.number(max(0, depth - 1))  # noqa: E731
        word = f"'{self.one(WORDS)}'"
        if depth > 0 and self.chance(0.3):
            return f"({self.test(depth - 1)} {self.one(['AND', 'OR'])} {self.one(['', 'NOT '])}{self.test(depth - 1)})"
        orders = "ip" in self.texts
        return self.of([
            f"{t()} = {word}", f"{t()} LIKE {word}", f"{t()} < {t()}", f"{n()} > {n()}", f"{n()} = {self.one(COUNTS)}",
            f"{t()} IS NULL", f"{n()} IS NOT NULL", f"{t()} IN ({word}, '{self.one(WORDS)}')", f"{n()} BETWEEN {n()} AND {n()}",
            f"{t()} RLIKE '^[a-m]'", f"contains({t()}, {word})", f"{n()} <=> {n()}",
            "vip" if orders else f"{n()} > 3", f"exists(items, i -> i.gift_email = {t()})" if orders else f"{t()} > 'c'",
            f"map_contains_key(contacts, {t()})" if orders else f"{n()} < 5",
            f"{t()} IN (SELECT email FROM people)" if orders and "id" not in self.texts and depth > 0 else f"{t()} >= {word}",
        ])  # fmt: skip

    def aggregate(self) -> str:
        return self.of([
            "count(*)", f"count(DISTINCT {self.any(1)})", f"max({self.any(1)})", f"min({self.text(1)})", f"sum({self.number(1)})",
            f"avg({self.number(1)})", f"count_if({self.test(1)})", f"max_by({self.text(1)}, {self.number(1)})",
            f"sort_array(collect_set({self.text(1)}))", f"approx_count_distinct({self.any(1)})", f"bool_or({self.test(1)})",
            f"count(*) FILTER (WHERE {self.test(1)})",
        ])  # fmt: skip

    # --- dice ------------------------------------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.dice.random() < p

    def one(self, of: Sequence[T]) -> T:
        return self.dice.choice(of)

    of = one
