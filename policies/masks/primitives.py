"""The Spark SQL of one mask on one value that is not nested.

Every expression keeps NULL as NULL, raises no error on any value (they are analysed with ANSI mode off, where what
cannot be converted is NULL), and names its input once or more as the given text. What each type becomes:

    mask                 text                       number        date, timestamp   boolean   binary
    MASK                 letters x/X, digits n      0             1900-01-01        NULL      empty
    MASK_SHOW_LAST_4     xxxx1234                   last 4 digits 1900-01-01        NULL      empty
    MASK_SHOW_FIRST_4    1234xxxx                   first 4, 0... 1900-01-01        NULL      empty
    MASK_HASH            64 hex characters (STRING, whatever the type)
    TOKEN                tok_ and 26 characters (STRING, whatever the type)
    MASK_NULL            NULL                       NULL          NULL              NULL      NULL
    MASK_DATE_SHOW_YEAR  2026-01-01 where a date    0             first of January  NULL      empty
    EMAIL_DOMAIN         xxxx@example.eu            0             1900-01-01        NULL      empty
    TRUNCATE_IP          10.1.2.0, 2001:db8:1::     0             1900-01-01        NULL      empty
    TRUNCATE_GEO         52.5,13.4                  one decimal   1900-01-01        NULL      empty
    GENERALIZE           as MASK                    multiple of step, first of the month    NULL      empty

A text that is not what the mask is for (no e-mail, no address) is masked as by MASK, never shown.
"""

from __future__ import annotations

from collections.abc import Callable

from catalog.datatypes import STRING, Primitive
from policies.masks import custom
from policies.masks.keys import MaskKeys
from policies.model import Mask, MaskType

_INTEGERS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 19}
_DEGREES = r"[-+]?\\d{1,3}(\\.\\d+)?"
_PLACE = rf"^\\s*{_DEGREES}(\\s*[,; ]\\s*{_DEGREES})?\\s*\\z"
_KEEPS_SIGNS = r"[^\\p{Lu}\\p{Lt}\\p{N}\\p{Punct}\\s\\p{Cntrl}]"
_BLANKS = (" ", r"\t", r"\n", r"\u000B", r"\u000C", r"\r")


def family(kind: Primitive) -> str:
    """integer | decimal | float | string | boolean | date | timestamp | binary | other."""
    name = kind.name.split("(")[0].upper()
    if name in _INTEGERS:
        return "integer"
    families = {
        "DECIMAL": "decimal",
        "DOUBLE": "float",
        "FLOAT": "float",
        "STRING": "string",
        "VARCHAR": "string",
        "CHAR": "string",
        "BOOLEAN": "boolean",
        "DATE": "date",
        "TIMESTAMP": "timestamp",
        "TIMESTAMP_NTZ": "timestamp",
        "BINARY": "binary",
    }
    return families.get(name, "other")


def output_type(mask: Mask, kind: Primitive) -> Primitive | None:
    """The type a mask gives; None for CUSTOM, whose type only Spark knows."""
    if mask.type is MaskType.CUSTOM:
        return None
    return STRING if mask.type in (MaskType.MASK_HASH, MaskType.TOKEN) else kind


