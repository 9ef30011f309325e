"""Governed queries: asked, checked while they are typed, answered, streamed, recorded.

In:  SQL of a subject with a purpose, from any door of `api`.
Out: answers with a header, streams of events, completions, problems; an audit entry for each.

Everything that is asked in SQL goes through `door.AuditedGate`: gate, decisions, audit. Start reading at `service.py`.
"""
