"""One file for each local server: its configuration, how it starts, when it is ready.

Start reading at `server.py`, then `kafka.py`.
"""
