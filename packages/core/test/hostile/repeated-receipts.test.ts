// A member with a modified client sends receipts again, backwards and from the future: each counts once for the bot.
import { leafOf, rosterOf, sealDirect } from '@postern/mls'
import { encodeContent, type KnownBody } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { NamedReaders } from '../../src/journal/named-readers.ts'
import { newDraft } from '../../src/outbox/compose.ts'
import { coreOf, deadlineOf, groupOf } from './modified-client.ts'

type Times = { deliveredTs: number; readTs: number }

async function receipt(mallory: TestPerson, bot: TestPerson, times: Times): Promise<void> {
  const core = coreOf(mallory)
  const body: KnownBody = { kind: 'receipt', ...times }
  const content = encodeContent({ send: newDraft(core, body).send, profileVersion: 1, body })
  const payload = await core.groups.run(groupOf(mallory, bot.chatId), ({ session }) =>
    sealDirect(session, leafOf(rosterOf(session), bot.id) ?? 0, content),
  )
  await core.link.call('append', { payload, to: bot.id, leave: false }, deadlineOf(mallory).leftMs())
}

test('[CORE-8.11] receipts that are repeated, go back or come from the future are each reported once', async ({
  world,
  bot,
}) => {
  const mallory = await world.person('mallory')
  await mallory.say(bot, 'hello')
  await bot.hears('hello')
  const readers = new NamedReaders(bot.client.journal)
  await readers.open('r', { from: 'now', types: ['delivered', 'read'], max: 8 })
  const one = await bot.client.messages.sendText(mallory.chatId, { text: 'one' }, WITHIN)
  await mallory.hears('one')
  for (const [deliveredTs, readTs] of [
    [one.ts, one.ts],
    [one.ts, one.ts],
    [0, 0],
    [one.ts, one.ts - 1],
    [2 ** 50, 2 ** 50],
  ] as const)
    await receipt(mallory, bot, { deliveredTs, readTs })
  await mallory.say(bot, 'behind them')
  await bot.hears('behind them')
  await bot.client.messages.sendText(mallory.chatId, { text: 'two' }, WITHIN)
  await mallory.hears('two')
  await receipt(mallory, bot, { deliveredTs: 2 ** 51, readTs: 2 ** 51 })
  await mallory.say(bot, 'the end')
  await bot.hears('the end')
  const told = readers
    .read(0, { types: ['delivered', 'read'], limit: 100 })
    .map(({ json }) => JSON.parse(json) as object)
  const about = { message_id: one.id, from: { id: mallory.id, name: 'mallory' } }
  expect(told).toEqual([
    { type: 'delivered', chat_id: mallory.id, delivered: about },
    { type: 'read', chat_id: mallory.id, read: about },
  ])
})
