"""Events: written in the transaction of what happened, then delivered to each receiver in order.

Start reading at `events.py`.
"""
