"""The audit: who did what to what, and why it was allowed or denied, in a chain that cannot be changed unseen.

In:  entries, of all that people and duties do (`actions`), and what readers look for (`names`).
Out: pages, proofs (`verify`, `seals`), files that are checked elsewhere (`export`, `file_check`), entries sent to another place
(`shipping`), old segments removed under a signature (`segments`).

Start reading at `log.py`; `ports.py` has an entry and what is needed from the outside.
"""
