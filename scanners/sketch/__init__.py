"""The sketch of a topic: everything a scan learns, mergeable in any order, without a value.

In:  batches of counted columns.
Out: one sketch a topic; `seal` decides what only the whole can decide: maps, shapes, envelopes, discriminators.

Start reading at `nodes.py`, then `seal.py`.
"""
