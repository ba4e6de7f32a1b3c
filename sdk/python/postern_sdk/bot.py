"""A bot: handlers, and a loop that confirms an update only after its handler is done."""

from __future__ import annotations

import json
import logging
import re
import threading
from typing import Any, Callable, Iterable, Optional, Union

from .api import Api
from .context import Context
from .errors import ApiError, GatewayAway
from .objects import Update
from .signature import SIGNATURE_HEADER, is_signed

log = logging.getLogger("postern_sdk")

Handler = Callable[[Context], object]
Decorator = Callable[[Handler], Handler]
ErrorHandler = Callable[[Exception, Context], object]
Fits = Callable[[Context], bool]

POLL_S = 30
#: An update has a text of 4096 characters at most.
WEBHOOK_BYTES_MAX = 1_048_576
#: Before the second attempt and the third. After that an update is passed over.
ATTEMPT_PAUSES_S = (1, 4)


class Bot:
    """The first handler that fits an update gets it."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        api: Optional[Api] = None,
        wait: Optional[Callable[[float], object]] = None,
    ) -> None:
        """`wait`: between the attempts of a handler, for tests."""
        self.api = api or Api(url, token)
        self._handlers: list[tuple[Fits, Handler]] = []
        self._on_error: Optional[ErrorHandler] = None
        self._stop = threading.Event()
        self._wait = wait or self._stop.wait

    def on(self, *types: str) -> Decorator:
        """For updates of these types: message, edited, deleted, reaction, button, poll, expired, chat, notice."""
        return self._handler(lambda ctx: ctx.update["type"] in types)

    def text(self, pattern: Union[str, "re.Pattern[str]", None] = None) -> Decorator:
        """For texts; with a pattern, for those that have it somewhere."""
        found = re.compile(pattern) if isinstance(pattern, str) else pattern
        return self._handler(
            lambda ctx: ctx.update["type"] == "message" and ctx.text != "" and (not found or bool(found.search(ctx.text)))
        )

    def command(self, name: str) -> Decorator:
        """For `/name`, with or without words behind it, which are `ctx.args`."""
        typed = re.compile(rf"/{re.escape(name)}(?:\s+(.*))?\Z", re.DOTALL)

        def fits(ctx: Context) -> bool:
            match = typed.match(ctx.text) if ctx.update["type"] == "message" else None
            if match:
                ctx.args = (match[1] or "").strip()
            return match is not None

        return self._handler(fits)

    def press(self, data: Union[str, "re.Pattern[str]"]) -> Decorator:
        """For the press of a button with this data."""

        def fits(ctx: Context) -> bool:
            if ctx.press is None:
                return False
            given = ctx.press["data"]
            return given == data if isinstance(data, str) else data.fullmatch(given) is not None

        return self._handler(fits)

    def error(self, handler: ErrorHandler) -> ErrorHandler:
        """Called when all attempts have failed. The update is passed over after that."""
        self._on_error = handler
        return handler

    def webhook(self, secret: str) -> Callable[..., Iterable[bytes]]:
        """A WSGI application for the gateway's webhook. It answers when the update is done with."""

        def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
            def reply(status: str) -> Iterable[bytes]:
                start_response(status, [("Content-Type", "text/plain"), ("Content-Length", "0")])
                return [b""]

            if environ["REQUEST_METHOD"] != "POST":
                return reply("405 Method Not Allowed")
            length = str(environ.get("CONTENT_LENGTH") or "")
            if not length.isdecimal() or int(length) > WEBHOOK_BYTES_MAX:
                return reply("413 Content Too Large")
            body: bytes = environ["wsgi.input"].read(int(length))
            if not is_signed(body, {SIGNATURE_HEADER: environ.get("HTTP_X_SERVICE_SIGNATURE", "")}, secret):
                return reply("401 Unauthorized")
            # Without a 2xx the gateway sends it again.
            return reply("200 OK" if self._attempt(json.loads(body)) else "503 Service Unavailable")

        return application

    def handle(self, update: Update) -> None:
        """Handles one update, for your own transport. Raises the error of its handler."""
        ctx = Context(self.api, update)
        for fits, handler in self._handlers:
            if fits(ctx):
                handler(ctx)
                break
        if ctx.press is not None and not ctx.is_answered:
            # Otherwise the button spins in the person's app for seconds.
            self._answer_silently(ctx)

    def run(self) -> None:
        """Until `stop`, which another thread or a handler calls."""
        offset = 0
        while not self._stop.is_set():
            for update in self._poll(offset):
                if not self._attempt(update):
                    break
                # The next poll confirms everything below the offset, and it never comes again.
                offset = update["id"] + 1
        if offset > 0:
            self.api.get_updates(offset=offset, limit=1)

    def stop(self) -> None:
        self._stop.set()

    def _poll(self, offset: int) -> "list[Update]":
        while not self._stop.is_set():
            try:
                return self.api.get_updates(offset=offset, timeout=POLL_S)
            except GatewayAway as error:
                log.warning("no updates: %s", error)
        return []

    def _attempt(self, update: Update) -> bool:
        """Whether it is done with: a bot that stops leaves the rest to the next start."""
        pauses = list(ATTEMPT_PAUSES_S)
        while not self._stop.is_set():
            try:
                self.handle(update)
                return True
            except GatewayAway as error:
                # Not a fault of the update: it waits as long as the gateway is away.
                log.warning("update %s waits: %s", update["id"], error)
            except Exception as error:  # Whatever a handler raises must not end the bot.
                if not pauses or isinstance(error, ApiError):
                    self._give_up(error, update)
                    return True
                log.warning("update %s failed and is tried again: %s", update["id"], error)
                self._wait(pauses.pop(0))
        return False

    def _give_up(self, error: Exception, update: Update) -> None:
        log.error("update %s is passed over", update["id"], exc_info=error)
        if self._on_error is None:
            return
        try:
            self._on_error(error, Context(self.api, update, keys=".error"))
        except Exception:
            log.exception("the error handler failed")

    def _answer_silently(self, ctx: Context) -> None:
        try:
            ctx.answer()
        except ApiError as error:
            # The minute for an answer may be over.
            log.debug("press not answered: %s", error)

    def _handler(self, fits: Fits) -> Decorator:
        def add(handler: Handler) -> Handler:
            self._handlers.append((fits, handler))
            return handler

        return add
