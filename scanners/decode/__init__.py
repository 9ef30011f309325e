"""Bytes of a record -> a Python tree and JSON text.

In:  a batch of keys, values and headers, and how each is to be read.
Out: trees, or a problem with its reason; records that cannot be decoded as dead letters.

Start reading at `records.py`; `bulk.py` reads plain batches together.
"""
