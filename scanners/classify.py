"""Verdicts on personal data, from the merged counters of a topic's sketch.

A share alone cannot tell 1% real e-mail addresses from 1% accidents; how many of the candidates pass their validator can.
So each entity's rule weighs precision (valid of candidates), share (of the texts), whether the whole text or a part of it
matched, the field's name, which is weak evidence and can speak against, and what else the values could be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.model import Classification
from catalog.paths import FieldPath
from scanners.detectors.base import CANDIDATES, DISTINCT, TEXTS, VALID, VALID_TEXTS, VERSION, WHOLE
from scanners.detectors.names import speaks, words
from scanners.detectors.national import IDS
from scanners.infer import Sketch
from scanners.model import Recognizer
from scanners.nodes import Node
from scanners.tree import places

MIN_SCORE = 0.5

_NATIONAL = {spec.entity: spec for spec in IDS}


@dataclass(slots=True)
class Evidence:
    """Counters of one (path, entity, recognizer), with what surrounds them."""

    entity: str
    recognizer: str
    c: Mapping[str, int]
    node: Node
    names: tuple[str, ...]
    says: int = field(init=False)

    def __post_init__(self) -> None:
        self.says = speaks(self.entity, self.names)

    @property
    def n(self) -> int:
        return max(1, self.c.get("read") or self.node.scanned)

    @property
    def valid(self) -> int:
        return self.c.get(VALID, 0)

    @property
    def matched(self) -> int:
        return self.c.get(VALID_TEXTS, 0)

    @property
    def precision(self) -> float:
        return self.valid / max(1, self.c.get(CANDIDATES, 0))

    @property
    def share(self) -> float:
        return self.matched / self.n

    @property
    def distinct(self) -> int:
        return self.c.get(DISTINCT, 0)

    @property
    def prose(self) -> bool:
        """Most matches stand inside longer text."""
        return self.c.get(WHOLE, 0) * 2 < max(1, self.matched) and self.node.traits.get("prose", 0) > 0

    def of(self, mark: str, whole: str) -> float:
        return self.c.get(mark, 0) / max(1, self.c.get(whole, 0))


Rule = Callable[[Evidence], float]


def _email(e: Evidence) -> float:
    if not e.valid or e.precision < 0.5 or (e.says < 0 and e.share < 0.5):
        return 0.0
    if e.says < 0 and e.c.get("role", 0) >= e.matched:
        return 0.0
    few = e.matched < 2 and e.share < 0.01 and e.says <= 0
    return 0.6 if few else 0.98 if e.share >= 0.5 else 0.85


def _phone(e: Evidence) -> float:
    c = e.c
    candidates = sum(c.get(way, 0) for way in _PHONE_WAYS)
    if not candidates:
        return 0.0
    possible = sum(c.get(f"{way}_possible", 0) for way in _PHONE_WAYS)
    share = possible / e.n
    plus = c.get("international", 0)
    if e.says < 0:
        return 0.7 if plus / e.n >= 0.5 and e.of("international_valid", "international") >= 0.9 else 0.0
    if e.says > 0 and possible / candidates >= 0.7 and share >= 0.2:
        return 0.95 if plus or c.get("parentheses") or c.get("formatted") else 0.8
    if plus and e.of("international_valid", "international") >= (0.4 if e.says > 0 else 0.6):
        return 0.9 if plus >= 2 else 0.6
    brackets = c.get("parentheses", 0)
    if brackets >= 2 and e.of("parentheses_possible", "parentheses") >= 0.8:
        return 0.8
    formatted = c.get("formatted", 0)
    if (
        formatted >= 5
        and e.of("formatted_valid", "formatted") >= 0.7
        and e.of("formatted_possible", "formatted") >= 0.9
    ):
        return 0.7
    # Digits alone are an epoch, an order or a customer number as likely as not.
    return 0.0


_PHONE_WAYS = ("international", "parentheses", "formatted", "bare")


def _ip(e: Evidence) -> float:
    if not e.valid or e.says < 0:
        return 0.0
    if e.recognizer == "ip6":
        return 0.9 if e.precision >= 0.8 else 0.0
    if e.says > 0:
        return 0.95 if e.precision >= 0.7 and e.of("large_octet", VALID_TEXTS) >= 0.2 else 0.0
    real = e.precision >= 0.9 and e.of("large_octet", VALID_TEXTS) >= 0.5 and e.of("large_tail", VALID_TEXTS) >= 0.4
    return 0.0 if not real else 0.85 if e.distinct >= 3 else 0.55


def _mac(e: Evidence) -> float:
    return 0.9 if e.valid and e.precision >= 0.8 else 0.0


def _card(e: Evidence) -> float:
    if not e.valid or (e.says < 0 and not e.prose):
        return 0.0
    if e.says > 0 or e.c.get("grouped", 0):
        return (0.95 if e.says > 0 else 0.85) if e.precision >= 0.5 else 0.0
    if e.prose:
        return 0.75 if e.precision >= 0.7 else 0.0
    # One random number in twenty passes; a column of them never does.
    return 0.8 if e.precision >= 0.85 and e.distinct >= 3 else 0.0


def _iban(e: Evidence) -> float:
    return (0.95 if e.says >= 0 else 0.6) if e.valid and e.precision >= 0.5 else 0.0


def _wallet(e: Evidence) -> float:
    if not e.valid or e.precision < 0.5 or e.says < 0:
        return 0.0
    if e.valid > e.c.get("ethereum", 0):
        return 0.9
    return 0.8 if e.says > 0 else 0.6


def _api_key(e: Evidence) -> float:
    return 0.9 if e.valid else 0.0


def _national(e: Evidence) -> float:
    spec = _NATIONAL[e.entity]
    if not e.valid or e.says < 0:
        return 0.0
    # What an accident would reach, and the most a validator can ask for.
    wanted = 0.9 if spec.chance >= 0.3 else 0.7
    if e.says > 0:
        return 0.95 if e.precision >= wanted and e.share >= 0.05 else 0.0
    formatted = e.c.get("formatted_valid", 0)
    if formatted * 2 >= e.matched:
        if spec.chance <= 0.1:
            return 0.8 if e.precision >= 0.9 and e.distinct >= 3 else 0.0
        strict = e.precision >= 0.98 and e.distinct >= 30 and spec.chance < 0.9
        return 0.6 if strict and not e.prose else 0.0
    strong = spec.chance <= 0.04 and e.precision >= 0.97 and e.distinct >= 20 and e.share >= 0.8
    return 0.6 if strong else 0.0


_SURNAME = frozenset({"last_name", "lastname", "surname", "family_name", "nachname", "apellido", "cognome"})


def _person(e: Evidence) -> float:
    full, single, given = (e.c.get(k, 0) / e.n for k in ("full", "single", "given"))
    leaf = "_".join(words(e.names[-1])) if e.names else ""
    if e.says > 0:
        if leaf in _SURNAME and full + single >= 0.6:
            return 0.7
        if full >= 0.5:
            return 0.85 if given >= 0.2 else 0.6 if given >= 0.05 else 0.0
        return 0.8 if full + single >= 0.6 and given >= 0.15 else 0.0
    return 0.7 if full >= 0.8 and given >= 0.35 and e.distinct >= 5 else 0.0


def _address(e: Evidence) -> float:
    if e.recognizer == "postcode":
        leaf = set(words(e.names[-1])) if e.names else set()
        postal = leaf & {"zip", "zipcode", "postcode", "postal", "plz"}
        return 0.65 if postal and e.share >= 0.8 else 0.0
    if e.says > 0:
        return 0.85 if e.share >= 0.3 and e.precision >= 0.5 else 0.0
    return 0.7 if e.share >= 0.6 and e.precision >= 0.8 and e.distinct >= 3 else 0.0


def _birth(e: Evidence) -> float:
    return 0.9 if e.share >= 0.8 else 0.0


def _password(e: Evidence) -> float:
    return 0.7 if e.share >= 0.5 else 0.0


RULES: dict[str, Rule] = {
    "EMAIL_ADDRESS": _email, "PHONE_NUMBER": _phone, "IP_ADDRESS": _ip, "MAC_ADDRESS": _mac, "CREDIT_CARD": _card,
    "IBAN_CODE": _iban, "CRYPTO": _wallet, "API_KEY": _api_key, "PERSON": _person, "LOCATION": _address,
    "DATE_OF_BIRTH": _birth, "PASSWORD": _password, **dict.fromkeys(_NATIONAL, _national),
}  # fmt: skip


def _presidio(e: Evidence) -> float:
    """What presidio found in free text beyond our own entities; a model's finds, or patterns with context words."""
    return 0.6 if e.matched >= 2 or e.says > 0 else 0.5 if e.matched and e.share >= 0.02 else 0.0


