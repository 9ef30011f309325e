"""Statements in the style of TPC-DS over its tables, for tests and benchmarks: 14 questions for 3 sales channels."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parent / "fixtures" / "sql" / "channels.sql"
_CHANNELS = (
    ("store_sales", "ss", "ss_customer_sk"),
    ("catalog_sales", "cs", "cs_bill_customer_sk"),
    ("web_sales", "ws", "ws_bill_customer_sk"),
)
_SALES = (
    "sold_date_sk item_sk quantity sales_price list_price ext_sales_price ext_list_price ext_discount_amt net_profit"
).split()
_TABLES = {
    "date_dim": "d_date_sk d_date d_year d_moy d_qoy d_week_seq d_day_name",
    "item": "i_item_sk i_item_id i_item_desc i_current_price i_brand_id i_brand i_class i_category i_manufact_id",
    "customer": "c_customer_sk c_customer_id c_first_name c_last_name c_email_address c_login c_current_cdemo_sk"
    " c_current_addr_sk",
    "customer_demographics": "cd_demo_sk cd_gender cd_marital_status",
    "customer_address": "ca_address_sk ca_state ca_city",
}


def schema() -> dict[str, list[str]]:
    """Table -> its columns."""
    tables = {name: columns.split() for name, columns in _TABLES.items()}
    return tables | {table: [customer, *(f"{p}_{name}" for name in _SALES)] for table, p, customer in _CHANNELS}


def statements() -> list[str]:
    """Every statement, for every channel."""
    text = "\n".join(line for line in FILE.read_text().splitlines() if not line.startswith("--"))
    questions = [part.strip() for part in text.split(";") if part.strip()]
    return [
        question.replace("{s}", table).replace("{p}", p).replace("{c}", customer)
        for question in questions
        for table, p, customer in _CHANNELS
    ]
