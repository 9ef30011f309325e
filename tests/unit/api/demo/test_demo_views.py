"""Tables of the story on a terminal of 80 columns: an address or a field path is in one piece."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType

from api.demo import views


def lines(shown: RenderableType, width: int = 80) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=width).print(shown)
    return text.getvalue().splitlines()


def test_an_address_is_not_cut_while_names_can_wrap() -> None:
    names = ("order_id", "name", "email", "phone", "amount", "region")
    row = ("O-101491", "Élisabeth Bruneau", "elisabeth.bruneau@example.net", "+33 1 99 00 48 12", 552.06, "EU")
    answer = {"columns": [{"name": name} for name in names], "rows": [row]}
    shown = lines(views.rows_table(answer))
    assert any("elisabeth.bruneau@example.net" in line for line in shown), shown
    assert max(map(len, shown)) <= 80


def test_places_show_field_paths_and_targets_in_one_piece() -> None:
    place = {
        "name": "customer-latest",
        "path": "value.attributes{gift_note}",
        "share": 1.0,
        "state": "confirmed",
        "flows": [
            {"id": "dataset:prod:revenue-by-region", "raw": True},
            {"id": "datasetField:prod:newsletter-audience:value.email_hash", "raw": False},
        ],
    }
    shown = lines(views.places_table([place, place | {"name": "audit-log", "path": "value", "flows": []}]))
    text = "\n".join(shown)
    assert max(map(len, shown)) <= 80
    for piece in ("value.attributes{gift_note}", "revenue-by-region", "newsletter-audience", "value.email_hash"):
        assert piece in text, text
    assert text.count("customer-latest") == 2, text
    assert text.count("audit-log") == 1, "a place without flows is listed once"
