"""The catalog: the words that every room shares, the dataset record, search, and the where-is-this-field report.

In:  what brokers list, what scans find, what people declare and review.
Out: datasets with schemas and classifications, search results, reports, events.

The files at this level are words without I/O. Start reading at `model.py`, then `datasets/datasets.py`.
"""