def classify(
    sketch: Sketch, recognizers: Sequence[Recognizer] = (), window: Mapping[str, Any] | None = None
) -> tuple[tuple[Classification, ...], tuple[str, ...]]:
    """(verdicts, paths no detector could finish) of a sealed sketch. Evidence holds counts and names, never a value."""
    own = {r.name: r for r in recognizers}
    found: dict[tuple[str, str], tuple[float, list[Evidence], set[str]]] = {}
    unscanned: set[str] = set()
    by_key: set[FieldPath] = set()
    if sketch.parts["headers"].unscanned:
        unscanned.add("headers")
    for place in places(sketch):
        path = place.inside or place.path
        if _known_by_key(place.node):
            by_key.add(place.path.values())
        if place.node.unscanned or _opaque(place.path, place.node):
            unscanned.add(str(path))
        if place.path in by_key:
            continue
        for score, evidence in _verdicts(place.node, place.path.names, own):
            key = (str(path), evidence.entity)
            best, every, inside = found.get(key, (0.0, [], set()))
            if place.inside is not None:
                inside.add(str(place.path))
            found[key] = (max(best, score), [*every, evidence], inside)
    verdicts = [
        Classification(path, entity, round(score, 3), evidence=_evidence(every, inside, own, window))
        for (path, entity), (score, every, inside) in sorted(found.items())
    ]
    return tuple(verdicts), tuple(sorted(unscanned))


