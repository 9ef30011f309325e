"""How a gated query follows its topics: mode, key, streams and tables, and what is refused with what to write instead."""

from __future__ import annotations

import dataclasses

import pytest

from catalog.errors import InvalidInput, SqlRefused
from policies.gate import gate
from policies.sql.trace import Visible
from tests.gate_files import statements
from views.shape.shape import Shape, shape

FIVE = "window(_timestamp, '5 minutes')"
BOUND = "b._timestamp BETWEEN a._timestamp AND a._timestamp + INTERVAL 5 MINUTES"


def shaped(
    sql: str,
    key: list[str] | None = None,
    watermark: bool = True,
    column: str | None = None,
    columns: dict[str, list[str]] | None = None,
    replaced: bool = False,
) -> Shape:
    gated = gate.check(sql, final=True)
    known = None if columns is None else {ref: Visible(columns.get(ref.name, ["id"])) for ref in gated.tables}
    return shape(
        gated,
        key=key,
        watermark=watermark,
        watermark_column=column,
        columns=known,
        replaced=gated.tables if replaced else (),
    )


def runs(sql: str, **given: object) -> str:
    gated = gate.check(sql)
    view = shaped(sql, **given)  # type: ignore[arg-type]
    return dataclasses.replace(gated, tree=view.tree).render({ref: ref.name for ref in gated.tables})


@pytest.mark.parametrize(
    ("sql", "mode", "key"),
    [
        ("SELECT a, b FROM t WHERE a > 1", "append", ()),
        ("SELECT a FROM t EMIT CHANGES", "append", ()),
        ("SELECT a, e FROM t LATERAL VIEW explode(es) x AS e", "append", ()),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", "append", ()),
        ("SELECT a FROM t UNION SELECT a FROM u", "update", ("a",)),
        ("SELECT DISTINCT a, b FROM t", "update", ("a", "b")),
        ("SELECT a, count(*) n FROM t GROUP BY a", "update", ("a",)),
        ("SELECT count(*) n, a AS k FROM t GROUP BY 2", "update", ("k",)),
        ("SELECT count(*) n, upper(a) k FROM t GROUP BY k", "update", ("k",)),
        ("SELECT count(*) n, upper(t.a) k FROM t GROUP BY upper(a)", "update", ("k",)),
        ("SELECT a, b, count(*) n FROM t GROUP BY ALL", "update", ("a", "b")),
        ("SELECT (a) k, count(*) n FROM t GROUP BY (a)", "update", ("k",)),
        ("SELECT a + 1 k, b, count(*) n FROM t GROUP BY ((a + 1), b)", "update", ("k", "b")),
        ("SELECT (a, b) k, count(*) n FROM t GROUP BY (a, b)", "update", ("k",)),
        (f"SELECT window.start ws, a, count(*) n FROM t GROUP BY a, {FIVE}", "update", ("ws", "a")),
        (f"SELECT {FIVE} w, a, count(*) n FROM t GROUP BY a, w", "update", ("w", "a")),
        (f"SELECT w.end, count(*) n FROM (SELECT {FIVE} w FROM t) GROUP BY w", "update", ("end",)),
        (f"SELECT x.ws, n + 1 m FROM (SELECT window.start ws, count(*) n FROM t GROUP BY {FIVE}) x", "update", ("ws",)),
        (
            "WITH g AS (SELECT a, session_window s, count(*) n FROM t GROUP BY a, session_window(_timestamp, '5 minutes'))"
            " SELECT a, s.start, s.end, n FROM g",
            "append",
            ("a", "start"),
        ),
        (
            f"SELECT window.start ws, max(n) m FROM (SELECT a, window w, count(*) n FROM t GROUP BY a, {FIVE})"
            " GROUP BY window(w, '1 hour')",
            "append",
            ("ws",),
        ),
        (f"SELECT a.x, b.y FROM t a JOIN u b ON a.id = b.id AND {BOUND}", "append", ()),
        (f"SELECT a, window.start ws, count(*) n FROM t GROUP BY a, {FIVE} EMIT FINAL", "append", ("a", "ws")),
        (f"SELECT a, window.start ws, count(*) n FROM t GROUP BY a, {FIVE} EMIT CHANGES", "update", ("a", "ws")),
    ],
)
def test_mode_and_key(sql: str, mode: str, key: tuple[str, ...]) -> None:
    view = shaped(sql)
    assert (view.mode, view.key, view.single) == (mode, key, False)


