"""Airflow with its provider for OpenLineage: a DAG of SQL on a real PostgreSQL lands on its tables and their columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from pytest_socket import enable_socket

from tests.api_world import ApiWorld, world
from tests.catalog_stores import postgres
from tests.client_environment import programs, run
from tests.lineage_door import ask
from tests.lineage_samples import KAFKA
from tests.served import served

pytestmark = [pytest.mark.tail, pytest.mark.timeout(900)]
DAG = """
import pendulum
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Asset
from openlineage.client.event_v2 import Dataset

with DAG("shop", schedule=None, start_date=pendulum.datetime(2026, 1, 1), catchup=False):
    filled = BashOperator(task_id="filled", bash_command="true", inlets=[Dataset("kafka://localhost:9092", "orders")],
                          outlets=[Asset("postgres://127.0.0.1:PORT/postgres/public/orders")])
    copied = SQLExecuteQueryOperator(task_id="copied", conn_id="shop", sql='''
        INSERT INTO customers (mail, town)
        WITH o AS (SELECT email, town FROM orders) SELECT md5(o.email), o.town FROM o''')
    filled >> copied
"""


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with Airflow."""
    return programs(tmp_path_factory.mktemp("airflow"), "client-airflow")


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path / "weir") as created:
        yield created


@pytest.fixture
def port() -> Iterator[int]:
    """A PostgreSQL with two tables, one of which has a row."""
    enable_socket()  # on the loopback address
    with postgres() as port:
        with psycopg.connect(f"postgresql://weir@127.0.0.1:{port}/postgres", autocommit=True) as store:
            store.execute("CREATE TABLE orders (id int, email text, town text)")
            store.execute("CREATE TABLE customers (mail text, town text)")
            store.execute("INSERT INTO orders VALUES (1, 'ann@example.com', 'Ulm')")
        yield port


def ended(weir: ApiWorld, airflow: Path, folder: Path, port: int) -> None:
    """Run the DAG once; it sends its events to this Weir."""
    (folder / "dags").mkdir(parents=True)
    (folder / "dags" / "shop.py").write_text(DAG.replace("PORT", str(port)))
    token = weir.admin.headers["Authorization"].removeprefix("Bearer ")
    with served(weir.app) as url:
        transport = {
            "type": "http",
            "url": url,
            "endpoint": "api/v1/lineage",
            "auth": {"type": "api_key", "apiKey": token},
        }
        variables = {
            "AIRFLOW_HOME": str(folder),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport),
            "AIRFLOW__OPENLINEAGE__NAMESPACE": "airflow",
            "AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT": "240",  # it ends what is not sent in 10 seconds (plugins/listener.py)
            "AIRFLOW_CONN_SHOP": f"postgresql://weir@127.0.0.1:{port}/postgres",
        }
        run([airflow / "airflow", "db", "migrate"], folder, variables)
        run([airflow / "airflow", "dags", "test", "shop", "2026-01-01"], folder, variables)
    weir.fold()


def test_tasks_and_their_columns_are_in_the_graph(weir: ApiWorld, airflow: Path, port: int, tmp_path: Path) -> None:
    ended(weir, airflow, tmp_path / "airflow", port)
    store = f"postgres://127.0.0.1:{port}"

    def table(name: str, column: str = "") -> str:
        whole = f"{store}:postgres.public.{name}"
        return f"datasetField:{whole}:{column}" if column else f"dataset:{whole}"

    tables = {each["name"] for each in ask(weir, f"namespaces/{quote(store, safe='')}/datasets")["datasets"]}
    assert tables == {"postgres.public.orders", "postgres.public.customers"}

    fed = ask(weir, "lineage", nodeId=table("customers"), direction="upstream", depth=5)
    assert {f"dataset:{KAFKA}:orders", table("orders")} <= {node["id"] for node in fed["nodes"]}
    columns = ask(weir, "lineage", nodeId=table("customers"), level="column", direction="upstream")
    derived = {(e["source"], e["target"], e["masked"]) for e in columns["edges"] if e["kind"] == "derives"}
    assert derived == {
        (table("orders", "email"), table("customers", "mail"), True),
        (table("orders", "town"), table("customers", "town"), False),
    }

    jobs = {job["name"]: job for job in ask(weir, "namespaces/airflow/jobs")["jobs"]}
    assert set(jobs) == {"shop", "shop.filled", "shop.copied"}
    assert {job["latestRun"]["state"] for job in jobs.values()} == {"COMPLETED"}
