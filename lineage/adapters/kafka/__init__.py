"""The lineage topic as a log to append to and a source to fold from; consumer groups of a cluster."""