def test_one_row() -> None:
    view = shaped("SELECT count(*) n, max(a) FILTER (WHERE b) m FROM t")
    assert (view.mode, view.key, view.single) == ("update", (), True)


@pytest.mark.parametrize(
    ("sql", "follows", "tables"),
    [
        ("SELECT a FROM t JOIN u USING (id)", "t", "u"),
        (f"SELECT a.x FROM t a JOIN u b ON a.id = b.id AND {BOUND}", "t u", ""),
        (f"SELECT a.x FROM t a, u b WHERE a.id = b.id AND {BOUND}", "t u", ""),
        ("SELECT a.x FROM t a JOIN u b ON a.id = b.id AND a._timestamp >= b.since", "t", "u"),
        ("SELECT a.x FROM t a JOIN u b ON a.id = b.id AND a._timestamp = b._timestamp", "t u", ""),
        ("SELECT a.x FROM t a JOIN u b ON a.id = b.id AND a.at > b.at - INTERVAL 1 HOUR", "t u", ""),
        ("SELECT x FROM t WHERE x IN (SELECT y FROM u) AND EXISTS (SELECT 1 FROM v)", "t", "u v"),
        ("WITH u AS (SELECT * FROM p ORDER BY x LIMIT 3) SELECT x FROM t LEFT JOIN u USING (id)", "t", "p"),
        ("SELECT x, (SELECT max(y) FROM u) m FROM (SELECT * FROM t)", "t", "u"),
        (f"SELECT a.x FROM t a JOIN (SELECT * FROM u JOIN d USING (k)) b ON a.id = b.id AND {BOUND}", "t u", "d"),
        (
            f"SELECT a.x FROM (SELECT {FIVE} w, id, x FROM t) a JOIN (SELECT {FIVE} w, id FROM u) b"
            " ON a.w = b.w AND a.id = b.id",
            "t u",
            "",
        ),
    ],
)
def test_streams_and_tables(sql: str, follows: str, tables: str) -> None:
    view = shaped(sql)
    assert sorted(ref.name for ref in view.follows) == follows.split()
    assert sorted(ref.name for ref in view.tables) == tables.split()


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT a FROM t", "_timestamp"),
        ("SELECT window.start s, count(*) n FROM t GROUP BY window(made_at, '1 minute')", "made_at"),
        (
            "SELECT w.start s, count(*) n FROM (SELECT window(m, '1 hour') w FROM (SELECT made_at m FROM t)) GROUP BY w",
            "made_at",
        ),
        ("SELECT window.start s, count(*) n FROM t GROUP BY window(to_timestamp(x), '1 minute')", "_timestamp"),
        ("SELECT a.x FROM t a JOIN u b ON a.id = b.id AND a.at > b.seen - INTERVAL 1 HOUR", "at"),
    ],
)
def test_watermark_column(sql: str, column: str) -> None:
    view = shaped(sql)
    assert view.watermarks[view.follows[0]] == column


def test_a_declared_watermark_column_is_taken() -> None:
    view = shaped("SELECT window.start s, count(*) n FROM t GROUP BY window(made_at, '1 minute')", column="seen_at")
    assert set(view.watermarks.values()) == {"seen_at"}


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("a IN (1, '2')", "(`a` = '2' OR `a` IN (1))"),
        ("NOT a IN ('1', '2.0')", "NOT (`a` = '1' OR `a` = '2.0')"),
        ("a IN ('x', b)", "(`a` = 'x' OR `a` IN (`b`))"),
        ("a IN ('EU', 'US')", "`a` IN ('EU', 'US')"),
        ("a IN (1, 2)", "`a` IN (1, 2)"),
    ],
)
def test_texts_of_a_list_are_compared_alone(condition: str, text: str) -> None:
    """Without ANSI mode 1.0 would not be in (1, '2')."""
    assert runs(f"SELECT a FROM t WHERE {condition}").endswith(f" WHERE {text}")


def test_having_becomes_a_column() -> None:
    view = shaped("SELECT a, sum(b) total FROM t GROUP BY a HAVING total > 3 AND max(b) < 9")
    assert view.kept == "weir_kept"
    assert runs("SELECT a, sum(b) total FROM t GROUP BY a HAVING total > 3 AND max(b) < 9") == (
        "SELECT `a`, try_sum(`b`) AS `total`, coalesce(((try_sum(`b`)) > 3 AND max(`b`) < 9), FALSE) AS `weir_kept`"
        " FROM `t` AS `t` GROUP BY `a`"
    )


