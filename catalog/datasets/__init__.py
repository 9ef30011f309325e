"""The dataset record: what changes it, and what reads it.

In:  listings of brokers, results of scans, reviews, declarations, reports of producers.
Out: merged schemas and classifications, differences, events, facts for decisions.

Start reading at `datasets.py`, then `merge.py`.
"""
