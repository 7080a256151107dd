"""All tables of the REST API in one."""

from __future__ import annotations

from bot.sandbox.api import actions, apps, caches, checks, contents, gitdata, issues, pulls, repos, rules
from bot.sandbox.api.call import Table

ROUTES: Table = {
    **actions.ROUTES,
    **apps.ROUTES,
    **caches.ROUTES,
    **checks.ROUTES,
    **contents.ROUTES,
    **gitdata.ROUTES,
    **issues.ROUTES,
    **pulls.ROUTES,
    **repos.ROUTES,
    **rules.ROUTES,
}
