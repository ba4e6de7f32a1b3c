"""The first bot of the README."""

from postern_sdk import Bot, Context

bot = Bot()


@bot.text()
def echo(ctx: Context) -> None:
    ctx.reply(ctx.text)


bot.run()
