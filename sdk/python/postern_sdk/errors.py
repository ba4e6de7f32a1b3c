"""The refusals of a gateway."""

from __future__ import annotations

import json

# The gateway's words for a key that it knows with another request.
KEY_IS_USED = "Idempotency-Key: was already used"


class ApiError(Exception):
    """The gateway refused the request, and would refuse it again."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    @property
    def is_key_used(self) -> bool:
        return self.status == 400 and str(self).startswith(KEY_IS_USED)


class GatewayAway(Exception):
    """The gateway, or its relay, could not be reached for as long as the call was repeated."""


def error_of(status: int, text: str) -> ApiError:
    try:
        body = json.loads(text)
        return ApiError(status, str(body["code"]), str(body["error"]))
    except (ValueError, KeyError, TypeError):
        # A proxy has answered in place of the gateway.
        return ApiError(status, "unknown", text.strip() or f"HTTP status {status}")
