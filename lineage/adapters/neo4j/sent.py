"""Statements and their parameters as they are sent, so that Neo4j plans each text once.

It keeps a plan for each text and for the sizes, by powers of ten, of the lists and texts among its parameters: a
statement for one key, for five and for fifty are planned three times. It ignores the sizes of values inside a map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_IN = "of"
"""The one parameter that holds lists and texts."""


def sent(statement: str, parameters: Mapping[str, Any]) -> tuple[str, dict[str, object]]:
    """The text and the parameters to send; whole numbers stay as they are, since LIMIT takes them from no map."""
    plain: dict[str, object] = {name: value for name, value in parameters.items() if isinstance(value, int)}
    sized = {name: value for name, value in parameters.items() if name not in plain}
    if not sized:
        return statement, plain
    return _text(statement, tuple(sorted(sized))), {**plain, _IN: sized}


@lru_cache(maxsize=1024)
def _text(statement: str, names: tuple[str, ...]) -> str:
    return re.sub(rf"\$({'|'.join(names)})\b", rf"${_IN}.\1", statement)
