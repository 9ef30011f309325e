"""dbt with OpenLineage's wrapper on a real DuckDB: a project with an import CTE lands on its tables and their columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import enable_socket

from tests.api_world import ApiWorld, world
from tests.client_environment import programs, run
from tests.lineage_door import ask
from tests.served import served

pytestmark = [pytest.mark.tail, pytest.mark.timeout(900)]
STORE = "duckdb://shop.duckdb"
PROJECT = {
    "dbt_project.yml": """
name: shop
version: "1.0"
config-version: 2
profile: shop
model-paths: [models]
models: {shop: {+materialized: table}}
""",
    "profiles.yml": "shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb, threads: 1}}}",
    "models/stg_users.sql": "select 1 as id, 'ann@example.com' as email, 'Ulm' as city",
    "models/customers.sql": """
with u as (select * from {{ ref('stg_users') }})
select u.id, md5(u.email) as mail, u.city from u
""",
    "models/cities.sql": "select city, count(*) as customers from {{ ref('customers') }} group by city",
}


@pytest.fixture(scope="module")
def dbt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with dbt."""
    return programs(tmp_path_factory.mktemp("dbt"), "client-dbt")


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path / "weir") as created:
        yield created


def reported(weir: ApiWorld, dbt: Path, folder: Path) -> None:
    """Run the project with `dbt-ol`, which sends its events to this Weir."""
    enable_socket()  # on the loopback address
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with served(weir.app) as url:
        variables = {
            "OPENLINEAGE_URL": url,
            "OPENLINEAGE_API_KEY": weir.admin.headers["Authorization"].removeprefix("Bearer "),
            "OPENLINEAGE_NAMESPACE": "dbt",
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        run([dbt / "dbt-ol", "run", "--project-dir", ".", "--profiles-dir", "."], folder, variables)
    weir.fold()


def test_models_and_their_columns_are_in_the_graph(weir: ApiWorld, dbt: Path, tmp_path: Path) -> None:
    reported(weir, dbt, tmp_path / "shop")

    def table(name: str, column: str = "") -> str:
        return f"datasetField:{STORE}:shop.main.{name}:{column}" if column else f"dataset:{STORE}:shop.main.{name}"

    tables = {each["name"] for each in ask(weir, f"namespaces/{STORE.replace('/', '%2F')}/datasets")["datasets"]}
    assert tables == {"shop.main.stg_users", "shop.main.customers", "shop.main.cities"}

    columns = ask(weir, "lineage", nodeId=table("customers"), level="column", direction="upstream")
    derived = {(e["source"], e["target"], e["masked"]) for e in columns["edges"] if e["kind"] == "derives"}
    assert derived == {
        (table("stg_users", "id"), table("customers", "id"), False),
        (table("stg_users", "email"), table("customers", "mail"), True),
        (table("stg_users", "city"), table("customers", "city"), False),
    }

    hurt = {each["id"] for each in ask(weir, "impact", nodeId=table("stg_users", "city"))["affected"]}
    assert {table("customers", "city"), table("cities", "city")} <= hurt

    jobs = {job["name"]: job for job in ask(weir, "namespaces/dbt/jobs")["jobs"]}
    assert set(jobs) == {"dbt-run-shop", *(f"shop.main.shop.{name}" for name in ("stg_users", "customers", "cities"))}
    assert {job["latestRun"]["state"] for job in jobs.values()} == {"COMPLETED"}
