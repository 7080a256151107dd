"""The REST API: tables from GitHub's operation names to what answers them and the permission that each needs."""

from bot.sandbox.api.call import Call, Reply, Route, Services, Table

__all__ = ["Call", "Reply", "Route", "Services", "Table"]
