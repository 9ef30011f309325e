"""Connectors of Kafka Connect, by declaration: what people write, checked by the worker before it is applied.

In:  `kind: Connector`; what a worker answers.
Out: the configuration that the worker gets, where it differs from the declared one, why a task failed in one sentence.

Start reading at `declared.py`; `ports.py` is what a worker can do.
"""
