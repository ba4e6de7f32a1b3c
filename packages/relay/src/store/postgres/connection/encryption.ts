// Encryption of a connection to the database: `sslmode` and related settings mean the same as for psql.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { CodedError, type Env, systemCodeOf } from '@postern/protocol'
import { ENCRYPTION } from './storage-error.ts'

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

/** The driver interprets these differently, so they are removed from its address. */
const NAMES = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl'] as const
/** The authorities that this machine trusts. */
const SYSTEM = 'system'

export type Encryption = ConnectionOptions | false
/** `bare`: the address without its encryption settings. `attempts`: what to try, in this order. */
type EncryptedAddress = { bare: string; attempts: readonly Encryption[] }

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--database', rule })

/** Throws `bad-field`. Reads no file. */
export function assertEncryption(address: string): void {
  const { asked } = splitAddress(address)
  modeIn(asked, {})
}

/** Reads the files on each call: a renewed certificate takes effect with the next connection. */
export function encryptionOf(address: string, env: Env): EncryptedAddress {
  const { bare, asked, isSocket } = splitAddress(address)
  if (isSocket) return { bare, attempts: [false] }
  const mode = modeIn(asked, env)
  const root = asked.sslrootcert ?? env['PGSSLROOTCERT'] ?? homeRoot(env)
  return { bare, attempts: attemptsFor(mode, { root, own: ownFiles(asked, env) }) }
}

/** After such a failure the next attempt may succeed: the server requires another kind of connection. */
export function isAboutEncryption(error: unknown): boolean {
  const code = systemCodeOf(error)
  // 28000: no line of pg_hba.conf allows this kind of connection.
  if (code !== '') return code === '28000' || ENCRYPTION.test(code)
  return error instanceof Error && error.message.includes('SSL')
}

type Asked = Partial<Record<(typeof NAMES)[number], string>>
type NamedFiles = { root: string | undefined; own: ConnectionOptions }

function splitAddress(address: string): { bare: string; asked: Asked; isSocket: boolean } {
  const [path = '', query = ''] = address.split('?')
  const given = new URLSearchParams(query)
  const asked: Asked = {}
  for (const name of NAMES) {
    const value = given.get(name)
    if (value !== null && value !== '') asked[name] = value
    given.delete(name)
  }
  const host = given.get('host') ?? decodeURIComponent(/@?([^@/]*)(?:\/[^/]*)?$/.exec(path)?.[1] ?? '')
  return { bare: given.size === 0 ? path : `${path}?${given}`, asked, isSocket: host.startsWith('/') }
}

function modeIn(asked: Asked, env: Env): Mode {
  // Other drivers write `ssl=true`, and psql accepts it.
  const given = asked.sslmode ?? (asked.ssl === 'true' ? 'require' : undefined)
  if (asked.ssl !== undefined && asked.ssl !== 'true') throw wrong('ssl must be true; use sslmode instead')
  const root = asked.sslrootcert ?? env['PGSSLROOTCERT']
  const mode = given ?? env['PGSSLMODE'] ?? (root === SYSTEM ? 'verify-full' : 'prefer')
  const known = MODES.find(each => each === mode)
  if (!known) throw wrong(`sslmode must be one of ${MODES.join(', ')}`)
  if (root === SYSTEM && known !== 'verify-full')
    throw wrong('sslrootcert=system needs sslmode=verify-full: anybody can have a certificate of a public authority')
  return known
}

function attemptsFor(mode: Mode, { root, own }: NamedFiles): readonly Encryption[] {
  // If an authority is named, its signature is required in any mode.
  const encrypted = root === undefined ? { ...own, rejectUnauthorized: false } : anyName(own, root)
  switch (mode) {
    case 'disable':
      return [false]
    case 'allow':
      return [false, encrypted]
    case 'prefer':
      return [encrypted, false]
    case 'require':
      return [encrypted]
    case 'verify-ca':
      return [anyName(own, rootFor(mode, root))]
    case 'verify-full':
      return [{ ...own, ca: authorities(rootFor(mode, root)) }]
    default:
      return mode satisfies never
  }
}

const anyName = (own: ConnectionOptions, root: string): ConnectionOptions => ({
  ...own,
  ca: authorities(root),
  checkServerIdentity: () => undefined,
})

function rootFor(mode: Mode, root: string | undefined): string {
  if (root === undefined) throw new Error(`sslmode=${mode} needs sslrootcert`)
  return root
}

const authorities = (root: string): string | string[] =>
  root === SYSTEM ? getCACertificates('system') : readFileSync(root, 'utf8')

function ownFiles(asked: Asked, env: Env): ConnectionOptions {
  const cert = asked.sslcert ?? env['PGSSLCERT']
  const key = asked.sslkey ?? env['PGSSLKEY']
  return { ...(cert && { cert: readFileSync(cert, 'utf8') }), ...(key && { key: readFileSync(key, 'utf8') }) }
}

function homeRoot(env: Env): string | undefined {
  const path = join(env['HOME'] ?? homedir(), '.postgresql', 'root.crt')
  return existsSync(path) ? path : undefined
}
