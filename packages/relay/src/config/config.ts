// The relay's settings. Precedence: command line, settings file, environment, defaults.
import { parseArgs } from 'node:util'
import { CodedError, type Env, type ListenAddress, parseListenAddress } from '@postern/protocol'
import { isForThisMachine } from '../accounts/audience.ts'
import { type Registration, registrations } from '../accounts/register.ts'
import { type BlobPlace, blobPlaceIn } from '../blobs/blob-place.ts'
import type { TrustedProxies } from '../limits/peer-address.ts'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { PushSettings } from '../push/push-desk.ts'
import { databaseAddress } from '../store/postgres/connection/address.ts'
import { limitOptions, limitsIn, type ReadSetting } from './limit-options.ts'
import { pushIn } from './push-options.ts'
import { DATABASE_FILE, withRelaySecrets } from './secrets.ts'
import { readSettingsFile } from './settings-file.ts'
import { listIn, wholeNumber, wrong } from './values.ts'

export type RelayConfig = {
  listen: ListenAddress
  dataDirectory: string
  /** The address of the shared database; without it all data is in the data directory. */
  database: string | undefined
  /** Without it, blobs are in the data directory. */
  blobs: BlobPlace | undefined
  publicHosts: string[]
  proxies: TrustedProxies | undefined
  registration: Registration
  /** The folder of the web app. */
  app: string | undefined
  metrics: ListenAddress | undefined
  push: PushSettings | 'off'
  logLevel: string
  limits: Partial<RelayLimits>
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const SINGLE = [
  'listen',
  'data',
  'database',
  'blobs',
  'proxy-header',
  'proxies',
  'registration',
  'app',
  'metrics',
  'push',
  'push-hosts',
  'push-contact',
  ...limitOptions,
]
/** Repeatable on the command line; elsewhere a comma-separated list under a plural name. */
const MANY = { 'public-host': 'public-hosts', limit: 'limits' } as const

const variableOf = (option: string): string => `POSTERN_RELAY_${option.toUpperCase().replaceAll('-', '_')}`
const inFile = new Set(['LOG_LEVEL', DATABASE_FILE, ...[...SINGLE, ...Object.values(MANY)].map(variableOf)])

/** Throws `bad-field` that names the setting and its rule. `builtApp`: the folder to serve unless another is named. */
export function readConfig(argv: readonly string[], env: Env, builtApp?: string): RelayConfig {
  const given = readArguments(argv)
  const file = given.settings ?? env['POSTERN_RELAY_SETTINGS']
  const set = withRelaySecrets({ ...env, ...(file && readSettingsFile(file, name => inFile.has(name))) })
  const read: ReadSetting = option => given.single[option] ?? set[variableOf(option)]
  const listen = addressIn('--listen', read('listen') ?? ':8090')
  const dataDirectory = read('data')
  if (!dataDirectory) throw wrong('--data', "must name the relay's data directory")
  const publicHosts = given['public-host'] ?? listIn(read(MANY['public-host']))
  const logLevel = set['LOG_LEVEL'] || 'info'
  if (!LOG_LEVELS.includes(logLevel)) throw wrong('LOG_LEVEL', `"${logLevel}" is not one of ${LOG_LEVELS.join(', ')}`)
  return {
    listen,
    dataDirectory,
    database: databaseAddress(read('database') || undefined),
    blobs: blobPlaceIn(read('blobs'), set),
    publicHosts,
    proxies: proxiesIn(read),
    registration: registrationIn(read('registration') ?? defaultRegistration(listen, publicHosts)),
    app: appIn(given.single['app'] ?? (set[variableOf('app')] || undefined), builtApp),
    metrics: metricsIn(read('metrics') || undefined),
    push: pushIn(read),
    logLevel,
    limits: limitsIn(read, given.limit),
  }
}

function addressIn(field: string, text: string): ListenAddress {
  const address = parseListenAddress(text)
  if (!address) throw wrong(field, `"${text}" is not an address like :8090, 127.0.0.1:8090 or [::1]:8090`)
  return address
}

/** Anyone who can reach the metrics may read them, so the operator must name the address. */
function metricsIn(text: string | undefined): ListenAddress | undefined {
  if (text === undefined) return undefined
  const address = addressIn('--metrics', text)
  if (address.host === undefined)
    throw wrong(
      '--metrics',
      `"${text}" listens on all addresses. Name one, as in 127.0.0.1:9464, or 0.0.0.0:9464 for all`,
    )
  return address
}

/**
 * A relay that is reachable by others and open to all is free file storage for anyone,
 * so the operator must choose that.
 */
const defaultRegistration = (listen: ListenAddress, publicHosts: readonly string[]): Registration =>
  isForThisMachine(listen, publicHosts) ? 'open' : 'invite'

function registrationIn(text: string): Registration {
  const registration = registrations.find(known => known === text)
  if (!registration) throw wrong('--registration', `"${text}" is not one of ${registrations.join(', ')}`)
  return registration
}

const APP_OFF = 'off'

function appIn(text: string | undefined, builtApp: string | undefined): string | undefined {
  if (text === '') throw wrong('--app', `must be the folder of the built app, or ${APP_OFF}`)
  return text === APP_OFF ? undefined : (text ?? builtApp)
}

function proxiesIn(read: ReadSetting): TrustedProxies | undefined {
  const header = read('proxy-header')
  const count = read('proxies')
  if (!header && count !== undefined) throw wrong('--proxies', 'requires --proxy-header')
  if (!header) return undefined
  if (!/^[A-Za-z0-9-]+$/.test(header)) throw wrong('--proxy-header', `"${header}" is not a header name`)
  const proxies = wholeNumber('--proxies', count ?? '1')
  if (proxies === 0) throw wrong('--proxies', 'must be at least 1')
  return { header, count: proxies }
}

function readArguments(argv: readonly string[]) {
  const one = { type: 'string' } as const
  const many = { type: 'string', multiple: true } as const
  try {
    const options = { settings: one, 'public-host': many, limit: many }
    const { values } = parseArgs({
      args: [...argv],
      options: { ...options, ...Object.fromEntries(SINGLE.map(name => [name, one])) },
    })
    const single: Readonly<Record<string, string | undefined>> = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    )
    return { settings: values.settings, 'public-host': values['public-host'], limit: values.limit, single }
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not valid.' })
  }
}
