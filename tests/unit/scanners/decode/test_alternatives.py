"""Values with a member for what each is, so that no value is read by another's type and no text holds an object."""

from __future__ import annotations

import json
import pickle

from catalog.datatypes import STRING, ArrayType, MapType, Primitive, StructType, alternatives
from scanners.decode.alternatives import Reshape
from scanners.decode.records import to_json_text
from scanners.model import PartFormat

PERSON = StructType((("email", STRING),))
KIND = alternatives({"as_object": PERSON, "as_array": ArrayType(PERSON), "as_scalar": STRING})


def test_each_value_is_in_its_own_member() -> None:
    change = pickle.loads(pickle.dumps(Reshape(KIND)))
    assert change({"email": "a@b.c"}) == {"as_object": {"email": "a@b.c"}}
    assert change([{"email": "a@b.c"}]) == {"as_array": [{"email": "a@b.c"}]}
    assert change("x") == {"as_scalar": "x"} and change(0) == {"as_scalar": 0}
    assert change(None) is None


def test_an_object_of_no_known_alternative_is_not_read_by_the_names_of_the_members() -> None:
    change = Reshape(alternatives({"as_array": ArrayType(STRING), "as_scalar": Primitive("BIGINT")}))
    assert change({"as_scalar": 1, "as_array": ["secret"]}) == []


def test_places_below_fields_elements_and_maps_are_reached() -> None:
    kind = StructType((("a", ArrayType(MapType(STRING, KIND))), ("b", STRING)))
    value = {"a": [{"k": "x", "l": {"email": "e"}}, None], "b": {"c": 1}, "other": [1]}
    assert Reshape(kind)(value) == {
        "a": [{"k": {"as_scalar": "x"}, "l": {"as_object": {"email": "e"}}}, None],
        "b": {"c": 1},
        "other": [1],
    }
    assert Reshape(kind)([1]) == [1] and Reshape(kind)({"a": "no array"}) == {"a": "no array"}


def test_the_text_for_a_query_is_made_of_it() -> None:
    text = to_json_text(b'{"a": [1, 2.50]}', PartFormat("json"), None, Reshape(StructType((("a", KIND),))))
    assert text is not None and json.loads(text) == {"a": {"as_array": [1, 2.5]}}
