"""The gate wrapper: it runs other people's checks inside their CI, so it uses the standard library alone."""
