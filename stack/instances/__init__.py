"""An instance of the local servers: started side by side, kept, stopped, remembered in a file.

Start reading at `instance.py`; `ports`, `environment` and `status` are parts of it.
"""
