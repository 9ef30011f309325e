"""What a body is wrapped in: compression, encodings, Avro containers, MessagePack, CBOR, XML, texts with a form.

Start reading at `wrapping.py`.
"""
