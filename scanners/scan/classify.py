"""Verdicts on personal data, from the merged counters of a topic's sketch; the rules are `scanners.detectors.rules`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catalog.model import Classification
from catalog.paths import FieldPath, StepKind
from scanners.detectors.core.base import CANDIDATES, DISTINCT, LOOKED, STOPPED, VALID, VALID_TEXTS, VERSION, WHOLE
from scanners.detectors.evidence import Evidence
from scanners.detectors.kinds import categories
from scanners.detectors.kinds.identifiers import LATITUDE, LONGITUDE
from scanners.detectors.kinds.papers import likely_countries
from scanners.detectors.names.fields import named_as, shared, speaks, words
from scanners.detectors.names.words_for import FOR
from scanners.detectors.registry import installed
from scanners.detectors.rules import MIN_SCORE, NATIONAL, RULES, matched_texts, score
from scanners.model import Recognizer
from scanners.scan.recognizer_versions import presidio_version
from scanners.sketch.nodes import Node
from scanners.sketch.topic import Sketch
from scanners.sketch.tree import Place, places


def _presidio(e: Evidence) -> float:
    """What presidio found in free text beyond our own entities; a model's finds, or patterns with context words."""
    return 0.6 if e.matched >= 2 or e.by_name > 0 else 0.5 if e.matched and e.share >= 0.02 else 0.0


def classify(
    sketch: Sketch, recognizers: Sequence[Recognizer] = (), window: Mapping[str, Any] | None = None
) -> tuple[tuple[Classification, ...], tuple[str, ...]]:
    """(verdicts, paths no detector could finish) of a sealed sketch. Evidence holds counts and names, never a value."""
    own = {r.name: r for r in recognizers}
    classifications: dict[tuple[str, str], tuple[float, list[Evidence], set[str]]] = {}
    unscanned: set[str] = set()
    by_key: set[FieldPath] = set()
    if sketch.parts["headers"].unscanned:
        unscanned.add("headers")
    # Of what could not be decoded, not one record of it, nobody knows what is in it.
    unscanned.update(part for part in ("key", "value") if sketch.present[part] and not sketch.parts[part].count)
    neighbours = _Neighbours()
    for place in places(sketch):
        path = place.inside or place.path
        beside = neighbours.of(place)
        if _known_by_key(place.node):
            by_key.add(place.path.values())
        if place.node.unscanned or _opaque(place.path, place.node):
            unscanned.add(str(path))
        if place.path in by_key:
            continue
        for points, evidence in _verdicts(place, beside, own):
            key = (str(path), evidence.entity)
            best, every, inside = classifications.get(key, (0.0, [], set()))
            if place.inside is not None:
                inside.add(str(place.path))
            classifications[key] = (max(best, points), [*every, evidence], inside)
    verdicts = [
        Classification(path, entity, round(points, 3), evidence=_evidence(every, inside, own, window))
        for (path, entity), (points, every, inside) in sorted(classifications.items())
    ]
    return tuple(verdicts), tuple(sorted(unscanned))


def _known_by_key(node: Node) -> bool:
    """A map nearly all of whose entries have keys with a profile of their own: those are judged one by one."""
    entries = node.keys.count if node.keys is not None else 0
    return node.is_map and sum(child.count for child in node.fields.values()) >= 0.95 * max(1, entries)


def _opaque(path: FieldPath, node: Node) -> bool:
    """A key, value or header of unknown bytes: nobody could look inside."""
    return len(path.steps) <= 1 and node.traits.get("opaque", 0) > 0


class _Neighbours:
    """Names of the fields beside each place, known from its parents, which come first."""

    def __init__(self) -> None:
        self._fields: dict[tuple[str, FieldPath | None], frozenset[str]] = {}

    def of(self, place: Place) -> frozenset[str]:
        inside = place.inside
        if place.node.fields:
            self._fields[str(place.path), inside] = shared(place.node.fields)
        if place.node.embedded is not None and place.node.embedded.fields:
            self._fields[str(place.path), inside or place.path] = shared(place.node.embedded.fields)
        above = place.path.parent
        while above is not None:
            fields = self._fields.get((str(above), inside))
            if fields is not None:
                return fields
            above = above.parent
        return frozenset()


