// The relay's metrics: on a separate listener, in a format that Prometheus reads, and once an hour in the log.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { relayDefaults, silentLog } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { documentedMetrics, readScrape } from '@postern/testkit/scrape'
import { isOnPostgres } from '@postern/testkit/test-databases'
import { expect, test } from 'vitest'
import { readConfig } from '../src/index.ts'
import { VERSION } from '../src/version.ts'
import { begin, put } from './put-blob.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { anotherDevice, messageEnvelope, newGroupId, newPerson } from './test-client.ts'

const metrics = { host: '127.0.0.1', port: 0 }

/** Each sample by its name and labels. */
async function figuresAt(url: string | undefined): Promise<Record<string, number>> {
  const answer = await fetch(`${url}/metrics`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  return readScrape(await answer.text()).samples
}

test('[RELAY-5.8] without a word of it there are none, and the public port never has any', async () => {
  const silent = await testRelay()
  expect(silent.metricsUrl).toBeUndefined()
  const relay = await testRelay({ metrics })
  for (const url of [silent.url, relay.url]) expect((await fetch(`${url}/metrics`)).status).toBe(404)
  for (const path of ['/', '/healthz', '/relay/v1', '/metrics/more'])
    expect([path, (await fetch(relay.metricsUrl + path)).status]).toEqual([path, 404])
  expect((await fetch(`${relay.metricsUrl}/metrics`, { method: 'POST' })).status).toBe(404)
  await relay.stop()
  await expect(fetch(`${relay.metricsUrl}/metrics`)).rejects.toThrow()
})

test.for([
  [':9090', /^--metrics: ":9090" listens on all addresses/],
  ['9090', /^--metrics: /],
  ['all', /^--metrics: /],
] as const)('[RELAY-5.8] --metrics %s is refused: where they are has to be said', ([address, words]) => {
  expect(() => readConfig(['--data', 'x', '--listen', '127.0.0.1:0', '--metrics', address], {})).toThrow(words)
})

test('[RELAY-5.8] an address that is taken keeps the relay from starting', async () => {
  const relay = await testRelay({ metrics })
  const { hostname: host, port } = new URL(relay.metricsUrl ?? '')
  await expect(testRelay({ metrics: { host, port: Number(port) } })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test.skipIf(isOnPostgres())('[RELAY-5.16] the age of the last backup, once there is one', async () => {
  const clock = new ManualClock(Date.UTC(2030, 0, 1))
  const dataDirectory = temporaryDirectory()
  const relay = await testRelay({ metrics, clock, dataDirectory })
  const age = async () => (await figuresAt(relay.metricsUrl))['postern_relay_backup_age_seconds']
  expect(await age()).toBeUndefined()
  writeFileSync(join(dataDirectory, 'last-backup'), `${new Date(clock.nowMs() - 90_000).toISOString()}\n`)
  expect(await age()).toBe(90)
})

test('[RELAY-5.9] they count what happens', async () => {
  const relay = await testRelay({ metrics })
  const [alice, bob] = [await arrive(relay), await arrive(relay)]
  const group = await chatOf(alice, bob)
  await bob.call('follow', { after: 0 })
  const message = messageEnvelope({ group, epoch: 1 })
  await alice.append(message)
  await alice.append(message)
  await alice.append(messageEnvelope({ group, epoch: 7 }))
  await bob.delivered(2)
  await expect(alice.call('getGroup', { group: newGroupId() })).rejects.toMatchObject({
    code: 'group-unknown',
  })
  await expect(openClient(relay).authenticate(newPerson(), 'login')).rejects.toMatchObject({ code: 'account-unknown' })
  await arrive(relay, bob.person)
  await arrive(relay, anotherDevice(alice.person))
  const blob = await begin(relay, alice, 1000)
  await put(blob, randomBytes(1000), 0)
  await (await fetch(blob.url)).arrayBuffer()
  await bob.closed
  expect(await figuresAt(relay.metricsUrl)).toMatchObject({
    'postern_relay_messages_total{outcome="accepted"}': 1,
    'postern_relay_messages_total{outcome="duplicate"}': 1,
    'postern_relay_messages_total{outcome="stale"}': 1,
    'postern_relay_messages_total{outcome="refused"}': 0,
    'postern_relay_commits_total{outcome="accepted"}': 1,
    postern_relay_delivered_total: 2,
    'postern_relay_logins_total{outcome="accepted"}': 4,
    'postern_relay_logins_total{outcome="refused"}': 1,
    postern_relay_registrations_total: 2,
    postern_relay_replaced_total: 1,
    'postern_relay_refusals_total{code="group-unknown"}': 1,
    'postern_relay_refusals_total{code="account-unknown"}': 1,
    'postern_relay_blob_bytes_total{direction="in"}': 1000,
    'postern_relay_blob_bytes_total{direction="out"}': 1000,
    'postern_relay_connections{state="member"}': 3,
    postern_relay_accounts: 2,
    postern_relay_groups: 1,
    postern_relay_blob_bytes: 1000,
    'postern_relay_takes{what="messages"}': 1,
    'postern_relay_transaction_seconds_bucket{le="+Inf"}': expect.any(Number),
    process_resident_memory_bytes: expect.any(Number),
    [`postern_build_info{version="${VERSION}"}`]: 1,
  })
})

test('[RELAY-5.9] no label is of a stranger`s choice', async () => {
  const relay = await testRelay({ metrics })
  const before = Object.keys(await figuresAt(relay.metricsUrl)).length
  for (const path of ['/blobs/"}x', '/profiles/1', '/blobs/a b'])
    await fetch(relay.url + encodeURI(path)).then(answer => answer.text())
  const alice = await arrive(relay)
  for (let at = 0; at < 20; at++) await alice.call('getGroup', { group: newGroupId() }).catch(() => undefined)
  const after = Object.keys(await figuresAt(relay.metricsUrl)).filter(name => name.includes('{'))
  expect(after.length).toBeLessThan(before + 4)
  for (const name of after) expect(name).toMatch(/^[a-z0-9_]+\{[a-z]+="[A-Za-z0-9.+-]+"\}$/)
})

test('[RELAY-5.9] the table of docs/operating.md names all of them with their labels, and no others', async () => {
  const relay = await testRelay({ metrics })
  // A label without a count is not shown yet.
  await expect(openClient(relay).authenticate(newPerson(), 'login')).rejects.toMatchObject({ code: 'account-unknown' })
  const { shapes } = readScrape(await (await fetch(`${relay.metricsUrl}/metrics`)).text())
  expect(documentedMetrics("The relay's metrics").toSorted()).toEqual(shapes.toSorted())
})

test('[RELAY-5.10] one line of figures an hour is in the log', async () => {
  const clock = new ManualClock()
  const lines: object[] = []
  const info = (fields: object, text: string) => void (text === 'figures' && lines.push(fields))
  const relay = await testRelay({ clock, log: { ...silentLog, info } })
  const [alice, bob] = [await arrive(relay), await arrive(relay)]
  const group = await chatOf(alice, bob)
  await alice.append(messageEnvelope({ group, epoch: 1 }))
  clock.leap(relayDefaults.figuresLoggedEveryMs)
  await expect.poll(() => lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ messages: 1, commits: 1, registrations: 2, accounts: 2, groups: 1 })
  clock.leap(relayDefaults.figuresLoggedEveryMs)
  await expect.poll(() => lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({ messages: 0, registrations: 0, accounts: 2 })
  expect(JSON.stringify(lines)).not.toContain(alice.id)
})
