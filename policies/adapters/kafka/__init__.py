"""Kafka as queries and the audit use it: offsets, small windows read without Spark, the published head of the audit."""
