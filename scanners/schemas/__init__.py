"""Registered schemas: made ready to decode with, compared with each other, and as expectations of values.

Start reading at `registered.py`.
"""
