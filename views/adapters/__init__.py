"""Drivers: Spark Structured Streaming, Kafka, SQLite and PostgreSQL. Each implements a port of `views.ports`."""
