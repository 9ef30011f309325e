"""The record store and the search index in memory, for fast tests: held to the same contract as the real ones."""
