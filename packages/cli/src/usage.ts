// The texts of `postern help` and `postern <command> --help`.

interface Help {
  /** The words after `postern` on the command line. */
  readonly line: string
  readonly summary: string
  /** Settings that are not options. */
  readonly note?: string
  readonly options: Readonly<Record<string, string>>
}

const json = { '--json': 'print JSON' }
const data = { '--data DIR': 'data directory of the relay (required)' }

const helps: Readonly<Record<string, Help>> = {
  demo: {
    line: 'demo [options]',
    summary: 'start a relay, a gateway and an example bot on this machine',
    options: {
      '--relay-port PORT': 'port of the relay (default 8090)',
      '--gateway-port PORT': 'port of the HTTP API (default 8080)',
      '--data DIR': 'data directory (default .postern)',
      '--app DIR|off': 'folder of the built web app, or off (default: build it)',
      '--bot on|off': 'whether the example bot answers (default on)',
    },
  },
  gateway: {
    line: 'gateway',
    summary: 'run one bot behind an HTTP API',
    note: 'The gateway has no options. Set BOT_TOKEN, RELAY_URL, BOT_NAME and other environment variables.\nSee docs/settings.md.',
    options: {},
  },
  relay: {
    line: 'relay --data DIR [options]',
    summary: 'run the server that delivers encrypted messages',
    note: 'Each option is also an environment variable, as in POSTERN_RELAY_LISTEN. See docs/relay.md.',
    options: {
      ...data,
      '--listen ADDRESS': 'address to listen on (default :8090)',
      '--public-host HOST': 'host that clients connect to; repeat it for several',
      '--registration MODE': 'who may register: open, invite or closed',
      '--database URL': 'PostgreSQL database that several relays share',
      '--blobs PLACE': 'where files are: a directory, or s3://BUCKET/PREFIX?region=...',
      '--app DIR|off': 'folder of the built web app, or off',
      '--metrics ADDRESS': 'address for metrics, as in 127.0.0.1:9464 (default off)',
      '--settings FILE': 'file with settings, read again on SIGHUP',
      '--push off': 'sends no push messages to devices that are away',
      '--push-hosts HOSTS': 'further hosts of push services, separated by commas',
      '--push-contact ADDRESS': 'mailto: or https: address of the operator, for push services',
      '--proxy-header NAME': 'header in which a proxy sends the client address',
      '--proxies NUMBER': 'number of proxies in front of the relay (default 1)',
      '--keep-days DAYS': 'how long to keep messages that nobody fetches (default 30)',
      '--keep-blobs-days DAYS': 'how long to keep files (default 30)',
      '--blobs-max SIZE': 'maximum size of all files together (default 1T)',
      '--database-max SIZE': 'maximum size of the database (default 1T)',
      '--disk-reserve SIZE': 'free disk space below which the relay rejects files (default 1G)',
      '--new-people-per-day NUMBER': 'new people that an account may write to in a day (default 50)',
      '--limit NAME=NUMBER': 'any other limit; repeat it for several',
    },
  },
  'relay invite': {
    line: 'relay invite --data DIR|--database URL [options]',
    summary: 'print a code with which a new account can register',
    options: {
      '--data DIR': 'data directory of the relay',
      '--database URL': 'PostgreSQL database of the relay, instead of --data',
      '--uses NUMBER': 'how many accounts may use the code (default 1)',
      '--days DAYS': 'how long the code is valid (default 7)',
    },
  },
  'relay invite list': { line: 'relay invite list --data DIR', summary: 'list invites', options: { ...data, ...json } },
  'relay invite revoke': {
    line: 'relay invite revoke ID --data DIR',
    summary: 'revoke an invite',
    options: { ...data, ...json },
  },
  'relay status': {
    line: 'relay status --data DIR',
    summary: 'show the status of a running relay',
    options: { ...data, ...json },
  },
  'relay accounts': {
    line: 'relay accounts [ID] --data DIR [options]',
    summary: 'list accounts of a running relay, or show one',
    options: {
      ...data,
      '--limit NUMBER': 'how many accounts to list (default 1000)',
      '--after ID': 'continue after this account',
      '--banned': 'list only banned accounts',
      ...json,
    },
  },
  'relay ban': { line: 'relay ban ID --data DIR', summary: 'ban an account', options: { ...data, ...json } },
  'relay unban': { line: 'relay unban ID --data DIR', summary: 'lift a ban', options: { ...data, ...json } },
  'relay move': {
    line: 'relay move --data DIR --to|--from URL',
    summary: 'move a stopped relay to PostgreSQL, or back',
    options: {
      ...data,
      '--to URL': 'PostgreSQL database that receives the rows',
      '--from URL': 'PostgreSQL database whose rows move back into the directory',
    },
  },
  'relay restored': {
    line: 'relay restored --database URL',
    summary: 'record that the PostgreSQL database was restored from a backup',
    note: 'Run it before you start a relay on that database again.',
    options: { '--database URL': 'PostgreSQL database that was restored (required)' },
  },
  app: {
    line: 'app --relay URL [--port PORT] | app --hash [--relay URL]',
    summary: 'serve the web app to browsers of this machine, for a relay elsewhere',
    note: 'The app then comes from this installation, and not from the relay. See docs/app.md.',
    options: {
      '--relay URL': 'address of the relay, as in https://relay.example (required)',
      '--port PORT': 'port on 127.0.0.1 (default: one for each relay, always the same)',
      '--hash': 'print the hash of the app; with --relay, compare it with what the relay serves',
    },
  },
  person: {
    line: 'person --data DIR [options]',
    summary: 'run an account that reads commands and writes events as JSON lines',
    options: {
      '--data DIR': 'data directory of the account (required)',
      '--relay URL': 'address of the relay (required at the first start)',
      '--name NAME': 'name that others see (required at the first start)',
      '--requests all|ask': 'accept chat requests automatically, or ask (default all)',
      '--relay-invite CODE': 'invite code of the relay',
    },
  },
  mcp: {
    line: 'mcp [options]',
    summary: 'let agents that start processes use the tools of a gateway (MCP)',
    note: 'Set MCP_TOKEN, or MCP_TOKEN_FILE, to the token of the gateway. See docs/mcp.md.',
    options: { '--url URL': 'address of the gateway (default http://127.0.0.1:8080)' },
  },
  backup: {
    line: 'backup --data DIR --to PLACE [options]',
    summary: 'write an encrypted backup of a gateway or relay, even while it is running',
    options: {
      '--data DIR': 'data directory of the gateway or relay (required)',
      '--to PLACE': 'file to write, folder for it, or - for standard output (required)',
      '--recipient KEY': 'age public key that can open the backup; repeat it for several',
      '--passphrase-file FILE': 'file whose first line is the passphrase',
      '--plain': 'do not encrypt the backup',
      '--keep NUMBER': 'keep this many backups in the folder, and delete older ones',
      '--temp DIR': 'folder for the temporary copy of the database',
      ...json,
    },
  },
  restore: {
    line: 'restore FILE|- --data DIR|--verify [options]',
    summary: 'verify a backup, and restore it into an empty directory',
    options: {
      '--data DIR': 'empty directory to restore into',
      '--verify': 'only verify the backup',
      '--identity FILE': 'file with age secret keys; repeat it for several',
      '--passphrase-file FILE': 'file whose first line is the passphrase',
      ...json,
    },
  },
  doctor: {
    line: 'doctor [options]',
    summary: 'check a gateway: settings, data, disk, clock, relay, webhook and hooks',
    options: {
      '--settings FILE': 'file with settings of the gateway (default: environment variables)',
      '--deep': 'also read the whole database',
      '--webhook-test': 'also send a test request to the webhook',
      ...json,
    },
  },
  'doctor relay': {
    line: 'doctor relay --data DIR [options]',
    summary: 'check a relay, with the options with which you start it',
    options: { '--deep': 'also read the whole database', ...json },
  },
  help: { line: 'help [command]', summary: 'show this text, or the options of a command', options: {} },
}

const inColumns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length)) + 3
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}\n`).join('')
}

/** One line for each command. */
export const overview = `Usage: postern <command> [options]

${inColumns(Object.entries(helps).map(([name, { summary }]) => [name, summary]))}
"postern <command> --help" shows the options of a command, "postern --version" the version.
`

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

function helpText({ line, summary, note, options }: Help): string {
  const parts = [`Usage: postern ${line}\n`, `${capitalized(summary)}\n`]
  if (note !== undefined) parts.push(`${note}\n`)
  if (Object.keys(options).length > 0) parts.push(inColumns(Object.entries(options)))
  return parts.join('\n')
}

/** The longest command that the words begin with. */
export function commandIn(words: readonly string[]): string | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const name = words.slice(0, count).join(' ')
    if (Object.hasOwn(helps, name) && name !== 'help') return name
  }
  return undefined
}

/** The help of the command that the words begin with, else the overview. */
export function helpOf(words: readonly string[]): string {
  const help = helps[commandIn(words) ?? '']
  return help ? helpText(help) : overview
}

export const helpNames: readonly string[] = Object.keys(helps)
