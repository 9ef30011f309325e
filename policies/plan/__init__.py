"""From a gated query and the decisions about its tables to what the engine is asked to do.

In:  a gated query, tables (`ports.TableSource`), decisions.
Out: `model.Plan`: governed views and one query over them; words for what each column shows (`explain`).

Holds also what queries, engines and adapters share: ports, settings, errors, cancellation, the registry of running
queries. Start reading at `prepare.py`, then `views.py`.
"""
