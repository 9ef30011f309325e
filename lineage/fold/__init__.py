"""The fold: events -> a ledger for each owner -> edges with times -> the change of the graph. Pure but for `writer`.

In:  parsed events, in any order, any number of times.
Out: a `lineage.graph_delta.GraphDelta`; the same for every order of the same events.

1. `event_reading` reads each event once, and sorts a batch by the owners that it concerns.
2. `learn` adds readings to the ledgers (`job_ledger`); `mentions` gathers what is stated of datasets themselves.
3. `derive` turns a ledger into edges with times: `statements` settles what a run states, `timeline` places it in time.
4. `fold` compares the edges with those in the graph; `writer` reads the ledgers of a batch and writes the difference.
"""
