"""A batch job of the demo's shop: revenue by day and region, from `orders` to `revenue-by-region`.

Plain PySpark. That it reports its lineage is set where it runs (spark-defaults.conf), not here.
"""

from __future__ import annotations

import argparse
import json
import os

ORDER = "region STRING, amount DECIMAL(12,2), created_at TIMESTAMP"


def main(bootstrap: str, prefix: str) -> None:
    """Read all orders there are, write a record a day and region, keyed by both."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    spark = SparkSession.builder.appName("daily_revenue").getOrCreate()
    orders = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .options(**json.loads(os.environ.get("SHOP_KAFKA", "{}")))
        .option("subscribe", f"{prefix}orders")
        .option("startingOffsets", "earliest")
        .load()
        .select(f.from_json(f.col("value").cast("string"), ORDER).alias("order"))
        .select("order.*")
        .where("region IS NOT NULL AND amount IS NOT NULL")
    )
    revenue = orders.groupBy(f.to_date("created_at").alias("day"), "region").agg(
        f.sum("amount").alias("revenue"), f.count("*").alias("orders")
    )
    (
        revenue.select(
            f.concat_ws("/", f.col("day").cast("string"), "region").alias("key"),
            f.to_json(f.struct("day", "region", "revenue", "orders")).alias("value"),
        )
        .write.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .options(**json.loads(os.environ.get("SHOP_KAFKA", "{}")))
        .option("topic", f"{prefix}revenue-by-region")
        .save()
    )
    spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--prefix", default="", help="goes before every topic's name")
    given = parser.parse_args()
    main(given.bootstrap_servers, given.prefix)
