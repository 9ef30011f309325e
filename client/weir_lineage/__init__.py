"""Column lineage of PySpark jobs: batch, structured streaming and foreachBatch, reported by openlineage-python.

    import weir_lineage

    with weir_lineage.observe(spark, namespace="shop", url="http://127.0.0.1:8484", api_key=TOKEN):
        ...                            # writes as usual; nothing else changes

Needs pyspark and openlineage-python, and nothing of Weir's servers: events are OpenLineage's own.
"""

from weir_lineage.observer import Observer, Unsupported, observe

__all__ = ["Observer", "Unsupported", "observe"]
