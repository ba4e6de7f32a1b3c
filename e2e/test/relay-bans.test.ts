// An account that the relay's operator has banned: it gets that error, nobody else is affected, and everything
// continues afterwards.
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { privateChatId } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { passTime } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const test = base.extend('operator', ({ world }) => async (command: 'ban' | 'unban', account: string) => {
  const directory = join(world.directory, 'relay')
  await askControl(directory, { request: { command, arguments: { account } } })
})

test('[RELAY-5.4] a bot that is banned says why it cannot send, and goes on where it was', async ({
  world,
  operator,
  alice,
  clock,
}) => {
  const gateway = await world.gateway({}, { clock })
  await gateway.client.whenOnline({ timeoutMs: 60_000 })
  const { account } = gateway.client
  await alice.say(privateChatId(account), 'hello')
  await operator('ban', account)
  const send = (text: string) =>
    gateway.api<{ code: string; error: string }>('POST', `/v1/chats/${alice.client.account}/messages`, { text })
  const refused = async () => {
    while (!gateway.client.refusal) await nextTurn()
  }
  await passTime(clock, refused())
  expect(gateway.client.refusal).toMatchObject({ code: 'account-banned' })
  const early = await passTime(clock, send('too early'))
  expect(early).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  await alice.say(privateChatId(account), 'still there?')
  await operator('unban', account)
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  expect(await passTime(clock, send('here I am'))).toMatchObject({ status: 200 })
  const texts = async () => {
    const { body } = await gateway.api<{ message?: { text?: string } }[]>('GET', '/v1/updates')
    return body.map(update => update.message?.text)
  }
  await expect.poll(texts).toEqual(expect.arrayContaining(['hello', 'still there?']))
})
