"""A mutation tester for the modules that decide who sees what. See docs/contributing/mutation.md."""