def test_conditions_above_a_group_are_kept_together() -> None:
    sql = "SELECT * FROM (SELECT a, count(*) n FROM t WHERE a > 0 GROUP BY a HAVING n > 1) x WHERE n < 9"
    assert shaped(sql).kept == "weir_kept"
    assert runs(sql) == (
        "SELECT * EXCEPT (`weir_kept`), coalesce((`x`.`weir_kept` AND `n` < 9), FALSE) AS `weir_kept` FROM"
        " (SELECT `a`, count(*) AS `n`, coalesce(((count(*)) > 1), FALSE) AS `weir_kept` FROM `t` AS `t` WHERE `a` > 0"
        " GROUP BY `a`) AS `x`"
    )


def test_rows_that_are_sent_once_keep_their_conditions() -> None:
    sql = (
        "SELECT a, session_window.start s FROM t GROUP BY a, session_window(_timestamp, '1 minute') HAVING count(*) > 1"
    )
    view = shaped(sql)
    assert (view.mode, view.kept) == ("append", None)


def test_a_declared_key_is_completed_by_the_window() -> None:
    sql = f"SELECT region, {FIVE} w, sum(x) total FROM orders GROUP BY region, w"
    assert shaped(sql, key=["REGION"]).key == ("region", "w")


@pytest.mark.parametrize(
    ("sql", "reason", "words"),
    [
        ("SELECT a FROM t ORDER BY a", "order", "leave it out"),
        ("SELECT a FROM t LIMIT 3", "limit", "WHERE"),
        ("SELECT a FROM (SELECT a FROM t LIMIT 3)", "limit", "WHERE"),
        ("SELECT row_number() OVER (PARTITION BY a ORDER BY b) n FROM t", "over", "max_by"),
        ("SELECT a, b FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1", "qualify", "key"),
        ("SELECT a, count(DISTINCT b) n FROM t GROUP BY a", "distinct-aggregate", "approx_count_distinct(b)"),
        ("SELECT rand() x FROM t", "chance", "column of the record"),
        ("SELECT a FROM t WHERE _timestamp > now() - INTERVAL 1 HOUR", "clock", "ttl"),
        ("SELECT 1 AS x", "no-stream", "FROM"),
        ("SELECT a FROM t UNION ALL SELECT 1 AS a", "no-stream", "FROM"),
        ("SELECT a FROM t AS OF '2026-01-01'", "as-of", "startFrom"),
        ("SELECT a FROM t TABLESAMPLE (5 PERCENT)", "sample", "pmod"),
        ("SELECT a FROM t INTERSECT SELECT a FROM u", "set", "SEMI"),
        ("SELECT a FROM t EXCEPT SELECT a FROM u", "set", "ANTI"),
        ("SELECT * FROM (SELECT a, b, c FROM t) PIVOT (sum(c) FOR b IN (1, 2))", "pivot", "FILTER"),
        ("SELECT a, b, count(*) n FROM t GROUP BY CUBE (a, b)", "grouping-sets", "view for each"),
        ("SELECT a, b, count(*) n FROM t GROUP BY a, b WITH ROLLUP", "grouping-sets", "view for each"),
        ("SELECT t.a FROM t RIGHT JOIN u USING (id)", "table-outer", "LEFT JOIN"),
        ("SELECT t.a FROM t FULL JOIN u USING (id)", "table-outer", "write the FULL JOIN of both views when you read"),
        ("SELECT a.x FROM t a JOIN t b ON a.id = b.id", "both-roles", "bound of time"),
        ("SELECT a.x FROM t a LEFT JOIN u b ON a.id = b.id AND b._timestamp >= a._timestamp", "open-bounds", "BETWEEN"),
        (f"SELECT a.x FROM t a LEFT ANTI JOIN u b ON a.id = b.id AND {BOUND}", "stream-anti", "IS NULL"),
        (
            f"SELECT a.x, count(*) n FROM t a JOIN u b ON a.id = b.id AND {BOUND} GROUP BY a.x",
            "stacked",
            "output topic",
        ),
        ("SELECT max(n) m FROM (SELECT a, count(*) n FROM t GROUP BY a)", "stacked", "window"),
        ("SELECT count(*) n FROM (SELECT DISTINCT a, b FROM t)", "stacked", "collect_set"),
        ("SELECT count(*) n FROM (SELECT a FROM t UNION SELECT a FROM u)", "stacked", "collect_set"),
        (f"SELECT a.x FROM t a JOIN u b ON a.id = b.id AND {BOUND} UNION SELECT x FROM v", "stacked", "output topic"),
        ("SELECT n FROM (SELECT a, count(*) n FROM t GROUP BY a)", "group-not-shown", "add a to SELECT"),
        ("SELECT count(*) n FROM t GROUP BY a", "group-not-shown", "add a to SELECT"),
        ("SELECT upper(a) a, count(*) n FROM t GROUP BY a", "group-not-shown", "add a to SELECT"),
        ("SELECT a, count(*) n FROM t GROUP BY (a, b)", "group-not-shown", "add b to SELECT"),
        (f"SELECT a, count(*) n FROM t GROUP BY a, {FIVE}", "group-not-shown", "add window.start to SELECT"),
        (
            "SELECT a, count(*) n FROM t GROUP BY a, session_window(_timestamp, '1 minute')",
            "group-not-shown",
            "add session_window.start to SELECT",
        ),
        (
            "SELECT a.g, d.n FROM (SELECT g, count(*) c FROM t GROUP BY g) a JOIN d ON d.g = a.g",
            "join-after-group",
            "before",
        ),
        (
            "SELECT g, explode(xs) x FROM (SELECT g, collect_list(y) xs FROM t GROUP BY g)",
            "explode-after-group",
            "before",
        ),
        ("SELECT a, count(*) n FROM t GROUP BY a UNION ALL SELECT a, 1 FROM u", "union-of-groups", "as a view"),
        ("SELECT a FROM t EMIT FINAL", "final", "leave it out"),
        (
            "SELECT a, count(*) n FROM t GROUP BY a EMIT FINAL",
            "stacked",
            "EMIT FINAL needs an end in time; group by window",
        ),
        ("SELECT a, A FROM t", "column-name", "otherwise"),
        ("SELECT a + 1 FROM t", "column-name", "AS"),
        ("SELECT a AS weir_kept FROM t", "column-name", "own"),
        ("SELECT a, count(*) n FROM t GROUP BY a HAVING a IN (SELECT x FROM u)", "having-query", "before GROUP BY"),
    ],
)
def test_refused_with_what_to_write_instead(sql: str, reason: str, words: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        shaped(sql)
    assert caught.value.details["reasons"] == [reason]
    assert words in caught.value.message and caught.value.details["line"] == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a, session_window.start s FROM t GROUP BY a, session_window(_timestamp, '1 minute')",
        f"SELECT a, window.start s, count(*) n FROM t GROUP BY a, {FIVE} EMIT FINAL",
        f"SELECT a.x FROM t a LEFT JOIN u b ON a.id = b.id AND {BOUND}",
        f"SELECT window.start s, count(*) n FROM t a JOIN u b ON a.id = b.id AND {BOUND} GROUP BY window(a._timestamp, '1 hour')",
    ],
)
def test_what_needs_a_watermark(sql: str) -> None:
    assert shaped(sql).mode == "append"
    with pytest.raises(SqlRefused, match="add a watermark") as caught:
        shaped(sql, watermark=False)
    assert caught.value.details["reasons"] == ["watermark"]


