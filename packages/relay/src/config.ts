// The relay's settings: command line first, then the environment, then the defaults.
import { parseArgs } from 'node:util'
import { CodedError, type ListenAddress, parseListenAddress } from '@postern/protocol'
import { type Registration, registrations } from './accounts/register.ts'
import type { TrustedProxies } from './limits/peer-address.ts'
import { limitNames, type RelayLimits } from './limits/relay-limits.ts'

export type RelayConfig = {
  listen: ListenAddress
  dataDirectory: string
  publicHosts: string[]
  proxies: TrustedProxies | undefined
  registration: Registration
  /** The folder of the web app. */
  app: string | undefined
  logLevel: string
  limits: Partial<RelayLimits>
}

type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

/** Throws `bad-field` that names the setting and what it has to be. `builtApp`: the folder that is served unless another is named. */
export function readConfig(argv: readonly string[], env: Environment, builtApp?: string): RelayConfig {
  const given = readArguments(argv)
  const listen = given.listen ?? env['POSTERN_RELAY_LISTEN'] ?? ':8090'
  const address = parseListenAddress(listen)
  if (!address) throw wrong('--listen', `"${listen}" is none of :8090, 127.0.0.1:8090, [::1]:8090`)
  const dataDirectory = given.data ?? env['POSTERN_RELAY_DATA']
  if (!dataDirectory) throw wrong('--data', 'name the directory in which the relay keeps its data')
  const publicHosts = given['public-host'] ?? listIn(env['POSTERN_RELAY_PUBLIC_HOSTS'])
  const logLevel = env['LOG_LEVEL'] || 'info'
  if (!LOG_LEVELS.includes(logLevel)) throw wrong('LOG_LEVEL', `"${logLevel}" is none of ${LOG_LEVELS.join(', ')}`)
  return {
    listen: address,
    dataDirectory,
    publicHosts,
    proxies: proxiesIn(given, env),
    registration: registrationIn(given.registration ?? env['POSTERN_RELAY_REGISTRATION'] ?? 'open'),
    app: appIn(given.app ?? (env['POSTERN_RELAY_APP'] || undefined), builtApp),
    logLevel,
    limits: limitsIn(given, env),
  }
}

function registrationIn(text: string): Registration {
  const registration = registrations.find(known => known === text)
  if (!registration) throw wrong('--registration', `"${text}" is none of ${registrations.join(', ')}`)
  return registration
}

const APP_OFF = 'off'

function appIn(text: string | undefined, builtApp: string | undefined): string | undefined {
  if (text === '') throw wrong('--app', `name the folder of the built app, or say ${APP_OFF}`)
  return text === APP_OFF ? undefined : (text ?? builtApp)
}

type Given = ReturnType<typeof readArguments>

function proxiesIn(given: Given, env: Environment): TrustedProxies | undefined {
  const header = given['proxy-header'] ?? env['POSTERN_RELAY_PROXY_HEADER']
  const count = given['proxies'] ?? env['POSTERN_RELAY_PROXIES']
  if (!header && count !== undefined) throw wrong('--proxies', 'it goes with --proxy-header')
  if (!header) return undefined
  if (!/^[A-Za-z0-9-]+$/.test(header)) throw wrong('--proxy-header', `"${header}" is no name of a header`)
  const proxies = wholeNumber('--proxies', count ?? '1')
  if (proxies === 0) throw wrong('--proxies', 'it is at least 1')
  return { header, count: proxies }
}

/** `--limit name=number`, for any of them. */
function limitsIn(given: Given, env: Environment): Partial<RelayLimits> {
  const limits: Partial<Record<keyof RelayLimits, number>> = {}
  const newPeople = given['new-people-per-day'] ?? env['POSTERN_RELAY_NEW_PEOPLE_PER_DAY']
  if (newPeople !== undefined) limits.newPeoplePerDay = wholeNumber('--new-people-per-day', newPeople)
  for (const text of given.limit ?? listIn(env['POSTERN_RELAY_LIMITS'])) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
    const limit = limitNames.find(known => known === name)
    if (!limit) throw wrong('--limit', `"${text}" names none of the relay's limits, as in newPeoplePerDay=100`)
    limits[limit] = wholeNumber(`--limit ${name}`, value)
  }
  return limits
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
        'proxy-header': { type: 'string' },
        proxies: { type: 'string' },
        registration: { type: 'string' },
        app: { type: 'string' },
        limit: { type: 'string', multiple: true },
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
  if (!/^\d{1,15}$/.test(text)) throw wrong(field, `"${text}" is not a whole number`)
  return Number(text)
}
