// The command line of `postern app`.
import { createHash } from 'node:crypto'
import { parseOptions, UsageError } from '../usage-error.ts'

export type AppCommand = { do: 'serve'; settings: OwnAppSettings } | { do: 'hash'; relay?: string }

export type OwnAppSettings = {
  /** The origin of the relay, as in https://relay.example. */
  relay: string
  port: number
}

const options = { relay: { type: 'string' }, port: { type: 'string' }, hash: { type: 'boolean' } } as const

export function readAppCommand(argv: readonly string[]): AppCommand {
  const { relay, port, hash = false } = parseOptions(argv, options)
  if (hash && port !== undefined) throw new UsageError('--port has no effect with --hash')
  if (hash) return { do: 'hash', ...(relay !== undefined && { relay: relayOrigin(relay) }) }
  if (relay === undefined) throw new UsageError('--relay is required, as in --relay https://relay.example')
  const origin = relayOrigin(relay)
  return { do: 'serve', settings: { relay: origin, port: port === undefined ? usualPort(origin) : portOf(port) } }
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost'])

function relayOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new UsageError('--relay must be an address that starts with https://')
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    throw new UsageError('--relay must start with https://, unless the relay is on this machine')
  // A page's policy cannot name such a host, and would have to allow every one.
  if (url.hostname.startsWith('[')) throw new UsageError('--relay must have a name or an IPv4 address')
  const isBare = url.pathname === '/' && url.search === '' && url.username === '' && url.password === ''
  // An invite link has a secret after its #, which other users of the machine would see in the list of processes.
  if (!isBare || url.hash !== '') throw new UsageError(`--relay must be the address alone: ${url.origin}`)
  return url.origin
}

/** Below the ports that systems assign automatically to outgoing connections. */
const PORTS = { first: 20_000, count: 10_000 }

/**
 * Browsers store data by the port, too. So each relay has its own port, which is the same at every start: the account is
 * found again, and two relays do not share one.
 */
export function usualPort(relay: string): number {
  const hash = createHash('sha256').update(relay).digest()
  return PORTS.first + (hash.readUInt32BE() % PORTS.count)
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535 || Number(text) === 0)
    throw new UsageError('--port must be a port from 1 to 65535')
  return Number(text)
}
