"""Values and types that do not fit: whose they are, what they are, and what to write instead. Pure.

See `policies/query/failure_words.py` for what may get into a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from policies.plan.errors import QueryFailed
from policies.plan.prepare import PreparedQuery
from policies.query.blamed import columns_of_kind, literal_of, text_of, written
from policies.query.failure_sentence import Sentence
from policies.query.type_words import all_plain, plain_type, plain_types, to_compare
from policies.sql.lexer import DIALECT

_TYPE = re.compile(r"[A-Z][A-Z_ ]{1,30}(?:\(\d{1,3}(?:, ?\d{1,3})?\))?\Z")
_COMPARES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_RANGE = re.compile(r"[\[(](-?[\d.]{1,20}), ?(-?[\d.]{1,20})[\])]\Z")
_PARAMETERS = (
    "percentage",
    "accuracy",
    "number of buckets",
    "offset",
    "scale",
    "delimiter",
    "json",
    "schema",
    "format",
    "pattern",
)
_PARTS_OF = {
    "a struct": "CAST one of its fields",
    "an array": "CAST one of its elements",
    "a map": "CAST one of its values",
}


def not_of_type(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    """A value that cannot be converted: a literal of the query, or a value of one of its columns."""
    target = _kind(error, "targetType")
    if node is None or target is None:
        return None
    words = plain_type(target) or target
    literal = literal_of(node, error.about.get("expression", ""))
    compares = isinstance(node, (*_COMPARES, exp.Between, exp.In))
    texts = [each for each in node.find_all(exp.Literal) if each.is_string]
    literal = texts[0] if literal is None and compares and len(texts) == 1 else literal
    if literal is not None:
        return Sentence(_literal(node, literal, target, compares), node)
    if isinstance(node, exp.Cast):
        return Sentence(f"A value of {text_of(node.this)} is not of type {target}; try_cast gives NULL instead.", node)
    columns = columns_of_kind(prepared, node, "STRING")
    numbers = [each for each in node.find_all(exp.Literal) if not each.is_string]
    if not columns:
        return None
    column = columns[0]
    if compares and numbers and not texts:
        quoted = exp.Literal.string(numbers[0].name).sql(dialect=DIALECT)
        return Sentence(
            f"{column} is a text, and {numbers[0].name} is a number: a value of {column} is not of type {target}."
            f" Write {quoted} in quotes, or try_cast({column} AS {target}).",
            node,
        )
    instead = f"write try_cast({column} AS {target})"
    return Sentence(f"{text_of(node)} takes {column} as {words}, and a value of it is none; {instead}.", node)


def _literal(node: Any, literal: Any, target: str, compares: bool) -> str:
    text, fits = text_of(literal), to_compare(target)
    others = [each for each in (node.args.get("this"), node.args.get("expression")) if each is not None]
    compared = next((text_of(each) for each in others if literal not in each.walk()), None) if compares else None
    if compared is not None and target == "BOOLEAN":
        return f"{text} is neither true nor false, and {compared} is compared as one of both; write TRUE or FALSE."
    if compared is not None and fits is not None:
        return f"{text} is not {fits[0]}, and {compared} is compared as one; write {fits[1]}."
    if compared is not None:
        return f"{text} does not fit {compared}, which it is compared with."
    what = "neither true nor false" if target == "BOOLEAN" else f"not {fits[0]}" if fits else f"not of type {target}"
    if isinstance(node, exp.Cast):
        return f"{text} is {what}" + (f"; write {fits[1]}." if fits else ".")
    return f"{text_of(node)}: {text} is {what}."


def no_cast(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    source, target = (plain_type(_bare(error, name)) for name in ("srcType", "targetType"))
    cast = node if isinstance(node, exp.Cast) else next(_casts(prepared, error), None)
    if cast is None or source is None or target is None:
        return None
    head = source.split(" of ")[0]
    instead = _PARTS_OF.get(head, "CAST it to STRING first, or compute the value in another way")
    return Sentence(f"{text_of(cast.this)} is {head}, which cannot be cast to {target}; {instead}.", cast)


def _casts(prepared: PreparedQuery, error: QueryFailed) -> Iterator[Any]:
    """The CASTs that the engine's report may be about, where it does not point at one."""
    wanted = _without_try(error.about.get("sqlExpr", ""))
    for cast in prepared.gated.tree.find_all(exp.Cast, bfs=False):
        if wanted and _without_try(text_of(cast)) == wanted:
            yield cast


def _without_try(text: str) -> str:
    return re.sub(r"[`'\"\s()]", "", text).casefold().removeprefix("try_")


