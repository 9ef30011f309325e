"""Where calls of Spark take a pattern of Java, and what it says."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

PATTERNS_AT = {
    "rlike": (1,), "regexp": (1,), "regexp_like": (1,), "regexp_replace": (1,), "regexp_extract": (1,),
    "regexp_extract_all": (1,), "regexp_count": (1,), "regexp_instr": (1,), "regexp_substr": (1,), "split": (1,),
    "str_to_map": (1, 2), "parse_url": (2,), "try_parse_url": (2,),
}  # fmt: skip
"""Function -> its arguments that are patterns; the first is what they are matched with."""


def written(pattern: Any) -> str | None:
    """The text of a pattern that is written out, in one or in parts; None where it comes from elsewhere."""
    if isinstance(pattern, exp.Paren):
        return written(pattern.this)
    if isinstance(pattern, exp.Literal):
        return str(pattern.name)
    parts = None
    if isinstance(pattern, exp.DPipe):
        parts = list(pattern.flatten())
    elif isinstance(pattern, exp.Concat) or (isinstance(pattern, exp.Anonymous) and str(pattern.this) == "concat"):
        parts = pattern.expressions
    texts = [written(each) for each in parts or ()]
    return "".join(map(str, texts)) if texts and None not in texts else None


def matched(node: Any) -> list[tuple[Any, str]]:
    """(text, pattern of Java) of each match that a node asks for, where the pattern is written out."""
    if isinstance(node, exp.RegexpLike):
        pairs = [(node.this, written(node.expression))]
    elif isinstance(node, (exp.Like, exp.ILike)):
        pairs = [(node.this, _of_like(written(node.expression)))]
    elif isinstance(node, exp.Anonymous):
        name, given = str(node.this).lower(), node.expressions
        pairs = [(given[0], written(given[at])) for at in PATTERNS_AT.get(name, ()) if len(given) > at]
        if name in ("like", "ilike") and len(given) > 1:
            pairs = [(given[0], _of_like(written(given[1])))]
    else:
        return []
    return [(text, pattern) for text, pattern in pairs if pattern is not None]


def _of_like(pattern: str | None) -> str | None:
    """Near enough to count its repetitions: % is .*, all else a character. Spark itself looks for `%a%` and the like."""
    if pattern is None or pattern.count("%") + pattern.count("_") <= 2:
        return None
    return "(?s)" + "".join(
        ".*" if sign == "%" else "." if sign == "_" else f"\\x{{{ord(sign):x}}}" for sign in pattern
    )
