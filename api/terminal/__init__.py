"""What every command of the command line uses: the HTTP client, options, tables, messages. Read `output.py` first."""
