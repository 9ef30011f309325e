"""The list of kinds that the command line offers is the one of the specifications."""

from api.joins.declared import KINDS
from catalog.declared.kind_names import KIND_NAMES


def test_the_names_are_those_of_the_specifications() -> None:
    assert set(KIND_NAMES) == set(KINDS)
    assert list(KIND_NAMES) == sorted(KIND_NAMES)