def _verdicts(place: Place, beside: frozenset[str], own: Mapping[str, Recognizer]) -> list[tuple[float, Evidence]]:
    node, names = place.node, place.path.names
    scored: list[tuple[float, Evidence]] = []
    helpers: dict[str, list[Evidence]] = defaultdict(list)
    for evidence in _evidences(node, names, beside, place):
        entity, recognizer = evidence.entity, evidence.recognizer
        if recognizer.startswith("custom:"):
            points = _custom(evidence, own.get(recognizer.removeprefix("custom:")))
        elif recognizer.startswith("presidio:"):
            if entity in RULES and entity not in ("PERSON", "LOCATION"):
                helpers[entity].append(evidence)
                continue
            points = _presidio(evidence)
        else:
            points = score(evidence)
        if points >= MIN_SCORE:
            scored.append((points, evidence))
    scored = _without_rivals(_explained(scored))
    entities = {e.entity for _, e in scored}
    return scored + [(0.0, e) for entity, es in helpers.items() if entity in entities for e in es]


def _evidences(node: Node, names: tuple[str, ...], beside: frozenset[str], place: Place) -> Iterator[Evidence]:
    for key, counters in sorted(node.hits.items()):
        entity, _, recognizer = key.partition("|")
        yield Evidence(entity=entity, recognizer=recognizer, c=counters, node=node, names=names, beside=beside)
    half = _coordinate(node, beside, place)
    if half is not None:
        yield Evidence(
            entity="GEO_COORDINATES", recognizer="coordinates", c=half, node=node, names=names, beside=beside
        )
    yield from _flags(node, names, beside)
    born = _born(node, names)
    if born is not None:
        yield Evidence(entity="DATE_OF_BIRTH", recognizer="date_number", c=born, node=node, names=names, beside=beside)


def _flags(node: Node, names: tuple[str, ...], beside: frozenset[str]) -> Iterator[Evidence]:
    """Evidence of a yes or no that shows a special category, as `union_member` does."""
    count = node.type_count("boolean")
    if not count:
        return
    for entity in sorted(categories.FLAGS):
        if speaks(entity, names) > 0:
            own = {"own_name": count} if named_as(categories.FLAGS[entity], names[-1:]) else {}
            counters = {**_counters(node, count), **own}
            yield Evidence(entity=entity, recognizer="flag", c=counters, node=node, names=names, beside=beside)


_UNITS = frozenset({"year", "days", "day", "ms", "millis", "epoch", "ts", "timestamp", "date", "int"})


def _born(node: Node, names: tuple[str, ...]) -> dict[str, int] | None:
    """Counters of dates of birth as numbers: a year, days since 1970 (as Debezium and Avro write dates), or milliseconds;
    in a field that is called so and nothing else (`birth_weight` is not)."""
    leaf = words(names[-1]) if names else ()
    if leaf and leaf[-1] in _UNITS and not _ends(leaf):
        leaf = leaf[:-1]
    if node.numbers is None or not _ends(leaf):
        return None
    count = node.type_count("int32", "int64")
    days, milliseconds = node.numbers[1] <= 4, 10 <= node.numbers[1] <= 12
    return _counters(node, count) if count and (days or milliseconds) else None


def _ends(leaf: Sequence[str]) -> bool:
    """Whether a name ends in what dates of birth are called."""
    return any(f"_{'_'.join(leaf)}".endswith(f"_{phrase}") for phrase in FOR["DATE_OF_BIRTH"])


def _counters(node: Node, count: int) -> dict[str, int]:
    """Counters of a column of other values than texts, `count` of which fit."""
    return {
        "read": node.count - node.type_count("null"),
        VALID_TEXTS: count,
        VALID: count,
        CANDIDATES: count,
        WHOLE: count,
        DISTINCT: node.distinct or 0,
        LOOKED: count,
        STOPPED: count,
    }


def _coordinate(node: Node, beside: frozenset[str], place: Place) -> dict[str, int] | None:
    """Counters of one number of a pair: named as one, its other half beside it, and no larger than degrees are."""
    step = place.path.steps[-1] if place.path.steps else None
    if step is None or step.kind is not StepKind.FIELD or node.numbers is None:
        return None
    leaf = words(step.name or "")
    for mine, other, digits in ((LATITUDE, LONGITUDE, 1), (LONGITUDE, LATITUDE, 2)):
        if not mine.isdisjoint(leaf) and any(not other.isdisjoint(name.split("_")) for name in beside):
            count = node.type_count("double", "decimal")
            if not count or node.numbers[1] > digits:
                return None
            return _counters(node, count)
    return None


