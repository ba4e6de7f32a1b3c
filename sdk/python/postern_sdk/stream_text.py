"""A text that is shown while it is made, such as the answer of a language model. The message comes at its end, once."""

from __future__ import annotations

import time
from typing import Callable, Iterable, Optional

from .errors import ApiError, GatewayAway
from .objects import Message

#: As in the gateway; a test compares it.
TEXT_CHARS_MAX = 4096

#: The message of a text that has remained empty.
NOTHING = "…"

Say = Callable[[str, int], Optional[Message]]


def stream_text(
    parts: Iterable[str], *, say: Say, show: Optional[Callable[[str], None]], every_s: float
) -> Optional[Message]:
    """`say` sends a message and gets its number, from 1. `show` shows a draft."""
    count = 0
    text = ""
    shown = time.monotonic()
    for part in parts:
        text += part
        cut = _cut_of(text)
        while cut is not None:
            end, following = cut
            count += 1
            say(text[:end], count)
            text = text[following:]
            cut = _cut_of(text)
        if show is None or time.monotonic() - shown < every_s or not text.strip():
            continue
        shown = time.monotonic()
        try:
            show(text)
        except (ApiError, GatewayAway):
            # A draft that is not shown loses nothing: the message follows.
            pass
    # The rest may be empty behind a message that ended at the limit.
    return say(text if text.strip() else NOTHING, count + 1)


def _cut_of(text: str) -> Optional[tuple[int, int]]:
    """Where a text that is too long is divided: at the end of a line, of a word, or at the limit."""
    if len(text) <= TEXT_CHARS_MAX:
        return None
    whole = text[:TEXT_CHARS_MAX]
    for sign in ("\n", " "):
        at = whole.rfind(sign)
        if whole[: max(at, 0)].strip():
            return at, at + 1
    return TEXT_CHARS_MAX, TEXT_CHARS_MAX
