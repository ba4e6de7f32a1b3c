// Many concurrent callers while the relay comes and goes: every acknowledged message exists once, and each update comes once.
import { setTimeout as pause } from 'node:timers/promises'
import type { Message, Update } from '@postern/bot-api'
import type { TestPerson } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'

const KEYS = 20
const CALLERS = 4
const WORDS = 40
const RESTARTS = 3

type Traffic = { ids: string[][]; words: string[] }

const wordsOf = (updates: Update[]) =>
  updates.flatMap(update => (update.type === 'message' ? (update.message.text ?? '') : []))

const test = base
  /** As a caller does after an error that says to retry: until the message is sent. */
  .extend('sendUntilSent', ({ alice }) => async (api: Api, text: string): Promise<string> => {
    for (;;) {
      const headers = { 'idempotency-key': `key of ${text}` }
      const path = `/v1/chats/${alice.id}/messages`
      const { status, body } = await api.call<Message>('POST', path, { json: { text }, headers })
      if (status === 200 || status === 201) return body.id
      expect(status).toBe(503)
      await pause(20)
    }
  })
  .extend('sayWords', ({ alice }) => async (bot: TestPerson['chatId'], words: string[]): Promise<void> => {
    for (let at = 0; at < WORDS; at++) {
      const text = `word ${at}`
      await alice.say(bot, text)
      words.push(text)
    }
  })
  /** Repeatedly, after every few messages. */
  .extend('restartRelay', ({ world }) => async (words: string[]): Promise<void> => {
    for (let restart = 1; restart <= RESTARTS; restart++) {
      await expect.poll(() => words.length, SOON).toBeGreaterThanOrEqual((restart * WORDS) / (RESTARTS + 1))
      await world.stopRelay()
      await world.startRelay()
    }
  })
  .extend(
    'traffic',
    ({ sendUntilSent, sayWords, restartRelay }) =>
      async (api: Api, bot: TestPerson['chatId']): Promise<Traffic> => {
        const texts = Array.from({ length: KEYS }, (_, at) => `text ${at}`)
        const sends = texts.map(text => Promise.all(Array.from({ length: CALLERS }, () => sendUntilSent(api, text))))
        const words: string[] = []
        const [ids] = await Promise.all([Promise.all(sends), sayWords(bot, words), restartRelay(words)])
        return { ids, words }
      },
  )
  .extend('opened', ({ world, alice }) => async (settings: Record<string, string> = {}) => {
    const { gateway, api } = await onlineGateway(world, settings)
    await alice.openInvite((await api.me()).invite_url)
    const bot = gateway.client.account as string as TestPerson['chatId']
    await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
    return { gateway, api, bot }
  })
  .extend('expectOnce', ({ alice }) => ({ ids }: Traffic, bot: TestPerson['chatId']): void => {
    for (const same of ids) expect(new Set(same).size).toBe(1)
    const heard = alice.texts(bot).filter(text => text.startsWith('text'))
    expect(heard.sort()).toEqual(Array.from({ length: KEYS }, (_, at) => `text ${at}`).sort())
  })

test('[GATEWAY-5.1] each keyed text is there once, and each update is polled once', async ({
  alice,
  opened,
  traffic,
  expectOnce,
}) => {
  const { api, bot } = await opened()
  const heard: Update[] = []
  const listen = async () => {
    for (let offset = 0; !wordsOf(heard).includes('the end'); offset = (heard.at(-1)?.id ?? 0) + 1)
      heard.push(...(await api.updates(`offset=${offset}&timeout=5`)))
  }
  const listening = listen()
  const done = await traffic(api, bot)
  await alice.say(bot, 'the end')
  await listening
  expectOnce(done, bot)
  expect(wordsOf(heard)).toEqual([...done.words, 'the end'])
  expect(new Set(heard.map(update => update.id)).size).toBe(heard.length)
})

test('[GATEWAY-5.1] and each update is brought to the webhook once, by its id', async ({
  alice,
  receiver,
  opened,
  traffic,
  expectOnce,
}) => {
  const { api, bot } = await opened({ WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: 'a secret of sixteen' })
  const done = await traffic(api, bot)
  await alice.say(bot, 'the end')
  await expect.poll(() => receiver.texts, SOON).toContain('the end')
  expectOnce(done, bot)
  expect(receiver.texts.filter(text => text !== 'chat')).toEqual([...done.words, 'the end'])
  expect(new Set(receiver.ids).size).toBe(receiver.ids.length)
})
