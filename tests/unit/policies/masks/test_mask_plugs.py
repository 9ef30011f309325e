"""Masks that other packages add, by entry points `weir.masks`: used like Weir's own, and never a trace when one is bad."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.config import plugs
from catalog.datatypes import STRING, Primitive
from catalog.errors import InvalidInput, Unavailable
from catalog.paths import FieldPath
from policies.columns.expression import build, context
from policies.decision.mask_order import strictest, strictness
from policies.declared import convert, policy_specs
from policies.declared.state import GovernanceState
from policies.masks import primitives, reference, registry
from policies.masks.keys import MaskKeys
from policies.masks.preview import preview
from policies.model import ColumnDecision, Effect, Mask, MaskType
from tests.unit.policies.world import ORDERS, company

KEYS = MaskKeys(b"a secret for tests, sixteen or more")

EXAMPLE = Path("docs/how-to/own-masks.md").read_text().partition("```python\n")[2].partition("```")[0]
"""The mask that the documentation shows."""
POSTCODE = (
    EXAMPLE
    + """
class Unknown(Postcode):
    name = "ACME_UNKNOWN"
    rank = None
    aliases = ()

class Rude(Postcode):
    name = "ACME_RUDE"
    aliases = ()

    def text_sql(self, mask, value):
        if mask.params:
            raise RuntimeError(f"{value} is a secret")
        return value
"""
)


def package(folder: Path, module: str, code: str, points: dict[str, str]) -> None:
    """A package of its own, installed in a folder: a module and its entry points `weir.masks`."""
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[weir.masks]\n{lines}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which packages are installed; what was read of masks is forgotten before and after."""
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.installed.cache_clear()
    yield tmp_path
    registry.installed.cache_clear()
    for each in tmp_path.glob("*.py"):
        sys.modules.pop(each.stem, None)
    importlib.invalidate_caches()


@pytest.fixture
def acme(folder: Path) -> Path:
    names = {"postcode": "acme:Postcode", "unknown": "acme:Unknown", "rude": "acme:Rude"}
    package(folder, "acme", POSTCODE, names)
    return folder


def declared(mask: dict[str, Any]) -> Mask:
    return convert.mask(policy_specs.MaskSpec.model_validate(mask))


def test_a_mask_of_a_company_works_everywhere(acme: Path) -> None:
    assert registry.installed().problems == ()
    mask = declared({"type": "postcode", "params": {"digits": 3}})
    assert mask == Mask("ACME_POSTCODE", params={"digits": 3})
    assert preview(mask, ["12345", None])["values"] == [
        {"value": "12345", "masked": "123xx"},
        {"value": None, "masked": None},
    ]
    decisions = [ColumnDecision("value.zip", Effect.ALLOW, mask)]
    sql = build(context(decisions, KEYS, {}), FieldPath.parse("value.zip"), STRING, "value.zip")
    assert sql == ("CASE WHEN value.zip IS NOT NULL THEN try_cast(rpad(left(value.zip, 3), 5, 'x') AS STRING) END"), (
        "NULL and the type are kept, whatever the mask writes"
    )
    assert reference.apply(mask, 12345, Primitive("BIGINT"), KEYS) == 0


