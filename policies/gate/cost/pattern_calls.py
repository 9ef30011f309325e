"""Where calls of Spark take a pattern of Java, and which pattern."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

PATTERNS_AT = {
    "rlike": (1,),
    "regexp": (1,),
    "regexp_like": (1,),
    "regexp_replace": (1,),
    "regexp_extract": (1,),
    "regexp_extract_all": (1,),
    "regexp_count": (1,),
    "regexp_instr": (1,),
    "regexp_substr": (1,),
    "split": (1,),
    "str_to_map": (1, 2),
    "parse_url": (2,),
    "try_parse_url": (2,),
}
"""Function -> its arguments that are patterns."""


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
