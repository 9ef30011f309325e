"""A streaming job of the demo's shop: clicks without what identifies a person, from `clicks` to `clicks.clean`.

Structured streaming that takes what is new and ends. Its lineage is reported by the agent set in spark-defaults.conf.
"""

from __future__ import annotations

import argparse
import json
import os

CLICK = "session STRING, ts BIGINT, url STRING, referrer STRING, site_version STRING"


def main(bootstrap: str, prefix: str, checkpoint: str) -> None:
    """Take the clicks that came since the last run; `checkpoint` is the folder that remembers them."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    spark = SparkSession.builder.appName("clean_clicks").getOrCreate()
    clicks = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .options(**json.loads(os.environ.get("SHOP_KAFKA", "{}")))
        .option("subscribe", f"{prefix}clicks")
        .option("startingOffsets", "earliest")
        .option("failOnDataLoss", "false")
        .load()
        .select("key", f.from_json(f.col("value").cast("string"), CLICK).alias("click"))
        .select("key", "click.*")
    )
    clean = clicks.select(
        "key",
        f.to_json(
            f.struct(
                "session",
                f.timestamp_millis("ts").alias("at"),
                f.substring_index("url", "?", 1).alias("url"),
                "referrer",
                "site_version",
            )
        ).alias("value"),
    )
    (
        clean.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .options(**json.loads(os.environ.get("SHOP_KAFKA", "{}")))
        .option("topic", f"{prefix}clicks.clean")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    )
    spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--prefix", default="", help="goes before every topic's name")
    parser.add_argument("--checkpoint", required=True, help="folder that remembers what was read")
    given = parser.parse_args()
    main(given.bootstrap_servers, given.prefix, given.checkpoint)