def test_a_session_is_over_the_time_of_the_watermark() -> None:
    sql = "SELECT a, session_window.start s FROM t GROUP BY a, session_window({}, '1 minute')"
    assert shaped(sql.format("made_at")).watermarks[shaped(sql.format("made_at")).follows[0]] == "made_at"
    with pytest.raises(SqlRefused, match="over made_at, and the watermark over seen_at"):
        shaped(sql.format("made_at"), column="seen_at")
    with pytest.raises(SqlRefused, match="declare a view that computes the time, with an output topic"):
        shaped(sql.format("to_timestamp(text)"))


def test_keys_that_cannot_be() -> None:
    with pytest.raises(InvalidInput, match="did you mean region"):
        shaped("SELECT region, x FROM t", key=["regoin"])
    with pytest.raises(SqlRefused, match="add b to it"):
        shaped("SELECT a, b, count(*) n FROM t GROUP BY a, b", key=["a"])
    with pytest.raises(SqlRefused, match="n changes"):
        shaped("SELECT a, count(*) n FROM t GROUP BY a", key=["a", "n"])
    with pytest.raises(SqlRefused, match="leave out key"):
        shaped("SELECT count(*) n FROM t", key=["n"])


def test_a_star_leaves_the_check_of_names_to_others() -> None:
    view = shaped("SELECT *, a + 1 AS b FROM t", key=["id"])
    assert view.starred and view.key == ("id",)


