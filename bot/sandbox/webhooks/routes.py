"""The routes under `/app/hook`: deliveries listed by cursor, read, sent again; the hook's address and secret."""

from __future__ import annotations

from typing import Any

from bot.sandbox.api.call import Call, Reply, Route, Table, found
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.objects.nodes import stamp
from bot.sandbox.paging import asked
from bot.sandbox.state import App
from bot.sandbox.webhooks.delivery_log import Delivery
from bot.sandbox.webhooks.hooks import Hooks

_CURSOR = "v1_"


def hook_routes(hooks: Hooks) -> Table:
    """The table of routes over one GitHub's webhooks."""
    calls = _HookCalls(hooks)
    return {
        "apps/list-webhook-deliveries": Route(calls.list_deliveries, who="app"),
        "apps/get-webhook-delivery": Route(calls.get_delivery, who="app"),
        "apps/redeliver-webhook-delivery": Route(calls.redeliver, who="app"),
        "apps/get-webhook-config-for-app": Route(calls.get_config, who="app"),
        "apps/update-webhook-config-for-app": Route(calls.update_config, who="app"),
    }


class _HookCalls:
    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    async def list_deliveries(self, call: Call) -> Reply:
        """`GET app/hook/deliveries`, newest first; `cursor` comes from the `Link` header; `status` filters."""
        page = self._after(call, self._matching(call))
        size = asked({"per_page": call.query.get("per_page", "30")}).size
        shown, more = page[:size], page[size:]
        headers: dict[str, str] = {}
        if more:
            url = f"{call.github.api_url}/app/hook/deliveries?per_page={size}&cursor={_CURSOR}{shown[-1].id}"
            wanted = f"&status={call.query['status']}" if "status" in call.query else ""
            headers["Link"] = f'<{url}{wanted}>; rel="next"'
        return Reply(200, [_item(one) for one in shown], headers)

    async def get_delivery(self, call: Call) -> Reply:
        """`GET app/hook/deliveries/{delivery_id}`: with what was sent and what came back."""
        one = self._delivery(call)
        return Reply(
            body={
                **_item(one),
                "url": one.url,
                "request": {"headers": dict(one.message.headers), "payload": dict(one.message.payload)},
                "response": {"headers": dict(one.response_headers), "payload": one.response_body},
            }
        )

    async def redeliver(self, call: Call) -> Reply:
        """`POST app/hook/deliveries/{delivery_id}/attempts`: 202, and it is queued again."""
        self._hooks.redeliver(_app(call), self._delivery(call).id)
        return Reply(202, {})

    async def get_config(self, call: Call) -> Reply:
        """`GET app/hook/config`; a secret is never shown."""
        return Reply(body=_config(_app(call)))

    async def update_config(self, call: Call) -> Reply:
        """`PATCH app/hook/config`: a new address or secret for the deliveries to come."""
        app = _app(call)
        app.webhook_url = call.body.get("url", app.webhook_url)
        app.webhook_secret = call.body.get("secret", app.webhook_secret)
        return Reply(body=_config(app))

    def _matching(self, call: Call) -> list[Delivery]:
        every = self._hooks.log.of_app(_app(call).id, call.github.clock.now())
        wanted = call.query.get("status")
        if wanted is None:
            return every
        if wanted not in {"success", "failure"}:
            raise Refused(422, "Validation Failed")
        return [one for one in every if one.succeeded == (wanted == "success")]

    def _after(self, call: Call, deliveries: list[Delivery]) -> list[Delivery]:
        cursor = call.query.get("cursor")
        if cursor is None:
            return deliveries
        number = cursor.removeprefix(_CURSOR)
        if not (cursor.startswith(_CURSOR) and number.isdecimal()):
            raise Refused(422, "Invalid cursor")
        return [one for one in deliveries if one.id < int(number)]

    def _delivery(self, call: Call) -> Delivery:
        now = call.github.clock.now()
        return found(self._hooks.log.find(_app(call).id, call.number("delivery_id"), now))


def _app(call: Call) -> App:
    return found(call.caller.app)


def _config(app: App) -> dict[str, Any]:
    return {"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": app.webhook_url or ""}


def _item(one: Delivery) -> dict[str, Any]:
    return {
        "id": one.id,
        "guid": one.message.guid,
        "delivered_at": stamp(one.delivered_at),
        "redelivery": one.redelivery,
        "duration": round(one.duration, 2),
        "status": one.status,
        "status_code": one.status_code,
        "event": one.message.event,
        "action": one.message.action,
        "installation_id": one.message.installation_id,
        "repository_id": one.message.repository_id,
        "throttled_at": None,
    }
