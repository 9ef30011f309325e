"""What the numbers on a tape and in its tables mean. Compiled code takes these as constants."""

from __future__ import annotations

NULL, FALSE, TRUE, INT32, INT64, DOUBLE, LONG_DOUBLE, TEXT, ESCAPED, MADE, OBJECT, ARRAY = range(12)
"""Kinds of value. LONG_DOUBLE: a number whose text Python must read; ESCAPED: a text with backslashes; MADE: what Python
makes a value of, such as a time."""
KINDS = 12

DONE, NEW_KEY, NEW_ELEMENTS, TAPE_FULL = range(4)
"""Why the walk came back: all bodies are read, a node is missing, or the tape is too short."""

RECORD, PLACES, SERIAL, AT, LENGTH, PARENT = range(6)
"""The walk's state: next body, places used on the tape, objects met so far; and of a new key where it is and below what."""

HEAD, NEXT, GUESS, FIRST, ELEMENTS, KEY_AT, KEY_LENGTH, OPEN, SEEN = range(9)
"""Rows of the table of nodes: first child, next sibling, the child that came after this one or first the last time, the
node of an array's elements, where the key is and how long it is, whether unknown keys may be data, and the last
object in which the node was met."""
TABLE = 9

DEEPEST = 60
"""Levels; deeper bodies are left to the exact reader, which counts what is too deep."""
