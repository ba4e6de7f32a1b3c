"""The objects of the API, as it names them. There may be more fields and more types: ignore those you do not know.

Written by `npm run sdk-types` from the table of endpoints in packages/bot-api: do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


class _PersonBase(TypedDict):
    id: str
    name: str


class Person(_PersonBase, total=False):
    #: True for an account that is marked as a bot, absent for others. The mark is in its profile, which may arrive a moment after its first message.
    bot: bool


class _CommandBase(TypedDict):
    name: str
    description: str


class Command(_CommandBase, total=False):
    #: A hint for the input field. Without it, tapping the command sends it.
    args: str


class _MeBase(TypedDict):
    id: str
    name: str
    #: Opens a chat with the bot.
    invite_url: str
    about: str
    commands: list[Command]


class Me(_MeBase, total=False):
    #: How many people that it does not know the bot may still write to today (UTC), as its relay counts them. Absent while the relay does not say it.
    new_people_left: int


class _InviteBase(TypedDict):
    #: Names the link in this API. It opens nothing.
    id: str
    #: The link. It contains a secret token in place of the payload.
    url: str
    payload: str
    #: How many people have come by it.
    used: int
    #: When it was created.
    ts: int


class Invite(_InviteBase, total=False):
    uses: int
    expires: int


class GroupLink(TypedDict):
    #: Names the link in this API, and is the secret in it.
    token: str
    #: The link, with the current title of the group.
    url: str
    #: When it was created.
    ts: int


_WaitingRequestBase = TypedDict(
    "_WaitingRequestBase",
    {
            "from": "Person",
        #: When the person asked.
        "ts": "int",
    },
)


class WaitingRequest(_WaitingRequestBase):
    pass


class AskedJoin(TypedDict):
    #: The admin who made the link.
    account: str
    token: str
    #: The title of the group as the link claims it.
    title: str
    ts: int
    #: One of `waiting`, `declined`; more may be added.
    state: Literal["waiting", "declined"]


class _MemberBase(TypedDict):
    id: str
    name: str
    bot: bool


class Member(_MemberBase, total=False):
    admin: bool


class _ChatBase(TypedDict):
    #: A private chat: the other person's account id.
    id: str
    #: One of `private`, `group`; more may be added.
    type: Literal["private", "group"]
    #: The person's name, or the group's title.
    name: str
    #: One of `active`, `request`, `left`; more may be added. `request`: waits to be accepted; `left`: the bot is no longer a member.
    state: Literal["active", "request", "left"]
    #: Including the bot.
    members: list[Member]
    #: How long messages are kept after they were read; 0: no limit.
    timer_ms: int
    unread: int
    #: When the bot first saw the chat.
    ts: int


class Chat(_ChatBase, total=False):
    #: The person is blocked: the bot receives nothing from them, and cannot write to them.
    blocked: bool
    #: The safety number of this person was compared.
    verified: bool


class _PersonProfileBase(TypedDict):
    id: str
    name: str
    #: Whether the account is marked as a bot.
    bot: bool
    #: Empty if the person has written nothing, or it has not arrived yet.
    about: str


class PersonProfile(_PersonProfileBase, total=False):
    #: The picture: a data: URL of a JPEG, PNG or WebP file. Absent if there is none.
    avatar: str


class SafetyNumber(TypedDict):
    account: str
    #: Twelve groups of five digits: both sides see the same, unless somebody intercepts the chat.
    number: str
    #: The same as the content of a QR code: equal on both sides.
    qr: str
    #: Whether the operator of the bot has noted that both numbers were compared.
    verified: bool


class Mention(TypedDict):
    user: str
    #: In UTF-16 code units.
    offset: int
    #: In UTF-16 code units.
    length: int


class _EntityBase(TypedDict):
    #: One of `quote`, `spoiler`, `link`, `bold`, `italic`, `strike`, `code`, `pre`; more may be added.
    type: Literal["quote", "spoiler", "link", "bold", "italic", "strike", "code", "pre"]
    #: In UTF-16 code units.
    offset: int
    #: In UTF-16 code units.
    length: int


class Entity(_EntityBase, total=False):
    #: Of a `link`: an http or https address.
    url: str
    #: Of a `pre`: the language of the code.
    lang: str


class _ButtonBase(TypedDict):
    text: str


class Button(_ButtonBase, total=False):
    data: str
    url: str


class _FileInfoBase(TypedDict):
    name: str
    #: In bytes.
    size: int
    #: A media type.
    type: str
    #: One of `photo`, `video`, `voice`, `file`; more may be added.
    kind: Literal["photo", "video", "voice", "file"]


class FileInfo(_FileInfoBase, total=False):
    width: int
    height: int
    duration_ms: int
    #: A data: URL; photos only.
    preview: str


class PollOption(TypedDict):
    text: str
    votes: int
    voters: list[Person]


class _PollBase(TypedDict):
    question: str
    multiple: bool
    closed: bool
    options: list[PollOption]
    #: The bot's own vote: indexes of options.
    voted: list[int]


class Poll(_PollBase, total=False):
    #: When it closes automatically.
    close_ts: int


_ReactionBase = TypedDict(
    "_ReactionBase",
    {
            "emoji": "str",
            "from": "Person",
    },
)


class Reaction(_ReactionBase):
    pass


class UsedInvite(TypedDict):
    id: str
    payload: str


_MessageBase = TypedDict(
    "_MessageBase",
    {
            "id": "str",
            "chat_id": "str",
            "from": "Person",
        #: The relay's time of acceptance, strictly rising within a chat.
        "ts": "int",
    },
)


class Message(_MessageBase, total=False):
    #: The text, or the caption of a file.
    text: str
    reply_to: str
    mentions: list[Mention]
    #: The formatting of the text, which is without marks: from outside to inside, in the order of the text.
    entities: list[Entity]
    buttons: list[list[Button]]
    #: True if the sender wants nobody to be notified, absent for others.
    silent: bool
    #: True if the sender passes on a message of another chat, absent for others. It does not say whose.
    forwarded: bool
    invite: UsedInvite
    file: FileInfo
    #: The id of the album that the file belongs to: the same for the files that one sender has sent together, at most 10.
    album: str
    poll: Poll
    reactions: list[Reaction]
    edited_ts: int
    #: When a disappearing message is erased; set once its countdown has started.
    expires_ts: int
    #: One of `sent`, `delivered`, `read`; more may be added. The bot's own messages only.
    status: Literal["sent", "delivered", "read"]


class _NoticeBase(TypedDict):
    code: Literal["created", "joined", "left", "removed", "renamed", "picture", "admins", "timer", "call_declined", "undecryptable", "key_changed", "refused", "restarted", "missing", "forked", "cut_off", "mismatch"]


_NoticeMore = TypedDict(
    "_NoticeMore",
    {
            "from": "Person",
            "text": "str",
            "members": "list[Person]",
            "removed": "bool",
            "admin": "bool",
            "timer_ms": "int",
            "count": "int",
    },
    total=False,
)


class Notice(_NoticeBase, _NoticeMore):
    pass


class _UpdateBase(TypedDict):
    id: int
    chat_id: str
    type: Literal["message", "edited", "deleted", "reaction", "poll", "button", "expired", "chat", "notice", "delivered", "read", "join_request"]


class Update(_UpdateBase, total=False):
    message: Message
    deleted: Deletion
    reaction: ReactionChange
    button: Press
    expired: list[str]
    chat: Chat
    notice: Notice
    delivered: Receipt
    read: Receipt
    join_request: JoinRequest


_DeletionBase = TypedDict(
    "_DeletionBase",
    {
            "message_id": "str",
            "from": "Person",
    },
)


class Deletion(_DeletionBase):
    pass


_ReactionChangeBase = TypedDict(
    "_ReactionChangeBase",
    {
            "message_id": "str",
            "from": "Person",
        #: Empty if it was removed, or the message no longer exists.
        "emoji": "str",
    },
)


class ReactionChange(_ReactionChangeBase):
    pass


_PressBase = TypedDict(
    "_PressBase",
    {
            "message_id": "str",
            "from": "Person",
        #: Empty if the message no longer exists.
        "data": "str",
            "press_id": "str",
    },
)


class Press(_PressBase):
    pass


_ReceiptBase = TypedDict(
    "_ReceiptBase",
    {
            "message_id": "str",
            "from": "Person",
    },
)


class Receipt(_ReceiptBase):
    pass


_JoinRequestBase = TypedDict(
    "_JoinRequestBase",
    {
            "from": "Person",
    },
)


class JoinRequest(_JoinRequestBase):
    pass


class _ReaderBase(TypedDict):
    name: str
    #: Updates with a smaller id are confirmed.
    offset: int
    #: Updates that wait for this reader.
    pending: int
    #: Updates that were lost since this reader last confirmed one, because it did not confirm them in time.
    dropped: int


class Reader(_ReaderBase, total=False):
    #: The types that it last asked for; absent: all.
    types: list[str]
    #: The id of the token that has this reader for itself, because it is limited to chats.
    token: str


class _WebhookBase(TypedDict):
    #: Whether a webhook is set, by WEBHOOK_URL or over the API.
    enabled: bool
    #: Updates that wait to be delivered or polled.
    pending: int


class Webhook(_WebhookBase, total=False):
    #: True while delivery is paused, absent otherwise.
    paused: bool
    last_attempt_ts: int
    #: The error of the last failed attempt.
    last_error: str
    last_error_ts: int
    #: Set while a failed update waits for its next attempt.
    next_attempt_ts: int


class _HookBase(TypedDict):
    id: str
    chat_id: str
    #: One of `alerts`, `pipeline`, `text`, `slack`, `grafana`, `uptime_kuma`, `github`, `gitlab`, `sentry`, `auto`, `template`; more may be added. The format of its posts.
    format: Literal["alerts", "pipeline", "text", "slack", "grafana", "uptime_kuma", "github", "gitlab", "sentry", "auto", "template"]
    #: When it was created.
    ts: int


class Hook(_HookBase, total=False):
    #: One of `ru`, `en`; more may be added. The language of the words that the bot adds, if the hook was created with one; otherwise LANGUAGE.
    lang: Literal["ru", "en"]
    #: True if its messages notify nobody, absent for other hooks.
    silent: bool
    #: True if the hook was created with a `secret`: posts that do not prove it are 401. Absent for others.
    signed: bool
    #: Only for the format `template`.
    template: str
    options: HookOptions
    #: When the last post to it ended. Absent, as the next three, before the first one.
    last_ts: int
    #: The HTTP status that the sender of that post was answered.
    last_status: int
    #: One of `written`, `silent`, `refused`; more may be added. `silent`: 200, because there was nothing to write, or it was written before.
    last_result: Literal["written", "silent", "refused"]
    #: Why it was refused. Never contains a posted word or a secret.
    last_error: str


class _HookOptionsBase(TypedDict):
    #: One message for each group of alerts, or each pipeline, that is edited as it changes.
    living: bool


class HookOptions(_HookOptionsBase, total=False):
    #: Format `alerts`: the spans for which people may silence a group. By default 1h and 24h.
    silence: list[str]
    #: Who may press the buttons beside BOT_OWNERS: these accounts, or everybody in the chat.
    allow: Union[Literal["members"], list[str]]
    #: No reply says that a group is resolved.
    quiet_resolve: bool


class _CreatedHookBase(TypedDict):
    id: str
    chat_id: str
    #: One of `alerts`, `pipeline`, `text`, `slack`, `grafana`, `uptime_kuma`, `github`, `gitlab`, `sentry`, `auto`, `template`; more may be added. The format of its posts.
    format: Literal["alerts", "pipeline", "text", "slack", "grafana", "uptime_kuma", "github", "gitlab", "sentry", "auto", "template"]
    #: When it was created.
    ts: int
    #: The address to post to. It contains the secret and is shown only here: the gateway stores a hash.
    url: str


class CreatedHook(_CreatedHookBase, total=False):
    #: One of `ru`, `en`; more may be added. The language of the words that the bot adds, if the hook was created with one; otherwise LANGUAGE.
    lang: Literal["ru", "en"]
    #: True if its messages notify nobody, absent for other hooks.
    silent: bool
    #: True if the hook was created with a `secret`: posts that do not prove it are 401. Absent for others.
    signed: bool
    #: Only for the format `template`.
    template: str
    options: HookOptions


class DryRun(TypedDict, total=False):
    #: Only with `dry_run=1`, as all others: the text of the message.
    text: str
    #: The formatting of the text.
    entities: list[Entity]
    buttons: list[list[Button]]
    #: The message that it would reply to.
    reply_to: str
    #: True if it would notify nobody.
    silent: bool
    #: Why nothing would be written.
    skipped: str


class _TokenBase(TypedDict):
    #: Names the token in this API. It opens nothing.
    id: str
    name: str
    #: `read`, `send`, `hooks`, `admin`.
    scopes: list[str]
    #: When it was created.
    ts: int


class Token(_TokenBase, total=False):
    #: The chats to which it is limited; absent: all.
    chats: list[str]
    #: When it was last used. After a restart it may be up to a minute too early. Absent: never used.
    last_used_ts: int


class _CreatedTokenBase(TypedDict):
    #: Names the token in this API. It opens nothing.
    id: str
    name: str
    #: `read`, `send`, `hooks`, `admin`.
    scopes: list[str]
    #: When it was created.
    ts: int
    #: The token itself. Only this answer contains it.
    token: str


class CreatedToken(_CreatedTokenBase, total=False):
    #: The chats to which it is limited; absent: all.
    chats: list[str]
    #: When it was last used. After a restart it may be up to a minute too early. Absent: never used.
    last_used_ts: int


class OpenapiDocument(TypedDict):
    openapi: str
