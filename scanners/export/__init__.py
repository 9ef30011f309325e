"""A stored schema as JSON Schema, Avro, Spark DDL or pydantic models. Pure.

Start reading at `formats.py`.
"""
