// The largest allowed files: accepted to the byte, and never whole in memory.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Bot, Message } from '@postern/bot-api'
import { contentLimits } from '@postern/protocol'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { blobsAtRelay, filesOfGateway } from './files-left.ts'
import { test as base } from './fixtures.ts'
import { listeningUrl } from './listening-url.ts'
import { badRequest } from './talking.ts'

/** A gigabyte is written and read on the way. */
const LONG_MS = 600_000
const MIB = 1024 * 1024

/** A form with a file of this size, generated while it is sent. */
function form(bytes: number): BodyInit {
  const piece = Buffer.alloc(MIB, 'postern ')
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n')
    for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left)
    yield Buffer.from('\r\n--b--\r\n')
  }
  return Readable.toWeb(Readable.from(pieces(), { objectMode: false })) as BodyInit
}

const upload = (bytes: number) => ({
  body: form(bytes),
  duplex: 'half' as const,
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
})

const test = base
  /** A gateway as a separate process, so that its memory can be measured alone. */
  .extend('startProcess', ({ world }) => async (): Promise<{ child: ChildProcess; url: string }> => {
    const launcher = join(import.meta.dirname, '../../cli/bin/postern.mjs')
    const child = spawn(process.execPath, ['--max-semi-space-size=4', launcher, 'gateway'], {
      env: {
        PATH: process.env['PATH'],
        BOT_TOKEN: 'token',
        BOT_NAME: 'bot',
        RELAY_URL: world.relayUrl,
        LISTEN: '127.0.0.1:0',
        DATA_DIR: join(world.directory, 'process'),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return { child, url: await listeningUrl(child) }
  })

test('[GATEWAY-7.6] exactly 300 MB are sent, and one byte more is 400 that leaves nothing', {
  timeout: LONG_MS,
}, async ({ world, talking: { api, path } }) => {
  const over = await api.call('POST', `${path}/files`, upload(contentLimits.fileBytesMax + 1))
  expect(over).toEqual(badRequest('file: must have at most 314572800 bytes.'))
  await expect.poll(() => filesOfGateway(world), SOON).toEqual([])
  await expect.poll(() => blobsAtRelay(world), SOON).toEqual([])
  const exact = await api.call<Message>('POST', `${path}/files`, upload(contentLimits.fileBytesMax))
  expect(exact).toMatchObject({ status: 200, body: { file: { size: contentLimits.fileBytesMax } } })
})

const headers = { authorization: 'Bearer token' }

/** In MiB: the current memory, and the peak since the last mark. */
const memoryOf = ({ pid }: ChildProcess, what: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${what}:\\s*(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Linux resets the peak memory of a process on this write. */
const markMemory = ({ pid }: ChildProcess): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

test.skipIf(!existsSync('/proc/self/clear_refs'))(
  '[GATEWAY-7.16] 300 MB up and down take less than 64 MB of memory above idle',
  { timeout: LONG_MS },
  async ({ alice, startProcess }) => {
    const { child, url } = await startProcess()
    try {
      const me = async () => (await (await fetch(`${url}/v1/me`, { headers })).json()) as Bot
      await expect.poll(async () => (await me().catch(() => undefined))?.invite_url, SOON).toBeDefined()
      await alice.openInvite((await me()).invite_url)
      const send = async (bytes: number) => {
        const { headers: types, ...body } = upload(bytes)
        const path = `${url}/v1/chats/${alice.id}/files`
        const answer = await fetch(path, { method: 'POST', ...body, headers: { ...headers, ...types } })
        return (await answer.json()) as Message
      }
      const fetchIt = async ({ id }: Message) => {
        const answer = await fetch(`${url}/v1/chats/${alice.id}/messages/${id}/file`, { headers })
        let length = 0
        for await (const chunk of answer.body ?? []) length += chunk.length
        return length
      }
      await fetchIt(await send(4 * MIB))
      const idle = memoryOf(child, 'VmRSS')
      markMemory(child)
      const sent = await send(contentLimits.fileBytesMax)
      expect(sent.file?.size).toBe(contentLimits.fileBytesMax)
      expect(memoryOf(child, 'VmHWM') - idle).toBeLessThan(64)
      expect(await fetchIt(sent)).toBe(contentLimits.fileBytesMax)
      expect(memoryOf(child, 'VmHWM') - idle).toBeLessThan(64)
    } finally {
      child.kill()
      await once(child, 'close')
    }
  },
)
