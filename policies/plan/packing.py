"""As how many rows a number counts that an aggregate makes of many records. Pure.

A sum can carry more than a total: `sum(power(2, n) * flag)` has a bit of each record. Its own bits bound what such a number can
carry, so it counts as that many rows. Usual statistics count as one: aggregates over columns as records have them, and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from policies.sql.words import words

BITS = 128
"""Of the widest number, a decimal of 38 digits: one bit of each of so many records fits."""
CHOOSING = words(
    "any_value approx_percentile first first_value lag last last_value lead max max_by median min min_by mode nth_value"
    " percentile percentile_approx percentile_cont percentile_disc"
)
"""Functions of many records that give one value of them."""
ARITHMETIC = words(
    "avg bit_and bit_or bit_xor corr covar_pop covar_samp kurtosis mean regr_avgx regr_avgy regr_intercept regr_r2 regr_slope"
    " regr_sxx regr_sxy regr_syy skewness std stddev stddev_pop stddev_samp sum try_avg try_sum var_pop var_samp variance"
)
"""Functions that give one number of all of them."""
COUNTING = words("any approx_count_distinct bool_and bool_or count count_if every regr_count some")
"""Functions that count them, or answer whether there are any."""
_MAKES_ROWS = words("explode explode_outer inline inline_outer posexplode posexplode_outer range stack")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a source.

    others     whether columns that `named` lacks are as records have them; None: there are no others
    generated  whether the query generates rows of it, as by `range`, `VALUES` or a join on a condition: choosing how often a record
               occurs writes into counts what one likes
    """

    others: bool | None
    named: Mapping[str, bool] = field(default_factory=dict)
    generated: bool = False

    def plain(self, name: str) -> bool | None:
        """Whether a column is as records have it; None where there is none of the name."""
        return self.named.get(name.lower(), self.others)


TABLE = Columns(True)
UNKNOWN = Columns(False)
Scope = Mapping[str, Columns]
"""Alias, or the name of a source without one, in lower case -> its columns."""


def call_weight(call: Any, scope: Scope, *, filtered: bool = False) -> int:
    """As how many rows a call counts; 0 for other functions, and for a count of records. `filtered`: has a FILTER clause."""
    name = str(call.this).lower() if isinstance(call, exp.Anonymous) else ""
    if name in CHOOSING:
        return 1
    if name not in ARITHMETIC and name not in COUNTING:
        return 0
    if any(each.generated for each in scope.values()):
        return BITS
    if name in ARITHMETIC:
        return 1 if all(_as_stored(each, scope) or _is_flag(each) for each in _arguments(call)) else BITS
    whole = name in ("count", "approx_count_distinct", "regr_count") and not filtered
    return 0 if whole and all(isinstance(each, (exp.Star, exp.Column, exp.Literal)) for each in _arguments(call)) else 1


def columns_of(query: Any, scope: Scope) -> Columns:
    """What a query that reads from `scope` gives."""
    generated = any(each.generated for each in scope.values())
    if not isinstance(query, exp.Select):
        return Columns(False, generated=True)
    named: dict[str, bool] = {}
    others: bool | None = None
    for each in query.expressions:
        inner = each.this if isinstance(each, exp.Alias) else each
        generated = generated or _makes_rows(inner)
        if isinstance(inner, exp.Star):
            others = all(source.others is not False for source in scope.values())
            for source in scope.values():
                named |= source.named
        elif name := each.alias_or_name:
            named[name.lower()] = _as_stored(inner, scope) or _is_statistic(inner, scope)
    return Columns(others, named, generated)


def source_of(node: Any, named: Mapping[str, Columns]) -> Columns:
    """The columns of one table, function or lateral view. `named`: those of named queries."""
    alias = node.args.get("alias")
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        known = TABLE if node.db else named.get(node.name.lower(), TABLE)
        renamed = alias is not None and alias.args.get("columns") and known is not TABLE
        return Columns(False, generated=known.generated) if renamed or node.args.get("pivots") else known
    if isinstance(node, exp.Lateral) and not _makes_rows(node.this) and alias is not None:
        return Columns(None, {each.name.lower(): True for each in alias.args.get("columns") or ()})
    return Columns(False, generated=True)


def join_makes_rows(join: Any) -> bool:
    """Whether a join pairs records by another condition than equal columns."""
    if join.args.get("using") or str(join.args.get("method") or "").upper() == "NATURAL":
        return False
    condition = join.args.get("on")
    return condition is None or not all(_is_equality(each) for each in _conjuncts(condition))


def _is_equality(node: Any) -> bool:
    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)


def _conjuncts(node: Any) -> Iterator[Any]:
    if isinstance(node, (exp.And, exp.Paren)):
        for each in (node.this, *([node.expression] if isinstance(node, exp.And) else [])):
            yield from _conjuncts(each)
    else:
        yield node


def _arguments(call: Any) -> list[Any]:
    given = [each.expressions if isinstance(each, exp.Distinct) else [each] for each in call.expressions]
    return [each for some in given for each in some]


def _as_stored(node: Any, scope: Scope) -> bool:
    """Whether it is a column as records have it, perhaps as another type."""
    while isinstance(node, (exp.Cast, exp.TryCast, exp.Paren)):
        node = node.this
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return False
    parts = [each.name.lower() for each in node.parts]
    if len(parts) > 1 and parts[0] in scope:
        return scope[parts[0]].plain(parts[1]) is True
    known = [plain for each in scope.values() if (plain := each.plain(parts[0])) is not None]
    return bool(known) and all(known)


def _is_flag(node: Any) -> bool:
    """Whether it is `CASE ... THEN 1 ELSE 0 END` or `if(..., 1, 0)`: its sum is a count."""
    results: Iterable[Any]
    if isinstance(node, exp.Case):
        results = [*(each.args.get("true") for each in node.args.get("ifs") or ()), node.args.get("default")]
    elif isinstance(node, exp.Anonymous) and str(node.this).lower() in ("if", "iff"):
        results = node.expressions[1:]
    else:
        results = [node]
    return all(
        each is None or isinstance(each, exp.Null) or (isinstance(each, exp.Literal) and each.this in ("0", "1"))
        for each in results
    )


def _is_statistic(node: Any, scope: Scope) -> bool:
    """Whether it is a count, or arithmetic over columns as records have them."""
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    return name in ARITHMETIC | COUNTING and call_weight(node, scope) <= 1


def _makes_rows(node: Any) -> bool:
    """Whether a call makes rows of something else than one column of a record."""
    return any(
        isinstance(each, exp.Anonymous)
        and str(each.this).lower() in _MAKES_ROWS
        and not (len(each.expressions) == 1 and isinstance(each.expressions[0], exp.Column))
        for each in node.find_all(exp.Anonymous)
    )
