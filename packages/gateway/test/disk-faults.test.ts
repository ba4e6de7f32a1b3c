// A failing disk and exhausted descriptors: 503 with a sentence, reads still work, and everything recovers automatically.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message } from '@postern/bot-api'
import { CodedError } from '@postern/protocol'
import { passTime, type TestPerson } from '@postern/testkit'
import { failWrites, useUpDescriptors } from '@postern/testkit/faults'
import { describe, expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'

type Line = { level: string; fields: Record<string, unknown>; text: string }
const lines: Line[] = []
const at = (level: string) => (fields: object, text: string) =>
  void lines.push({ level, fields: fields as Record<string, unknown>, text })
const log = { debug: () => {}, info: () => {}, warn: at('warn'), error: at('error') }

async function expectUnavailable(answer: Response): Promise<void> {
  const body = (await answer.json()) as { error: string; code: string }
  expect([answer.status, body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
  expect(body.error).toMatch(/disk|descriptors/)
}

const test = base
  .extend('opened', ({ world, alice }) => async (settings: Record<string, string> = {}) => {
    const { gateway, api } = await onlineGateway(world, settings, { log })
    await alice.openInvite((await api.me()).invite_url)
    await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
    const bot = gateway.client.account as string as TestPerson['chatId']
    return { gateway, api, bot }
  })
  .extend(
    'send',
    ({ alice }) =>
      (api: Api, text: string) =>
        api.get(`/v1/chats/${alice.id}/messages`, {
          method: 'POST',
          body: JSON.stringify({ text }),
          headers: { 'content-type': 'application/json' },
        }),
  )
  .extend('sendFile', ({ alice }) => async (api: Api, bytes: number): Promise<Response> => {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(bytes)]), 'data.bin')
    return await api.get(`/v1/chats/${alice.id}/files`, { method: 'POST', body })
  })

test.beforeEach(async () => {
  lines.length = 0
})

describe('a disk that cannot be written', () => {
  test('[GATEWAY-2.18] refuses texts, files, the profile and confirmations by 503, lets everything be read, and all goes on', async ({
    alice,
    opened,
    send,
    sendFile,
  }) => {
    const { api, bot } = await opened()
    expect((await send(api, 'before')).status).toBe(200)
    const written = Array.from({ length: 3 }, (_, count) => `word ${count}`)
    for (const text of written) await alice.say(bot, text)
    await expect.poll(async () => (await api.updates()).length, SOON).toBeGreaterThanOrEqual(3)
    {
      using _dead = failWrites()
      await expectUnavailable(await send(api, 'lost'))
      await expectUnavailable(await sendFile(api, 300_000))
      await expectUnavailable(await api.get('/v1/updates?offset=1000000'))
      await expectUnavailable(
        await api.get('/v1/me', {
          method: 'PATCH',
          body: '{"name":"other"}',
          headers: { 'content-type': 'application/json' },
        }),
      )
      for (const path of [
        '/healthz',
        '/v1/me',
        '/v1/chats',
        `/v1/chats/${alice.id}/messages`,
        '/v1/updates',
        '/v1/metrics',
      ])
        expect([path, (await api.get(path)).status]).toEqual([path, 200])
    }
    expect((await send(api, 'after')).status).toBe(200)
    expect((await sendFile(api, 300_000)).status).toBe(200)
    await alice.hears('after')
    expect(alice.texts(bot)).not.toContain('lost')
  })

  test('[GATEWAY-2.19] is a warning without a stack, once in a while, and a fault of ours is an error', async ({
    opened,
    send,
  }) => {
    const { api } = await opened()
    {
      using _dead = failWrites()
      for (let times = 0; times < 20; times++) await expectUnavailable(await send(api, 'lost'))
    }
    const refused = lines.filter(({ text }) => text === 'request rejected')
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatchObject({
      level: 'warn',
      fields: { code: 'storage-failed', system: 'SQLITE_IOERR_WRITE' },
    })
    expect(lines.filter(({ level, fields }) => level === 'error' || 'err' in fields)).toEqual([])
  })

  test('[GATEWAY-2.18] with a webhook delivers each update once, and goes on when it works', async ({
    alice,
    receiver,
    opened,
  }) => {
    const { bot } = await opened({ WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: 'a secret of sixteen' })
    let dead: Disposable | undefined
    receiver.answer = (response, { update }) => {
      if (update.type === 'message') dead ??= failWrites()
      response.writeHead(200).end()
    }
    await alice.say(bot, 'one')
    await expect.poll(() => lines.map(({ text }) => text), SOON).toContainEqual(expect.stringMatching(/not recorded/))
    dead?.[Symbol.dispose]()
    await alice.say(bot, 'two')
    await expect.poll(() => receiver.texts, SOON).toContain('two')
    expect(new Set(receiver.ids).size).toBe(receiver.ids.length)
  })
})

describe('no descriptors left', () => {
  test('[GATEWAY-2.20] refuses files by 503, lets everything else go on, and files go on when there are some', async ({
    alice,
    opened,
    sendFile,
    send,
  }) => {
    const { api } = await opened()
    expect((await sendFile(api, 300_000)).status).toBe(200)
    const { id } = (await (await sendFile(api, 300_000)).json()) as Message
    // The connection is open and free: a new one would not be accepted.
    expect(await (await send(api, 'before')).json()).toMatchObject({ text: 'before' })
    await nextTurn()
    {
      using _none = useUpDescriptors()
      await expectUnavailable(await api.get(`/v1/chats/${alice.id}/messages/${id}/file`))
      expect(await (await send(api, 'during')).json()).toMatchObject({ text: 'during' })
      await expectUnavailable(await sendFile(api, 1000))
    }
    expect((await sendFile(api, 300_000)).status).toBe(200)
    const fetched = await api.get(`/v1/chats/${alice.id}/messages/${id}/file`)
    expect((await fetched.arrayBuffer()).byteLength).toBe(300_000)
  })
})

test('[GATEWAY-2.21] with UPDATES=off what could not be discarded is discarded later, though nothing else comes', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await onlineGateway(world, { UPDATES: 'off' }, { clock, log })
  const { journal } = gateway.client
  const confirmed = journal.confirmed.bind(journal)
  const faults = [1, 2, 3]
  journal.confirmed = reader => {
    if (faults.pop()) throw new CodedError('storage-failed')
    return confirmed(reader)
  }
  await alice.openInvite((await api.me()).invite_url)
  await expect.poll(() => journal.newest(), SOON).toBe(1)
  await passTime(clock, expect.poll(() => journal.read(0, 10), SOON).toEqual([]))
  expect(faults).toEqual([])
})
