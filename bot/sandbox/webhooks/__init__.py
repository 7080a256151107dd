"""The embedded GitHub's webhooks: payloads from state, signatures, weather, and the log that can redeliver."""
