"""The gateway's HTTP API: one method for each call that bots need, and `call` for all others."""

from __future__ import annotations

import json
import os
import random
import time
from http.client import HTTPException
from typing import Any, BinaryIO, Callable, Iterable, Optional, Union, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from .errors import GatewayAway, error_of
from .objects import Chat, CreatedToken, Me, Message, Person, SafetyNumber, Token, Update, Webhook
from .upload import PIECE_BYTES, FileSource, Upload

ANSWER_WITHIN_S = 70
PAUSE_S = 0.5
PAUSE_S_MAX = 15.0
RETRIED = (429, 502, 503, 504)

Json = Any
Query = dict[str, Union[str, int, None]]


class Api:
    """Repeats a call that was not answered, with the same key, for `retry_for_s` seconds, and raises GatewayAway then."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        retry_for_s: float = 60,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = (url or os.environ.get("POSTERN_URL") or "http://127.0.0.1:8080").rstrip("/")
        self._token = token or os.environ.get("BOT_TOKEN") or ""
        self._retry_for_s = retry_for_s
        self._sleep = sleep
        self._now = now

    def call(
        self,
        method: str,
        path: str,
        body: Optional[Json] = None,
        *,
        query: Optional[Query] = None,
        key: Optional[str] = None,
        is_repeated: bool = True,
    ) -> Json:
        """`is_repeated`: False for a call of which only the first attempt is of use."""
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": "application/json"}
        return self._answer(
            lambda: self._request(method, _with(path, query), headers, key, data), is_repeatable=is_repeated
        )

    def get_me(self) -> Me:
        return cast(Me, self.call("GET", "/v1/me"))

    def set_commands(self, commands: list[dict[str, str]]) -> None:
        self.call("PUT", "/v1/me/commands", {"commands": commands})

    def get_chat(self, chat: str) -> Chat:
        return cast(Chat, self.call("GET", f"/v1/chats/{_part(chat)}"))

    def list_chats(self, **query: Union[str, int, None]) -> list[Chat]:
        return cast("list[Chat]", self.call("GET", "/v1/chats", query=query))

    def accept_chat(self, chat: str) -> None:
        self.call("POST", f"/v1/chats/{_part(chat)}/accept", {})

    def decline_chat(self, chat: str) -> None:
        self.call("POST", f"/v1/chats/{_part(chat)}/decline", {})

    def block(self, account: str) -> None:
        self.call("PUT", f"/v1/people/{_part(account)}/block")

    def unblock(self, account: str) -> None:
        self.call("DELETE", f"/v1/people/{_part(account)}/block")

    def list_blocked(self) -> list[Person]:
        return cast("list[Person]", self.call("GET", "/v1/blocked"))

    def get_safety_number(self, account: str) -> SafetyNumber:
        return cast(SafetyNumber, self.call("GET", f"/v1/people/{_part(account)}/safety-number"))

    def compare_safety_number(self, account: str, number: str) -> None:
        """Raises ApiError unless `number`, the digits or the QR code that the person sees, is the right one."""
        body = {"verified": True, "number": number}
        self.call("PUT", f"/v1/people/{_part(account)}/safety-number", body)

    def create_group(self, name: str, members: list[str], *, key: Optional[str] = None) -> Chat:
        return cast(Chat, self.call("POST", "/v1/groups", {"name": name, "members": members}, key=key))

    def send_message(self, chat: str, text: str, *, key: Optional[str] = None, **more: Json) -> Message:
        """`more`: reply_to, buttons, mentions, format, entities, silent."""
        body = {"text": text, **more}
        return cast(Message, self.call("POST", f"/v1/chats/{_part(chat)}/messages", body, key=key))

    def forward_message(
        self, chat: str, from_chat: str, message: str, *, key: Optional[str] = None, **more: Json
    ) -> Message:
        """Sends a message of `from_chat` into `chat`. `more`: copy, caption, format, reply_to, buttons, silent."""
        body = {"from": {"chat_id": from_chat, "message_id": message}, **more}
        return cast(Message, self.call("POST", f"/v1/chats/{_part(chat)}/forward", body, key=key))

    def send_typing(self, chat: str) -> None:
        self.call("POST", f"/v1/chats/{_part(chat)}/typing", {})

    def send_draft(self, chat: str, text: str, *, is_repeated: bool = True, **more: Json) -> None:
        """Shows a text that is still being made. `more`: format."""
        self.call("POST", f"/v1/chats/{_part(chat)}/draft", {"text": text, **more}, is_repeated=is_repeated)

    def send_poll(
        self, chat: str, question: str, options: list[str], *, key: Optional[str] = None, **more: Json
    ) -> Message:
        body = {"question": question, "options": options, **more}
        return cast(Message, self.call("POST", f"/v1/chats/{_part(chat)}/polls", body, key=key))

    def send_file(
        self, chat: str, file: FileSource, name: str, *, key: Optional[str] = None, **fields: Optional[str]
    ) -> Message:
        """`fields`: caption, kind, reply_to, silent, as texts. A stream that cannot be read again is tried once."""
        return cast(Message, self._upload(f"/v1/chats/{_part(chat)}/files", Upload([(file, name)], fields), key))

    def send_album(
        self, chat: str, files: list[tuple[FileSource, str]], *, key: Optional[str] = None, **fields: Optional[str]
    ) -> list[Message]:
        """`files`: up to ten pairs of a file and its name. `fields`: caption, kind, reply_to, silent, as texts."""
        path = f"/v1/chats/{_part(chat)}/albums"
        return cast("list[Message]", self._upload(path, Upload(files, fields), key))

    def edit_message(self, chat: str, message: str, *, key: Optional[str] = None, **changes: Json) -> Message:
        """`changes`: text, buttons, format, entities."""
        return cast(Message, self.call("PATCH", _message(chat, message), changes, key=key))

    def delete_message(self, chat: str, message: str) -> None:
        self.call("DELETE", _message(chat, message))

    def react(self, chat: str, message: str, emoji: str) -> None:
        self.call("PUT", f"{_message(chat, message)}/reaction", {"emoji": emoji})

    def mark_read(self, chat: str, message: str) -> None:
        self.call("POST", f"/v1/chats/{_part(chat)}/read", {"up_to": message})

    def close_poll(self, chat: str, message: str, *, key: Optional[str] = None) -> Message:
        return cast(Message, self.call("POST", f"{_message(chat, message)}/close", {}, key=key))

    def get_webhook(self) -> Webhook:
        return cast(Webhook, self.call("GET", "/v1/webhook"))

    def set_webhook(self, url: str, secret: str, *, previous_secret: Optional[str] = None) -> Webhook:
        """Updates are posted there from now on, beginning with those that wait."""
        previous = {} if previous_secret is None else {"previous_secret": previous_secret}
        return cast(Webhook, self.call("PUT", "/v1/webhook", {"url": url, "secret": secret, **previous}))

    def remove_webhook(self) -> Webhook:
        """Updates can be polled again, and none is lost."""
        return cast(Webhook, self.call("DELETE", "/v1/webhook"))

    def pause_webhook(self) -> Webhook:
        return cast(Webhook, self.call("POST", "/v1/webhook/pause"))

    def resume_webhook(self) -> Webhook:
        return cast(Webhook, self.call("POST", "/v1/webhook/resume"))

    def retry_webhook(self) -> Webhook:
        """Tries a failed delivery immediately."""
        return cast(Webhook, self.call("POST", "/v1/webhook/retry"))

    def list_tokens(self) -> list[Token]:
        return cast("list[Token]", self.call("GET", "/v1/tokens"))

    def create_token(self, name: str, scopes: list[str], *, chats: Optional[list[str]] = None) -> CreatedToken:
        """`scopes`: read, send, hooks, admin. Only this answer has the token itself."""
        limit = {} if chats is None else {"chats": chats}
        body = {"name": name, "scopes": scopes, **limit}
        # An answer that was lost would otherwise leave a token that nobody knows of.
        return cast(CreatedToken, self.call("POST", "/v1/tokens", body, is_repeated=False))

    def revoke_token(self, token: str) -> None:
        """`token`: its id."""
        self.call("DELETE", f"/v1/tokens/{_part(token)}")

    def answer_press(self, press: str, text: str = "", *, key: Optional[str] = None) -> None:
        self.call("POST", f"/v1/presses/{_part(press)}/answer", {"text": text}, key=key)

    def get_updates(self, **query: Union[str, int, None]) -> list[Update]:
        return cast("list[Update]", self.call("GET", "/v1/updates", query=query))

    def download(self, chat: str, message: str, to: BinaryIO) -> int:
        """Writes the file of a message into `to`, piece by piece, and returns its size."""
        request = self._request("GET", f"{_message(chat, message)}/file", {}, None, None)
        size = 0
        try:
            with self._open(request) as answer:
                while True:
                    piece = answer.read(PIECE_BYTES)
                    if not piece:
                        return size
                    size += len(piece)
                    to.write(piece)
        except _Refusal as refusal:
            raise error_of(refusal.status, refusal.text) from None

    def _upload(self, path: str, upload: Upload, key: Optional[str]) -> Json:
        def send() -> Request:
            return self._request("POST", path, {"Content-Type": upload.content_type}, key, upload.pieces())

        return self._answer(send, is_repeatable=upload.is_repeatable)

    def _request(
        self, method: str, path: str, headers: dict[str, str], key: Optional[str], data: Union[bytes, Iterable[bytes], None]
    ) -> Request:
        own = {"Authorization": f"Bearer {self._token}", **({} if key is None else {"Idempotency-Key": key})}
        return Request(f"{self._url}{path}", data, {**headers, **own}, method=method)

    def _open(self, request: Request) -> Any:
        try:
            return urlopen(request, timeout=ANSWER_WITHIN_S)
        except HTTPError as error:
            with error:
                raise _Refusal(error.code, error.headers.get("Retry-After", ""), error.read().decode(errors="replace"))

    def _answer(self, make: Callable[[], Request], *, is_repeatable: bool = True) -> Json:
        give_up = self._now() + self._retry_for_s
        tries = 0
        while True:
            try:
                with self._open(make()) as answer:
                    return json.loads(answer.read())
            except _Refusal as refusal:
                pause = _pause(tries, refusal.retry_after)
                error = error_of(refusal.status, refusal.text)
                if refusal.status not in RETRIED:
                    raise error from None
                if not is_repeatable or self._now() + pause > give_up:
                    raise GatewayAway(str(error)) from error
            except (OSError, HTTPException) as error:
                pause = _pause(tries, "")
                if not is_repeatable or self._now() + pause > give_up:
                    raise GatewayAway(str(error)) from error
            tries += 1
            self._sleep(pause)


class _Refusal(Exception):
    def __init__(self, status: int, retry_after: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.retry_after = retry_after
        self.text = text


def _pause(tries: int, retry_after: str) -> float:
    """As long as the gateway says, otherwise doubled and drawn at random."""
    if retry_after.isdecimal():
        return float(retry_after)
    longest = min(PAUSE_S_MAX, PAUSE_S * 2.0 ** min(tries, 10))
    return longest * (0.5 + random.random() / 2)


def _part(value: str) -> str:
    return quote(value, safe="")


def _message(chat: str, message: str) -> str:
    return f"/v1/chats/{_part(chat)}/messages/{_part(message)}"


def _with(path: str, query: Optional[Query]) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path

