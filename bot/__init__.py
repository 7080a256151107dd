"""The shell: HTTP, GitHub, the store, pages, the command line and the embedded GitHub."""