def _known_by_key(node: Node) -> bool:
    """A map nearly all of whose entries have keys with a profile of their own: those are judged one by one."""
    entries = node.keys.count if node.keys is not None else 0
    return node.is_map and sum(child.count for child in node.fields.values()) >= 0.95 * max(1, entries)


def _opaque(path: FieldPath, node: Node) -> bool:
    """A key, value or header of unknown bytes: nobody could look inside."""
    return len(path.steps) <= 1 and node.traits.get("opaque", 0) > 0


def _verdicts(node: Node, names: tuple[str, ...], own: Mapping[str, Recognizer]) -> list[tuple[float, Evidence]]:
    scored: list[tuple[float, Evidence]] = []
    helpers: dict[str, list[Evidence]] = defaultdict(list)
    for key, counters in sorted(node.hits.items()):
        entity, _, recognizer = key.partition("|")
        evidence = Evidence(entity, recognizer, counters, node, names)
        if recognizer.startswith("custom:"):
            score = _custom(evidence, own.get(recognizer.removeprefix("custom:")))
        elif recognizer.startswith("presidio:"):
            if entity in RULES and entity not in ("PERSON", "LOCATION"):
                helpers[entity].append(evidence)
                continue
            score = _presidio(evidence)
        else:
            score = RULES[entity](evidence) if entity in RULES else 0.0
        if score >= MIN_SCORE:
            scored.append((score, evidence))
    scored = _without_rivals(scored)
    entities = {e.entity for _, e in scored}
    return scored + [(0.0, e) for entity, es in helpers.items() if entity in entities for e in es]


