// Downloads of files: whole, in part, or not at all because the caller already has them.
import { randomBytes } from 'node:crypto'
import type { Message } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import type { Api } from './api.ts'
import { test } from './fixtures.ts'
import { sentFile } from './send-form.ts'
import { notFound } from './talking.ts'

const download = (api: Api, path: string, headers: Record<string, string> = {}) => api.get(`${path}/file`, { headers })

test('[GATEWAY-7.10] the bytes come with their type, name and length, and no browser runs them', async ({
  talking: { api, path },
}) => {
  const sent = await sentFile(api, path, '<script>', { name: 'a.html', type: 'text/html' })
  const url = `${path}/messages/${sent.id}`
  const answer = await download(api, url)
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html',
    'content-length': '8',
    'content-disposition': 'attachment; filename="a.html"',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    etag: expect.stringMatching(/^"[\w-]+"$/),
  })
  expect(await answer.text()).toBe('<script>')
  const head = await api.get(`${url}/file`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '8', ''])
  const empty = await sentFile(api, path, '')
  const nothing = await download(api, `${path}/messages/${empty.id}`)
  expect([nothing.status, nothing.headers.get('content-length'), await nothing.text()]).toEqual([200, '0', ''])
})

test.for([
  ['bytes=0-0', 206, '0'],
  ['bytes=2-5', 206, '2345'],
  ['bytes=7-', 206, '789'],
  ['bytes=-3', 206, '789'],
  ['bytes=-99', 206, '0123456789'],
  ['bytes=0-99', 206, '0123456789'],
  ['Bytes=9-9', 206, '9'],
  ['bytes=0-1,3-4', 200, '0123456789'],
  ['bytes=5-2', 200, '0123456789'],
  ['bytes=x', 200, '0123456789'],
  ['lines=0-1', 200, '0123456789'],
  ['bytes=10-', 416, ''],
  ['bytes=10-20', 416, ''],
  ['bytes=-0', 416, ''],
] as const)('[GATEWAY-7.11] %s of ten bytes: %i %j', async ([range, status, bytes], { talking: { api, path } }) => {
  const sent = await sentFile(api, path, '0123456789')
  const answer = await download(api, `${path}/messages/${sent.id}`, { range })
  expect(answer.status).toBe(status)
  if (status === 416) {
    expect(answer.headers.get('content-range')).toBe('bytes */10')
    expect(await answer.json()).toEqual({
      code: 'bad_request',
      error: 'Range: must begin within the file, which has 10 bytes.',
    })
    return
  }
  const start = '0123456789'.indexOf(bytes)
  const contentRange = status === 206 ? `bytes ${start}-${start + bytes.length - 1}/10` : null
  expect(answer.headers.get('content-range')).toBe(contentRange)
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual([String(bytes.length), bytes])
})

test('[GATEWAY-7.11] ranges across pieces, and only of the file that the caller began with', async ({
  talking: { api, path },
}) => {
  const bytes = randomBytes(600_000)
  const sent = await sentFile(api, path, bytes)
  const url = `${path}/messages/${sent.id}`
  for (const [start, end] of [
    [262_143, 262_144],
    [1, 599_998],
    [524_288, 599_999],
  ] as const) {
    const answer = await download(api, url, { range: `bytes=${start}-${end}` })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes.subarray(start, end + 1))
  }
  const etag = (await api.get(`${url}/file`, { method: 'HEAD' })).headers.get('etag') ?? ''
  const ask = async (ifRange: string) => {
    const answer = await download(api, url, { range: 'bytes=0-1', 'if-range': ifRange })
    return [answer.status, (await answer.arrayBuffer()).byteLength]
  }
  expect([await ask(etag), await ask('"other"')]).toEqual([
    [206, 2],
    [200, 600_000],
  ])
})

test('[GATEWAY-7.10] HEAD tells of a file that is not here yet, and knows no ranges', async ({
  alice,
  talking: { api, path, toBot },
}) => {
  const draft = await alice.client.files.draft(new Blob(['0123456789']).stream() as AsyncIterable<Uint8Array>)
  const { id } = await alice.client.files.send(toBot, { draft, name: 'a', type: 'text/plain', kind: 'file' }, WITHIN)
  await api.next('message')
  const url = `${path}/messages/${id}/file`
  for (const range of ['', 'bytes=2-5', 'bytes=10-']) {
    const head = await api.get(url, { method: 'HEAD', ...(range && { headers: { range } }) })
    const { status, headers } = head
    const told = [status, headers.get('content-length'), headers.get('content-range'), await head.text()]
    expect(told).toEqual([200, '10', null, ''])
  }
  const whole = await api.get(url)
  const head = await api.get(url, { method: 'HEAD' })
  const ofConnection = new Set(['date', 'connection', 'keep-alive'])
  const shown = ({ headers }: Response) => [...headers].filter(([name]) => !ofConnection.has(name))
  expect(shown(head)).toEqual(shown(whole))
  expect(await whole.text()).toBe('0123456789')
})

