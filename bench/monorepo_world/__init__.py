"""A monorepo's hour on GitHub, made up: pull requests, CI, deliveries and answers. Imports nothing of failres."""
