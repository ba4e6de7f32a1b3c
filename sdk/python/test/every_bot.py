"""Uses everything that a context offers, for the tests."""

import io
import logging
import os
import re

from postern_sdk import Api, Bot, Context

logging.basicConfig(level=logging.WARNING)
# By default a call is not repeated, and nobody waits for the next attempt.
bot = Bot(api=Api(retry_for_s=float(os.environ.get("RETRY_FOR_S", "0"))), wait=lambda seconds: None)
tries = {"count": 0}


@bot.command("menu")
def menu(ctx: Context) -> None:
    ctx.reply(f"menu {ctx.args}", buttons=[[{"text": "Yes", "data": "go:1"}, {"text": "No", "data": "no"}]])


@bot.press(re.compile(r"go:(\d)"))
def go(ctx: Context) -> None:
    ctx.answer("On its way")
    ctx.edit("gone", buttons=[])
    ctx.send("done", key="result")


@bot.press("no")
def no(ctx: Context) -> None:
    ctx.edit("not gone", buttons=[])


@bot.command("poll")
def poll(ctx: Context) -> None:
    ctx.send_poll("Lunch?", ["Pizza", "Soup"])


@bot.command("two")
def two(ctx: Context) -> None:
    ctx.send("one")
    ctx.send("two")


@bot.command("broken")
def broken(ctx: Context) -> None:
    tries["count"] += 1
    raise RuntimeError("a fault of the handler")


@bot.command("once")
def once(ctx: Context) -> None:
    # Another text at each run, like the answer of a model.
    tries["count"] += 1
    ctx.send(f"try {tries['count']}")
    if tries["count"] == 1:
        raise RuntimeError("after the send")
    ctx.send("after it")


@bot.command("draft")
def draft(ctx: Context) -> None:
    ctx.draft("half of **it", format="markdown")
    ctx.send("all of it")


@bot.command("stream")
def stream(ctx: Context) -> None:
    ctx.stream(iter(["", "**Half", " of** it", ", and all"]), every_s=0, format="markdown")


@bot.command("long")
def long(ctx: Context) -> None:
    # Fewer messages at the second run, like another answer of a model.
    tries["count"] += 1
    words = ["word "] * 1000 if tries["count"] == 1 else ["short"]
    ctx.stream(iter(words), drafts=False)
    if tries["count"] == 1:
        raise RuntimeError("after the stream")
    ctx.send("behind it")


@bot.command("again")
def again(ctx: Context) -> None:
    ctx.typing()
    if ctx.message:
        ctx.forward(ctx.chat_id, ctx.message["id"])
        ctx.forward(ctx.chat_id, ctx.message["id"], copy=True, silent=True, key="copy")


@bot.command("album")
def album(ctx: Context) -> None:
    ctx.send_album([(b"first", "a.txt"), (io.BytesIO(b"second"), "b.txt")], caption="Both")


@bot.on("message")
def others(ctx: Context) -> None:
    if ctx.message and "file" in ctx.message:
        content = io.BytesIO()
        size = ctx.download(content)
        ctx.react("👀")
        content.seek(0)
        ctx.send_file(content, f'copy of "{ctx.message["file"]["name"]}"', caption=f"{size} bytes")


@bot.error
def failed(error: Exception, ctx: Context) -> None:
    ctx.reply(f"failed after {tries['count']}: {error}")


bot.run()
