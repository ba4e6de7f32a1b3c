// A bot that runs on while its gateway restarts and its relay is away.
import { passTime } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { expect } from 'vitest'
import { Bot } from '../src/index.ts'
import { chatWith, test } from './fixtures.ts'

test('[SDK-3.6] after a restart of the gateway and an absence of the relay everything is answered once', async ({
  world,
  alice,
  clock,
}) => {
  const environment = { LISTEN: `127.0.0.1:${await freePort()}` }
  const first = await world.gateway(environment)
  const chat = await chatWith(first, alice)
  const bot = new Bot({ url: first.url, token: first.token, clock, log: () => undefined })
  bot.on('message:text', ctx => ctx.reply(`echo ${ctx.text}`))
  const ended = bot.start()
  const answered = async (text: string) => {
    const said = alice.say(chat, text)
    await said
    await passTime(clock, alice.hears(`echo ${text}`))
  }
  await answered('one')
  await world.closeGateway(first)
  await alice.say(chat, 'two')
  await world.gateway(environment)
  await passTime(clock, alice.hears('echo two'))
  await world.stopRelay()
  await world.startRelay()
  await alice.online()
  await answered('three')
  await passTime(clock, bot.stop())
  await ended
  expect(alice.texts(chat)).toEqual(['one', 'echo one', 'two', 'echo two', 'three', 'echo three'])
})
