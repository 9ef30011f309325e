"""`IN` with texts beside numbers or times, as comparisons one by one. Pure; changes the tree.

Without ANSI mode Spark compares a whole list as texts where one of its values is a text: 1.0 is not in ('1', '2'). A comparison
with each value has the type of the column, as the same SQL has at once.
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

MOST = 64
"""Longer lists are of texts."""
_OTHER = re.compile(r"\s*[+-]?[0-9.]|\s*(?:true|false|t|f|yes|no|y|n|inf|infinity|nan)\s*\Z", re.IGNORECASE)
"""Texts that may be compared as a number, a time or a truth value."""


def compare_texts_alone(tree: Any) -> None:
    for node in list(tree.find_all(exp.In)):
        values = node.expressions
        texts = [each for each in values if isinstance(each, exp.Literal) and each.is_string]
        others = [each for each in values if not any(each is text for text in texts)]
        means_another = others or any(_OTHER.match(text.name) for text in texts)
        if not texts or not means_another or len(texts) > MOST or node.find(exp.Query) is not None:
            continue
        tests: list[Any] = [exp.EQ(this=node.this.copy(), expression=text.copy()) for text in texts]
        if others:
            tests.append(exp.In(this=node.this.copy(), expressions=[each.copy() for each in others]))
        node.replace(exp.paren(exp.or_(*tests), copy=False))
