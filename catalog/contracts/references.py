"""References of ODCS (`relationships`) as rules: a field of one dataset exists in a field of another one. Pure.

Where ODCS has no word: a custom property of the relationship names the `dataset` (CLUSTER/TOPIC) that `to` is about, and the
field paths `from` and `to`, such as `key` or `key.id`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from catalog.contracts.odcs import custom
from catalog.contracts.rules import Rule, RuleKind
from catalog.errors import InvalidInput
from catalog.paths import VALUE, FieldPath, StepKind

Element = Mapping[str, Any]
DatasetOf = Callable[[Element], str]


class _Unreadable(Exception):
    """Why a reference names no field; one sentence without its end."""


class References:
    """Reads the relationships of a document. `dataset_of`: the dataset of a schema object; raises InvalidInput."""

    def __init__(self, document: Element, dataset_of: DatasetOf) -> None:
        self._objects: list[Element] = list(document.get("schema") or ())
        self._dataset_of = dataset_of

    def of_object(self, element: Element) -> Iterator[Rule]:
        """Those of a schema object, and of all of its properties."""
        for stated in element.get("relationships") or ():
            yield self._rule(stated, element, None)
        yield from self._of_properties(element, element, VALUE)

    def _of_properties(self, element: Element, parent: Element, at: FieldPath) -> Iterator[Rule]:
        for prop in parent.get("properties") or ():
            path = at.field(_name(prop))
            for stated in prop.get("relationships") or ():
                yield self._rule(stated, element, path)
            yield from self._of_properties(element, prop, path)

    def _rule(self, stated: Element, element: Element, own: FieldPath | None) -> Rule:
        try:
            columns = [own] if own is not None and custom(stated, "from") is None else self._own(stated, element)
            dataset, targets = self._target(stated)
            if len(columns) != len(targets):
                raise _Unreadable(f"it has {len(columns)} fields and refers to {len(targets)}")
            for path in (*columns, *targets):
                _require_plain(path)
        except _Unreadable as error:
            stated_from = stated.get("from") or str(own or "")
            name = str(stated.get("id") or f"{stated_from}:reference")
            text = f"{own or 'each record'} refers to another dataset"
            params = {"stated": {"from": stated_from, "to": stated.get("to")}}
            return Rule(name, RuleKind.OTHER, str(own) if own else None, text, params, str(error))
        place = ", ".join(map(str, columns))
        there = ", ".join(map(str, targets))
        return Rule(
            str(stated.get("id") or f"{place}:reference"),
            RuleKind.REFERENCE,
            str(columns[0]) if len(columns) == 1 else None,
            f"{place} exists in {there} of {dataset}",
            {"from": [str(p) for p in columns], "dataset": dataset, "to": [str(p) for p in targets]},
        )

    def _own(self, stated: Element, element: Element) -> list[FieldPath]:
        if (paths := custom(stated, "from")) is not None:
            return _paths(paths, "from")
        places = [self._place(each) for each in _listed(stated.get("from"))]
        if any(of is not element for of, _ in places):
            raise _Unreadable("its from is of another schema object than the one that has it")
        return [path for _, path in places]

    def _target(self, stated: Element) -> tuple[str, list[FieldPath]]:
        named, paths = custom(stated, "dataset"), custom(stated, "to")
        references = _listed(stated.get("to"))
        if named is not None:
            if not isinstance(named, str) or "/" not in named:
                raise InvalidInput(
                    "The custom property dataset of a relationship is a dataset, such as prod/customers."
                )
            if paths is not None:
                return named, _paths(paths, "to")
            return named, [_below(each.split(".")[1:], each) for each in references]
        places = [self._place(each) for each in references]
        if any(of is not places[0][0] for of, _ in places):
            raise _Unreadable("it refers to several datasets at once")
        try:
            dataset = self._dataset_of(places[0][0])
        except InvalidInput:
            raise _Unreadable(f"the schema object {places[0][0].get('name')} names no dataset") from None
        return dataset, _paths(paths, "to") if paths is not None else [path for _, path in places]

    def _place(self, reference: str) -> tuple[Element, FieldPath]:
        """The schema object and the field of `customers.id`, or of `/schema/ID/properties/ID`."""
        if "#" in reference:
            raise _Unreadable(f"{reference} is in another document; name its dataset by a custom property")
        by_id = "/" in reference
        names = reference.strip("/").split("/")[1::2] if by_id else reference.split(".")
        element = _called(self._objects, names[0], by_id)
        if element is None:
            raise _Unreadable(
                f"the contract has no schema object for {reference}; name its dataset by a custom property"
            )
        if len(names) < 2:
            raise _Unreadable(f"{reference} names no field")
        path, parent = VALUE, element
        for name in names[1:]:
            prop = _called(list(parent.get("properties") or ()), name, by_id)
            if prop is None:
                raise _Unreadable(f"the contract describes no field {reference}")
            path, parent = path.field(_name(prop)), prop
        return element, path


def _called(elements: list[Element], name: str, by_id: bool) -> Element | None:
    keys = ("id",) if by_id else ("name", "physicalName")
    return next((each for key in keys for each in elements if each.get(key) == name), None)


def _below(names: list[str], reference: str) -> FieldPath:
    if not names:
        raise _Unreadable(f"{reference} names no field")
    path = VALUE
    for name in names:
        path = path.field(name)
    return path


def _paths(stated: Any, name: str) -> list[FieldPath]:
    texts = _listed(stated)
    if not texts or not all(isinstance(each, str) for each in texts):
        raise InvalidInput(
            f"The custom property {name} of a relationship is a field path, such as key.id, or a list of them."
        )
    return [FieldPath.parse(each) for each in texts]


def _require_plain(path: FieldPath) -> None:
    if path.root == "headers" or any(step.kind is not StepKind.FIELD for step in path.steps):
        raise _Unreadable(f"{path} has several values in a record, or none that a query compares")
    if path == VALUE:
        raise _Unreadable("a whole value refers to nothing")


def _listed(stated: Any) -> list[Any]:
    return list(stated) if isinstance(stated, list | tuple) else [stated]


def _name(prop: Element) -> str:
    return str(prop.get("physicalName") or prop.get("name") or "")
