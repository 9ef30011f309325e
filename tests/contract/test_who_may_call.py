"""Every route, asked as everybody: the answers are what its guard has, which docs/reference/who-may-call.md prints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute

from api.app import access_by_route, create_app
from api.bootstrap import offline
from api.guard.access import Access, Entry
from policies.declared.builtin import BUILT_IN_ROLES
from policies.declared.service_specs import SCOPES
from tests import examples
from tests.answer_check import document
from tests.rights_samples import SAMPLES, sample_of
from tests.rights_world import ROLES, SINGLE, RightsWorld
from tests.scim_world import service

ENDLESS = ("/api/v1/events/stream",)
"""Its answer ends when the caller goes; who may open it is asked in tests/unit/api/catalog/test_events_http.py."""
PAGES = ("/{page:path}", "/scim/v2/{rest:path}")
"""What answers where nothing is: the web pages' files, and SCIM's 404."""
REFUSED = {("GET", "/mcp")}
"""Answered 405 to every caller."""
ANY_TOKEN = ("/api/v1/auth/logout",)
"""Ends the session that comes with it, and does nothing by a token."""
THEIRS = {
    "owner": {
        "owners of the dataset",
        "owners, of their datasets",
        "its reviewers",
        "approvers",
        "its approvers",
    },
    "holder": {"the person", "its requester", "its holder", "its owner"},
}
"""By caller, what of `Access.others` they are."""
OF_DOMAINS = {
    "lead": ("admins and stewards of a domain", "admins of a domain", "admins of the domain", "approvers"),
    "helper": ("admins and stewards of a domain",),
}
OWNERS_ALONE = frozenset({"DELETE /api/v1/grants/{name}"})
"""Routes at which owners may more than stewards of the dataset's domain."""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RightsWorld]:
    opened = RightsWorld(tmp_path_factory.mktemp("home"))
    yield opened
    opened.services.close()


def served() -> set[tuple[str, str]]:
    """Method and path of every route there is, those outside the OpenAPI document included."""

    def routes(router: object, prefix: str) -> Iterator[tuple[str, str]]:
        for route in getattr(router, "routes", []):
            if isinstance(route, APIRoute):
                yield from ((method, prefix + route.path) for method in route.methods or ())
            elif (inner := getattr(route, "original_router", None)) is not None:
                yield from routes(inner, prefix + route.include_context.prefix)

    return set(routes(create_app(offline()), ""))


def test_the_table_has_every_route_and_no_other() -> None:
    documented = {(m.upper(), p) for p, ways in document()["paths"].items() for m in ways}
    table = {(route.method, route.path) for route in access_by_route()}
    assert documented <= table, f"declare in its guard who may call {sorted(documented - table)}"
    # Besides: two addresses with a slash at the end, the web pages' files, and SCIM's answers where nothing is to change.
    others = {(m, p) for m, p in served() - documented - REFUSED if p not in PAGES and not p.endswith("/")}
    assert {each for each in others if not _fixed(*each)} == table - documented


def _fixed(method: str, path: str) -> bool:
    described = ("/Schemas", "/ResourceTypes", "/ServiceProviderConfig")
    return method != "GET" and path.removesuffix("/{name}").removeprefix("/scim/v2") in described


def test_every_sample_is_of_a_route() -> None:
    names = {str(route).replace("/api/v1", "", 1) for route in access_by_route()}
    assert not set(SAMPLES) - names


def permissions_of(who: str) -> frozenset[str]:
    if who in SINGLE:
        return frozenset({SINGLE[who]})
    return BUILT_IN_ROLES[who].permissions if who in BUILT_IN_ROLES else frozenset()


def others(who: str, route: Entry, right: Access) -> bool:
    """Whether a caller is of those who may without a permission."""
    if who not in ("lead", "helper"):
        return any(each in right.others for each in THEIRS.get(who, ()))
    texts = OF_DOMAINS[who]
    owners = any(each in right.others for each in ("owners of the dataset", "owners, of their datasets"))
    return any(each in right.others for each in texts) or (owners and (who == "lead" or str(route) not in OWNERS_ALONE))


def may(who: str, route: Entry, right: Access) -> bool:
    """What the table has for a caller."""
    if who == "nobody" or not right.signed_in:
        return not right.signed_in
    if route.path in ANY_TOKEN:
        return True
    if who == "directory" or right.directory:
        return who == "directory" and right.directory
    return right.includes(permissions_of(who)) or others(who, route, right)


CALLERS = ("nobody", "person", "owner", "holder", "lead", "helper", "directory", *ROLES, *SINGLE)
ASKED = [(route, right) for route, right in access_by_route().items() if route.path not in ENDLESS]


@pytest.mark.parametrize(("route", "right"), [pytest.param(*each, id=str(each[0])) for each in ASKED])
def test_a_route_answers_whom_the_table_names(weir: RightsWorld, route: Entry, right: Access) -> None:
    """A quick run asks as everybody who is refused, and as a few of those who are not."""
    sample, problems = sample_of(route), []
    allowed = [who for who in CALLERS if may(who, route, right)]
    for who in (who for who in CALLERS if who not in allowed):
        answer = weir.ask(who, route, sample)
        wanted = {401} if who == "nobody" else {403, 404} if right.unseen else {403}
        if answer.status_code not in wanted:
            problems.append(f"{who} may not, and got {answer.status_code}: {answer.text[:200]}")
    for who in examples.few(allowed, 3, str(route)):
        answer = weir.ask(who, route, sample)
        if not (answer.status_code < 300 or answer.status_code in sample.past):
            problems.append(f"{who} may, and got {answer.status_code}: {answer.text[:200]}")
    assert not problems, "\n".join(problems)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("scope", sorted(set(SCOPES) - {"scim"}))
def test_a_limited_token_opens_what_its_scope_names(weir: RightsWorld, scope: str) -> None:
    weir.apply("apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: job}\nspec: {owner: it, roles: [admin]}\n")
    weir.callers["job"] = service(weir, "job", [scope])
    problems = []
    for route, right in ASKED:
        if not right.signed_in or route.path == "/api/v1/auth/logout":
            continue
        answer = weir.ask("job", route, sample_of(route))
        refused = answer.status_code == 403 and (right.directory or "limited to" in answer.text)
        needed = right.scope_for(route.method)
        if refused is not (right.directory or needed not in (None, scope)):
            problems.append(f"{route} needs {needed}: {answer.status_code} {answer.text[:160]}")
    assert not problems, "\n".join(problems)


def test_who_has_which_rights_is_not_listed_for_everybody(weir: RightsWorld) -> None:
    weir.apply(
        "apiVersion: weir/v1\nkind: DirectoryRights\nmetadata: {name: company}\n"
        "spec: {rights: [{group: Stewards, roles: [steward]}]}\n"
    )
    for kind in ("ServiceAccount", "DirectoryRights"):
        listed = {
            who: weir.callers[who].get(f"/api/v1/declared/{kind}").json()["documents"] for who in ("person", "auditor")
        }
        assert listed["person"] == [] and listed["auditor"], kind