def test_a_declared_policy_with_it_is_decided(acme: Path) -> None:
    world = company()
    spec = {"type": "mask", "match": {"fields": [{"dataset": "prod/orders", "path": "value.amount"}]}}
    world.state.put("Policy", "streets", {}, {**spec, "mask": {"type": "acme-postcode", "params": {"digits": 1}}})
    column = world.state.decide(world.user("ana"), ORDERS, None).column("value.amount")
    assert column is not None and column.mask == Mask("ACME_POSTCODE", params={"digits": 1})
    assert [reason.name for reason in column.reasons if reason.kind == "policy"] == ["streets"]


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"digits": 5}, "must be a number from 0 to 4"),
        ({"letters": 1}, "is not known for ACME_POSTCODE; there is digits"),
    ],
)
def test_its_parameters_are_checked(acme: Path, params: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        declared({"type": "ACME_POSTCODE", "params": params})


def test_it_has_the_place_in_the_order_that_it_declares(acme: Path) -> None:
    own = Mask("ACME_POSTCODE")
    for weaker in ("TRUNCATE_IP", "GENERALIZE"):
        assert strictest([own, Mask(weaker)]) == strictest([Mask(weaker), own]) == own
    for stronger in ("EMAIL_DOMAIN", "MASK_HASH", "MASK", "MASK_NULL", "DROP"):
        assert strictest([own, Mask(stronger)]) == strictest([Mask(stronger), own]) == Mask(stronger)
    assert strictest([own, Mask("ACME_POSTCODE", params={"digits": 3})]) == Mask("MASK"), "neither of two has its way"


@pytest.mark.parametrize("beside", ["MASK_NONE", "EMAIL_DOMAIN", "MASK", "CUSTOM", "ACME_POSTCODE"])
@pytest.mark.parametrize("name", ["ACME_UNKNOWN", "ACME_NOT_INSTALLED"])
def test_without_a_place_nothing_shows_beside_another_mask(acme: Path, name: str, beside: str) -> None:
    assert strictness(Mask(name)) is None
    other = Mask(beside, "upper({col})" if beside == "CUSTOM" else None)
    assert strictest([Mask(name), other]) == strictest([other, Mask(name)]) == Mask(MaskType.MASK_NULL)
    assert strictest([Mask(name), Mask("DROP")]) == Mask("DROP")


def test_a_mask_that_fails_shows_nothing_and_tells_no_value(acme: Path) -> None:
    with pytest.raises(Unavailable, match=r"^The mask ACME_RUDE failed \(RuntimeError\)") as raised:
        primitives.expression(Mask("ACME_RUDE", params={"digits": 1}), "v", STRING, KEYS)
    assert "secret" not in raised.value.message


def test_a_policy_whose_mask_was_removed_says_so(folder: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^The mask ACME_POSTCODE is not installed; install its package"):
        primitives.expression(Mask("ACME_POSTCODE"), "v", STRING, KEYS)


BAD = {
    "raise RuntimeError('no\\nway')": "importing bad:Bad raised RuntimeError: no",
    "import nothing_of_this_name": "importing bad:Bad raised ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "raise SystemExit(3)": "importing bad:Bad raised SystemExit: 3",
    "Other = 1": "importing bad:Bad raised AttributeError: module 'bad' has no attribute 'Bad'",
    "Bad = 1": "it is not a subclass of policies.masks.kind.MaskKind",
    "name = 'MASK_HASH'": "there is another mask of the name MASK_HASH; choose another name",
    "aliases = ('GEO',)": "there is another mask of the name GEO; choose another name",
    "name = 'lower'": "its name is 'lower'; write upper case, digits and _ as in ACME_POSTCODE",
    "rank = 60": "its rank is 60; write a whole number from 1 to 59, or None",
    "rank = 0": "its rank is 0; write a whole number from 1 to 59, or None",
    "parameters = (Parameter('n', 9, '', most=4),)": "the default of its parameter n, 9, is not a number from 0 to 4",
    "parameters = (Parameter('n', 1, '', 2, 1),)": "the range of its parameter n is empty: 2 to 1",
    "example = ('a', 'b')": "of its example 'a' it makes 'x', not 'b'",
    "example = None": "it has no example",
    "meaning = None": "it has no meaning; write one as in Meaning('12xxx', '0', '1900-01-01', 'the street')",
    "def text_sql(self, mask, value): raise KeyError('x')": "it raised KeyError: 'x'",
}


@pytest.mark.parametrize(("code", "why"), BAD.items())
def test_a_bad_plug_is_one_sentence_and_disables_no_other(acme: Path, code: str, why: str) -> None:
    if not code.startswith(("raise", "import", "Other", "Bad")):
        code = (
            "from policies.masks.kind import MaskKind, Meaning, Parameter\n"
            "class Bad(MaskKind):\n"
            "    name = 'BAD'\n    rank = 10\n    meaning = Meaning('', '', '', '')\n    example = ('a', 'x')\n"
            f"    {code}\n"
        )
    package(acme, "bad", code, {"worst": "bad:Bad"})
    installed = registry.installed()
    assert installed.problems == (f"The plug worst of the package bad (weir.masks) is not used: {why}.",)
    assert {"ACME_POSTCODE", "ACME_UNKNOWN", "TRUNCATE_GEO", "MASK_HASH"} <= set(installed.kinds)


def test_the_command_line_and_the_server_tell_of_it(acme: Path) -> None:
    package(acme, "bad", "Bad = 1", {"worst": "bad:Bad"})
    (problem,) = plugs.problems()
    assert problem.startswith("The plug worst of the package bad (weir.masks) is not used")


def test_what_a_policy_of_a_removed_mask_is_about_is_denied(acme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = company()
    fields = [{"dataset": "prod/orders", "path": "value.amount"}]
    spec = {"type": "mask", "match": {"fields": fields}, "mask": {"type": "ACME_POSTCODE"}}
    world.state.put("Policy", "streets", {}, spec)
    assert world.state.decide(world.user("ana"), ORDERS, None).effect is Effect.ALLOW
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(acme)])
    registry.installed.cache_clear()
    decision = GovernanceState(world.store, world.clock).decide(world.user("ana"), ORDERS, None)
    assert decision.effect is Effect.DENY and any("ACME_POSTCODE" in gap or "streets" in gap for gap in decision.gaps)
