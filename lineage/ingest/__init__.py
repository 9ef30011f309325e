"""Events on their way in: parsed, redacted, made durable.

In:  JSON of any OpenLineage producer.
Out: messages in the log, or a refusal with its reason. Needs Kafka only.

Start reading at `service.py`, then `parse.py`.
"""