def expression(mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
    """Spark SQL that masks `value`, itself a Spark SQL expression of type `kind`."""
    match mask.type:
        case MaskType.MASK_NONE:
            return value
        case MaskType.MASK_NULL | MaskType.DROP:
            return f"CAST(NULL AS {kind.name})"
        case MaskType.MASK_HASH:
            return keys.sql(keys.purpose(mask), _text(value, kind))
        case MaskType.TOKEN:
            return f"concat('tok_', substring({keys.sql(keys.purpose(mask), _text(value, kind))}, 1, 26))"
        case MaskType.CUSTOM:
            return f"CASE WHEN {value} IS NOT NULL THEN {custom.render(mask.expression or '', value)} END"
        case _:
            return _kept_type(mask, value, kind)


def _text(value: str, kind: Primitive) -> str:
    return value if family(kind) in ("string", "binary") else f"CAST({value} AS STRING)"


def _kept_type(mask: Mask, value: str, kind: Primitive) -> str:
    of = family(kind)
    if of == "string":
        return _string(mask, value)
    masked = {
        "boolean": f"CAST(NULL AS {kind.name})",
        "binary": "X''",
        "date": "DATE'1900-01-01'",
        "timestamp": f"CAST('1900-01-01T00:00:00Z' AS {kind.name})",
        "other": f"CAST(NULL AS {kind.name})",
    }.get(of, f"CAST(0 AS {kind.name})")
    number = of in ("integer", "decimal", "float")
    match mask.type:
        case MaskType.MASK_SHOW_LAST_4 if of == "integer":
            masked = _last_digits(value, kind, int(mask.params.get("show", 4)))
        case MaskType.MASK_SHOW_FIRST_4 if of == "integer":
            masked = _first_digits(value, kind, int(mask.params.get("show", 4)))
        case MaskType.MASK_DATE_SHOW_YEAR if of in ("date", "timestamp"):
            masked = f"CAST(date_trunc('YEAR', {value}) AS {kind.name})"
        case MaskType.GENERALIZE if of in ("date", "timestamp"):
            masked = f"CAST(date_trunc('MONTH', {value}) AS {kind.name})"
        case MaskType.GENERALIZE if number:
            step = _number(mask.params.get("step", 10), 10)
            masked = f"CAST(floor({value} / {step}) * {step} AS {kind.name})"
            if of == "float":
                # Spark's floor is a BIGINT; beyond it, and of NaN, what lies above the multiple is taken off.
                masked = f"CASE WHEN abs({value}) < 1e15 THEN {masked} ELSE {value} - pmod({value}, {step}) END"
            if of == "integer":
                # Exact, where a division would go through doubles; NULL where the multiple below is out of range.
                whole = f"try_subtract(CAST({value} AS BIGINT), pmod(CAST({value} AS BIGINT), {step}))"
                masked = f"try_cast({whole} AS {kind.name})"
        case MaskType.TRUNCATE_GEO if of in ("decimal", "float"):
            places = max(0, min(6, int(mask.params.get("decimals", 1))))
            masked = f"CASE WHEN {value} BETWEEN -180 AND 180 THEN CAST(round({value}, {places}) AS {kind.name}) ELSE {masked} END"
        case MaskType.TRUNCATE_GEO if of == "integer":
            masked = f"CASE WHEN {value} BETWEEN -180 AND 180 THEN {value} ELSE {masked} END"
        case _:
            pass
    return f"CASE WHEN {value} IS NOT NULL THEN {masked} END"


def _number(value: float | int | str, default: float) -> str:
    number = float(value)
    number = number if 0 < number < 1e15 else default
    return str(int(number)) if number == int(number) else repr(number)


def _last_digits(value: str, kind: Primitive, show: int) -> str:
    bound = 10 ** max(0, min(9, show))
    long = f"abs(CAST({value} AS DECIMAL(38,0))) >= {bound}"
    zero = f"CAST(0 AS {kind.name})"
    return f"CASE WHEN {long} THEN CAST(abs({value} % {bound}) AS {kind.name}) ELSE {zero} END"


def _first_digits(value: str, kind: Primitive, show: int) -> str:
    count = max(0, min(9, show))
    digits = f"length(CAST(abs(CAST({value} AS DECIMAL(38,0))) AS STRING))"
    text = f"rpad(substring(CAST(abs(CAST({value} AS DECIMAL(38,0))) AS STRING), 1, {count}), {digits}, '0')"
    return f"CASE WHEN {digits} > {count} THEN CAST({text} AS {kind.name}) ELSE CAST(0 AS {kind.name}) END"


def _string(mask: Mask, value: str) -> str:
    match mask.type:
        case MaskType.MASK_SHOW_LAST_4:
            show = int(mask.params.get("show", 4))
            hidden = f"substring({value}, 1, length({value}) - {show})"
            return _partly(value, show, hidden, lambda crossed: f"concat({crossed}, right({value}, {show}))")
        case MaskType.MASK_SHOW_FIRST_4:
            show = int(mask.params.get("show", 4))
            hidden = f"substring({value}, {show + 1})"
            return _partly(value, show, hidden, lambda crossed: f"concat(left({value}, {show}), {crossed})")
        case MaskType.EMAIL_DOMAIN:
            return _email(value)
        case MaskType.TRUNCATE_IP:
            return _ip(value)
        case MaskType.TRUNCATE_GEO:
            places = max(0, min(6, int(mask.params.get("decimals", 1))))
            replacement = "$1.$2" if places else "$1"
            pattern = rf"(-?\\d+)\\.(\\d{{1,{places or 1}}})\\d*"
            cut = f"regexp_replace({value}, '{pattern}', '{replacement}')"
            return f"CASE WHEN {value} RLIKE '{_PLACE}' THEN {cut} ELSE {redacted(value)} END"
        case MaskType.MASK_DATE_SHOW_YEAR:
            return (
                f"CASE WHEN {value} RLIKE '^\\\\d{{4}}-\\\\d{{2}}(-\\\\d{{2}}|\\\\z)'"
                f" THEN concat(substring({value}, 1, 4), '-01-01')"
                f" WHEN {value} RLIKE '^\\\\d{{1,2}}[./-]\\\\d{{1,2}}[./-]\\\\d{{4}}\\\\z' THEN concat(right({value}, 4), '-01-01')"
                f" ELSE {redacted(value)} END"
            )
        case _:
            return redacted(value)


def redacted(value: str) -> str:
    """Letters become x or X, digits n; all else of ASCII stays; anything else becomes x."""
    upper = rf"regexp_replace({value}, '[\\p{{Lu}}\\p{{Lt}}]', 'X')"
    rest = f"regexp_replace({upper}, '{_KEEPS_SIGNS}', 'x')"
    return _quickly(value, f"mask({value}, 'X', 'x', 'n', NULL)", rf"regexp_replace({rest}, '\\p{{N}}', 'n')")


def _partly(value: str, show: int, hidden: str, join: Callable[[str], str]) -> str:
    """The `hidden` part crossed out and joined with what is shown; all of a text that is no longer than that.

    Everything but blanks and ASCII signs becomes x, as Ranger's partial masks do.
    """

    def masked(crossed: Callable[[str], str]) -> str:
        return f"CASE WHEN length({value}) > {show} THEN {join(crossed(hidden))} ELSE {crossed(value)} END"

    quick = masked(lambda text: f"mask({text}, 'x', 'x', 'x', NULL)")
    return _quickly(
        value, quick, masked(lambda text: rf"regexp_replace({text}, '[^\\p{{Punct}}\\s\\p{{Cntrl}}]', 'x')")
    )


def _quickly(value: str, quick: str, otherwise: str) -> str:
    """Spark's own mask function for texts of ASCII, for which it does the same in a fifth of the time."""
    return f"CASE WHEN length({value}) = octet_length({value}) THEN {quick} ELSE {otherwise} END"


def _email(value: str) -> str:
    """Something, one @, something, and no blank; written without a regular expression, which takes longer."""
    local, domain = f"substring_index({value}, '@', 1)", f"substring_index({value}, '@', -1)"
    one = f"octet_length({local}) + octet_length({domain}) + 1 = octet_length({value})"
    blanks = " OR ".join(f"contains({value}, '{blank}')" for blank in _BLANKS)
    return (
        f"CASE WHEN {one} AND {local} <> '' AND {domain} <> '' AND NOT ({blanks}) THEN concat('xxxx@', {domain})"
        f" ELSE {redacted(value)} END"
    )


def _ip(value: str) -> str:
    four = r"^\\d{1,3}(\\.\\d{1,3}){3}(:\\d+)?\\z"
    six = r"^[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}(:?\\d{1,3}(\\.\\d{1,3}){3})?(%\\w+)?\\z"
    network = f"array_join(slice(split(substring_index({value}, '::', 1), ':'), 1, 3), ':')"
    return (
        f"CASE WHEN {value} RLIKE '{four}' THEN concat(substring_index({value}, '.', 3), '.0')"
        f" WHEN {value} RLIKE '{six}' THEN concat({network}, '::') ELSE {redacted(value)} END"
    )
