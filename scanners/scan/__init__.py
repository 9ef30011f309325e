"""The scan of a cluster's topics: plan, sample by Spark, seal, classify; one dataset after the other.

In:  a request for a scan, by `scanners.ports`.
Out: a `DatasetScan` for each topic, problems, progress.

Start reading at `service.py`.
"""
