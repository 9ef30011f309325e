"""Workers of Kafka Connect: by REST, and in memory."""
