"""Flink SQL and ksqlDB rewritten, token by token, into what the parser reads."""
