"""Offsets of topics, and a cluster's settings as the Java client in Spark wants them."""
