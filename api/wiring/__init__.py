"""The composition root: adapters as typed parts, services joined.

In:  settings, a home folder, and twins that replace adapters (`given.Given`).
Out: `services.Services`, which every way in calls.

The only place that imports adapters. `*_parts.py` make the adapters, `*_services.py` join the services of one subject each, and
`bootstrap.build` joins all of them. Start reading at `bootstrap.py`.
"""
