"""Kafka as the catalog uses it: what brokers list, and the topic that events are written to."""
