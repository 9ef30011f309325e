"""Sessions of people who signed in by a provider, and command lines that wait to be let in."""