def test_the_place_is_that_of_the_text() -> None:
    with pytest.raises(SqlRefused) as caught:
        shaped("SELECT a,\n  count(DISTINCT b) n\nFROM t GROUP BY a")
    assert (caught.value.details["line"], caught.value.details["column"]) == (2, 3)


def test_known_columns_take_the_place_of_stars() -> None:
    columns = {"t": ["id", "b"], "u": ["id", "c"]}
    view = shaped("SELECT DISTINCT * FROM t", columns=columns)
    assert (view.key, view.starred) == (("id", "b"), False)
    with pytest.raises(SqlRefused, match="two columns id"):
        shaped("SELECT * FROM t LEFT JOIN u ON t.id = u.id", columns=columns)
    with pytest.raises(InvalidInput, match="not a column of the result"):
        shaped("SELECT * FROM t", key=["amount"], columns=columns)
    with pytest.raises(SqlRefused, match="add b to it"):
        shaped("SELECT DISTINCT * FROM t", key=["id"], columns=columns)


def test_a_name_of_group_by_that_means_two_things() -> None:
    sql = "SELECT upper(x) AS b, count(*) n FROM t GROUP BY b"
    assert shaped(sql, columns={"t": ["x"]}).key == ("b",)
    with pytest.raises(SqlRefused, match="means the topic's column") as caught:
        shaped(sql, columns={"t": ["x", "b"]})
    assert caught.value.details["reasons"] == ["group-name"]


def test_rows_of_a_key_keep_their_order_through_a_join() -> None:
    sql = "SELECT t.id, b FROM t LEFT JOIN (SELECT id, max(b) AS b FROM u GROUP BY id) x ON x.id = t.id"
    assert runs(sql, key=["id"]).startswith("SELECT /*+ BROADCAST(`x`) */ ")
    assert "BROADCAST" not in runs(sql)
    assert "BROADCAST" not in runs("SELECT id, tag FROM t LATERAL VIEW explode(tags) e AS tag", key=["id"])


def test_rows_that_replace_one_another_are_taken_away() -> None:
    sql = "SELECT x.id, n FROM (SELECT id, a + 1 AS n FROM t WHERE a > 0) x WHERE n < 9"
    assert shaped(sql, key=["id"]).kept is None
    assert shaped(sql, replaced=True).kept is None  # each change is kept
    assert shaped(sql, key=["id"], replaced=True).kept == "weir_kept"
    assert runs(sql, key=["id"], replaced=True) == (
        "SELECT `x`.`id`, `n`, coalesce((`x`.`weir_kept` AND `n` < 9), FALSE) AS `weir_kept` FROM"
        " (SELECT `id`, try_add(`a`, 1) AS `n`, coalesce((NOT `t`.`weir_gone` AND `a` > 0), FALSE) AS `weir_kept`"
        " FROM `t` AS `t`) AS `x`"
    )


@pytest.mark.parametrize("on", ["ON t.id = u.id", "USING (id)"])
def test_a_row_without_a_partner_is_taken_away(on: str) -> None:
    text = runs(f"SELECT t.id, b FROM t JOIN u {on} WHERE c > 1", key=["id"], replaced=True)
    assert f"LEFT JOIN `u` AS `u` {'USING (`id`)' if 'USING' in on else 'ON `t`.`id` = `u`.`id`'}" in text
    assert "coalesce((NOT `t`.`weir_gone` AND (`c` > 1 AND NOT `u`.`id` IS NULL)), FALSE) AS `weir_kept`" in text


