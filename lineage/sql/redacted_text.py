"""SQL without its values: literals may be values of records. What shows columns stays, so that lineage is still read.

Kept are paths into JSON, keys of structs and options, names in brackets and after AS, and numbers of up to two digits
(places of columns, sizes of types). Any other text reads '?', any other number 0. Comments go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

REDACTED = "[redacted]"
_BACKSLASH = {
    "spark",
    "sparksql",
    "spark_sql",
    "hive",
    "mysql",
    "mariadb",
    "bigquery",
    "googlesql",
    "databricks",
    "clickhouse",
    "snowflake",
    "doris",
    "starrocks",
    "",
}
_DOUBLE_IS_TEXT = {"spark", "sparksql", "spark_sql", "hive", "mysql", "mariadb", "bigquery", "googlesql", "databricks"}
_TOKEN = r"""
  (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
 |(?P<dollar>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
 |(?P<text>(?:(?<!\w)(?:[eEbBrRnNuUxX]|[uU]&))?'(?:%s|''|[^'])*(?:'|\Z))
 |(?P<double>"(?:%s|""|[^"])*(?:"|\Z))
 |(?P<back>`[^`]*(?:`|\Z))
 |(?P<number>(?:(?<![\w.$@])\d|(?<![\w.])\.\d)[\w.]*(?:(?<=[eE])[+-]\d[\w.]*)*)
 |(?P<word>[^\W\d]\w*)
 |(?P<space>\s+)
 |(?P<other>.)
"""
_ANSI = re.compile(_TOKEN % ("(?!)", "(?!)"), re.VERBOSE | re.DOTALL)
_ESCAPED = re.compile(_TOKEN % (r"\\.", r"\\."), re.VERBOSE | re.DOTALL)
_PATH = re.compile(r"(?:lax |strict )?\$[\w.\[\]*\-]{0,200}\Z")
_NAME = re.compile(r"[^\W\d][\w.\-]{0,100}\Z")
_KEYED = {"named_struct", "object_construct", "json_build_object", "jsonb_build_object", "json_object", "map", "struct"}
_NAMED = {"json_tuple", "from_json", "schema_of_json"}
_OPTIONS = {"WITH", "OPTIONS", "TBLPROPERTIES", "PROPERTIES", "DBPROPERTIES"}


def without_values(sql: str, dialect: str = "") -> str:
    """The statement with its values hidden. Linear, reads any text, and changes nothing the second time."""
    dialect = dialect.lower()
    pattern = _ESCAPED if dialect in _BACKSLASH else _ANSI
    tokens = [(str(each.lastgroup), each.group()) for each in pattern.finditer(sql)]
    tokens = [
        ("dollar", text) if text.startswith("$") and kind in ("dollar", "tag") else (kind, text)
        for kind, text in tokens
    ]
    double_is_text = dialect in _DOUBLE_IS_TEXT
    return "".join(_shown(tokens, double_is_text))


def hidden(sql: str) -> str:
    """For people who read: as `without_values`, with ? for each value."""
    return re.sub(r"'\?'", "?", sql)


def _shown(tokens: list[tuple[str, str]], double_is_text: bool) -> Iterator[str]:
    telling = [(at, text) for at, (kind, text) in enumerate(tokens) if kind not in ("space", "comment")]
    before = {after[0]: text[1] for text, after in pairwise(telling)}
    follows = {text[0]: after[1] for text, after in pairwise(telling)}
    calls: list[tuple[str, int]] = []
    last, end = "", ""
    for at, (kind, text) in enumerate(tokens):
        if kind == "comment":
            yield " "
            end = " "
            continue
        if text == "(":
            calls.append((last, 0))
        elif text == ")" and calls:
            calls.pop()
        elif text == "," and calls:
            calls[-1] = (calls[-1][0], calls[-1][1] + 1)
        shown = text
        if kind in ("text", "dollar") or (kind == "double" and double_is_text):
            shown = text if _is_telling(text, calls, before.get(at, ""), follows.get(at, "")) else "'?'"
        elif kind == "number" and not (text.isdigit() and len(text) <= 2):
            shown = "0"
        # Side by side, two texts in different quotes would read as one, and $ with a number as the beginning of a text.
        yield f" {shown}" if (end == "'" == shown[0]) or (end == "$" and shown != text) else shown
        end = shown[-1]
        if kind != "space":
            last = text


def _is_telling(text: str, calls: list[tuple[str, int]], before: str, after: str) -> bool:
    inside = text[1:-1]
    call, place = calls[-1] if calls else ("", 0)
    name = call.lower()
    # A prefix may be before a hidden value by now: B$$x$$ reads B'?'.
    if REDACTED in text or inside == "?" or text.partition("'")[2] == "?'" or _PATH.match(inside):
        return True
    if (before == "[" and after == "]") or before.upper() == "AS":
        return _NAME.match(inside) is not None
    if call.upper() in _OPTIONS and "=" in (before, after):
        return True
    if name in _KEYED and place % 2 == 0:
        return _NAME.match(inside) is not None
    return name in _NAMED and place > 0
