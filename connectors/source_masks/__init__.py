"""Masks at the source: what a connector is to hide before a record reaches a topic, and whether its configuration does.

In:  fields of a topic with the mask that an ordinary reader sees there; the configuration of a connector.
Out: settings to paste (`compiling`), and fields that reach the topic unmasked (`leaks`). Pure, no I/O; no value of a
configuration but names of settings, transforms, tables and fields is in what comes out.
"""
