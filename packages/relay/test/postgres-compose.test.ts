// The PostgreSQL of deploy/compose with TLS: the certificate of docs/scaling.md, the server's options, the relay's address.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPostgres, ordinaryUser, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../src/store/postgres/connection/open-postgres.ts'
import { temporaryDirectory } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} That of deploy/compose is not tried.`)

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The host of the service is this machine here; everything else is as the page says. */
const here = (text: string): string => text.replaceAll('DNS:database', 'DNS:localhost')

test.skipIf(isMissing)('[RELAY-7.39] a relay verifies the database of the compose file', async () => {
  const [, commands = ''] = /^```sh\n(mkdir -p tls\n[^]*?)^```$/m.exec(read('docs/scaling.md')) ?? []
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  const typed = here(commands).replace(/^chown .*$/m, '')
  execFileSync('sh', ['-euc', typed], { cwd: directory, stdio: 'ignore' })
  const user = ordinaryUser()
  if (user) chownSync(join(directory, 'tls/database.key'), user.uid, user.gid)

  const compose = read('deploy/compose/compose.yaml')
  const options = [...compose.matchAll(/-c, (ssl\w*)=([^\],]+)/g)].map(([, name = '', value = '']) => [
    name,
    value.replace('/tls/', `${directory}/tls/`),
  ])
  expect(options.map(([name]) => name)).toEqual(['ssl', 'ssl_cert_file', 'ssl_key_file'])
  const server = await PostgresServer.start(Object.fromEntries(options) as Record<string, string>)
  onTestFinished(() => server[Symbol.asyncDispose]())

  const [, search = ''] = /^RELAY_DATABASE=postgres:\S+(\?\S+)$/m.exec(read('docs/scaling.md')) ?? []
  const address = new URL(server.urlOf('postgres'))
  address.hostname = 'localhost'
  address.search = search.replace('/tls/', `${directory}/tls/`)
  const database = await openPostgres(address.href)
  onTestFinished(() => database.close())
  expect(await database.one('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual({ ssl: true })

  // The certificate is for one host: another name of the same server is refused.
  address.hostname = '127.0.0.1'
  await expect(openPostgres(address.href)).rejects.toMatchObject({ code: 'database-unreachable' })
})
