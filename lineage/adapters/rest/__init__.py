"""Kafka Connect, Flink and ksqlDB by their REST APIs: bounded calls, errors that name the address."""
