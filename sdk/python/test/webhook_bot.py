"""Echo behind a webhook, on the port that it is given."""

import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

from postern_sdk import Bot, Context

bot = Bot()


@bot.text()
def echo(ctx: Context) -> None:
    ctx.reply(ctx.text)


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


server = make_server("127.0.0.1", int(sys.argv[1]), bot.webhook(sys.argv[2]), handler_class=Quiet)
print("listening", file=sys.stderr, flush=True)
server.serve_forever()