def _custom(e: Evidence, recognizer: Recognizer | None) -> float:
    """The user's own: their score for the pattern, a little more when most texts have it."""
    if recognizer is None or not e.matched:
        return 0.0
    scores = [float(p.get("score", 0.5)) for p in recognizer.patterns] + ([1.0] if recognizer.deny_list else [])
    base = max(scores, default=0.5)
    named = any(w in {c.lower() for c in recognizer.context} for name in e.names for w in words(name))
    points = base + (0.2 if e.share >= 0.5 else 0.0) + (0.2 if named else 0.0)
    return min(1.0, max(points, MIN_SCORE if e.share >= 0.1 else 0.0))


def _explained(scored: list[tuple[float, Evidence]]) -> list[tuple[float, Evidence]]:
    """Without the few texts that look like something else too, where nearly all are surely one thing."""
    sure = [e for points, e in scored if points >= 0.85 and e.share >= 0.95 and not e.prose]
    if not sure:
        return scored
    return [
        (points, e)
        for points, e in scored
        if e.by_name > 0
        or e.share > 0.2
        or any(e is s or e.entity == s.entity for s in sure)
        or e.recognizer[:7] == "custom:"
    ]


def _without_rivals(scored: list[tuple[float, Evidence]]) -> list[tuple[float, Evidence]]:
    """Of numbers that several validators accept, the one that the name or the stronger checksum supports."""
    numbers = [item for item in scored if item[1].entity in _NUMBERS]
    if len(numbers) < 2:
        return scored

    def rank(item: tuple[float, Evidence]) -> tuple[int, float, int, float]:
        points, e = item
        spec = NATIONAL.get(e.entity)
        # Longer patterns with rarer accidents are the better explanation.
        return (e.by_name, points, e.matched, -(spec.chance if spec else 0.05))

    best = max(numbers, key=rank)
    return [item for item in scored if item is best or item[1].entity not in _NUMBERS or _apart(item[1], best[1])]


def _apart(e: Evidence, best: Evidence) -> bool:
    """Whether a number is listed beside the best explanation: running text has different numbers, and a field may hold
    one kind in some records and another in the rest. An explanation of the same texts is not listed."""
    return best.n - best.matched >= 0.8 * e.matched and (e.prose or best.prose or e.by_name > 0)


_NUMBERS = frozenset({"PHONE_NUMBER", *NATIONAL, *(kind.entity for kind in installed().kinds if kind.number)})


def _evidence(
    every: Sequence[Evidence], inside: set[str], own: Mapping[str, Recognizer], window: Mapping[str, Any] | None
) -> dict[str, object]:
    main = max(every, key=lambda e: (e.matched if not e.recognizer.startswith("presidio:") else 0, e.matched))
    matched = matched_texts(main)
    evidence: dict[str, object] = {
        "matched": matched,
        "sampled": main.n,
        "rate": round(matched / main.n, 6),
        "candidates": main.c.get(CANDIDATES, 0),
        "validated": main.valid,
        "recognizers": [_named(e, own) for e in _first_of_each(every)],
        "fieldName": {1: "speaks for it", 0: "says nothing", -1: "speaks against it"}[main.by_name],
    }
    if main.prose:
        evidence["freeText"] = True
    for mark in ("public", "private", "role", "international", "given", "grouped"):
        if main.c.get(mark):
            evidence[mark] = main.scaled(main.c[mark])
    countries = sorted({country for e in every for country in likely_countries(e.c)})
    if countries:
        evidence["countries"] = countries
    if main.c.get(LOOKED, 0) < main.c.get(STOPPED, 0):
        evidence["lookedAt"] = main.c[LOOKED]
    if inside:
        evidence["insideText"] = sorted(inside)
    if main.node.traits.get("base64"):
        evidence["base64"] = True
    if main.entity in ("PERSON", "LOCATION") and not any(e.recognizer.startswith("presidio:") for e in every):
        evidence["note"] = "no language model: shape of the values, lists of names and the field's name"
    if window:
        evidence["window"] = dict(window)
    return evidence


def _first_of_each(every: Sequence[Evidence]) -> list[Evidence]:
    return list({e.recognizer: e for e in every}.values())


def _named(e: Evidence, own: Mapping[str, Recognizer]) -> dict[str, str]:
    name = e.recognizer
    if name.startswith("custom:"):
        recognizer = own.get(name.removeprefix("custom:"))
        return {"name": name.removeprefix("custom:"), "version": recognizer.version if recognizer else "?"}
    if name.startswith("presidio:"):
        return {"name": name, "version": presidio_version()}
    plugged = installed().versions.get(name)
    if plugged is not None:
        return {"name": f"plug:{name}", "version": plugged}
    return {"name": f"weir:{name}", "version": VERSION}
