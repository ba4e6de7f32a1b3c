// The relay's settings: command line first, then the environment, then the defaults.
import { parseArgs } from 'node:util'
import { CodedError, type ListenAddress, parseListenAddress } from '@postern/protocol'
import type { RelayLimits } from './limits/relay-limits.ts'

export type RelayConfig = {
  listen: ListenAddress
  dataDirectory: string
  publicHosts: string[]
  logLevel: string
  limits: Partial<RelayLimits>
}

type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

/** Throws `bad-field` that names the setting and what it has to be. */
export function readConfig(argv: readonly string[], env: Environment): RelayConfig {
  const given = readArguments(argv)
  const listen = given.listen ?? env['POSTERN_RELAY_LISTEN'] ?? ':8090'
  const address = parseListenAddress(listen)
  if (!address) throw wrong('--listen', `"${listen}" is none of :8090, 127.0.0.1:8090, [::1]:8090`)
  const dataDirectory = given.data ?? env['POSTERN_RELAY_DATA']
  if (!dataDirectory) throw wrong('--data', 'name the directory in which the relay keeps its data')
  const publicHosts = given['public-host'] ?? listIn(env['POSTERN_RELAY_PUBLIC_HOSTS'])
  const newPeople = given['new-people-per-day'] ?? env['POSTERN_RELAY_NEW_PEOPLE_PER_DAY']
  const logLevel = env['LOG_LEVEL'] || 'info'
  if (!LOG_LEVELS.includes(logLevel)) throw wrong('LOG_LEVEL', `"${logLevel}" is none of ${LOG_LEVELS.join(', ')}`)
  return {
    listen: address,
    dataDirectory,
    publicHosts: publicHosts.map(host => host.toLowerCase()),
    logLevel,
    limits: newPeople === undefined ? {} : { newPeoplePerDay: wholeNumber('--new-people-per-day', newPeople) },
  }
}

function readArguments(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        listen: { type: 'string' },
        data: { type: 'string' },
        'public-host': { type: 'string', multiple: true },
        'new-people-per-day': { type: 'string' },
      },
    })
    return values
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not understood.' })
  }
}

const listIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')

function wholeNumber(field: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw wrong(field, `"${text}" is not a whole number`)
  return Number(text)
}
