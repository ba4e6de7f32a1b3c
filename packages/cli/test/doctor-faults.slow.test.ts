// The faults of a gateway that the doctor finds, one row each: planted in a real installation.
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { openDataDirectory } from '@postern/core/node'
import { freePort, ManualClock } from '@postern/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctor, front, goodMachine, receiver, serving, settingsOf, status } from './doctor.ts'
import { during, exitCodeOf, type Fault, Installation, noteBackup, otherWorld } from './doctor-installation.ts'

let here: Installation
beforeAll(async () => {
  here = await Installation.start()
})
afterAll(() => here[Symbol.asyncDispose]())

function withVersion(directory: string, version: number): string {
  const database = openDataDirectory(directory)
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
  return directory
}

const env = (more: Record<string, string>) => ({ env: more })
const disk = (more: object) => ({ readDisk: () => ({ ...goodMachine().readDisk('/'), ...more }) })
const first = () => ({ DATA_DIR: here.path('data') })

const ofGateway: Fault[] = [
  ['no token', 'settings', /^FAIL BOT_TOKEN: is required.* → correct/, () => env({ BOT_TOKEN: '' })],
  [
    'a short token',
    'settings',
    /^warn BOT_TOKEN has fewer than 16.* → choose a long/,
    () => env({ BOT_TOKEN: 'short' }),
  ],
  [
    'the token of the documents',
    'settings',
    /^warn BOT_TOKEN is the example of the documents.* → .*openssl rand/,
    () => env({ BOT_TOKEN: 'a-token-of-your-choice' }),
  ],
  ['an address that is none', 'settings', /^FAIL LISTEN: must be an address/, () => env({ LISTEN: '8080' })],
  ['a first start without a name', 'settings', /^FAIL BOT_NAME: /, () => env({ ...first(), BOT_NAME: '' })],
  [
    'an authority that cannot be read',
    'settings',
    /^warn NODE_EXTRA_CA_CERTS: .* cannot be read.* → name a PEM file/,
    () => env({ NODE_EXTRA_CA_CERTS: here.path('nowhere.pem') }),
  ],
  [
    'no place for the data directory',
    'directory',
    /^FAIL .* cannot be created in .* → create it/,
    () => env({ DATA_DIR: join(here.known.path, 'data') }),
  ],
  [
    'a data directory that everybody can write to',
    'directory',
    /^FAIL every user of this machine can write.* → chmod 0700/,
    () => {
      const DATA_DIR = here.copyOf('gateway')
      chmodSync(DATA_DIR, 0o777)
      return env({ DATA_DIR })
    },
  ],
  [
    'a key that everybody can read',
    'directory',
    /^FAIL every user .* can read db\.key → chmod go=/,
    () => {
      const DATA_DIR = here.copyOf('gateway')
      chmodSync(join(DATA_DIR, 'db.key'), 0o644)
      return env({ DATA_DIR })
    },
  ],
  [
    'no db.key',
    'database',
    /^FAIL there is a database in .*, but no db\.key → restore db\.key from a backup/,
    () => {
      const DATA_DIR = here.copyOf('gateway')
      rmSync(join(DATA_DIR, 'db.key'))
      return env({ DATA_DIR })
    },
  ],
  ...[Buffer.alloc(32, 7), Buffer.alloc(5)].map(
    (key): Fault => [
      `a db.key of ${key.length} other bytes`,
      'database',
      /^FAIL db\.key in .* does not open the database → restore the db\.key that belongs to it/,
      () => {
        const DATA_DIR = here.copyOf('gateway')
        writeFileSync(join(DATA_DIR, 'db.key'), key)
        return env({ DATA_DIR })
      },
    ],
  ),
  [
    'a database of a newer version',
    'database',
    /^FAIL a newer version of Postern wrote the database .* → install that version/,
    () => env({ DATA_DIR: withVersion(here.copyOf('gateway'), 9999) }),
  ],
  [
    'a database of a version that is too old',
    'database',
    /^FAIL the tables of the database in .* are too old for this version → .*wrote \S*row-\S*gateway, .*Only version 0\.1\.0 can open it/,
    () => env({ DATA_DIR: withVersion(here.copyOf('gateway'), 1) }),
  ],
  [
    'a full disk',
    'disk',
    /^FAIL the disk has 1\.0 MB free → free space/,
    () => ({ machine: disk({ freeBytes: 1e6 }) }),
  ],
  [
    'a disk in memory',
    'disk',
    /^warn .* is on tmpfs.* → use a directory/,
    () => ({ machine: disk({ type: 0x01021994 }) }),
  ],
  [
    'no backup',
    'backup',
    /^warn no backup is recorded.* → make a backup/,
    () => {
      const DATA_DIR = here.copyOf('gateway')
      rmSync(join(DATA_DIR, 'last-backup'))
      return env({ DATA_DIR })
    },
  ],
  [
    'an old backup',
    'backup',
    /^warn the last backup is 9 days old.* → make a backup/,
    () => {
      const DATA_DIR = here.copyOf('gateway')
      noteBackup(DATA_DIR, 9)
      return env({ DATA_DIR })
    },
  ],
  [
    'a taken port',
    'port',
    /^FAIL LISTEN: port \d+ of 127\.0\.0\.1 is in use by another program → stop that program.*change LISTEN/,
    async () => env({ LISTEN: (await during(serving(createServer()))).host }),
  ],
  [
    'an address of another machine',
    'port',
    /^FAIL LISTEN: .* is not an address of this machine → change LISTEN/,
    () => env({ LISTEN: '203.0.113.7:8080' }),
  ],
  [
    'a relay that is not running',
    'relay',
    /^FAIL .* nothing listens there.* → check that the relay is running/,
    async () => env({ RELAY_URL: `http://127.0.0.1:${await freePort()}` }),
  ],
  [
    'the address of something else',
    'relay',
    /^FAIL .*answers 404, but a relay answers 200 → /,
    async () => env({ RELAY_URL: (await during(receiver(status(404)))).url }),
  ],
  [
    'a proxy without WebSockets',
    'relay',
    /^FAIL .*does not accept a WebSocket.* → .*Upgrade/,
    async () => {
      const refuse = (path: string) => (path.startsWith('/relay/') ? 400 : undefined)
      return env({ RELAY_URL: (await during(front({ to: () => here.world.relayUrl, refuse }))).url })
    },
  ],
  [
    'a host that the relay does not know',
    'host',
    /^FAIL .* is not a public host of the relay.* → start the relay with --public-host/,
    async () => env({ RELAY_URL: (await during(front({ to: () => here.world.relayUrl }))).url }),
  ],
  [
    'a clock that is ten minutes off',
    'clock',
    /^FAIL the clock here is 10 minutes behind.* → synchronize/,
    () => ({ clock: new ManualClock(Date.now() - 600_000) }),
  ],
  [
    'a certificate of an unknown authority',
    'relay',
    /^FAIL .*authority that this machine does not trust.* → .*NODE_EXTRA_CA_CERTS/,
    async () => env({ RELAY_URL: await here.behind(here.unknown.issue({ days: 60 })) }),
  ],
  [
    'a certificate that has expired',
    'relay',
    /^FAIL .*its certificate has expired.* → renew its certificate/,
    async () => env({ RELAY_URL: await here.behind(here.known.issue({ days: -1 })) }),
  ],
  [
    'a certificate for another name',
    'relay',
    /^FAIL .*its certificate is for another name.* → use a name/,
    async () => env({ RELAY_URL: await here.behind(here.known.issue({ days: 60, name: 'relay.example' })) }),
  ],
  [
    'a certificate that expires soon',
    'tls',
    /^warn the certificate of localhost:\d+ expires in (9|10) days \(20\d\d-\d\d-\d\d\) → renew it/,
    async () => env({ RELAY_URL: await here.behind(here.known.issue({ days: 10 })) }),
  ],
  [
    'a relay that needs an invite',
    'register',
    /^FAIL the relay registers new accounts by invite only, and RELAY_INVITE is not set → .*postern relay invite/,
    async () => env({ ...first(), RELAY_URL: (await otherWorld({ relayRegistration: 'invite' })).relayUrl }),
  ],
  [
    'a relay that registers nobody',
    'register',
    /^FAIL the relay registers no new accounts.* → ask the operator/,
    async () => env({ ...first(), RELAY_URL: (await otherWorld({ relayRegistration: 'closed' })).relayUrl }),
  ],
  [
    'a receiver of the webhook that fails',
    'webhook',
    /^FAIL .* answers 500 → check the receiver's log/,
    async () => env({ WEBHOOK_URL: (await during(receiver(status(500)))).address, WEBHOOK_SECRET: 'hush' }),
  ],
  [
    'a receiver whose certificate has expired',
    'webhook',
    /^FAIL .*its certificate has expired.* → renew its certificate/,
    async () => env({ WEBHOOK_URL: await here.behind(here.known.issue({ days: -1 })), WEBHOOK_SECRET: 'hush' }),
  ],
  [
    'hooks at an address without a gateway',
    'hooks',
    /^FAIL a post to .* does not reach a gateway.* → configure the proxy/,
    async () => env({ HOOKS_URL: (await during(receiver(status(404)))).url }),
  ],
]

