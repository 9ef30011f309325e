"""An engine of queries that stays alive, and whose queries end in time, whatever the engine does.

In:  plans, from `policies.query`; the process behind the engine, by `policies.plan.ports.EngineProcess`.
Out: results, or an error within the time limit; an engine that is replaced where it fails.

Start reading at `engine.py`, then `keeper.py`. docs/decisions/0064-an-engine-for-queries.md has the reasons.
"""
