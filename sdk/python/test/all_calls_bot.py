"""Uses every kind of call in one handler, for the tests that kill the gateway and the relay around each."""

import logging

from postern_sdk import Bot, Context

logging.basicConfig(level=logging.WARNING)
bot = Bot()


@bot.text()
def every_call(ctx: Context) -> None:
    first = ctx.reply(f"{ctx.text}: begun")
    if first is not None:
        ctx.api.edit_message(ctx.chat_id, first["id"], text=f"{ctx.text}: edited")
    ctx.send_file(b"log", "log.txt", caption=f"{ctx.text}: file")
    ctx.send_poll("Again?", ["yes", "no"])
    ctx.send(f"{ctx.text}: end")


bot.run()
