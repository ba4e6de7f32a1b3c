"""One update, and what a bot does about it. Each send has a key of the update: a repeated handler sends nothing twice."""

from __future__ import annotations

from typing import BinaryIO, Callable, Iterable, Optional, TypeVar

from .api import Api, Json
from .errors import ApiError
from .objects import Button, Message, Person, Press, Update
from .stream_text import stream_text
from .upload import FileSource

Buttons = list[list[Button]]
Sent = TypeVar("Sent")


class Context:
    def __init__(self, api: Api, update: Update, *, keys: str = "") -> None:
        """`keys`: goes into the keys of all sends, so that they differ from those of the handler."""
        self.api = api
        self.update = update
        self.chat_id: str = update["chat_id"]
        self.message: Optional[Message] = update.get("message")
        self.press: Optional[Press] = update.get("button")
        self.text: str = self.message.get("text", "") if self.message else ""
        #: The words after a command.
        self.args: str = ""
        self.is_answered = False
        self._keys = f"u{update['id']}{keys}"
        self._sends = 0

    @property
    def sender(self) -> Optional[Person]:
        about = self.message or self.press
        return about["from"] if about else None

    @property
    def message_id(self) -> Optional[str]:
        """The message of the update, or the one whose button was pressed."""
        if self.message:
            return self.message["id"]
        return self.press["message_id"] if self.press else None

    def send(self, text: str, *, key: Optional[str] = None, **more: Json) -> Optional[Message]:
        """None if this step of the update has sent another text before, which is not sent again."""
        return self._once(key, lambda full: self.api.send_message(self.chat_id, text, key=full, **more))

    def reply(self, text: str, *, key: Optional[str] = None, **more: Json) -> Optional[Message]:
        about = {} if self.message is None else {"reply_to": self.message["id"]}
        return self.send(text, key=key, **{**about, **more})

    def draft(self, text: str, **more: Json) -> None:
        """Shows a text that is still being made, until the next message. `more`: format."""
        self.api.send_draft(self.chat_id, text, **more)

    def stream(
        self, parts: Iterable[str], *, key: Optional[str] = None, every_s: float = 0.7, drafts: bool = True, **more: Json
    ) -> Optional[Message]:
        """People see the text grow, at most once in `every_s`; the message is sent at its end, once.

        `more` is for the first message. None if this step has sent another text before.
        """
        self._sends += 1
        name = key or str(self._sends)
        style = {"format": more["format"]} if "format" in more else {}

        def say(text: str, number: int) -> Optional[Message]:
            if number == 1:
                first = {"reply_to": self.message["id"], **more} if self.message else more
                return self._once_as(name, lambda full: self.api.send_message(self.chat_id, text, key=full, **first))
            # Another run may need another number of messages: that must not shift the keys of the steps behind this one.
            further = f"{name}.{number}"
            return self._once_as(further, lambda full: self.api.send_message(self.chat_id, text, key=full, **style))

        def show(text: str) -> None:
            self.api.send_draft(self.chat_id, text, is_repeated=False, **style)

        return stream_text(parts, say=say, show=show if drafts else None, every_s=every_s)

    def forward(
        self, chat: str, message: str, *, key: Optional[str] = None, **more: Json
    ) -> Optional[Message]:
        """Sends a message of another chat, or of this one, into this chat. `more`: copy, caption, format, buttons, silent."""
        return self._once(key, lambda full: self.api.forward_message(self.chat_id, chat, message, key=full, **more))

    def typing(self) -> None:
        """Shows the people in the chat that the bot is typing, until its next message."""
        self.api.send_typing(self.chat_id)

    def send_poll(self, question: str, options: list[str], *, key: Optional[str] = None, **more: Json) -> Optional[Message]:
        return self._once(key, lambda full: self.api.send_poll(self.chat_id, question, options, key=full, **more))

    def send_file(
        self, file: FileSource, name: str, *, key: Optional[str] = None, **fields: Optional[str]
    ) -> Optional[Message]:
        return self._once(key, lambda full: self.api.send_file(self.chat_id, file, name, key=full, **fields))

    def send_album(
        self, files: list[tuple[FileSource, str]], *, key: Optional[str] = None, **fields: Optional[str]
    ) -> Optional[list[Message]]:
        """Up to ten pairs of a file and its name, shown together."""
        return self._once(key, lambda full: self.api.send_album(self.chat_id, files, key=full, **fields))

    def edit(self, text: str, *, buttons: Optional[Buttons] = None, **more: Json) -> Message:
        changes = {"text": text, **({} if buttons is None else {"buttons": buttons}), **more}
        return self.api.edit_message(self.chat_id, self._its_id(), **changes)

    def react(self, emoji: str) -> None:
        self.api.react(self.chat_id, self._its_id(), emoji)

    def read(self) -> None:
        self.api.mark_read(self.chat_id, self._its_id())

    def answer(self, text: str = "") -> None:
        """Shows the person that the press was heard. A press is answered once, within a minute."""
        if self.press is None:
            raise ValueError("answer: the update is not the press of a button")
        self.is_answered = True
        try:
            self.api.answer_press(self.press["press_id"], text, key=f"u{self.update['id']}.answer")
        except ApiError as error:
            if not error.is_key_used:
                raise

    def download(self, to: BinaryIO) -> int:
        return self.api.download(self.chat_id, self._its_id(), to)

    def _its_id(self) -> str:
        found = self.message_id
        if found is None:
            raise ValueError(f"an update of the type {self.update['type']} has no message")
        return found

    def _once(self, key: Optional[str], send: Callable[[str], Sent]) -> Optional[Sent]:
        self._sends += 1
        return self._once_as(key or str(self._sends), send)

    def _once_as(self, name: str, send: Callable[[str], Sent]) -> Optional[Sent]:
        try:
            return send(f"{self._keys}.{name}")
        except ApiError as error:
            # Before a crash this step sent something else, such as another answer of a model.
            if error.is_key_used:
                return None
            raise
