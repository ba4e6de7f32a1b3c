// The faults of a relay that the doctor finds, one row each: planted in a real installation.
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestCertificate } from '@postern/testkit/authority'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctor, serving } from './doctor.ts'
import { during, exitCodeOf, type Fault, Installation, noteBackup } from './doctor-installation.ts'

let here: Installation
beforeAll(async () => {
  here = await Installation.start()
})
afterAll(() => here[Symbol.asyncDispose]())

function relayWithVersion(directory: string, version: number): string {
  const database = new DatabaseSync(join(directory, 'relay.db'))
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
  return directory
}

const relayArgv = (data: string, ...more: string[]) => ['relay', '--data', data, '--app', 'off', ...more]
const stopped = (...more: string[]) => relayArgv(here.copyOf('relay'), '--listen', '127.0.0.1:0', ...more)
const running = (...more: string[]) => {
  const { host } = new URL(here.world.relayUrl)
  return relayArgv(join(here.world.directory, 'relay'), '--listen', host, '--public-host', host, ...more)
}
const hostBehind = async (certificate: TestCertificate) => {
  await here.behind(certificate)
  return { argv: running('--public-host', `localhost:${here.proxyPort}`) }
}

const ofRelay: Fault[] = [
  [
    'no host',
    'settings',
    /^FAIL --public-host: .* → correct/,
    () => ({ argv: relayArgv(here.copyOf('relay'), '--listen', ':0') }),
  ],
  [
    'a taken port',
    'port',
    /^FAIL --listen: port \d+ of 127\.0\.0\.1 is in use by another program → .*change --listen/,
    async () => ({ argv: relayArgv(here.copyOf('relay'), '--listen', (await during(serving(createServer()))).host) }),
  ],
  [
    'a taken port for metrics',
    'port',
    /^FAIL --metrics: port \d+ of 127\.0\.0\.1 is in use by another program/,
    async () => ({ argv: stopped('--metrics', (await during(serving(createServer()))).host) }),
  ],
  [
    'public metrics',
    'metrics',
    /^FAIL the metrics are on .* → use --metrics/,
    () => ({ argv: stopped('--metrics', '203.0.113.7:9') }),
  ],
  [
    'a database of a newer version',
    'database',
    /^FAIL a newer version of Postern wrote the database .* → install that version/,
    () => ({ argv: relayArgv(relayWithVersion(here.copyOf('relay'), 9999), '--listen', '127.0.0.1:0') }),
  ],
  [
    'a database that is none',
    'database',
    /^FAIL the database in .* cannot be opened → The data directory \S*row-\S*relay .*damaged/,
    () => {
      const data = here.copyOf('relay')
      for (const end of ['-wal', '-shm']) rmSync(join(data, `relay.db${end}`), { force: true })
      writeFileSync(join(data, 'relay.db'), Buffer.alloc(8192, 7))
      return { argv: relayArgv(data, '--listen', '127.0.0.1:0') }
    },
  ],
  [
    'an old backup',
    'backup',
    /^warn the last backup is 9 days old.* → make a backup/,
    () => {
      const data = here.copyOf('relay')
      noteBackup(data, 9)
      return { argv: relayArgv(data, '--listen', '127.0.0.1:0') }
    },
  ],
  [
    'a host whose certificate has expired',
    'host',
    /^FAIL localhost:\d+ cannot be reached: its certificate has expired.* → renew its certificate/,
    () => hostBehind(here.known.issue({ days: -1 })),
  ],
  [
    'a host whose authority is unknown here',
    'host',
    /^warn localhost:\d+ cannot be reached: .*does not trust.* → .*NODE_EXTRA_CA_CERTS/,
    () => hostBehind(here.unknown.issue({ days: 60 })),
  ],
  [
    'a host whose certificate expires soon',
    'tls',
    /^warn the certificate of localhost:\d+ expires in (9|10) days/,
    () => hostBehind(here.known.issue({ days: 10 })),
  ],
]

test.for(ofRelay)('[CLI-6.17] relay: %s', async ([, subject, finding, plant]) => {
  const { argv = [] } = await plant()
  const { code, of } = await doctor(argv, {})
  expect(of(subject)).toContainEqual(expect.stringMatching(finding))
  expect(code).toBe(exitCodeOf(finding))
})
