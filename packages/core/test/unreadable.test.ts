// Messages that could not be read because keys are lost: each notice has a line in the log that says why.
import { cpSync, rmSync } from 'node:fs'
import { decodeRecoveryFacts, encodeRecoveryFacts } from '@postern/protocol/content'
import type { TestPerson } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

type Line = { fields: object; text: string }

const ignore = () => undefined

const test = base
  .extend('lines', (): Line[] => [])
  .extend('log', ({ lines }) => {
    const warn = (fields: object, text: string) => void lines.push({ fields, text })
    return { debug: ignore, info: ignore, warn, error: warn }
  })

const unreadable = (person: TestPerson) => person.next('notice', event => event.notice.code === 'undecryptable')
const reasonsIn = (lines: readonly Line[]) =>
  lines.filter(({ text }) => text === 'message could not be read').map(({ fields }) => fields)

test('[CORE-22.12] of an account that was made again without its keys', async ({ world, alice, bob, lines, log }) => {
  await bob.say(alice, 'one')
  await alice.hears('one')
  await alice.say(bob, 'heard')
  const restore = decodeRecoveryFacts(encodeRecoveryFacts(alice.client.identity.recovery()))
  await world.close(alice)
  rmSync(alice.directory, { recursive: true })
  await bob.say(alice, 'into the void')
  const again = await world.person('alice', { restore, log })
  await unreadable(again)
  expect(reasonsIn(lines)).toMatchObject([{ code: 'keys-lost', chat: bob.chatId, sender: bob.id, kind: 'message' }])
})

test('[CORE-22.12] of a backup from before the chat', async ({ world, alice, bob, lines, log }) => {
  await world.close(bob)
  cpSync(bob.directory, `${bob.directory}-backup`, { recursive: true })
  const talking = await world.person('bob')
  await talking.say(alice, 'opened after the backup')
  await alice.hears('opened after the backup')
  await world.close(talking)
  rmSync(bob.directory, { recursive: true })
  cpSync(`${bob.directory}-backup`, bob.directory, { recursive: true })
  const restored = await world.person('bob', { log })
  await alice.say(restored, 'to the old group')
  await unreadable(restored)
  const [line] = reasonsIn(lines)
  expect(line).toMatchObject({ code: 'group-unknown', chat: alice.chatId, sender: alice.id })
  expect(line).toHaveProperty('group')
})
