// A member whose client sends what ours would not: it has no effect, and the log says why.
import { messageIdFromHash, PRESS_ID_BYTES, pressIdFromBytes, silentLog } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { newDraft } from '../../src/outbox/compose.ts'
import { sendContent } from '../../src/outbox/send-content.ts'
import { sendDirect } from '../../src/outbox/send-direct.ts'
import { coreOf, deadlineOf } from './modified-client.ts'

const WORDS = 'words that nobody should log'

const test = base
  /** The lines of bob's log about ignored content. */
  .extend('lines', (): Record<string, unknown>[] => [])
  .extend('bob', ({ world, lines }) => {
    const debug = (fields: object, text: string) => void (text === 'ignored' && lines.push({ ...fields }))
    return world.person('bob', { log: { ...silentLog, debug } })
  })
  .extend('say', ({ bob, mallory }) => async (body: KnownBody): Promise<void> => {
    const draft = newDraft(coreOf(mallory), body)
    await sendContent(coreOf(mallory), bob.chatId, { draft, deadline: deadlineOf(mallory) })
  })
  .extend('sayToBob', ({ bob, mallory }) => async (body: KnownBody): Promise<void> => {
    await sendDirect(coreOf(mallory), { chat: bob.chatId, to: bob.id }, { body, deadline: deadlineOf(mallory) })
  })
  .extend('bobHasReadAll', ({ bob, mallory }) => async (): Promise<void> => {
    await mallory.client.messages.sendText(bob.chatId, { text: 'a mark' }, WITHIN)
    await bob.hears('a mark')
  })

test('[CORE-5.14] what is not applied is one line of the log: the kind, the reason and the ids', async ({
  bob,
  mallory,
  lines,
  say,
  bobHasReadAll,
}) => {
  await mallory.say(bob, 'first')
  await bob.hears('first')
  const target = (await bob.say(mallory, 'of bob')).id
  await mallory.hears('of bob')
  await say({ kind: 'edit', target, text: WORDS })
  await bobHasReadAll()
  expect(lines).toEqual([
    {
      kind: 'edit',
      reason: "not the sender's message",
      chat: mallory.chatId,
      message: expect.stringMatching(/^\S+$/),
      target,
    },
  ])
  expect(bob.texts(mallory)).toContain('of bob')
})

test('[CORE-5.14] whatever is passed over says why, and nothing of what was said', async ({
  bob,
  mallory,
  lines,
  say,
  sayToBob,
  bobHasReadAll,
}) => {
  const own = (await mallory.say(bob, 'first')).id
  await bob.hears('first')
  const ofBob = (await bob.say(mallory, 'of bob')).id
  await mallory.hears('of bob')
  const nowhere = messageIdFromHash(new Uint8Array(32))
  const press = pressIdFromBytes(new Uint8Array(PRESS_ID_BYTES))
  await say({ kind: 'delete', target: ofBob })
  await say({ kind: 'delete', target: nowhere })
  await say({ kind: 'reaction', target: own, emoji: WORDS })
  await say({ kind: 'vote', target: own, options: [0] })
  await say({ kind: 'close', target: nowhere })
  await say({ kind: 'press', press, target: ofBob, data: WORDS })
  await sayToBob({ kind: 'press', press, target: ofBob, data: WORDS })
  await sayToBob({ kind: 'toast', press, text: WORDS })
  await sayToBob({ kind: 'text', text: WORDS })
  await bobHasReadAll()
  expect(lines.map(({ kind, reason }) => `${String(kind)}: ${String(reason)}`)).toEqual([
    "delete: not the sender's message",
    'delete: no such message',
    'reaction: no one emoji',
    'vote: no such poll',
    'close: no such poll',
    'press: not said this way',
    'press: no button of ours',
    'toast: no such press',
    'text: not said this way',
  ])
  expect(JSON.stringify(lines)).not.toContain(WORDS)
  expect(bob.texts(mallory)).toEqual(['first', 'of bob', 'a mark'])
})
