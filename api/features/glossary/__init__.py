"""The glossary: words of the business as a tree, and what carries them."""

COMMANDS = ("catalog terms",)
