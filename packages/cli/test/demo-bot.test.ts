// The demo's bot, talked to by people, over a real gateway.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, privateChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { runDemoBot } from '../src/demo/demo-bot.ts'
import { png } from './png.ts'

/** Forwards requests to the gateway; chosen answers are lost on their way. */
class LossyProxy {
  readonly #server = createServer((from, to) => {
    const options = { method: from.method, headers: from.headers, agent: false }
    const onward = request(`${this.#gateway}${from.url}`, options, (answer: IncomingMessage) => {
      const lost = [...this.toLose].find(path => from.url?.endsWith(path))
      if (lost === undefined) return void answer.pipe(to.writeHead(answer.statusCode ?? 500, answer.headers))
      this.toLose.delete(lost)
      to.destroy()
    })
    from.pipe(onward.on('error', () => to.destroy()))
  })
  readonly #gateway: string
  /** Ends of paths: the answer to the next request to each is lost. */
  readonly toLose = new Set<string>()

  constructor(gateway: string) {
    this.#gateway = gateway
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const test = base
  .extend('gateway', ({ world }) => world.gateway())
  .extend('proxy', ({ gateway }, { onCleanup }) => {
    const proxy = new LossyProxy(gateway.url)
    onCleanup(() => proxy.close())
    return proxy
  })
  /** The chat that alice has with the bot, once she has opened it. */
  .extend('chat', async ({ alice, gateway, proxy }, { onCleanup }) => {
    const stop = new AbortController()
    const api = { url: await proxy.listen(), token: gateway.token }
    const running = runDemoBot(api, stop.signal, () => undefined)
    onCleanup(async () => {
      stop.abort()
      await running
    })
    await gateway.client.whenOnline(WITHIN)
    await alice.openInvite(gateway.client.identity.me().inviteUrl)
    return privateChatId(gateway.client.account)
  })

const answerTo = async (who: TestPerson, chat: ChatId, text: string): Promise<Message> => {
  await who.say(chat, text)
  return (await who.next('message')).message
}
const dataOf = ({ buttons = [] }: Message): (string | undefined)[] => buttons.flat().map(({ data }) => data)

test('[CLI-3.7] it greets, and each button of the greeting shows what it says', async ({ alice, chat }) => {
  const greeting = await answerTo(alice, chat, '/start')
  expect(greeting.text).toMatch(/^Hello!/)
  const shown: Message[] = []
  for (const data of dataOf(greeting)) {
    await alice.client.messages.press(chat, { message: greeting.id, data: data ?? '' }, WITHIN)
    shown.push((await alice.next('message')).message)
  }
  expect(shown).toMatchObject([
    { buttons: [[{ text: 'Count' }, { text: 'Whisper' }], [{ url: expect.stringMatching(/^https:/) }]] },
    { poll: { question: 'Tea or coffee?' } },
    { file: { kind: 'photo', type: 'image/png', width: 480, height: 320, preview: expect.any(String) } },
  ])
})

test('[CLI-3.7] a press is answered by an edit or by words for the presser alone', async ({ alice, chat }) => {
  const counted = await answerTo(alice, chat, '/buttons')
  for (const count of [1, 2]) {
    await alice.client.messages.press(chat, { message: counted.id, data: `count ${count}` }, WITHIN)
    const { message } = await alice.next('edited')
    expect([message.text, dataOf(message)[0]]).toEqual([`Counted to ${count}.`, `count ${count + 1}`])
  }
  await alice.client.messages.press(chat, { message: counted.id, data: 'whisper' }, WITHIN)
  expect((await alice.next('toast')).toast.text).toBe('Only you see this, alice.')
})

test('[CLI-3.7] its commands are in its profile, and do what they say', async ({ alice, chat, gateway }) => {
  const help = await answerTo(alice, chat, '/help')
  const { about, commands } = gateway.client.identity.me()
  expect([about, commands.map(({ name, args }) => [name, args])]).toEqual([
    expect.stringContaining('what a bot can do'),
    [
      ['buttons', undefined],
      ['poll', 'your question'],
      ['photo', undefined],
      ['help', undefined],
    ],
  ])
  expect(help.text?.split('\n')[1]).toBe('/poll <your question>: A poll about anything')
  const asked = await answerTo(alice, chat, '/poll Shall we?')
  expect(asked.poll).toMatchObject({ question: 'Shall we?', options: [{ text: 'Yes' }, { text: 'No' }] })
  expect((await answerTo(alice, chat, `/poll ${'é'.repeat(1000)}`)).poll?.question).toHaveLength(300)
})

test('[CLI-3.7] it says back words, also those of no command, and photos', async ({ alice, chat }) => {
  for (const text of ['Hello!', '/nothing', '/constructor', '/']) {
    const said = await alice.say(chat, text)
    expect((await alice.next('message')).message).toMatchObject({ text, reply_to: said.id })
  }
  const draft = await alice.client.files.draft(
    (async function* () {
      yield png(8, 4)
    })(),
  )
  const photo = { draft, name: 'a.png', type: 'image/png', kind: 'photo', width: 8, height: 4, text: 'look' } as const
  const sent = await alice.client.files.send(chat, photo, WITHIN)
  await draft.discard()
  const { message: back } = await alice.next('message')
  expect(back).toMatchObject({ text: 'look', reply_to: sent.id, file: { name: 'a.png', kind: 'photo', width: 8 } })
  const pieces = await Array.fromAsync((await alice.client.files.open(chat, back.id, WITHIN)).read())
  expect(Buffer.concat(pieces).equals(png(8, 4))).toBe(true)
})

test('[CLI-3.7] in a group it answers commands and who mentions it, and lets people talk', async ({
  alice,
  bob,
  chat,
  gateway,
}) => {
  await alice.say(bob, 'hello')
  const members = [bob.id, gateway.client.account]
  const { id: group } = await alice.client.chats.createGroup({ name: 'all', members }, WITHIN)
  await alice.say(group, 'only for bob')
  const mentions = [{ user: gateway.client.account, offset: 6, length: 4 }]
  await alice.client.messages.sendText(group, { text: '/poll @bot', mentions }, WITHIN)
  expect((await alice.next('message')).message.poll?.question).toBe('Tea or coffee?')
  const asCommand = [{ user: gateway.client.account, offset: 0, length: 9 }]
  await alice.client.messages.sendText(group, { text: '/poll@bot Shall we?', mentions: asCommand }, WITHIN)
  expect((await alice.next('message')).message.poll?.question).toBe('Shall we?')
  await alice.client.messages.sendText(group, { text: 'Hello @bot', mentions }, WITHIN)
  await alice.hears('Hello @bot')
  expect(alice.texts(group).filter(text => text === 'only for bob')).toHaveLength(1)
  expect(chat).not.toBe(group)
})

test('[CLI-3.7] what was said is not said again when the answer of the gateway is lost', async ({
  alice,
  chat,
  proxy,
}) => {
  for (const path of ['/messages', '/files']) proxy.toLose.add(path)
  await alice.say(chat, 'once')
  await alice.hears('once')
  expect((await answerTo(alice, chat, '/photo')).file?.kind).toBe('photo')
  await answerTo(alice, chat, 'end')
  expect([proxy.toLose.size, alice.texts(chat)]).toEqual([
    0,
    ['once', 'once', '/photo', 'Drawn just now.', 'end', 'end'],
  ])
})
