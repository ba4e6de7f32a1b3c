// What `postern help` prints.

export const usage = `Usage: postern <command>

  demo      a relay with the web app, a bot behind a gateway and the bot's program, on this machine
              [--relay-port 8090] [--gateway-port 8080] [--data .postern] [--app DIR|off]
  gateway   one bot behind an HTTP API; set up by environment variables (BOT_TOKEN, RELAY_URL, BOT_NAME, ...)
  relay     the server that carries the messages, unable to read them
              --data DIR [--listen :8090] [--public-host HOST]... [--new-people-per-day 50]
              [--proxy-header NAME [--proxies 1]] [--registration open|invite|closed] [--limit NAME=NUMBER]...
              [--app DIR|off]
  relay invite   prints a code by which the relay takes a new account
              --data DIR [--uses 1] [--days 7]
  person    a person without a screen: commands and events are JSON lines
              --relay URL --data DIR --name NAME [--requests all|ask] [--relay-invite CODE]
  help      this text
`
