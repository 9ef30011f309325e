"""The composition root: adapters as typed parts, services joined.

In:  settings, a home folder, and twins that replace adapters (`given.Given`).
Out: `services.Services`, which every way in calls.

The only place that imports adapters. Start reading at `bootstrap.py`.
"""
