"""The record store and the search index in memory, for fast tests; the contract tests of the real ones check them too."""
