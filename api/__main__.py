"""`python -m api`: the command line. Kept apart so that `--help` imports nothing heavy."""

from api.cli import main

if __name__ == "__main__":
    main()
