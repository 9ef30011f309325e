"""Governance: who may see what of a dataset, and queries that are answered accordingly.

In:  declared policies, roles, grants and workflows; SQL with a subject and a purpose; access requests.
Out: decisions, governed plans for the engine, rows with a header that explains each column, audit entries.

Rooms, from the pure core up: `sql` and `gate` read queries, `decision` decides, `masks` writes masks as SQL, `declared`
keeps what is declared, `plan` joins a query with its decision, `query` answers, `engine` keeps Spark alive, `access`,
`requests` and `whatif` are the services around. Start reading at `decision/decide.py`, then `query/service.py`.
"""
