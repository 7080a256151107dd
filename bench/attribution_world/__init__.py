"""A small world of repositories whose CI fails for known causes. It emits what GitHub would: jobs, logs, patches.

Nothing here knows how failures are judged; nothing of failres is imported.
"""
