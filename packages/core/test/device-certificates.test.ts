// The certificate of a device: renewed automatically, and revoked by the next one when a backup is restored.
import { cpSync } from 'node:fs'
import { clientLimits, type Log } from '@postern/protocol'
import { type DeviceCertificate, decodeClientFrame, decodeDeviceCertificate } from '@postern/protocol/relay'
import { backupOf, HostileRelay, ManualClock, passTime, type TestPerson, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'

const DAY_MS = 24 * 3600 * 1000
const patience = { timeout: WITHIN.timeoutMs, interval: 10 }

/** A wire that records the certificates with which its client connects. */
function watched(): { wire: Wire; shown: DeviceCertificate[] } {
  const wire = new Wire()
  const shown: DeviceCertificate[] = []
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind === 'call' && frame.name === 'authenticate')
      shown.push(decodeDeviceCertificate(frame.request.certificate))
    return [bytes]
  }
  return { wire, shown }
}

function recorded(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const say = (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`)
  return { lines, log: { debug: () => {}, info: () => {}, warn: say, error: say } }
}

const test = base.extend(
  'storedOf',
  ({ world }) =>
    async (person: TestPerson): Promise<{ certificate: DeviceCertificate; device: string }> => {
      await world.close(person)
      const database = openDataDirectory(person.directory)
      const row = database.get<{ certificate: Uint8Array; device: Uint8Array }>(
        'SELECT certificate, device_public_key AS device FROM account',
      )
      database.close()
      if (!row) throw new Error('no account')
      return {
        certificate: decodeDeviceCertificate(row.certificate),
        device: Buffer.from(row.device).toString('hex'),
      }
    },
)

test('[CORE-16.7] a certificate ends in a year, and is renewed while the client runs, for the same keys', async ({
  world,
  storedOf,
}) => {
  const clock = new ManualClock()
  const { wire, shown } = watched()
  const startMs = clock.nowMs()
  let alice = await world.person('alice', { clock, wire })
  expect(shown).toMatchObject([{ serial: 1, notAfterSec: (startMs + 365 * DAY_MS) / 1000 }])
  const { device } = await storedOf(alice)
  alice = await world.person('alice', { clock, wire })
  clock.leap(clientLimits.deviceCertificateLifetimeMs - clientLimits.deviceCertificateRenewedBelowMs + DAY_MS)
  await passTime(clock, alice.online())
  // One hour more, for the check after the leap.
  clock.leap(clientLimits.upkeepEveryMs)
  await passTime(clock, alice.online())
  const renewed = await storedOf(alice)
  expect(renewed).toMatchObject({ device, certificate: { serial: 2 } })
  expect(renewed.certificate.notAfterSec).toBeGreaterThan((startMs + 400 * DAY_MS) / 1000)
})

const inRelayTime = test
  .extend('clock', () => new ManualClock())
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

inRelayTime('[CORE-16.7] who was off for years comes back', async ({ clock, world }) => {
  const alice = await world.person('alice', { clock })
  await world.close(alice)
  clock.leap(3 * 365 * DAY_MS)
  const again = await world.person('alice', { clock })
  const bob = await world.person('bob', { clock })
  await bob.say(again, 'welcome back')
  await again.hears('welcome back')
})

test('[CORE-16.7] a first start under a clock that was far behind heals once the clock is right', async ({ world }) => {
  const behind = new ManualClock(Date.UTC(1999, 0, 1))
  const starting = world.person('alice', { clock: behind })
  behind.leap(Date.now() - behind.nowMs())
  const alice = await passTime(behind, starting)
  expect(alice.client.isOnline).toBe(true)
})

test('[CORE-16.8] a restored client comes as a new device, and the copy that still runs is out', async ({ world }) => {
  const { log, lines } = recorded()
  const { wire, shown } = watched()
  const alice = await world.person('alice')
  const copy = await world.backUp(await world.person('bob'))
  await world.close(copy)
  const clock = new ManualClock(Date.now())
  const older = await world.person('bob', { log, clock })
  await alice.say(older, 'since the backup')
  await older.hears('since the backup')
  // The relay receives the acknowledgement, and writes it with the next message.
  await expect.poll(() => clock.isAwaited(clientLimits.acknowledgeWithinMs), patience).toBe(true)
  clock.advance(clientLimits.acknowledgeWithinMs)
  await alice.say(older, 'and more')
  await older.hears('and more')

  const bob = await world.person('bob, restored', { directory: backupOf(older), wire })
  await expect.poll(() => shown.length, patience).toBe(2)
  expect(shown[1]?.serial).toBeGreaterThan(shown[0]?.serial ?? 0)
  await bob.online()
  // It is revoked, comes back when its pause is over, and is refused.
  await passTime(clock, expect.poll(() => lines.join('\n'), patience).toContain('revoked'))
  expect(older.client.isOnline).toBe(false)
  await alice.say(bob, 'to the restored one')
  await bob.hears('to the restored one')
  await bob.say(alice, 'heard')
  await alice.hears('heard')
  expect(older.client.isOnline).toBe(false)
  expect(bob.client.isOnline).toBe(true)
})

test('[CORE-16.8] the same backup can be restored again and again, also one from before a certificate was renewed', async ({
  world,
  alice,
  storedOf,
}) => {
  let bob = await world.backUp(await world.person('bob'))
  for (const text of ['once', 'twice', 'thrice']) {
    await alice.say(bob, text)
    await bob.hears(text)
    bob = await world.restore(bob)
    await alice.say(bob, `${text}, restored`)
    await bob.hears(`${text}, restored`)
  }
  const { certificate } = await storedOf(bob)
  expect(certificate.serial).toBeGreaterThanOrEqual(4)
})

test('[CORE-16.9] killed between the new device and its first login, it logs in with it', async ({ world, alice }) => {
  let bob = await world.backUp(await world.person('bob'))
  await alice.say(bob, 'since the backup')
  await bob.hears('since the backup')
  await world.putBack(bob)
  const wire = new Wire()
  let logins = 0
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    return frame.kind === 'call' && frame.name === 'authenticate' && ++logins > 1 ? [] : [bytes]
  }
  const starting = world.person('bob', { wire }).catch((error: unknown) => error)
  await expect.poll(() => logins, patience).toBe(2)
  cpSync(bob.directory, `${bob.directory}.killed`, { recursive: true })
  wire.outgoing = bytes => [bytes]
  wire.drop()
  await world.close((await starting) as TestPerson)

  bob = await world.person('bob, killed', { directory: `${bob.directory}.killed` })
  await alice.say(bob, 'are you there?')
  await bob.hears('are you there?')
})

test('[CORE-16.10] a database from before there were serials is given one at its start, and its chats go on', async ({
  world,
  bob,
  storedOf,
}) => {
  let alice = await world.person('alice')
  await alice.say(bob, 'before')
  await bob.hears('before')
  const { device } = await storedOf(alice)
  const database = openDataDirectory(alice.directory)
  database.run('UPDATE account SET certificate = ?', new Uint8Array(72).fill(7))
  database.close()
  const { wire, shown } = watched()
  alice = await world.person('alice', { wire })
  expect(shown).toMatchObject([{ serial: 1 }])
  await alice.say(bob, 'after')
  await bob.hears('after')
  const carol = await world.person('carol')
  await carol.say(alice, 'new here')
  await alice.hears('new here')
  expect((await storedOf(alice)).device).toBe(device)
})

test('[CORE-16.9] a relay that claims the highest serial of all does not use up the numbers', async ({ world }) => {
  const { wire, shown } = watched()
  const alice = await world.person('alice', { wire })
  await world.close(alice)
  const { log, lines } = recorded()
  const clock = new ManualClock(Date.now())
  const hostile = new HostileRelay(wire)
  hostile.change(frame => {
    if (frame.kind !== 'answer' || frame.name !== 'authenticate') return [frame]
    const refusal = { code: 'bad-certificate', message: 'Revoked.', retryAtMs: undefined }
    return [{ kind: 'failure', id: frame.id, ...refusal, serial: Number.MAX_SAFE_INTEGER - 1 }]
  })
  const starting = world.person('alice', { wire, log, clock })
  await expect.poll(() => lines.join('\n'), patience).toContain('Revoked.')
  hostile.repent()
  const again = await passTime(clock, starting)
  expect(again.client.isOnline).toBe(true)
  expect(Math.max(...shown.map(({ serial }) => serial))).toBe(1)
})