def argument(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    required = plain_types(error.about.get("requiredType", ""))
    actual = plain_type(_bare(error, "inputType"))
    if node is None or required is None or actual is None:
        return None
    if isinstance(node, exp.Lateral):
        node = node.this
    place = error.about.get("paramIndex", "")
    which = f"its {place} argument" if re.fullmatch(r"[a-z]{4,10}", place) else "an argument"
    if isinstance(node, (exp.Case, exp.Unary)):
        which = next((text_of(each) for each in written(prepared, error.about.get("inputSql", ""))), which)
    return Sentence(f"{text_of(node)} takes {required}, and {which} is {actual}.", node)


def operands(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    left, right = (plain_type(_bare(error, side)) for side in ("left", "right"))
    if node is None or left is None or right is None:
        return None
    both = f"one side is {left}, the other {right}; CAST one of them."
    if left == right:
        both = f"both sides are {left}, for which there is no such operation."
    return Sentence(f"{text_of(node)}: {both}", node)


def of_one_type(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    kinds = all_plain(error.about.get("dataType", ""))
    if node is None or kinds is None or len(kinds) < 2:
        return None
    listed = f"{', '.join(kinds[:-1])} and {kinds[-1]}"
    return Sentence(f"{text_of(node)} takes values of one type, and has {listed}; CAST them to one.", node)


def array_and_element(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    left, right = (plain_type(_bare(error, side)) for side in ("leftType", "rightType"))
    if node is None or left is None or right is None:
        return None
    return Sentence(
        f"{text_of(node)}: its first argument is {left}, its second {right}; they do not fit together.", node
    )


def in_subquery(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    left, right = (plain_type(_bare(error, side)) for side in ("leftType", "rightType"))
    node = node if node is not None else prepared.gated.tree.find(exp.In)
    if node is None or left is None or right is None:
        return None
    return Sentence(f"{text_of(node.this)} is {left}, and its subquery of IN gives {right}; CAST one of them.", node)


def condition(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    kind = plain_type(_bare(error, "type"))
    part = next(written(prepared, error.about.get("filter", "")), None)
    if kind is None or part is None:
        return None
    return Sentence(f"{text_of(part)} is {kind}, and a condition is true or false; compare it with something.", part)


def no_order(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    kind = plain_type(_bare(error, "dataType"))
    if node is None or kind is None:
        return None
    instead = "take map_entries of it" if kind == "a map" else "name what is in it that has one"
    inner = next(node.find_all(exp.Column), node)
    return Sentence(f"{text_of(inner)} is {kind}, which has no order and cannot be compared; {instead}.", node)


def constant(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    name = error.about.get("inputName", "").strip("`")
    part = next(written(prepared, error.about.get("inputExpr", "")), None)
    if node is None or part is None:
        return None
    what = f"its {name}" if name in _PARAMETERS else "an argument"
    return Sentence(f"{text_of(node)}: {what} must be written out, and {text_of(part)} is computed for each row.", node)


def out_of_range(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    better = window(prepared, node, error)
    bounds = _RANGE.match(error.about.get("valueRange", ""))
    if better is not None or node is None or bounds is None:
        return better
    name = error.about.get("exprName", "").strip("`").replace("buckets", "number of buckets")
    what = f"its {name}" if name in _PARAMETERS else "an argument"
    low, high = (each.removesuffix(".0") for each in bounds.groups())
    low = f"above {low}" if error.about["valueRange"].startswith("(") else f"from {low}"
    return Sentence(f"{text_of(node)}: {what} is {low} to {high}.", node)


def no_such_type(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    """Of a schema that is written in the query; a type of the result that Spark cannot send is an expression of Python."""
    name = _bare(error, "typeName")
    schemas = [] if node is None else [each for each in node.find_all(exp.Literal) if each.is_string]
    if not any(re.search(rf"\b{re.escape(name)}\b", each.name, re.IGNORECASE) for each in schemas if name):
        return None
    return Sentence(f"{text_of(node)}: {name} is not a type; write a schema as in 'id INT, name STRING'.", node)


def set_operation(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    one, other = (plain_type(_bare(error, name)) for name in ("dataType1", "dataType2"))
    about = error.about
    words = [about.get(name, "") for name in ("operator", "columnOrdinalNumber", "tableOrdinalNumber")]
    if one is None or other is None or not all(re.fullmatch(r"[A-Za-z ]{2,20}", each) for each in words):
        return None
    operator, column, table = words
    return Sentence(
        f"{operator}: the {column} column of the {table} query is {one}, that of the first query {other}; CAST one of them.",
        prepared.gated.tree.find(exp.SetOperation),
    )


def window(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    """Spark names the arguments of its windows by its own words, and counts them in microseconds."""
    function = error.about.get("exprName") or error.about.get("leftExprName") or ""
    text = _WINDOWS.get(function.strip("`"))
    return None if text is None else Sentence(text, node)


_WINDOWS = {
    "window_duration": "The length of a window must be above zero; write it as in window(_timestamp, '5 minutes').",
    "slide_duration": "The slide of a window must be above zero and not longer than the window; write it as in"
    " window(_timestamp, '5 minutes', '1 minute').",
    "abs(start_time)": "The shift of a window must be shorter than its slide; write it as in"
    " window(_timestamp, '10 minutes', '10 minutes', '3 minutes').",
}


def _bare(error: QueryFailed, name: str) -> str:
    return error.about.get(name, "").strip().strip('"')


def _kind(error: QueryFailed, name: str) -> str | None:
    """The name of a type in the engine's report; None for one that is long or looks like anything else."""
    return type_name if _TYPE.match(type_name := _bare(error, name)) else None
