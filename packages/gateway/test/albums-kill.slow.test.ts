// A gateway is killed in the middle of albums, and the bot repeats its request under the same key.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Bot, Message } from '@postern/bot-api'
import { contentLimits, privateChatId } from '@postern/protocol'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { listeningUrl } from './listening-url.ts'
import { albumForm, keyHeader } from './send-album.ts'

const TOKEN = 'test-token'
const texts = Array.from({ length: contentLimits.albumFilesMax }, (_, at) => `${at}`)
const names = texts.map(at => `${at}.txt`)

const test = base.extend('killable', async ({ world, alice }, { onCleanup }) => {
  const state: { process?: ChildProcess; url: string } = { url: '' }
  const kill = async (): Promise<void> => {
    const { process: running } = state
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
  }
  onCleanup(kill)
  const headers = { authorization: `Bearer ${TOKEN}` }
  const start = async (): Promise<void> => {
    state.process = fork(new URL('./run-gateway.ts', import.meta.url), {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      execArgv: [],
      env: {
        ...process.env,
        BOT_TOKEN: TOKEN,
        BOT_NAME: 'bot',
        RELAY_URL: world.relayUrl,
        LISTEN: '127.0.0.1:0',
        DATA_DIR: join(world.directory, 'killed'),
      },
    })
    state.url = await listeningUrl(state.process)
    await expect.poll(async () => (await fetch(`${state.url}/readyz`).catch(() => undefined))?.status, SOON).toBe(200)
  }
  await start()
  const me = (await (await fetch(`${state.url}/v1/me`, { headers })).json()) as Bot
  await alice.openInvite(me.invite_url)
  /** Undefined: it was not answered. */
  const sendAlbum = async (key: string): Promise<Message[] | undefined> => {
    const path = `${state.url}/v1/chats/${alice.id}/albums`
    const asked = { method: 'POST', headers: { ...headers, ...keyHeader(key) }, body: albumForm(texts) }
    try {
      const answer = await fetch(path, asked)
      return answer.ok ? ((await answer.json()) as Message[]) : undefined
    } catch {
      return undefined
    }
  }
  return { kill, start, sendAlbum, chat: privateChatId(me.id) }
})

test('[GATEWAY-4.38] killed in the middle of an album, the repetition sends the rest, and no file twice', async ({
  alice,
  killable: { kill, start, sendAlbum, chat },
}) => {
  const files = () => alice.client.messages.list(chat, { limit: 100 }).filter(({ file }) => file)
  for (const [at, killedAfter] of [1, 4, 9].entries()) {
    const key = `killed after ${killedAfter}`
    const before = files().length
    const sending = sendAlbum(key)
    await expect.poll(() => files().length, SOON).toBeGreaterThanOrEqual(before + killedAfter)
    await kill()
    await sending
    await start()
    const whole: { messages?: Message[] } = {}
    await expect.poll(async () => (whole.messages = (await sendAlbum(key)) ?? [])?.length, SOON).toBe(texts.length)
    expect(whole.messages?.map(({ file }) => file?.name)).toEqual(names)
    await expect.poll(() => files().length, SOON).toBeGreaterThanOrEqual(before + texts.length)
    const album = files().slice(before)
    expect(album.map(({ file }) => file?.name)).toEqual(names)
    expect(new Set(album.map(one => one.album)).size).toBe(1)
    expect(files()).toHaveLength(texts.length * (at + 1))
  }
}, 120_000)
