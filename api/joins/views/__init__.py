"""Stream views joined to the catalog, the policies and the clusters.

Enters: declared views, requests of readers and operators. Leaves: what the runner works with, answers of `/views`.
Start reading at `service.py`.
"""