@pytest.mark.parametrize(
    ("on", "partner"),
    [
        ("CAST(u._key AS BIGINT) = t.id", "TRY_CAST(`u`.`_key` AS BIGINT)"),
        ("t.id = CAST(u._key AS BIGINT) AND u.c > 1", "TRY_CAST(`u`.`_key` AS BIGINT)"),
        ("upper(u.id) = t.id", "upper(`u`.`id`)"),
        ("concat('p-', u.id) = t.id", "concat('p-', `u`.`id`)"),
        ("t.id = 'p-' || u.id", "('p-' || `u`.`id`)"),
        ("t.id = u._key.id", "`u`.`_key`.`id`"),
        ("t.id - u.id = 0", "(try_subtract(`t`.`id`, `u`.`id`))"),
        ("u.id > t.id AND t.id LIKE u.name", "`u`.`id`"),
        ("t.id > u.a AND t.id = u.b", "`u`.`b`"),
        ("t.id = u.tags[0]", "`u`.`tags`[0]"),
        ("t.id = element_at(u.tags, 1)", "element_at(`u`.`tags`, 1)"),
    ],
)
def test_a_join_on_an_expression_of_the_table(on: str, partner: str) -> None:
    text = runs(f"SELECT t.id, b FROM t JOIN u ON {on}", key=["id"], replaced=True)
    assert "LEFT JOIN `u` AS `u` ON " in text and f"NOT {partner} IS NULL" in text, text


@pytest.mark.parametrize(
    ("sql", "joins", "kept"),
    [
        ("FROM t JOIN u ON u.id = t.id WHERE u.c > 1 AND t.b > 2",
         "LEFT JOIN `u` AS `u` ON `u`.`id` = `t`.`id` AND `u`.`c` > 1", "`t`.`b` > 2 AND NOT `u`.`id` IS NULL"),
        ("FROM t, u WHERE u.id = t.id", "LEFT JOIN `u` AS `u` ON `u`.`id` = `t`.`id`", "NOT `u`.`id` IS NULL"),
        ("FROM t JOIN u ON u.id = t.id JOIN v ON v.id = t.id WHERE v.n > u.n OR t.b > 2",
         "LEFT JOIN `u` AS `u` ON `u`.`id` = `t`.`id` LEFT JOIN `v` AS `v` ON `v`.`id` = `t`.`id`"
            " AND (`v`.`n` > `u`.`n` OR `t`.`b` > 2)",
         "NOT `u`.`id` IS NULL AND NOT `v`.`id` IS NULL"),
        ("FROM t LEFT JOIN u ON u.id = t.id WHERE u.c > 1", "LEFT JOIN `u` AS `u` ON `u`.`id` = `t`.`id`", "`u`.`c` > 1"),
    ],
)  # fmt: skip
def test_a_condition_on_an_inner_joined_table_is_one_of_the_join(sql: str, joins: str, kept: str) -> None:
    text = runs(f"SELECT t.id {sql}", key=["id"], replaced=True)
    assert text.endswith(f"FROM `t` AS `t` {joins}") and kept in text, text


@pytest.mark.parametrize(
    ("sql", "several"),
    [
        ("JOIN u ON u._key = t.b WHERE u.c > 1", []),
        ("JOIN u ON u.id = t.b WHERE u.c > 1", []),
        ("LEFT JOIN u ON u._key = t.b WHERE u.c > 1", []),
        ("LEFT JOIN u ON CAST(u._key AS STRING) = concat('p-', t.b) WHERE u.c > 1", []),
        ("LEFT JOIN u ON u.id = t.b WHERE u.c > 1", ["u"]),
        ("LEFT JOIN u ON upper(u._key) = t.b WHERE u.c > 1", ["u"]),
        ("LEFT JOIN u ON u.id = t.b WHERE t.c > 1", []),
        ("JOIN u ON u.id = t.b JOIN v ON v._key = u.c", ["u"]),
        ("JOIN u ON u.id = t.b LEFT JOIN v ON v._key = u.c", []),
        ("JOIN u ON concat(u._key, '') = t.b JOIN v ON v._key = u.c", []),
        ("JOIN u ON u.id = t.b JOIN v ON v._key = t.c WHERE v.n > u.n", ["u"]),
    ],
)
def test_a_condition_on_one_of_several_partners_is_in_a_note(sql: str, several: list[str]) -> None:
    notes = shaped(f"SELECT t.id FROM t {sql}", key=["id"], replaced=True).notes
    assert [note.split(" may fit")[0].removeprefix("Several rows of ") for note in notes] == several


