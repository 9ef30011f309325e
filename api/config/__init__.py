"""Where an instance keeps its things, all its settings, and its logs.

Start reading at `settings.py`; the sections of this room are in `http_settings.py` and `server_settings.py`.
"""
