"""Addresses written in other ways, headers that name another method or person, and bodies with fields that are not theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from api.app import access_by_route
from api.guard.access import Access, Entry
from api.guard.router import PREFIX
from tests.rights_samples import FILL, SAMPLES, sample_of
from tests.rights_world import RightsWorld
from tests.scim_world import USER


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RightsWorld]:
    opened = RightsWorld(tmp_path_factory.mktemp("home"))
    yield opened
    opened.services.close()


GUARDED = [
    (route, right)
    for route, right in access_by_route().items()
    if right.signed_in and not right.includes(frozenset()) and not right.unseen and not route.case
]
"""Routes that a person without a role gets 403 of."""


def path_of(route: Entry) -> str:
    values = {**FILL, **sample_of(route).fill}
    path = route.path
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value if isinstance(value, str) else "none")
    return path.replace("{", "").replace("}", "")


def tricks(path: str) -> Iterator[str]:
    """Other ways to write an address, some of which proxies or frameworks take for the same."""
    begin, last = path.rsplit("/", 1)
    rest = path.removeprefix("/")
    yield from (
        f"{path}/", f"{path}//", f"/{path}", f"//{rest}", path.replace("/", "//"), f"/./{rest}", f"{begin}/./{last}",
        f"/x/../{rest}", f"/api/v1/me/..%2f{last}", f"/api/v1/me/../../..{path}", f"/%2e/{rest}", f"/x/%2e%2e/{rest}",
        f"/{path.replace('/', '%2F')}", f"/{rest.replace('/', '%2F')}", f"{begin}%2F{last}", f"{begin}%5C{last}", path.upper(),
        f"{begin}/{last.upper()}", f"{begin}/%{ord(last[0]):02x}{last[1:]}", f"{begin}/%25{ord(last[0]):02x}{last[1:]}",
        f"{path};x=1", f"{begin};x/{last}", f"{path}%00", f"{path}%20", f"{path}.json", f"{path}%3f", f"{path}%23",
        f"{begin}/{''.join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalpha() else c for c in last)}",
        f"{begin}/{last.replace('a', 'а').replace('e', 'е').replace('o', 'о')}", f"{path}\u200b", f"{path}?_method=GET",
    )  # fmt: skip


HEADERS = (
    {"X-HTTP-Method-Override": "GET"}, {"X-HTTP-Method": "GET"}, {"X-Method-Override": "GET"}, {"X-Original-URL": "/api/v1/me"},
    {"X-Rewrite-URL": "/api/v1/me"}, {"X-Forwarded-Prefix": "/api/v1/me"}, {"X-Forwarded-User": "admin"},
    {"X-Remote-User": "admin"},
    {"Remote-User": "admin"}, {"X-User": "admin"}, {"X-Forwarded-For": "127.0.0.1"}, {"X-Weir-User": "admin"},
    {"Cookie": "user=admin; role=admin"}, {"X-Client-Cert": "CN=admin"}, {"X-SSL-Client-S-DN": "CN=admin"},
)  # fmt: skip


def sent(weir: RightsWorld, who: str, method: str, address: str, **more: Any) -> httpx2.Response:
    """The answer to an address as it is written: clients would tidy `..` away."""
    raw = address.encode()
    client = weir.callers[who]
    request = client.build_request(method, "http://testserver/", **more)
    raw = raw if raw.isascii() else httpx2.URL(f"http://testserver{address}").raw_path
    request.url = request.url.copy_with(raw_path=raw + (b"?" + request.url.query if request.url.query else b""))
    return client.send(request, follow_redirects=True)


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("route", "right"), [pytest.param(*each, id=str(each[0])) for each in GUARDED])
def test_no_way_to_write_an_address_opens_it(weir: RightsWorld, route: Entry, right: Access) -> None:
    opened = []
    for address in tricks(path_of(route)):
        for who in ("nobody", "person"):
            answer = sent(weir, who, route.method, address)
            kind = answer.headers.get("content-type", "")
            # The web application's first page answers addresses of pages; it holds nothing of anybody.
            page = route.method == "GET" and kind.startswith("text/html") and "<script" in answer.text
            if answer.status_code >= 500 or (answer.status_code < 400 and not page):
                opened.append(f"{who} {address}: {answer.status_code} {answer.text[:120]}")
    assert not opened, "\n".join(opened)


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("route", "right"), [pytest.param(*each, id=str(each[0])) for each in GUARDED])
def test_no_header_makes_another_caller_or_another_method(weir: RightsWorld, route: Entry, right: Access) -> None:
    opened = []
    for headers in HEADERS:
        for who, refused in (("nobody", {401, 429}), ("person", {403, 429})):
            sample = sample_of(route)
            body = {"json": sample.body} if sample.text is None else {"content": sample.text}
            values = {**sample.headers, **headers}
            answer = sent(weir, who, route.method, path_of(route), headers=values, params=sample.query, **body)
            if answer.status_code not in refused:
                opened.append(f"{who} {headers}: {answer.status_code} {answer.text[:120]}")
    assert not opened, "\n".join(opened)


def test_another_method_is_not_taken_for_one_that_the_route_has(weir: RightsWorld) -> None:
    opened, methods = [], ("HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "POST", "GET", "get", "PROPFIND")
    there = {(route.method, route.path) for route in access_by_route()}
    for route, _ in GUARDED:
        for method in methods:
            if (method.upper(), route.path) in there:
                continue
            answer = sent(weir, "person", method, path_of(route))
            if answer.status_code < 400 or answer.status_code >= 500:
                opened.append(f"{method} {path_of(route)}: {answer.status_code} {answer.text[:120]}")
    assert not opened, "\n".join(opened)


def test_headers_name_nobody(weir: RightsWorld) -> None:
    for headers in HEADERS:
        assert sent(weir, "person", "GET", f"{PREFIX}/me", headers=headers).json()["user"] == "person"
    for name in ("user", "as"):
        answer = weir.callers["person"].get(f"{PREFIX}/me", params={name: "admin"})
        assert answer.status_code == 400
        assert f"{name!r} is not a parameter here" in answer.text


EXTRA: dict[str, Any] = {
    "role": "admin", "roles": ["admin"], "permissions": ["manage"], "groups": ["admins"], "owner": "person", "owners": ["person"],
    "id": "mine", "createdBy": "admin", "created_by": "admin", "decidedBy": "owner", "approvedBy": ["owner"],
    "approved_by": ["owner"],
    "requester": "owner", "actor": "admin", "as": "admin", "status": "approved", "votes": [], "isAdmin": True, "__proto__": {},
}  # fmt: skip
EVENTS = ("/scim/", f"{PREFIX}/lineage")
"""Routes whose bodies are of another standard, which may have further fields."""
BODIES = [
    (route, sample_of(route))
    for route in access_by_route()
    if (isinstance(sample_of(route).body, dict) and not route.path.startswith(EVENTS))
    or callable(sample_of(route).body)
]


@pytest.mark.sampled(25)
@pytest.mark.parametrize("route", [pytest.param(route, id=str(route)) for route, _ in BODIES])
def test_fields_that_a_body_does_not_have_are_refused_by_name(weir: RightsWorld, route: Entry) -> None:
    sample = sample_of(route)
    body = sample.body(weir) if callable(sample.body) else sample.body
    accepted = []
    for name, value in EXTRA.items():
        answer = weir.admin.request(route.method, path_of(route), json={**body, name: value})
        if answer.status_code != 400 or name not in answer.text:
            accepted.append(f"{name}: {answer.status_code} {answer.text[:160]}")
    assert not accepted, "\n".join(accepted)


def test_every_route_with_a_body_of_its_own_is_tried(weir: RightsWorld) -> None:
    paths = weir.app.openapi()["paths"]
    with_json = {
        (method.upper(), path)
        for path, ways in paths.items()
        for method, operation in ways.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    assert with_json == {(route.method, route.path) for route, _ in BODIES} | {
        ("POST", f"{PREFIX}/lineage"), ("POST", f"{PREFIX}/lineage/batch"), ("POST", f"{PREFIX}/lineage/sql"),
        # Declared documents, which have a test of what is beside them (tests/features/declared).
        ("POST", f"{PREFIX}/apply"), ("POST", f"{PREFIX}/policies/simulate"),
    }  # fmt: skip


def test_an_event_with_further_fields_changes_nothing_but_lineage(weir: RightsWorld) -> None:
    event = {**SAMPLES["POST /lineage"].body, **EXTRA}
    before = weir.admin.get(f"{PREFIX}/datasets/prod/orders").json()
    assert weir.callers["producer"].post(f"{PREFIX}/lineage", json=event).status_code in (201, 400)
    weir.fold()
    assert weir.admin.get(f"{PREFIX}/datasets/prod/orders").json()["owners"] == before["owners"]
    assert weir.callers["person"].get(f"{PREFIX}/me").json()["permissions"] == []


def test_a_directory_gives_nobody_a_role_or_an_id(weir: RightsWorld) -> None:
    client, headers = weir.callers["directory"], {"Content-Type": "application/scim+json"}
    extra: tuple[dict[str, Any], ...] = ({"roles": [{"value": "admin"}]}, {"groups": [{"value": "x"}]}, {"id": "mine"},
                                   {"entitlements": [{"value": "manage"}]}, {"meta": {"location": "x"}})  # fmt: skip
    for number, more in enumerate(extra):
        body = {"schemas": [USER], "userName": f"mass{number}", **more}
        answer = client.post("/scim/v2/Users", json=body, headers=headers)
        if answer.status_code == 201:
            assert answer.json()["id"] != "mine" and "roles" not in answer.json()
            me = weir.user(f"mass{number}").get(f"{PREFIX}/me").json()
            assert me["roles"] == me["permissions"] == [], me
        else:
            assert answer.status_code == 400, answer.text
    for name in ("permissions", "isAdmin", "owner"):
        body = {"schemas": [USER], "userName": "massive", name: EXTRA[name]}
        assert client.post("/scim/v2/Users", json=body, headers=headers).status_code == 400
