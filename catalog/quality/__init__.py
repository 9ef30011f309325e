"""Quality over time: what each scan measured as series, what is usual of each, and anomalies."""
