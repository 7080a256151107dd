"""The command line: `failres COMMAND`, one file for each command; `main` puts them together."""