test('[GATEWAY-7.11] a range of an empty file is the whole of it', async ({ talking: { api, path } }) => {
  const { id } = await sentFile(api, path, '')
  for (const range of ['bytes=0-', 'bytes=0-9', 'bytes=-5']) {
    const answer = await download(api, `${path}/messages/${id}`, { range })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  }
})

test('[GATEWAY-7.17] who has the file already is told so, and who wants another one gets none', async ({
  talking: { api, path },
}) => {
  const { id } = await sentFile(api, path, '0123456789')
  const url = `${path}/messages/${id}`
  const etag = (await api.get(`${url}/file`, { method: 'HEAD' })).headers.get('etag') ?? ''
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const answer = await api.get(`${url}/file`, { method, headers })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  for (const tags of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a,b",W/"c" , ${etag}`])
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await ask({ 'if-none-match': tags, range: 'bytes=0-1' }, method)
      expect([tags, status, text]).toEqual([tags, 304, ''])
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([etag, 'private, no-cache'])
      expect(headers.get('content-length')).toBeNull()
    }
  for (const tags of ['"other"', `"x${etag.slice(1)}`, 'nonsense', ''])
    expect(await ask({ 'if-none-match': tags })).toMatchObject({ status: 200, text: '0123456789' })

  for (const tags of [etag, '*', `"other",${etag}`])
    expect(await ask({ 'if-match': tags, range: 'bytes=0-1' })).toMatchObject({ status: 206, text: '01' })
  for (const tags of ['"other"', `W/${etag}`]) {
    const { status, text } = await ask({ 'if-match': tags, 'if-none-match': etag, range: 'bytes=0-1' })
    expect(status).toBe(412)
    expect(JSON.parse(text)).toEqual({ code: 'bad_request', error: 'If-Match: does not match the ETag of the file.' })
  }
  // It has no date: conditions on one are ignored, and a range under one is not served.
  const date = 'Sun, 15 Nov 2026 08:00:00 GMT'
  for (const header of ['if-modified-since', 'if-unmodified-since'])
    expect((await ask({ [header]: date })).status).toBe(200)
  expect((await ask({ 'if-range': date, range: 'bytes=0-1' })).status).toBe(200)
  expect((await ask({ 'if-range': `W/${etag}`, range: 'bytes=0-1' })).status).toBe(200)
  expect((await ask({ 'if-range': '"other"', range: 'bytes=20-' })).status).toBe(200)
})

test('[GATEWAY-7.12] what people send, of any kind, is told and can be fetched', async ({
  alice,
  talking: { api, path, toBot },
}) => {
  const bytes = randomBytes(300_000)
  const draft = await alice.client.files.draft(new Blob([bytes]).stream() as AsyncIterable<Uint8Array>)
  const details = { name: 'voice.ogg', type: 'audio/ogg', kind: 'voice' as const, durationMs: 900, text: 'listen' }
  const { id } = await alice.client.files.send(toBot, { draft, ...details }, WITHIN)
  const { message: told } = await api.next('message')
  expect(told).toMatchObject({ id, text: 'listen', from: { name: 'alice' } })
  expect(told.file).toEqual({ name: 'voice.ogg', type: 'audio/ogg', kind: 'voice', duration_ms: 900, size: 300_000 })
  for (let time = 0; time < 2; time++) {
    const answer = await download(api, `${path}/messages/${id}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/ogg'])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  }
})

test('[GATEWAY-7.12] a message without a file is 404, and so is one that does not exist', async ({
  talking: { api, path },
}) => {
  const { id } = await api.ok<Message>('POST', `${path}/messages`, { text: 'no file' })
  expect(await api.call('GET', `${path}/messages/${id}/file`)).toEqual(notFound(/has no file/))
  expect(await api.call('GET', `${path}/messages/${'b'.repeat(32)}/file`)).toEqual(notFound(/no message/))
})
