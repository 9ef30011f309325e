"""Protobuf by the text of its schema, without protoc: parser, names, comments, messages as trees.

Start reading at `messages.py`.
"""
