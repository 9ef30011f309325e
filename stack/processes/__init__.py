"""Processes and ports of this machine: started, watched and ended by identity, never by name.

Start reading at `process.py`.
"""
