"""Contracts: what is promised of a dataset, written as ODCS, and whether each scan sees it kept.

In:  an ODCS document (declared as kind Contract), profiles of scans.
Out: a state for each rule, breaches, events, drafts of contracts, and what changed between two of them.

Start reading at `rules.py`. `reading.py` makes rules of a document, `checking.py` decides them, `service.py` keeps the
results. Everything but the service is pure.
"""
