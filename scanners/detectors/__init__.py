"""Detectors of personal data: patterns with validators, counted by column, and rules that give the verdict.

In:  texts of a column, a field's name.
Out: counters (`engine.Detector`), then verdicts with a score and evidence (`rules`).

A new detector goes into `kinds` and is listed in `engine.py`; its verdict into `rules.py`.
"""
