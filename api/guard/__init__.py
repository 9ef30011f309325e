"""Who may call a route. Read `guards.py` first: each route states it once, and everything else is read from that statement."""
