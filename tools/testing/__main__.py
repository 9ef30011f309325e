"""`python -m tools.testing`: what `weir test` runs in a checkout."""

from tools.testing.command import main

if __name__ == "__main__":
    main()
