"""Spark's errors as one clean sentence: no value, no plan, no stack trace.

Spark's own messages quote values (`The value 'anna@...' cannot be cast`), expressions with mask keys, and plans; none
of their text goes out. What goes out is a sentence chosen by the error class, and names from the query.
"""

from __future__ import annotations

import re

from catalog.errors import LimitExceeded, Unavailable, WeirError
from policies.adapters.spark.error_sentences import RUN_TIME, SENTENCES
from policies.engine.memory import out_of_memory
from policies.gate.cost.sequences import MOST
from policies.plan.errors import QueryFailed
from policies.plan.refusals import split_name

_NAMED = ("UNRESOLVED_COLUMN", "UNRESOLVED_FIELD", "FIELD_NOT_FOUND", "UNRESOLVED_MAP_KEY", "AMBIGUOUS_REFERENCE")
_NAME_PARAMETERS = ("objectName", "fieldName", "name")
_MEMORY = re.compile(
    r'OutOfMemoryError|details = "(?:Java heap space|Requested array size exceeds VM limit|GC overhead limit exceeded)"'
)
_ANALYSIS = "The query does not fit its tables; check the names and types it uses."


def translate(error: BaseException) -> WeirError:
    """The error to raise instead of one of Spark's, which stays out of its message and of its cause."""
    if isinstance(error, WeirError):
        return error
    kind = type(error).__name__
    text = str(error)
    if "OPERATION_CANCELED" in text or "OPERATION_CANCELLED" in text:
        return LimitExceeded("The query was stopped.", details={"limit": "seconds"})
    if "spark.driver.maxResultSize" in text:
        message = "The answer is larger than the query engine holds at once; ask for fewer records or columns."
        return LimitExceeded(message, details={"limit": "bytes"})
    condition = _condition(error)
    if condition not in SENTENCES and _MEMORY.search(text):
        return out_of_memory()
    if (
        kind in ("_MultiThreadedRendezvous", "_InactiveRpcError", "RetriesExceeded")
        or "UNAVAILABLE" in text[:200]
        or ("UNAUTHENTICATED" in text[:200])
    ):
        return Unavailable("The query engine does not answer; try again in a moment.", details={"server": "spark"})
    if condition is None:
        known = next((words for part, words in RUN_TIME if part in text), "The engine could not run the query.")
        return QueryFailed(known, details={"condition": "failed"})
    top = condition.split(".")[0]
    details = {"condition": condition}
    name, fragment = _name(error), _fragment(error)
    if top == "USER_RAISED_EXCEPTION":  # queries cannot raise, so it is the check of a sequence's end
        message = f"A sequence would have more than {MOST:,} elements; take a longer step, or a nearer end."
        return QueryFailed(message, details=details)
    if top == "DATATYPE_MISMATCH" and (fragment or "").startswith("try_add(`weir_s`"):
        message = "A sequence of times needs its step: write sequence(start, stop, INTERVAL 1 DAY)."
        return QueryFailed(message, details=details)
    if top in _NAMED and name:
        details["name"] = name
        written = ".".join(split_name(name))
        ambiguous = f"The column {written} fits several tables; write the table before it."
        message = ambiguous if top == "AMBIGUOUS_REFERENCE" else f"There is no column {written}."
        return QueryFailed(message, details=details, fragment=fragment, known=_fields(error))
    sentence = (
        SENTENCES.get(condition)
        or SENTENCES.get(top)
        or (_ANALYSIS if kind in ("AnalysisException", "ParseException") else None)
    )
    return QueryFailed(
        sentence or "The engine could not run the query.", details=details, fragment=fragment, about=_about(error)
    )


def _condition(error: BaseException) -> str | None:
    getter = getattr(error, "getCondition", None)
    condition = getter() if callable(getter) else None
    if isinstance(condition, str) and re.fullmatch(r"[A-Z0-9_.]{3,120}", condition):
        return condition
    # Errors of the analysis come without their details at times; the class still stands before the text.
    written = re.match(r"\[([A-Z][A-Z0-9_.]{2,119})\] ", str(error))
    return written[1] if written else None


def _fragment(error: BaseException) -> str | None:
    """The part of the text that the engine points at; it may be one of a view's, so it stays inside."""
    getter = getattr(error, "getQueryContext", None)
    contexts = (getter() if callable(getter) else None) or ()
    texts = (each for each in contexts if each.contextType().name == "SQL" and not each.objectType())
    return next((str(each.fragment()) for each in texts), None)


def _fields(error: BaseException) -> tuple[str, ...]:
    getter = getattr(error, "getMessageParameters", None)
    listed = ((getter() if callable(getter) else None) or {}).get("fields")
    return tuple(part.strip().strip("`") for part in listed.split(",")) if isinstance(listed, str) and listed else ()


def _about(error: BaseException) -> dict[str, str]:
    """What the engine reports besides; it may hold values, so it stays inside. See `policies/query/failure_words.py`."""
    getter = getattr(error, "getMessageParameters", None)
    parameters = (getter() if callable(getter) else None) or {}
    return {str(name): value for name, value in parameters.items() if isinstance(value, str) and len(value) <= 500}


def _name(error: BaseException) -> str | None:
    getter = getattr(error, "getMessageParameters", None)
    parameters = getter() if callable(getter) else None
    for key in _NAME_PARAMETERS:
        value = (parameters or {}).get(key)
        if isinstance(value, str) and 0 < len(value) <= 300:
            return value
    return None
