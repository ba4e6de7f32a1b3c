// What `postern help` prints.

export const usage = `Usage: postern <command>

  demo      a relay with the web app, a bot behind a gateway and the bot's program, on this machine
              [--relay-port 8090] [--gateway-port 8080] [--data .postern] [--app DIR|off] [--bot on|off]
  gateway   one bot behind an HTTP API; set up by environment variables (BOT_TOKEN, RELAY_URL, BOT_NAME, ...)
  relay     the server that carries the messages, unable to read them
              --data DIR [--listen :8090] [--public-host HOST]... [--new-people-per-day 50]
              [--proxy-header NAME [--proxies 1]] [--registration open|invite|closed] [--limit NAME=NUMBER]...
              [--app DIR|off] [--metrics 127.0.0.1:9464] [--settings FILE] [--keep-days 30] [--keep-blobs-days 30]
              [--blobs DIR|s3://BUCKET/PREFIX?region=...] [--database postgres://...]
              [--blobs-max 1T] [--database-max 1T] [--disk-reserve 1G]
  relay invite   prints a code by which the relay takes a new account
              --data DIR|--database URL [--uses 1] [--days 7]
  relay restored   says that the database was restored from a backup: before any relay starts on it again
              --database URL
  relay status | accounts [ID] | ban ID | unban ID | invite list | invite revoke ID   asks the relay that runs
              --data DIR [--json]; for accounts also [--limit 1000] [--after ID] [--banned]
  relay move   takes the rows of a relay that stands still to PostgreSQL, or back
              --data DIR --to|--from postgres://...
  person    a person without a screen: commands and events are JSON lines
              --relay URL --data DIR --name NAME [--requests all|ask] [--relay-invite CODE]
  backup    one encrypted file with all of a gateway or a relay that cannot be had again, also while it runs
              --data DIR --to FILE|FOLDER|- (--recipient age1...)...|--passphrase-file FILE|--plain
              [--keep NUMBER] [--temp DIR] [--json]
  restore   a backup into an empty directory, once all of it was looked at; with --verify nothing but the look
              FILE|- --data DIR|--verify [--identity FILE]... [--passphrase-file FILE] [--json]
  doctor    looks at settings, directory, disk, clock, relay, webhook and hooks of a gateway, and says what to do
              [--settings FILE] [--deep] [--webhook-test] [--json]; else settings are those of the environment
  doctor relay   the same for a relay, with the options with which it is started
              [--deep] [--json]
  help      this text
`
