"""Scan jobs: requested, scheduled, or queued where values no longer fit. The scanning itself is in `scanners`.

Start reading at `scans.py`.
"""
