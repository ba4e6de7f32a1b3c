// `postern relay status`, `accounts`, `ban` and similar commands: a request to the relay that runs on a data directory.
import { parseArgs } from 'node:util'
import { CodedError, type Env, isAccountId } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import type {
  AccountsAnswer,
  BanAnswer,
  InvitesAnswer,
  RevokeAnswer,
  StatusAnswer,
  UnbanAnswer,
} from '../operator/answers.ts'
import { showAccounts, showBan, showInvites, showRevoked, showStatus, showUnban } from './show.ts'

type Values = { data?: string; json?: boolean; limit?: string; after?: string; banned?: boolean }
type Asked = { positional: string | undefined; values: Values }

type OperatorCommand = {
  /** The argument after the command. Without this field, an argument is an error. */
  positional?: 'account' | 'account or nothing' | 'invite'
  options?: readonly ('limit' | 'after' | 'banned')[]
  command: string
  arguments: (asked: Asked) => Record<string, unknown>
  /** A relay of the same program made the answer. */
  show: (done: object) => string
}

const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })
const nothing = (): Record<string, unknown> => ({})

const commands: Readonly<Record<string, OperatorCommand>> = {
  status: { command: 'status', arguments: nothing, show: done => showStatus(done as StatusAnswer) },
  accounts: {
    command: 'accounts',
    positional: 'account or nothing',
    options: ['limit', 'after', 'banned'],
    arguments: ({ positional, values }) => ({
      ...(positional !== undefined && { account: positional }),
      ...(values.limit !== undefined && { limit: Number(values.limit) }),
      ...(values.after !== undefined && { after: values.after }),
      ...(values.banned && { banned: true }),
    }),
    show: done => showAccounts(done as AccountsAnswer),
  },
  ban: {
    command: 'ban',
    positional: 'account',
    arguments: ({ positional }) => ({ account: positional }),
    show: done => showBan(done as BanAnswer),
  },
  unban: {
    command: 'unban',
    positional: 'account',
    arguments: ({ positional }) => ({ account: positional }),
    show: done => showUnban(done as UnbanAnswer),
  },
  'invite list': { command: 'invites', arguments: nothing, show: done => showInvites(done as InvitesAnswer) },
  'invite revoke': {
    command: 'revoke-invite',
    positional: 'invite',
    arguments: ({ positional }) => ({ invite: positional }),
    show: done => showRevoked(done as RevokeAnswer),
  },
}

/** The command that a command line names, and the arguments after it; undefined for any other command. */
export function operatorCommandIn(argv: readonly string[]): { name: string; rest: string[] } | undefined {
  for (const words of [1, 2]) {
    const name = argv.slice(0, words).join(' ')
    if (Object.hasOwn(commands, name)) return { name, rest: argv.slice(words) }
  }
  return undefined
}

/** Returns the text to print. Throws `bad-field`, `not-running`, and the relay's own errors. */
export async function runOperatorCommand(name: string, argv: readonly string[], env: Env): Promise<string> {
  const command = commands[name]
  if (!command) throw wrong(name, 'is not a known command')
  const asked = readAsked(command, argv)
  const directory = asked.values.data ?? env['POSTERN_RELAY_DATA']
  if (!directory) throw wrong('--data', "must name the relay's data directory")
  const request = { command: command.command, arguments: command.arguments(asked) }
  const done = await askControl(directory, { request })
  return asked.values.json ? JSON.stringify(done) : command.show(done)
}

function readAsked(command: OperatorCommand, argv: readonly string[]): Asked {
  const { values, positionals } = parsed(command, argv)
  const [positional, ...more] = positionals
  const { positional: wanted } = command
  if (more.length > 0 || (wanted === undefined && positional !== undefined))
    throw wrong(JSON.stringify(more[0] ?? positional), 'is not used by this command')
  if (positional === undefined && wanted !== undefined && wanted !== 'account or nothing')
    throw wrong(
      wanted,
      wanted === 'invite' ? 'must name one that `invite list` shows' : 'must name one that `accounts` shows',
    )
  if (positional !== undefined && wanted !== 'invite' && !isAccountId(positional))
    throw wrong('account', `${JSON.stringify(positional)} is not an account id`)
  return { positional, values }
}

function parsed({ options = [] }: OperatorCommand, argv: readonly string[]): { values: Values; positionals: string[] } {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const known = { limit: text, after: text, banned: flag }
  const own = Object.fromEntries(options.map(name => [name, known[name]]))
  try {
    return parseArgs({ args: [...argv], options: { data: text, json: flag, ...own }, allowPositionals: true })
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not valid.' })
  }
}
