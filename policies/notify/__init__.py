"""Notifications: who is notified of an event, when, by which channel, in which words.

In:  events of the outbox, and what people prefer.
Out: messages by mail and chat, and figures of what was not delivered.

Start reading at `who.py`, which is pure; `intake.py` writes notices for events, `sender.py` sends them.
"""