@pytest.mark.parametrize(
    ("kind", "instead"), [("SEMI", "JOIN and a comparison"), ("ANTI", "LEFT JOIN and WHERE u._key IS NULL")]
)
def test_a_join_that_only_asks_names_what_to_write(kind: str, instead: str) -> None:
    with pytest.raises(SqlRefused, match=instead):
        shaped(f"SELECT t.id FROM t LEFT {kind} JOIN u ON t.id = u.id", key=["id"], replaced=True)


def test_a_join_of_three() -> None:
    """The third is a table of the second: without a row there, none of the third fits."""
    sql = "SELECT t.id, v.name FROM t JOIN u ON CAST(u._key AS BIGINT) = t.u_id JOIN v ON v.id = u.v_id LEFT JOIN w ON w.id = t.id"
    text = runs(sql, key=["id"], replaced=True)
    assert text.count("LEFT JOIN") == 3 and " JOIN" not in text.replace("LEFT JOIN", "")
    assert "NOT TRY_CAST(`u`.`_key` AS BIGINT) IS NULL AND NOT `v`.`id` IS NULL" in text


@pytest.mark.parametrize(
    "on",
    [
        "coalesce(u.id, 0) = t.id",
        "CASE WHEN u.id > 1 THEN 1 ELSE 2 END = t.id",
        "(u.id IS NULL) = t.flag",
        "t.id = t.other",
        "id = other",
        "concat_ws('-', u.id) = t.id",
        "u.id <=> t.id",
        "u.id = t.id OR u.c = t.id",
        "true",
    ],
)
def test_a_join_that_does_not_show_whether_there_is_a_partner_names_what_to_write(on: str) -> None:
    with pytest.raises(SqlRefused, match=r"nothing of u shows .* ON CAST\(u\._key AS BIGINT\) = other\.id") as caught:
        shaped(f"SELECT t.id, b FROM t JOIN u ON {on}", key=["id"], replaced=True)
    assert caught.value.details["reasons"] == ["joins-changes"] and caught.value.details["column"] == 28


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT id, count(*) n FROM t GROUP BY id", "counts-changes"),
        ("SELECT DISTINCT id FROM t", "counts-changes"),
        (f"SELECT a.id FROM t a JOIN u b ON a.id = b.id AND {BOUND}", "counts-changes"),
        ("SELECT id, explode(es) e FROM t", "explodes-changes"),
        ("SELECT t.id FROM t JOIN u ON coalesce(u.id, 0) < t.id", "joins-changes"),
        ("SELECT t.id FROM t LEFT ANTI JOIN u ON t.id = u.id", "joins-changes"),
        ("SELECT t.id FROM t LEFT SEMI JOIN u ON t.id = u.id", "joins-changes"),
        ("SELECT id FROM t WHERE id IN (SELECT id FROM u)", "condition-query"),
        ("SELECT id FROM t UNION ALL SELECT id FROM u", "union-of-changes"),
    ],
)
def test_what_cannot_take_rows_away(sql: str, reason: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        shaped(sql, key=["id"], replaced=True)
    assert caught.value.details["reasons"] == [reason]


def test_a_bad_value_is_null() -> None:
    sql = "SELECT a, sum(parse_json(b)::INT) s FROM t GROUP BY a"
    assert runs(sql) == "SELECT `a`, try_sum(TRY_CAST(try_parse_json(`b`) AS INT)) AS `s` FROM `t` AS `t` GROUP BY `a`"


def test_bounds_of_time_between_streams_keep_their_form() -> None:
    sql = f"SELECT a.id, a.n + 1 AS m FROM t a JOIN u b ON a.id = b.id AND {BOUND}"
    assert "try_add(`a`.`n`, 1)" in runs(sql, watermark=True) and "+ INTERVAL" in runs(sql, watermark=True)


@pytest.mark.parametrize("sql", statements("honest.sql"))
def test_every_query_is_shaped_or_refused_at_its_place(sql: str) -> None:
    for given in ({}, {"watermark": False}, {"replaced": True, "key": ["id"]}):
        try:
            text = runs(sql, **given)
        except SqlRefused as error:
            details = error.details
            assert details["reasons"] and 1 <= details["line"] <= sql.count("\n") + 1 and details["column"] >= 1
        except InvalidInput as error:
            assert error.details["field"] == "spec.key"
        else:
            again = gate.check(text)
            assert again.render({ref: ref.name for ref in again.tables}) == text
