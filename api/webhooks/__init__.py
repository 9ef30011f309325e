"""Declared webhooks: events sent over HTTP, signed, never into the network that the server is in.

Start reading at `deliver.py`.
"""
