"""Words that are allowed and yet can keep the engine busy for ever, or fill its memory: what of them is refused.

Spark cannot bound the size of one value, and cannot stop a pattern of Java's once it is being matched. So this looks for
the forms that grow beyond measure, and lets their everyday relatives be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from policies.sql import inventory
from policies.sql.names import fold
from policies.sql.patterns import endless
from policies.sql.words import words

Problem = tuple[Any, str, str]
"""The node, the sentence, the class of the reason."""

_PATTERN_AT = {
    "rlike": 1, "regexp": 1, "regexp_like": 1, "regexp_replace": 1, "regexp_extract": 1, "regexp_extract_all": 1,
    "regexp_count": 1, "regexp_instr": 1, "regexp_substr": 1, "split": 1,
}  # fmt: skip
_JOINS = words("concat concat_ws format_string printf array_join map_concat array_union flatten replace overlay")
_LENGTHENS = words("hex url_encode base64 encode bin to_json sentences mask str_to_map to_csv quote conv soundex")
MOST_NESTED = 6
"""Calls such as hex in each other; each makes a text up to four times as long."""


MOST_REPEATED = 100_000
"""How many times as long a text may get by being joined to itself, over all SELECTs of a query."""


def problems(root: exp.Expression) -> Iterator[Problem]:
    yield from _joined_to_itself(root)
    for node in root.walk():
        if isinstance(node, exp.Anonymous):
            name = str(node.this).lower()
            if name in ("aggregate", "reduce"):
                yield from _doubling(node)
            if name in _LENGTHENS and _depth(node) > MOST_NESTED:
                yield node, f"{name} and its like stand in each other more than {MOST_NESTED} times.", "size"
            if name in _PATTERN_AT and len(node.expressions) > _PATTERN_AT[name]:
                yield from _pattern(root, node, node.expressions[_PATTERN_AT[name]])
        elif isinstance(node, exp.RegexpLike):
            yield from _pattern(root, node, node.expression)


def _joined_to_itself(root: exp.Expression) -> Iterator[Problem]:
    """concat(a, a, a) AS a in a subquery of a subquery: no single SELECT makes much of it."""
    product = 1
    for select in root.find_all(exp.Select):
        most, worst = 1, None
        for call in select.find_all(exp.Anonymous, exp.Concat, exp.DPipe):
            if isinstance(call, exp.DPipe) and isinstance(call.parent, exp.DPipe):
                continue  # counted with the whole chain
            joins = str(call.this).lower() in _JOINS if isinstance(call, exp.Anonymous) else True
            if not joins or call.find_ancestor(exp.Select) is not select:
                continue
            times = Counter(fold(column.parts[-1].name) for column in call.find_all(exp.Column))
            if times and (found := max(times.values())) > most:
                most, worst = found, call
        product *= most
        if product > MOST_REPEATED:
            yield worst, f"Texts are joined to themselves more than {MOST_REPEATED:,} times over.", "size"
            return


def _depth(node: Any) -> int:
    above, depth = node, 0
    while above is not None:
        depth += isinstance(above, exp.Anonymous) and str(above.this).lower() in _LENGTHENS
        above = above.parent
    return depth


def _doubling(node: Any) -> Iterator[Problem]:
    """A step of `aggregate` that makes of what was gathered something a multiple as long."""
    step = next((e for e in node.expressions[2:3] if isinstance(e, exp.Lambda)), None)
    if step is None or not step.expressions:
        return
    gathered = fold(step.expressions[0].name)

    def times(inside: Any) -> int:
        return sum(fold(each.name) == gathered for each in inside.find_all(exp.Identifier))

    for call in step.this.walk():
        name = str(call.this).lower() if isinstance(call, exp.Anonymous) else ""
        grows = name in _LENGTHENS or inventory.grows(name)
        joins = name in _JOINS or isinstance(call, (exp.Concat, exp.DPipe))
        replaced = call.expressions[2] if name in ("replace", "regexp_replace") and len(call.expressions) > 2 else None
        longer = replaced is not None and not (
            isinstance(replaced, exp.Literal) and len(replaced.name) <= (name == "replace")
        )
        if ((grows or longer) and times(call)) or (joins and times(call) > 1):
            text = f"A step of aggregate makes what was gathered ({gathered}) several times as long each time."
            yield call, text, "size"
            return


def _pattern(root: exp.Expression, node: Any, pattern: Any) -> Iterator[Problem]:
    if isinstance(pattern, exp.Literal):
        if endless(pattern.name):
            text = "The pattern repeats a repetition, which a text can keep busy for ever; write a+ instead of (a+)+."
            yield node, text, "pattern"
    elif any(each.is_string and "(" in each.name for each in root.find_all(exp.Literal)):
        # It may be put together of texts of the query, so none of them may open a group.
        yield node, "A pattern with groups is written out as one text.", "pattern"
