"""Certification, deprecation, announcements, properties, products, terms and the table of them, over HTTP."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.joins.curation_notes import dataset_notes
from catalog.datasets.clusters import Clusters
from catalog.ports import CatalogStore
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import FactsSource
from tests.api_world import ApiWorld, orders, prepared

API = "/api/v1"
STATED = """
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
---
apiVersion: weir/v1
kind: Property
metadata: {name: retention}
spec: {type: text, values: [gold, silver], appliesTo: [dataset]}
---
apiVersion: weir/v1
kind: Property
metadata: {name: rows}
spec: {type: number}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: customer}
spec: {definition: Who buys., synonyms: [patron]}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: secret}
spec: {tags: [SECRET]}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: customer-address}
spec: {parent: customer, synonyms: [zorble]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec:
  description: Orders of the shop
  owners: [{user: otto}]
  terms: [customer]
  properties: {retention: gold}
  fields:
    - {path: value.customer.email, terms: [customer-address], properties: {rows: 7}}
---
apiVersion: weir/v1
kind: DataProduct
metadata: {name: shop}
spec: {title: The shop, owners: [{user: otto}], datasets: [prod/orders, prod/payroll], outputs: [prod/orders]}
"""
HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: payroll}
spec: {match: {datasets: [prod/payroll]}, existence: {users: [root]}}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with prepared(tmp_path, {"orders": orders(20), "orders_v2": orders(5), "payroll": orders(5)}, _state) as created:
        yield created


def _state(weir: ApiWorld) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod")
    weir.apply(STATED)


def curated(weir: ApiWorld, who: Any = None) -> dict[str, Any]:
    answer: dict[str, Any] = (who or weir.admin).get(f"{API}/datasets/prod/orders").json()["curated"]
    return answer


def change(who: Any, **body: Any) -> Any:
    return who.patch(f"{API}/datasets/prod/orders/curation", json=body)


def names(weir: ApiWorld, who: Any = None, **asked: str) -> list[tuple[str, str]]:
    hits = (who or weir.admin).get(f"{API}/search", params=asked).json()["hits"]
    return [(each["name"], each.get("path", "")) for each in hits]


def test_an_owner_certifies_deprecates_and_announces_and_others_may_not(weir: ApiWorld) -> None:
    otto = weir.user("otto")
    changed = change(
        otto,
        certification={"by": "otto", "note": "checked"},
        deprecation={"successor": "prod/orders_v2", "date": "2026-12-31"},
        announcements=[{"text": "Now."}, {"text": "Past.", "until": "2020-01-01"}],
        properties={"retention": "silver"},
    )
    assert changed.status_code == 200, changed.text
    shown = curated(weir)
    assert shown["certification"] == {"by": "otto", "note": "checked"}
    assert shown["deprecation"] == {"reason": "", "successor": "prod/orders_v2", "date": "2026-12-31"}
    assert [each["text"] for each in shown["announcements"]] == ["Now."]
    assert shown["properties"] == {"retention": "silver"}
    assert shown["products"] == ["shop"]
    assert change(otto, certification=None).json()["action"] == "update"
    assert curated(weir)["certification"] is None
    refused = change(weir.user("ana"), certification={})
    assert refused.status_code == 403, refused.text
    assert weir.admin.get(f"{API}/datasets/prod/orders").json()["description"] == "Orders of the shop"


def test_an_owner_changes_neither_owners_nor_tags(weir: ApiWorld) -> None:
    otto = weir.user("otto")
    whole = {"dataset": "prod/orders", "field": ""}
    for row in (
        {**whole, "owners": "otto; ana"},
        {**whole, "tags": "open"},
        {**whole, "field": "value.region", "tags": "EMAIL_ADDRESS"},
        {**whole, "terms": "customer; secret"},
    ):
        refused = taken(otto, [row], dryRun=True).json()["refused"]
        assert len(refused) == 1 and "owner's to change" in refused[0]["message"], refused
    plan = taken(otto, [{**whole, "terms": "", "description": "Mine"}], dryRun=True).json()
    assert (plan["refused"], len(plan["changes"])) == ([], 1)


@pytest.mark.parametrize(
    "properties, words",
    [
        ({"retention": "bronze"}, "is one of gold, silver"),
        ({"retenton": "gold"}, "Did you mean retention?"),
        ({"rows": "many"}, "takes a number"),
    ],
)
def test_a_property_that_does_not_fit_is_refused_with_a_sentence(
    weir: ApiWorld, properties: dict[str, Any], words: str
) -> None:
    answer = change(weir.admin, properties=properties)
    assert answer.status_code == 400, answer.text
    assert words in answer.json()["error"]["message"]
    assert curated(weir)["properties"] == {"retention": "gold"}


def test_a_property_in_use_stays_and_its_values_stay_allowed(weir: ApiWorld) -> None:
    gone = weir.admin.delete(f"{API}/declared/Property/retention")
    assert gone.status_code == 409 and "prod/orders" in gone.text
    narrower = "apiVersion: weir/v1\nkind: Property\nmetadata: {name: retention}\nspec: {values: [silver]}\n"
    answer = weir.admin.post(f"{API}/apply", content=narrower.encode())
    assert answer.status_code == 400 and "prod/orders would not fit" in answer.text


def test_search_has_states_terms_products_and_properties(weir: ApiWorld) -> None:
    assert names(weir, q="is:certified") == []
    assert names(weir, q="zorble kind:field")[0] == ("orders", "value.customer.email")
    change(weir.admin, certification={}, deprecation={})
    assert ("orders", "") in names(weir, q="is:certified kind:dataset")
    assert names(weir, q="is:deprecated kind:dataset") == [("orders", "")]
    assert set(names(weir, q="product:shop kind:dataset")) == {("orders", ""), ("payroll", "")}
    assert names(weir, q="property:retention=gold kind:dataset") == [("orders", "")]
    assert names(weir, q="property:rows=7") == [("orders", "value.customer.email")]
    assert names(weir, q='term:"customer-address"') == [("orders", "value.customer.email")]


def test_a_query_over_a_deprecated_dataset_names_the_successor_to_those_who_may_know_it(weir: ApiWorld) -> None:

    change(weir.admin, deprecation={"successor": "prod/payroll", "date": "2026-12-31"})
    notes = dataset_notes(
        lambda _: [],
        weir.services[CatalogStore],
        weir.services[Clusters],
        weir.services[GovernanceState],
        weir.services[FactsSource],
    )
    ana = Subject("ana")
    sentence = "prod/orders is deprecated, and ends on 2026-12-31; use prod/payroll in its place."
    assert notes(["prod/orders", "prod/payroll"], ana) == [sentence]
    weir.apply(HIDDEN)
    assert notes(["prod/orders"], ana) == ["prod/orders is deprecated, and ends on 2026-12-31."]
    client = weir.user("ana")
    assert curated(weir, client)["deprecation"]["successor"] is None
    declared = client.get(f"{API}/declared/Dataset", params={"name": "prod/orders"}).text
    assert "2026-12-31" in declared and "payroll" not in declared


def table(weir: ApiWorld, who: Any = None) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((who or weir.admin).get(f"{API}/catalog/table").text)))


def taken(who: Any, rows: list[dict[str, str]], **params: Any) -> Any:
    sheet = io.StringIO()
    writer = csv.DictWriter(sheet, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return who.post(
        f"{API}/catalog/table", content=sheet.getvalue().encode(), params=params, headers={"content-type": "text/csv"}
    )


def test_the_table_out_and_in_changes_nothing_whatever_the_texts(weir: ApiWorld) -> None:
    weir.admin.patch(
        f"{API}/datasets/prod/orders_v2",
        json={"description": "=HYPERLINK(1)", "addTags": ["a;b"]},
        params={"allowUnknown": True},
    )
    weir.admin.patch(f"{API}/datasets/prod/payroll", json={"description": '\'=1\n"quoted", next; \\ line'})
    change(weir.admin, certification={"note": "+1"}, deprecation={})
    before = weir.admin.get(f"{API}/declared/Dataset").json()
    rows = table(weir)
    assert next(r for r in rows if r["dataset"] == "prod/orders_v2")["description"] == "'=HYPERLINK(1)"
    answer = taken(weir.admin, rows)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"lines": len(rows), "unchanged": 3, "changes": [], "refused": [], "applied": True}
    assert weir.admin.get(f"{API}/declared/Dataset").json() == before


def test_what_is_null_inside_a_certification_is_left_out(weir: ApiWorld) -> None:
    marks = {
        "certification": {"by": None, "note": None},
        "deprecation": {"reason": None, "successor": None, "date": None},
    }
    change(weir.admin, **marks)
    assert curated(weir)["certification"] == {"by": "", "note": ""}
    declared = weir.admin.get(f"{API}/declared/Dataset").text
    assert '"certification":{}' in declared and '"deprecation":{}' in declared
    (row,) = (each for each in table(weir) if (each["dataset"], each["field"]) == ("prod/orders", ""))
    assert (row["certified"], row["certifiedBy"], row["deprecated"], row["endsOn"]) == ("yes", "", "yes", "")


def test_a_table_is_planned_then_taken_and_audited(weir: ApiWorld) -> None:
    rows = table(weir)
    of_orders = next(r for r in rows if r["dataset"] == "prod/orders" and not r["field"])
    of_orders |= {"description": "Every order", "certified": "yes", "certifiedBy": "ana", "property:retention": ""}
    of_field = next(r for r in rows if r["dataset"] == "prod/orders" and r["field"] == "value.region")
    of_field |= {"description": "Where to", "property:rows": "3"}
    plan = taken(weir.admin, rows, dryRun=True).json()
    assert [each["dataset"] for each in plan["changes"]] == ["prod/orders"] and plan["applied"] is False
    assert "+  description: Every order" in plan["changes"][0]["diff"]
    assert curated(weir)["certification"] is None
    assert taken(weir.admin, rows).json()["applied"] is True
    assert curated(weir)["certification"] == {"by": "ana", "note": ""}
    assert curated(weir)["properties"] == {}
    notes = {n["path"]: n for n in weir.admin.get(f"{API}/datasets/prod/orders").json()["notes"]}
    assert notes["value.region"]["properties"] == {"rows": 3}
    assert notes["value.customer.email"]["properties"] == {"rows": 7}
    entries = weir.admin.get(f"{API}/audit", params={"action": "apply"}).json()["entries"]
    assert any("update Dataset prod/orders" in each["reasons"] for each in entries)


def test_wrong_lines_are_named_and_nothing_changes_unless_they_are_skipped(weir: ApiWorld) -> None:
    rows = [
        {"dataset": "prod/orders", "field": "", "description": "New", "property:retention": "bronze", "endsOn": ""},
        {
            "dataset": "prod/orders_v2",
            "field": "value.nope",
            "description": "x",
            "property:retention": "",
            "endsOn": "",
        },
        {"dataset": "prod/none", "field": "", "description": "x", "property:retention": "", "endsOn": ""},
        {"dataset": "prod/payroll", "field": "", "description": "Pay", "property:retention": "", "endsOn": ""},
        {
            "dataset": "prod/payroll",
            "field": "key",
            "description": "",
            "property:retention": "",
            "endsOn": "2026-01-01",
        },
    ]
    plan = taken(weir.admin, rows, dryRun=True).json()
    assert [each["line"] for each in plan["refused"]] == [2, 3, 4, 6]
    refused = taken(weir.admin, rows)
    assert refused.status_code == 400 and "Line 3: prod/orders_v2 has no field value.nope." in refused.text
    assert weir.admin.get(f"{API}/datasets/prod/payroll").json()["description"] == ""
    done = taken(weir.admin, rows[:4], skipRefused=True).json()
    assert [each["dataset"] for each in done["changes"]] == ["prod/payroll"]
    assert weir.admin.get(f"{API}/datasets/prod/payroll").json()["description"] == "Pay"


def test_a_table_holds_nothing_hidden_and_changes_only_what_its_reader_may(weir: ApiWorld) -> None:
    weir.apply(HIDDEN)
    ana, otto = weir.user("ana"), weir.user("otto")
    assert "prod/payroll" not in {each["dataset"] for each in table(weir, ana)}
    blank = {"dataset": "prod/payroll", "field": "", "description": "x"}
    mine = {"dataset": "prod/orders", "field": "", "description": "Mine"}
    assert taken(ana, [mine], dryRun=True).status_code == 403
    weir.apply(
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders_v2, cluster: prod}\nspec: {owners: [{user: ana}]}\n"
    )
    none = taken(ana, [blank, {**blank, "dataset": "prod/none"}], dryRun=True).json()["refused"]
    assert none[0]["message"].replace("payroll", "none") == none[1]["message"]
    assert taken(ana, [mine], dryRun=True).json()["refused"][0]["line"] == 2
    assert taken(otto, [mine]).json()["changes"][0]["dataset"] == "prod/orders"


def test_the_glossary_is_a_tree_with_what_carries_its_terms(weir: ApiWorld) -> None:
    terms = {each["name"]: each for each in weir.admin.get(f"{API}/glossary").json()["terms"]}
    assert terms["customer"]["children"] == ["customer-address"]
    assert (terms["customer"]["datasets"], terms["customer"]["fields"]) == (1, 0)
    one = weir.admin.get(f"{API}/glossary/customer-address").json()
    assert (one["parent"], one["path"], one["synonyms"]) == ("customer", ["customer"], ["zorble"])
    assert one["carryingFields"] == [{"dataset": "prod/orders", "path": "value.customer.email"}]
    gone = weir.admin.get(f"{API}/glossary/custmer")
    assert gone.status_code == 404 and "Did you mean customer?" in gone.text


def test_a_term_shows_no_hidden_carrier(weir: ApiWorld) -> None:
    weir.apply(HIDDEN.replace("payroll", "orders"))
    ana = weir.user("ana")
    terms = {each["name"]: each for each in ana.get(f"{API}/glossary").json()["terms"]}
    assert (terms["customer"]["datasets"], terms["customer-address"]["fields"]) == (0, 0)
    assert ana.get(f"{API}/glossary/customer-address").json()["carryingFields"] == []


def test_a_product_shows_the_datasets_that_its_reader_may_know_of(weir: ApiWorld) -> None:
    shop = weir.admin.get(f"{API}/products/shop").json()
    assert [(d["reference"], d["output"]) for d in shop["datasets"]] == [("prod/orders", True), ("prod/payroll", False)]
    assert shop["leftOut"] == 0
    weir.apply(HIDDEN)
    seen = weir.user("ana").get(f"{API}/products/shop").json()
    assert [d["reference"] for d in seen["datasets"]] == ["prod/orders"] and seen["leftOut"] is None
    own = weir.user("otto").get(f"{API}/products/shop").json()
    assert own["leftOut"] == 1 and "payroll" not in str(own)
    weir.apply(
        HIDDEN.replace("metadata: {name: payroll}", "metadata: {name: all}").replace("[prod/payroll]", "[prod/*]")
    )
    assert weir.user("ana").get(f"{API}/products").json() == {"products": []}
    assert weir.user("ana").get(f"{API}/products/shop").status_code == 404
