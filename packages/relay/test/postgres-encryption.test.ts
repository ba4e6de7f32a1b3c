// `sslmode` and its files, compared with psql: the relay refuses and encrypts the same connections.
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres, ordinaryUser, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../src/store/postgres/connection/open-postgres.ts'
import { serverAddresses } from '../src/store/postgres/connection/servers.ts'
import { temporaryDirectory } from './relay-fixture.ts'

const programs = findPostgres()
if (programs === undefined) console.warn(`${POSTGRES_MISSING} Encrypted connections to it are not tried.`)

const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'ignore' })
const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'.split(' ')

/** An authority, and a certificate that it signs for `localhost`, but not for 127.0.0.1. */
function newAuthority(directory: string): { ca: string; certificate: string; key: string } {
  mkdirSync(directory)
  const at = (name: string): string => join(directory, name)
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  openssl('req', '-x509', ...NEW_KEY, '-days', '1', '-subj', '/CN=ca', '-keyout', at('ca.key'), '-out', at('ca.pem'))
  openssl('req', ...NEW_KEY, ...names, '-keyout', at('key.pem'), '-out', at('request.pem'))
  const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-copy_extensions', 'copy']
  openssl('x509', '-req', '-days', '1', '-in', at('request.pem'), ...signing, '-out', at('cert.pem'))
  return { ca: at('ca.pem'), certificate: at('cert.pem'), key: at('key.pem') }
}

async function startServer(settings: Record<string, string>): Promise<PostgresServer> {
  const server = await PostgresServer.start(settings)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

type Outcome = 'encrypted' | 'plain' | 'refused'

const HOW = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'

async function byPsql(url: string): Promise<Outcome> {
  try {
    const { stdout } = await promisify(execFile)(join(programs ?? '', 'psql'), ['-X', '-A', '-t', '-d', url, '-c', HOW])
    return stdout.trim() === 't' ? 'encrypted' : 'plain'
  } catch {
    return 'refused'
  }
}

async function byRelay(url: string): Promise<Outcome> {
  try {
    const database = await openPostgres(url)
    const row = await database.one<{ ssl: boolean }>(HOW)
    await database.close()
    return row?.ssl ? 'encrypted' : 'plain'
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(database-unreachable|bad-field)$/) })
    return 'refused'
  }
}

const MODES = [undefined, 'disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

describe.skipIf(programs === undefined)('[RELAY-7.33] an encrypted connection to the database', () => {
  test('is there, verified or refused exactly as with psql', async () => {
    const directory = temporaryDirectory()
    const [own, other] = [newAuthority(join(directory, 'own')), newAuthority(join(directory, 'other'))]
    const hba = join(directory, 'hba.conf')
    writeFileSync(hba, 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n')
    const user = ordinaryUser()
    chmodSync(directory, 0o755)
    for (const path of [own.key, own.certificate, hba]) {
      if (user) chownSync(path, user.uid, user.gid)
      chmodSync(path, 0o600)
    }
    const encrypted = { ssl: 'on', ssl_cert_file: own.certificate, ssl_key_file: own.key }
    const servers = {
      plain: await startServer({}),
      both: await startServer(encrypted),
      strict: await startServer({ ...encrypted, hba_file: hba }),
    }
    const outcomes: Record<string, { relay: Outcome; psql: Outcome }> = {}
    for (const [name, server] of Object.entries(servers))
      for (const host of ['localhost', '127.0.0.1'])
        for (const mode of MODES)
          for (const root of [undefined, own.ca, other.ca]) {
            const asked = new URLSearchParams({ ...(mode && { sslmode: mode }), ...(root && { sslrootcert: root }) })
            const url = `postgres://postgres@${host}:${server.port}/postgres?${asked}`
            const authority = root === undefined ? 'none' : root === own.ca ? 'own' : 'other'
            const outcome = { relay: await byRelay(url), psql: await byPsql(url) }
            outcomes[`${name} ${host} ${mode} ${authority}`] = outcome
          }
    const differing = Object.entries(outcomes).filter(([, { relay, psql }]) => relay !== psql)
    expect(differing).toEqual([])
    const counted = (outcome: Outcome) => Object.values(outcomes).filter(({ relay }) => relay === outcome).length
    for (const outcome of ['encrypted', 'plain', 'refused'] as const) expect(counted(outcome)).toBeGreaterThan(0)
    expect(outcomes['both localhost verify-full own']?.relay).toBe('encrypted')
    expect(outcomes['both 127.0.0.1 verify-full own']?.relay).toBe('refused')
  })

  test('is refused in words when sslmode is none of them', () => {
    expect(() => serverAddresses('postgres://db/postern?sslmode=no-verify')).toThrow('sslmode must be one of disable')
    expect(() => serverAddresses('postgres://db/postern?sslmode=require&sslrootcert=system')).toThrow('verify-full')
  })
})
