"""What joins two rooms: slivers of one room in the other's words.

In:  services of catalog, scanners, lineage and policies.
Out: the protocols that a room declares for what it needs of another.

`api.bootstrap` passes them in. Start reading at `cross_room.py`.
"""
