"""Columns read off SQL: what is known, and what is reported as unknown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.sql.columns import columns_from_sql
from lineage.sql.model import Columns
from tests.effort import least_effort

KNOWN: dict[str, Columns] = {
    "orders": {"id": None, "customer": {"email": None, "name": None}, "items": {"[]": {"sku": None, "qty": None}},
               "amount": None, "ts": None},
    "users": {"id": None, "email": None},
    "sink": {"a": None, "b": None},
    "t": {"id": None, "a": None, "b": None},
    "s": {"id": None, "a": None, "b": None, "x": None},
    "s1.people": {"id": None, "email": None},
    "s2.people": {"id": None, "email": None},
    "ja": {"x": None, "k": None},
    "jb": {"k": None, "y": None},
    "kxy": {"c1": None, "c2": None, "c3": None},
    "Mixed": {"customerId": None, "eMail": None},
}  # fmt: skip


def rows(sql: str, dialect: str = "spark") -> set[str]:
    """Every edge as `orders.customer.email > target.field IDENTITY`; no field: the whole; `*` marks a mask."""
    lines = set()
    for edge in columns_from_sql(sql, dialect, KNOWN).edges:
        source = ".".join([edge.source.table, *edge.source.path]).replace(".[]", "[]")
        target = ".".join([edge.target, *(edge.field or ())])
        lines.add(f"{source} > {target} {edge.way.subtype}{'*' if edge.way.masking else ''}")
    return lines


def unknown(sql: str, dialect: str = "spark") -> list[str]:
    return columns_from_sql(sql, dialect, KNOWN).unknown


CASES = {
    "direct kinds": ("spark", "CREATE TABLE o AS SELECT id, amount * 2 AS d FROM orders", {
        "orders.id > o.id IDENTITY", "orders.amount > o.d TRANSFORMATION"}),
    "aggregates, groups, filters": (
        "spark", "CREATE TABLE o AS SELECT id, sum(amount) AS s, count(ts) AS n FROM orders WHERE amount > 3 GROUP BY id", {
        "orders.id > o.id IDENTITY", "orders.amount > o.s AGGREGATION", "orders.ts > o.n AGGREGATION*",
        "orders.amount > o FILTER", "orders.id > o GROUP_BY"}),
    "masks": ("spark", "CREATE TABLE o AS SELECT sha2(customer.email, 256) AS h, md5(email) AS m, xxhash64(o.id) AS x"
              " FROM orders o JOIN users u ON o.id = u.id", {
        "orders.customer.email > o.h TRANSFORMATION*", "users.email > o.m TRANSFORMATION*", "orders.id > o.x TRANSFORMATION*",
        "orders.id > o JOIN", "users.id > o JOIN"}),
    "conditions and windows": (
        "spark", "CREATE TABLE o AS SELECT CASE WHEN id > 1 THEN amount END AS c,"
        " row_number() OVER (PARTITION BY id ORDER BY ts) AS r FROM orders ORDER BY c", {
        "orders.id > o.c CONDITIONAL", "orders.amount > o.c TRANSFORMATION", "orders.id > o.r WINDOW", "orders.ts > o.r WINDOW",
        "orders.id > o SORT", "orders.amount > o SORT"}),
    "explode": ("spark", "CREATE TABLE o AS SELECT i.sku FROM orders LATERAL VIEW explode(items) x AS i", {
        "orders.items[].sku > o.sku IDENTITY"}),
    "lambda": ("spark", "CREATE TABLE o AS SELECT transform(items, x -> x.sku) AS skus FROM orders", {
        "orders.items[].sku > o.skus TRANSFORMATION"}),
    "struct built and taken apart": (
        "spark", "CREATE TABLE o AS SELECT p.e, p FROM (SELECT struct(id, customer.email AS e) AS p FROM orders) q", {
        "orders.customer.email > o.e IDENTITY", "orders.customer.email > o.p.e IDENTITY", "orders.id > o.p.id IDENTITY"}),
    "json": ("spark", "CREATE TABLE o AS SELECT get_json_object(customer.name, '$.first') AS f FROM orders", {
        "orders.customer.name.first > o.f TRANSFORMATION"}),
    "stars": ("spark", "CREATE TABLE o AS SELECT u.*, t.* EXCEPT (id) FROM users u JOIN t USING (id)", {
        "users.id > o.id IDENTITY", "users.email > o.email IDENTITY", "t.a > o.a IDENTITY", "t.b > o.b IDENTITY",
        "users.id > o JOIN", "t.id > o JOIN"}),
    "insert by place": ("spark", "INSERT INTO sink SELECT id, email FROM users", {
        "users.id > sink.a IDENTITY", "users.email > sink.b IDENTITY"}),
    "insert by list": ("postgres", "INSERT INTO sink (b, a) SELECT id, email FROM users", {
        "users.id > sink.b IDENTITY", "users.email > sink.a IDENTITY"}),
    "insert overwrite": ("spark", "INSERT OVERWRITE TABLE sink PARTITION (b = 'x') SELECT email FROM users", {
        "users.email > sink.a IDENTITY"}),
    "replace": ("mysql", "SET @x = 1; REPLACE INTO sink (b) SELECT email FROM users WHERE replace(email, 'a', 'b') = 'c'", {
        "users.email > sink.b IDENTITY", "users.email > sink FILTER"}),
    "select into": ("tsql", "SELECT id, email AS e INTO dbo.copy FROM users; SELECT e INTO more FROM dbo.copy", {
        "users.id > dbo.copy.id IDENTITY", "users.email > dbo.copy.e IDENTITY", "dbo.copy.e > more.e IDENTITY"}),
    "select into with a query before it": ("postgres", "WITH q AS (SELECT id FROM users) SELECT * INTO TEMP o FROM q", {
        "users.id > o.id IDENTITY"}),
    "select into variables": ("oracle", "SELECT id INTO v FROM users", {"users.id > .id IDENTITY"}),
    "set operations": ("trino", "CREATE TABLE o AS SELECT id FROM users UNION ALL SELECT id FROM t EXCEPT SELECT a FROM s", {
        "users.id > o.id IDENTITY", "t.id > o.id IDENTITY", "s.a > o FILTER"}),
    "merge": ("spark", "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.x > 1 THEN UPDATE SET a = s.a, b = upper(s.b)"
              " WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, s.a)", {
        "s.a > t.a IDENTITY", "s.b > t.b TRANSFORMATION", "s.id > t.id IDENTITY", "s.id > t JOIN", "t.id > t JOIN",
        "s.x > t FILTER"}),
    "merge with stars": ("spark", "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
                         " WHEN NOT MATCHED THEN INSERT *", {
        "s.a > t.a IDENTITY", "s.b > t.b IDENTITY", "s.id > t.id IDENTITY", "s.id > t JOIN", "t.id > t JOIN"}),
    "update": ("postgres", "UPDATE t SET a = s.b || t.b FROM s WHERE t.id = s.id", {
        "s.b > t.a TRANSFORMATION", "t.b > t.a TRANSFORMATION", "s.id > t FILTER", "t.id > t FILTER"}),
    "update with join": ("mysql", "UPDATE t JOIN s ON t.id = s.id SET t.a = s.b", {
        "s.b > t.a IDENTITY", "s.id > t JOIN", "t.id > t JOIN"}),
    "update of the joined table": ("mysql", "UPDATE s JOIN t ON s.id = t.id SET t.a = s.x", {
        "s.x > t.a IDENTITY", "s.id > t JOIN", "t.id > t JOIN"}),
    "update of the second table": ("mysql", "UPDATE s, t SET t.a = s.x WHERE s.id = t.id", {
        "s.x > t.a IDENTITY", "s.id > t FILTER", "t.id > t FILTER"}),
    "two tables of one name": (
        "spark", "INSERT INTO o (e) SELECT s2.people.email FROM s1.people JOIN s2.people ON s1.people.id = s2.people.id", {
        "s2.people.email > o.e IDENTITY", "s1.people.id > o JOIN", "s2.people.id > o JOIN"}),
    "joined columns come first": ("spark", "INSERT INTO kxy SELECT * FROM ja JOIN jb USING (k)", {
        "ja.k > kxy.c1 IDENTITY", "jb.k > kxy.c1 IDENTITY", "ja.x > kxy.c2 IDENTITY", "jb.y > kxy.c3 IDENTITY",
        "ja.k > kxy JOIN", "jb.k > kxy JOIN"}),
    "joined columns of a natural full join": ("postgres", "INSERT INTO kxy SELECT * FROM ja NATURAL FULL JOIN jb", {
        "ja.k > kxy.c1 IDENTITY", "jb.k > kxy.c1 IDENTITY", "ja.x > kxy.c2 IDENTITY", "jb.y > kxy.c3 IDENTITY",
        "ja.k > kxy JOIN", "jb.k > kxy JOIN"}),
    "merge with bare names": ("spark", "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, a) VALUES (id, a)", {
        "s.id > t.id IDENTITY", "s.a > t.a IDENTITY", "s.id > t JOIN", "t.id > t JOIN"}),
    "union by name": ("duckdb", "CREATE TABLE o AS SELECT id FROM users UNION ALL BY NAME SELECT a, id FROM t", {
        "users.id > o.id IDENTITY", "t.id > o.id IDENTITY", "t.a > o.a IDENTITY"}),
    "unnest": ("trino", "CREATE TABLE o AS SELECT i.sku FROM orders CROSS JOIN UNNEST(items) AS i (sku, qty)", {
        "orders.items[].sku > o.sku IDENTITY"}),
    "unnest in BigQuery": ("bigquery", "CREATE TABLE o AS SELECT i.sku FROM orders o, UNNEST(o.items) AS i", {
        "orders.items[].sku > o.sku IDENTITY"}),
    "flatten": ("snowflake", "CREATE TABLE o AS SELECT f.value:sku::string AS sku FROM orders o,"
                " LATERAL FLATTEN(input => o.items) f", {
        "orders.items[].sku > o.SKU TRANSFORMATION"}),
    "correlated": ("postgres", "CREATE TABLE o AS SELECT a FROM t WHERE id IN (SELECT id FROM s WHERE s.x = t.b)", {
        "t.a > o.a IDENTITY", "t.id > o FILTER", "s.id > o FILTER", "s.x > o FILTER", "t.b > o FILTER"}),
    "recursive": ("postgres", "CREATE TABLE o AS WITH RECURSIVE r AS (SELECT id FROM users UNION ALL SELECT r.id FROM r JOIN t"
                  " ON r.id = t.a) SELECT id FROM r", {
        "users.id > o.id IDENTITY", "users.id > o JOIN", "t.a > o JOIN"}),
    "case does not count": ("spark", "create table o as select CUSTOMERID, M.EMAIL as mail from mixed m", {
        "mixed.customerId > o.CUSTOMERID IDENTITY", "mixed.eMail > o.mail IDENTITY"}),
    "an unknown table alone": ("spark", "CREATE TABLE o AS SELECT x.foo, bar FROM (SELECT * FROM mystery) x", {
        "mystery.foo > o.foo IDENTITY", "mystery.bar > o.bar IDENTITY"}),
    "ksqlDB": ("ksqldb", "CREATE STREAM big WITH (KAFKA_TOPIC='big') AS"
               " SELECT o.customer->email AS mail, MASK(u.id) AS m FROM orders o"
               " LEFT JOIN users u WITHIN 1 HOUR GRACE PERIOD 5 MINUTES ON o.id = u.id PARTITION BY o.id EMIT CHANGES;", {
        "orders.customer.email > big.MAIL IDENTITY", "users.id > big.M TRANSFORMATION*", "orders.id > big JOIN",
        "users.id > big JOIN"}),
    "ksqlDB windows": ("ksqldb", "CREATE TABLE c AS SELECT id, COUNT(amount) AS n FROM orders WINDOW TUMBLING (SIZE 1 HOUR)"
                       " GROUP BY id EMIT CHANGES;", {
        "orders.id > c.ID IDENTITY", "orders.amount > c.N AGGREGATION*", "orders.id > c GROUP_BY"}),
    "Flink windows": (
        "flink", "CREATE TABLE agg (ws TIMESTAMP(3), total DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'a.b');"
        "INSERT INTO agg SELECT window_start, SUM(amount) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
        " GROUP BY window_start, window_end", {
        "orders.ts > agg.ws IDENTITY", "orders.amount > agg.total AGGREGATION", "orders.ts > agg GROUP_BY"}),
    "Flink statement set": (
        "flink", "EXECUTE STATEMENT SET BEGIN INSERT INTO sink SELECT o.id, u.email FROM orders AS o JOIN users FOR SYSTEM_TIME"
        " AS OF o.ts AS u ON o.id = u.id; INSERT INTO users SELECT id, customer.email FROM orders; END;", {
        "orders.id > sink.a IDENTITY", "users.email > sink.b IDENTITY", "orders.id > sink JOIN", "users.id > sink JOIN",
        "orders.id > users.id IDENTITY", "orders.customer.email > users.email IDENTITY"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_says(name: str) -> None:
    dialect, sql, expected = CASES[name]
    assert rows(sql, dialect) == expected
    assert unknown(sql, dialect) == []


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("CREATE TABLE o AS SELECT nope FROM users", "nope"),
        ("CREATE TABLE o AS SELECT o.customer.nope FROM orders o", "nope"),
        ("CREATE TABLE o AS SELECT id FROM users, orders", "id"),  # which of them?
        ("CREATE TABLE o AS SELECT x FROM mystery, riddle", "x"),
        ("INSERT INTO mystery SELECT id FROM users", "mystery"),
        ("INSERT INTO sink SELECT id FROM users", "sink"),  # one value for two columns
        ("CREATE VIEW v AS SELECT * FROM mystery", "v"),
        ("SELEC id FRM users", "not read"),
        ("SELECT * FROM users PIVOT (max(email) FOR id IN ('?', 2))", "pivot"),
    ],
)
def test_never_guesses(sql: str, word: str) -> None:
    answer = columns_from_sql(sql, "spark", KNOWN)
    assert not answer.edges
    assert any(word in sentence for sentence in answer.unknown), answer.unknown


@pytest.mark.parametrize(("change", "certain"), [
    ("DO NOTHING", True), ("(a) DO UPDATE SET a = EXCLUDED.a", True), ("(a) DO UPDATE SET a = sink.a || EXCLUDED.a", True),
    ("(a) DO UPDATE SET a = EXCLUDED.b", False), ("(a) DO UPDATE SET b = 'x'", True),
])  # fmt: skip
def test_what_an_insert_writes_over_a_row_is_told_or_said(change: str, certain: bool) -> None:
    answer = columns_from_sql(f"INSERT INTO sink SELECT id, email FROM users ON CONFLICT {change}", "postgres", KNOWN)
    assert len(answer.edges) == 2 and bool(answer.unknown) is not certain


def test_an_update_of_several_tables_is_not_guessed() -> None:
    answer = columns_from_sql("UPDATE s JOIN t ON s.id = t.id SET t.a = s.x, s.b = 1", "mysql", KNOWN)
    assert not answer.edges and answer.unknown == ["an UPDATE of several tables is not read"]


@pytest.mark.parametrize(
    ("function", "hides"),
    [
        *((name, True) for name in ("mask", "tokenize", "hash", "code_hash", "mask_email", "anonymize", "redact_pii")),
        *(
            (name, False)
            for name in ("detokenize", "unmask", "de_anonymize", "UNREDACT", "udf_depseudonymise", "ptyUnmask")
        ),
    ],
)
def test_what_undoes_a_mask_is_none(function: str, hides: bool) -> None:
    (row,) = rows(f"CREATE TABLE o AS SELECT {function}(email) AS e FROM users")
    assert row.endswith("*") is hides


def test_an_unknown_dialect_is_said() -> None:
    answer = columns_from_sql("SELECT id FROM users", "klingon", KNOWN)
    assert answer.edges and "klingon" in answer.unknown[0]


def test_values_of_a_statement_are_in_no_sentence() -> None:
    for sql in (
        "SELECT 'secret-4711' FRM users WHERE",
        "CALL do_it('secret-4711')",
        "INSERT INTO x VALUES ('secret-4711'",
    ):
        assert "secret-4711" not in " ".join(unknown(sql))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM users WHERE id IN (" + ", ".join(map(str, range(200_000))) + ")",
        "SELECT " + "(" * 5000 + "id" + ")" * 5000 + " FROM users",
        "SELECT " + "case when id then " * 3000 + "1" + " end" * 3000 + " FROM users",
        "SELECT " + "not " * 50_000 + "id FROM users",
        "SELECT " + " + ".join(["id"] * 8000) + " FROM users",
        "SELECT * FROM users" + " join t" * 500,
        "SELECT cast(id as " + "array<" * 5000 + "int" + ">" * 5000 + ") FROM users",
        " UNION ALL ".join(["SELECT id FROM users"] * 1500),
        "WITH c0 AS (SELECT * FROM users), " + ", ".join(f"c{n} AS (SELECT * FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 60))
        + " SELECT * FROM c59",
        "WITH c0 AS (SELECT id FROM users), "
        + ", ".join(f"c{n} AS (SELECT a.id + b.id AS id FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 60))
        + " SELECT id FROM c59",
        ";" * 30_000,
        "SELECT " + ", ".join(f"id AS c{n}" for n in range(10_000)) + " FROM users",
        "'" * 9999, "\x00\ud800", "",
    ],
    ids=lambda sql: sql[:24],
)  # fmt: skip
def test_hostile_text_costs_little(sql: str) -> None:
    assert least_effort(lambda: columns_from_sql(sql, "spark", KNOWN), times=2) < 5


_WORDS = st.sampled_from(
    "SELECT FROM WHERE users orders id email customer . , ( ) * = JOIN ON USING UNION ALL WITH c AS INSERT INTO sink CREATE"
    " TABLE GROUP BY ORDER 1 'x' sum CASE WHEN THEN END MERGE MATCHED UPDATE SET -> WINDOW TUMBLING EMIT CHANGES ; [ ]".split()
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_WORDS, max_size=40),
    st.sampled_from(["spark", "flink", "ksqldb", "trino", "bigquery", "snowflake", "mysql", ""]),
)
def test_any_words_are_read_or_said(words: list[str], dialect: str) -> None:
    answer = columns_from_sql(" ".join(words), dialect, KNOWN)
    assert all(edge.source.table for edge in answer.edges)


@pytest.mark.parametrize(("dialect", "query", "edges"), [
    # An alias, and whether the table has a column of that name, is not known.
    ("spark", "SELECT a AS b, b + 1 AS c FROM mystery", None),
    ("snowflake", "SELECT a AS b, b + 1 AS c FROM mystery", None),
    ("snowflake", "SELECT a AS b FROM mystery WHERE b > 1", None),
    (None, "SELECT a AS b, b + 1 AS c FROM mystery", None),
    ("spark", "SELECT m.a AS b, b + 1 AS c FROM mystery m JOIN riddle r ON m.k = r.k", None),
    ("spark", "SELECT a AS b, b.c AS d FROM mystery", None),
    ("mysql", "SELECT count(a) AS n FROM mystery HAVING n > 1", None),
    # A dialect without such references reads the table.
    ("trino", "SELECT a AS b, b + 1 AS c FROM mystery", {"a > b", "b > c"}),
    ("bigquery", "SELECT a AS b, b + 1 AS c FROM mystery", {"a > b", "b > c"}),
    ("spark", "SELECT a AS b FROM mystery WHERE b > 1", {"a > b", "b > "}),
    # Spark sees what stands before only.
    ("spark", "SELECT b + 1 AS c, a AS b FROM mystery", {"b > c", "a > b"}),
    # Something else shows that the table has the column, or both are one.
    ("spark", "SELECT upper(b) AS b, b + 1 AS c FROM mystery", {"b > b", "b > c"}),
    ("spark", "SELECT b, b + 1 AS c FROM mystery", {"b > b", "b > c"}),
    ("spark", "SELECT a AS b, b + 1 AS c FROM mystery WHERE b > 1", {"a > b", "b > c", "b > "}),
    # No other reading of the group is a valid statement.
    ("spark", "SELECT count(a) AS n FROM mystery HAVING n > 1", {"a > n", "a > "}),
    ("spark", "SELECT count(a) AS n FROM mystery GROUP BY n HAVING n > 1", {"a > n", "n > "}),
    ("spark", "SELECT date(ts) AS day, count(*) AS n FROM mystery GROUP BY day", {"ts > day", "ts > "}),
    ("spark", "SELECT date(ts) AS day, count(*) AS n FROM mystery GROUP BY ts, day", None),
    ("mysql", "SELECT date(ts) AS day, count(*) AS n FROM mystery GROUP BY day", None),
    ("trino", "SELECT max(ts) AS day FROM mystery GROUP BY day", {"ts > day", "day > "}),
])  # fmt: skip
def test_an_alias_over_a_table_of_unknown_columns(dialect: str | None, query: str, edges: set[str] | None) -> None:
    answer = columns_from_sql(f"CREATE TABLE o AS {query}", dialect, {})
    pairs = {f"{'.'.join(e.source.path)} > {'.'.join(e.field or ())}" for e in answer.edges}
    if edges is None:
        assert answer.unknown and not any(edge.startswith(("b", "day", "n")) or edge.endswith(" > c") for edge in pairs)
    else:
        assert (pairs, answer.unknown) == (edges, [])


def test_an_alias_over_a_table_of_known_columns() -> None:
    assert rows("CREATE TABLE o AS SELECT amount AS m, m + 1 AS c FROM orders") == {
        "orders.amount > o.m IDENTITY", "orders.amount > o.c TRANSFORMATION"}  # fmt: skip
    assert rows("CREATE TABLE o AS SELECT amount AS id, id + 1 AS c FROM orders") == {
        "orders.amount > o.id IDENTITY", "orders.id > o.c TRANSFORMATION"}  # fmt: skip
