"""Whether the process and its servers answer, and figures for Prometheus."""
