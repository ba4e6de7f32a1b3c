"""Whether a request comes from the gateway that knows the secret."""

from __future__ import annotations

import hashlib
import hmac
from typing import Mapping

SIGNATURE_HEADER = "X-Service-Signature"


def is_signed(body: bytes, headers: Mapping[str, str], secret: str) -> bool:
    """`body`: the exact bytes, before anything parses them."""
    given = next((value for name, value in headers.items() if name.lower() == SIGNATURE_HEADER.lower()), "")
    right = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(given.encode(), right.encode())
