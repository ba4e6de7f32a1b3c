// The plugins that most bots of grammY use, and a kill of the gateway under such a bot.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess } from '@postern/testkit/processes'
import { expect } from 'vitest'
import { foreignRequire, missing } from './foreign-bots.ts'
import { type Shown, TOKEN, test } from './telegram.ts'

const plugins = ['grammy@1.46.0', '@grammyjs/conversations@2.1.1', '@grammyjs/menu@1.5.0', '@grammyjs/files@1.2.0']
const withRetries = [...plugins, '@grammyjs/auto-retry@2.0.2']
const notRun = missing(...withRetries)

/** Errors of the bot fail its test. */
function newBot(token: string, apiRoot: string): Shown {
  const { Bot } = foreignRequire('grammy') as Shown
  return new Bot(token, { client: { apiRoot } }) as Shown
}

test('[TELEGRAM-1.1] grammY with the plugins conversations, menu and files', async ({
  skip,
  alice,
  telegram,
  atEnd,
}) => {
  skip(notRun !== undefined, notRun)
  const { conversations, createConversation } = foreignRequire('@grammyjs/conversations') as Shown
  const { Menu } = foreignRequire('@grammyjs/menu') as Shown
  const { hydrateFiles } = foreignRequire('@grammyjs/files') as Shown
  const faults: unknown[] = []
  const bot = newBot(TOKEN, telegram.root)
  bot['catch']((error: unknown) => void faults.push(error))
  bot['api'].config.use(hydrateFiles(TOKEN, { apiRoot: telegram.root }))
  bot['use'](conversations())
  bot['use'](createConversation(order, 'order'))
  let count = 0
  const menu = new Menu('counter')
    .text(
      () => `Pressed ${count}`,
      async (ctx: Shown) => {
        count += 1
        await ctx['menu'].update()
      },
    )
    .row()
    .text('Say it', (ctx: Shown) => ctx['reply'](`It is ${count}`))
  bot['use'](menu)
  bot['command']('order', (ctx: Shown) => ctx['conversation'].enter('order'))
  bot['command']('menu', (ctx: Shown) => ctx['reply']('Counter', { reply_markup: menu }))
  bot['on']('message:document', async (ctx: Shown) => {
    // Its `download` speaks https alone, so that a gateway without TLS is asked at the address that it knows.
    const response = await fetch((await ctx['getFile']()).getUrl())
    await ctx['reply'](`Got: ${await response.text()}`)
  })
  const running = bot['start']() as Promise<void>
  atEnd(async () => {
    await bot['stop']()
    await running
  })
  const { toBot } = telegram

  await alice.say(toBot, '/order')
  await alice.hears('What do you want?')
  await alice.say(toBot, 'soup')
  await alice.hears('How many of soup?')
  await alice.say(toBot, '3')
  await alice.hears('3 soup')

  await alice.say(toBot, '/menu')
  const shown = await alice.hears('Counter')
  const press = async (text: string) => {
    const { buttons = [] } = alice.client.messages.get(toBot, shown.id)
    const data = buttons.flat().find(button => button.text === text)?.data
    await alice.client.messages.press(toBot, { message: shown.id, data: String(data) }, WITHIN)
  }
  await press('Pressed 0')
  expect((await alice.next('edited')).message.buttons?.flat()[0]).toMatchObject({ text: 'Pressed 1' })
  await press('Say it')
  await alice.hears('It is 1')

  const draft = await alice.client.files.draft(bytesOf('a list'))
  await alice.client.files.send(toBot, { draft, name: 'a.txt', type: 'text/plain', kind: 'file' }, WITHIN)
  await draft.discard()
  await alice.hears('Got: a list')
  expect(faults).toEqual([])
})

async function order(conversation: Shown, ctx: Shown): Promise<void> {
  await ctx['reply']('What do you want?')
  const what = await conversation['waitFor']('message:text')
  await ctx['reply'](`How many of ${what.message.text}?`)
  const many = await conversation['waitFor']('message:text')
  await ctx['reply'](`${many.message.text} ${what.message.text}`)
}

test('[TELEGRAM-1.1] grammY with auto-retry, whose gateway is killed: every message is answered, and once again at most the one before the kill', async ({
  skip,
  world,
  alice,
  onTestFinished,
}) => {
  skip(notRun !== undefined, notRun)
  const place = { directory: join(world.directory, 'killed'), port: await freePort() }
  const gateway = new GatewayProcess(place, world.relayUrl)
  gateway.life = { env: { TELEGRAM_API: 'on' } }
  gateway.start()
  await gateway.listening()
  const { autoRetry } = foreignRequire('@grammyjs/auto-retry') as Shown
  const bot = newBot(gateway.token, gateway.url)
  bot['api'].config.use(autoRetry())
  let chat = 0
  bot['on']('message:text', async (ctx: Shown) => {
    chat = ctx['chat'].id
    await ctx['reply'](`echo ${ctx['message'].text}`)
  })
  const running = bot['start']() as Promise<void>
  onTestFinished(async () => {
    await bot['stop']().catch(() => undefined)
    await gateway.end()
    await running.catch(() => undefined)
  })
  const me = await whenRegistered(gateway)
  await alice.openInvite(me.invite_url)
  const toBot = privateChatId(me.id as never)
  await alice.say(toBot, 'one')
  await alice.hears('echo one')
  await gateway.kill()
  await alice.say(toBot, 'two')
  const sending = bot['api'].sendMessage(chat, 'sent while away') as Promise<unknown>
  gateway.start()
  await gateway.listening()
  await alice.hears('echo two')
  await sending
  await alice.say(toBot, 'three')
  await alice.hears('echo three')
  // The update whose answer was sent just before the kill was not confirmed, and came again.
  const texts = alice.texts(toBot).filter((text, at, all) => text !== 'echo one' || at === all.indexOf(text))
  const [echoes, said] = [
    ['echo one', 'echo two', 'echo three'],
    ['one', 'two', 'three', 'sent while away'],
  ]
  expect(texts.toSorted()).toEqual([...echoes, ...said].toSorted())
})

async function whenRegistered({ url, token }: GatewayProcess): Promise<{ id: string; invite_url: string }> {
  for (;;) {
    const answer = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)
    if (answer?.ok) return (await answer.json()) as { id: string; invite_url: string }
    await pause(20)
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
