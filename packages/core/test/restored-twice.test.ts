// One backup of a client is restored more than once, with and without the relay: contacts know devices and ids of each life.
import { cpSync, rmSync } from 'node:fs'
import { backupOf, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const WITHIN_POLL = { timeout: WITHIN.timeoutMs, interval: 50 }

/** Says texts until one arrives: a chat that heals rejects a message, or loses and reports it. */
async function isHeard(from: TestPerson, to: TestPerson, text: string): Promise<void> {
  let count = 0
  const heard = async () => {
    await from.say(to, `${text} ${++count}`).catch(() => undefined)
    return to.texts(from).some(one => one.startsWith(text))
  }
  await expect.poll(heard, WITHIN_POLL).toBe(true)
}

/** Bob and the relay are backed up after the first words. */
const test = base.extend('talked', async ({ world, alice, bob }) => {
  await bob.say(alice, 'before the backups')
  await alice.hears('before the backups')
  const again = await world.backUp(bob)
  await world.backUpRelay()
  for (const person of [alice, again]) await person.online()
  return again
})

test('[CORE-12.31] a client that is restored with the relay from before its newest device talks with those who know that device', async ({
  world,
  alice,
  talked: bob,
}) => {
  await bob.say(alice, 'the relay has seen newer data')
  await alice.hears('the relay has seen newer data')
  const device = await world.restore(bob)
  await isHeard(device, alice, 'from a new device')
  await world.putBack(device)
  await world.restoreRelay()
  const again = await world.person('bob')
  await alice.online()
  await isHeard(alice, again, 'do you hear me?')
  await isHeard(again, alice, 'I do')
  // Restored alone after that, it still learns its serial from the relay.
  const alone = await world.restore(again)
  await isHeard(alice, alone, 'and now?')
  await isHeard(alone, alice, 'now, too')
})

test('[CORE-12.31] each life that is restored with the relay delivers higher event ids than the lives before it', async ({
  world,
  alice,
  talked,
}) => {
  const oldest = `${talked.directory}.oldest`
  cpSync(backupOf(talked), oldest, { recursive: true })
  let bob = talked
  const ids: number[] = []
  for (const life of ['first', 'second', 'third', 'fourth']) {
    await world.putBack(bob)
    await world.restoreRelay()
    bob = await world.person('bob')
    await alice.online()
    await isHeard(alice, bob, `in the ${life} life`)
    const events = bob.client.journal.read(0, 1000).filter(({ json }) => json.includes(`in the ${life} life`))
    ids.push(...events.map(({ id }) => id))
    // The next life comes from a backup of this one, and the last from the oldest again.
    bob = await world.backUp(bob)
    if (life !== 'third') continue
    rmSync(backupOf(bob), { recursive: true })
    cpSync(oldest, backupOf(bob), { recursive: true })
  }
  expect(ids.length).toBeGreaterThanOrEqual(4)
  expect(ids).toEqual([...new Set(ids)].toSorted((one, two) => one - two))
})
