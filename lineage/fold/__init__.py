"""The fold: events -> a ledger for each owner -> edges with times -> the change of the graph. Pure but for `writer`.

In:  parsed events, in any order, any number of times.
Out: a `lineage.graph_delta.Delta`; the same for every order of the same events.

An event's content is read by `event_reading`, added to the `job_ledger` by `learn`, turned into edges by `derive`.
Start reading at `fold.py`; `writer.py` reads the ledgers a batch touches and writes the difference.
"""