def _custom(e: Evidence, recognizer: Recognizer | None) -> float:
    """The user's own: their score for the pattern, a little more when most texts have it."""
    if recognizer is None or not e.matched:
        return 0.0
    scores = [float(p.get("score", 0.5)) for p in recognizer.patterns] + ([1.0] if recognizer.deny_list else [])
    base = max(scores, default=0.5)
    named = any(w in {c.lower() for c in recognizer.context} for name in e.names for w in words(name))
    score = base + (0.2 if e.share >= 0.5 else 0.0) + (0.2 if named else 0.0)
    return min(1.0, max(score, MIN_SCORE if e.share >= 0.1 else 0.0))


def _without_rivals(scored: list[tuple[float, Evidence]]) -> list[tuple[float, Evidence]]:
    """Of numbers that several validators accept, the one that the name or the stronger checksum speaks for."""
    numbers = [(s, e) for s, e in scored if e.entity in _NUMBERS]
    if len(numbers) < 2:
        return scored

    def rank(item: tuple[float, Evidence]) -> tuple[int, float, int, float]:
        score, e = item
        spec = _NATIONAL.get(e.entity)
        # Longer patterns with rarer accidents are the better explanation.
        return (e.says, score, e.matched, -(spec.chance if spec else 0.05))

    best = max(numbers, key=rank)
    lost = [
        item for item in numbers
        if item is not best and not (item[1].prose or best[1].prose) and not (item[1].says > 0 and best[1].says <= 0)
    ]  # fmt: skip
    return [item for item in scored if not any(item is gone for gone in lost)]


_NUMBERS = frozenset({"PHONE_NUMBER", "CREDIT_CARD", *_NATIONAL})


def _evidence(
    every: Sequence[Evidence], inside: set[str], own: Mapping[str, Recognizer], window: Mapping[str, Any] | None
) -> dict[str, Any]:
    main = max(every, key=lambda e: (e.matched if not e.recognizer.startswith("presidio:") else 0, e.matched))
    matched = main.c.get(VALID_TEXTS, 0) if main.entity != "PHONE_NUMBER" else main.c.get(TEXTS, 0)
    made: dict[str, Any] = {
        "matched": matched,
        "sampled": main.n,
        "rate": round(matched / main.n, 6),
        "candidates": main.c.get(CANDIDATES, 0),
        "validated": main.valid,
        "recognizers": [_named(e, own) for e in _first_of_each(every)],
        "field_name": {1: "speaks for it", 0: "says nothing", -1: "speaks against it"}[main.says],
    }
    if main.prose:
        made["free_text"] = True
    for mark in ("public", "private", "role", "international", "given", "grouped"):
        if main.c.get(mark):
            made[mark] = main.c[mark]
    if inside:
        made["inside_text"] = sorted(inside)
    if main.node.traits.get("base64"):
        made["base64"] = True
    if main.entity in ("PERSON", "LOCATION") and not any(e.recognizer.startswith("presidio:") for e in every):
        made["note"] = "no language model: shape of the values and the field's name agree"
    if window:
        made["window"] = dict(window)
    return made


def _first_of_each(every: Sequence[Evidence]) -> list[Evidence]:
    return list({e.recognizer: e for e in every}.values())


def _named(e: Evidence, own: Mapping[str, Recognizer]) -> dict[str, str]:
    name = e.recognizer
    if name.startswith("custom:"):
        known = own.get(name.removeprefix("custom:"))
        return {"name": name.removeprefix("custom:"), "version": known.version if known else "?"}
    if name.startswith("presidio:"):
        return {"name": name, "version": presidio_version()}
    return {"name": f"weir:{name}", "version": VERSION}


def presidio_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("presidio-analyzer")
    except PackageNotFoundError:
        return "?"