test.for(ofGateway)('[CLI-6.17] %s', async ([, subject, finding, plant]) => {
  const planted = await plant()
  const settings = settingsOf(here.world, { DATA_DIR: here.copyOf('gateway'), ...planted.env })
  const { code, of } = await doctor(planted.argv ?? [], settings, planted)
  expect(of(subject)).toContainEqual(expect.stringMatching(finding))
  expect(code).toBe(exitCodeOf(finding))
})

test('[CLI-6.17] an installation without a fault has no such finding', async () => {
  const RELAY_URL = await here.behind(here.known.issue({ days: 60 }))
  const LISTEN = `127.0.0.1:${await freePort()}`
  const { code, text } = await doctor(
    [],
    settingsOf(here.world, { DATA_DIR: here.copyOf('gateway'), RELAY_URL, LISTEN }),
  )
  const bad = text.split('\n').filter(line => line !== '' && !line.startsWith('ok '))
  expect([code, bad]).toEqual([0, [expect.stringMatching(/^warn {2}process {4}no gateway is running/)]])
  expect(text).toMatch(/^ok {4}tls {8}the certificate of localhost:\d+ is valid until /m)
  expect(text).toMatch(/^ok {4}port {7}port \d+ of 127\.0\.0\.1 is free$/m)
})
