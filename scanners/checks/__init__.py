"""Decoded values compared with what a declared or registered schema expects.

Start reading at `topic_checks.py`.
"""
