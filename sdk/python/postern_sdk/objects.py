"""The objects of the API, as it names them. There may be more fields and more types: ignore those you do not know."""

from __future__ import annotations

from typing import Literal, TypedDict


class _PersonBase(TypedDict):
    id: str
    name: str


class Person(_PersonBase, total=False):
    bot: bool


class Button(TypedDict, total=False):
    """With `data` or with `url`."""

    text: str
    data: str
    url: str


class Mention(TypedDict):
    user: str
    offset: int
    length: int


class _FileInfoBase(TypedDict):
    name: str
    size: int
    type: str
    kind: Literal["photo", "video", "voice", "file"]


class FileInfo(_FileInfoBase, total=False):
    width: int
    height: int
    duration_ms: int


class PollOption(TypedDict):
    text: str
    votes: int
    voters: list[Person]


class _PollBase(TypedDict):
    question: str
    multiple: bool
    closed: bool
    options: list[PollOption]


class Poll(_PollBase, total=False):
    close_ts: int


# Keyword syntax cannot spell `from`.
_MessageBase = TypedDict("_MessageBase", {"id": str, "chat_id": str, "from": Person, "ts": int})


class Message(_MessageBase, total=False):
    text: str
    reply_to: str
    buttons: list[list[Button]]
    mentions: list[Mention]
    file: FileInfo
    album: str
    poll: Poll
    edited_ts: int
    silent: bool
    forwarded: bool


class Member(Person, total=False):
    admin: bool


class Chat(TypedDict):
    id: str
    type: Literal["private", "group"]
    name: str
    state: Literal["active", "request", "left"]
    members: list[Member]
    timer_ms: int
    unread: int
    ts: int


class _WebhookBase(TypedDict):
    enabled: bool
    #: Updates that wait to be delivered or polled.
    pending: int


class Webhook(_WebhookBase, total=False):
    paused: bool
    last_attempt_ts: int
    last_error: str
    last_error_ts: int
    next_attempt_ts: int


class _TokenBase(TypedDict):
    id: str
    name: str
    scopes: list[str]
    ts: int


class Token(_TokenBase, total=False):
    chats: list[str]
    last_used_ts: int


class CreatedToken(Token):
    #: Only the answer to its creation has it.
    token: str


Press = TypedDict("Press", {"message_id": str, "press_id": str, "from": Person, "data": str})


class _UpdateBase(TypedDict):
    id: int
    type: str
    chat_id: str


class Update(_UpdateBase, total=False):
    """One of these is there; the type says which."""

    message: Message
    button: Press
    chat: Chat
