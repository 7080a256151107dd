"""One failres process, put together from its settings: store, GitHub client, service and web application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.clock import Clock
from bot.github import GitHub, open_session
from bot.intake import IntakeRules
from bot.llm import Model, open_model
from bot.lookout import LookoutLimits
from bot.metrics import budget_samples
from bot.notify import open_destinations
from bot.server import Intake, make_app
from bot.service import Service
from bot.settings import Settings
from bot.store import Store, open_store
from bot.translate import USED_EVENTS
from bot.work.place import Pace
from resolver.limits import LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Process:
    """What runs: the store, the service that works, and the application that listens."""

    store: Store
    github: GitHub
    service: Service
    app: web.Application


@asynccontextmanager
async def open_process(
    settings: Settings,
    clock: Clock,
    *,
    limits: Limits = LIMITS,
    pace: Pace | None = None,
    lookout: LookoutLimits | None = None,
) -> AsyncIterator[Process]:
    """Open everything that a process needs, and close it again; nothing runs before `service.run` or `service.step`."""
    store = await open_store(settings.store, clock)
    try:
        async with (
            open_session() as session,
            open_destinations(settings.destinations) as destinations,
            open_model(settings) as model,
        ):
            github = GitHub(session, settings.app, clock)
            service = Service(
                store,
                github,
                clock,
                stopped=settings.stopped,
                web_url=settings.pages,
                own_app=int(settings.app_id),
                limits=limits.model_copy(update=_server_limits(settings, model)),
                pace=pace,
                lookout=lookout,
                destinations=destinations,
                model=model,
            )
            secrets = tuple(secret.get_secret_value().encode() for secret in settings.webhook_secrets)
            intake = Intake(store, IntakeRules(secrets=secrets, events=USED_EVENTS))

            samples = (lambda: budget_samples(github.spending()), service.samples)
            app = make_app(intake, path=settings.webhook_path, samples=samples)
            try:
                yield Process(store, github, service, app)
            finally:
                await service.close()
    finally:
        await store.close()


def _server_limits(settings: Settings, model: Model | None) -> dict[str, Any]:
    """What the server allows of what a repository may ask for."""
    return {"ceiling": settings.mode, "model_calls_per_day": settings.llm_calls_per_day if model is not None else 0}
