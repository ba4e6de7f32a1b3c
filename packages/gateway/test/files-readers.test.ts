// Readers of files that leave or stall, and files that are gone, changed or not here yet.
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { gatewayLimits, privateChatId } from '@postern/protocol'
import { passTime, WITHIN } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { answerOf, beginUpload, formEnd, partHead } from './files-by-hand.ts'
import { blobsAtRelay, figure, filesOfGateway, nothingIsLeft } from './files-left.ts'
import { SlowRelay } from './files-slow-relay.ts'
import { test as base } from './fixtures.ts'
import { sentFile } from './send-form.ts'
import { notFound, sees, talking } from './talking.ts'

const test = base
  .extend('slowPort', () => freePort())
  .extend('worldOptions', ({ slowPort }) => ({ relayHosts: [`127.0.0.1:${slowPort}`] }))
  .extend(
    'fileOf',
    ({ alice }) =>
      (id: string) =>
        `/v1/chats/${alice.id}/messages/${id}/file`,
  )
  /** From alice, and not fetched yet. */
  .extend('received', ({ alice }) => async (api: Api, toBot: never, bytes: Uint8Array): Promise<string> => {
    const draft = await alice.client.files.draft(new Blob([bytes as BlobPart]).stream() as AsyncIterable<Uint8Array>)
    const details = { name: 'a', type: 'text/plain', kind: 'file' as const }
    const { id } = await alice.client.files.send(toBot, { draft, ...details }, WITHIN)
    await draft.discard()
    await api.next('message')
    return id
  })

test('[GATEWAY-7.12] a blob that is gone is 404, and so is one that was changed; never other bytes', async ({
  world,
  received,
  fileOf,
  talking: { api, toBot },
}) => {
  const gone = await received(api, toBot as never, Buffer.alloc(500_000, 1))
  for (const blob of blobsAtRelay(world)) rmSync(blob)
  expect(await api.call('GET', fileOf(gone))).toEqual(
    notFound(/The relay no longer has the file|The file is corrupted/),
  )
  const changed = await received(api, toBot as never, Buffer.alloc(500_000, 1))
  const [blob = ''] = blobsAtRelay(world)
  const bytes = readFileSync(blob)
  bytes.writeUInt8((bytes[400_000] ?? 0) ^ 1, 400_000)
  writeFileSync(blob, bytes)
  expect(await api.call('GET', fileOf(changed))).toEqual(notFound(/The file is corrupted/))
  expect(await api.call('GET', fileOf(changed))).toEqual(notFound(/The file is corrupted/))
})

test('[GATEWAY-7.12] while the relay is out of reach a file that is not here yet is 503, and then it comes', async ({
  clock,
  world,
  alice,
  received,
  fileOf,
}) => {
  const { gateway, api, toBot } = await talking(world, alice, { clock })
  const id = await received(api, toBot as never, Buffer.from('later'))
  await world.stopRelay()
  await expect.poll(() => gateway.client.isOnline, SOON).toBe(false)
  const away = await passTime(clock, api.call('GET', fileOf(id)))
  expect(away).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  await world.startRelay()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  expect(await (await api.get(fileOf(id))).text()).toBe('later')
})

test('[GATEWAY-7.13] deleting the message frees the blob at the relay, and here', async ({
  world,
  alice,
  fileOf,
  talking: { api, path },
}) => {
  const sent = await sentFile(api, path, 'x'.repeat(1000))
  await sees(alice, sent)
  const [blob = ''] = blobsAtRelay(world)
  expect((await fetch(`${world.relayUrl}/blobs/${basename(blob)}`)).status).toBe(200)
  expect(await api.ok('DELETE', `${path}/messages/${sent.id}`)).toEqual({})
  expect(await api.call('GET', fileOf(sent.id))).toEqual(notFound(/no message/))
  await nothingIsLeft(world)
  expect((await fetch(`${world.relayUrl}/blobs/${basename(blob)}`)).status).toBe(404)
})

test('[GATEWAY-7.19] a folder of files that somebody deleted is made again; messages stay, and files are fetched again', async ({
  world,
  received,
  fileOf,
  talking: { api, path, toBot },
}) => {
  const own = await sentFile(api, path, 'x'.repeat(400_000))
  const theirs = await received(api, toBot as never, Buffer.alloc(400_000, 1))
  expect((await api.get(fileOf(theirs))).status).toBe(200)
  const folder = join(world.directory, 'gateway', 'files')
  for (const id of [own.id, theirs]) {
    rmSync(folder, { recursive: true })
    const answer = await api.get(fileOf(id))
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 400_000])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  }
  rmSync(folder, { recursive: true })
  const later = await sentFile(api, path, 'later')
  rmSync(folder, { recursive: true })
  expect(await (await api.get(fileOf(later.id))).text()).toBe('later')
  const ids = (await api.ok<{ id: string }[]>('GET', `${path}/messages`)).map(({ id }) => id)
  expect(ids).toEqual([own.id, theirs, later.id])
})

test('[GATEWAY-7.19] deleted under an upload or a download, neither is broken off', async ({
  world,
  alice,
  fileOf,
  talking: { gateway, api, path },
}) => {
  const folder = join(world.directory, 'gateway', 'files')
  const body = `${partHead}${'x'.repeat(2_000_000)}${formEnd}`
  const socket = beginUpload({ gateway, to: alice }, body.length)
  socket.write(body.slice(0, 1_000_000))
  await expect.poll(() => blobsAtRelay(world).length, SOON).toBe(1)
  rmSync(folder, { recursive: true })
  socket.write(body.slice(1_000_000))
  expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
  const [{ id } = { id: '' }] = await api.ok<{ id: string }[]>('GET', `${path}/messages`)
  const answer = await api.get(fileOf(id))
  rmSync(folder, { recursive: true })
  expect((await answer.text()) === 'x'.repeat(2_000_000)).toBe(true)
})

const size = 40 * 1024 * 1024

const downloads = (api: Api) => figure(api, 'postern_file_downloads')
const bytesRead = (api: Api) => figure(api, 'postern_file_bytes_total{direction="down"}')

test('[GATEWAY-7.14] a reader that hangs up ends the reading', async ({ fileOf, talking: { gateway, api, path } }) => {
  const sent = await sentFile(api, path, new Uint8Array(size))
  const asking = request(`${gateway.url}${fileOf(sent.id)}`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  asking.end()
  const [answer] = await once(asking, 'response')
  await once(answer, 'readable')
  asking.destroy()
  await expect.poll(() => downloads(api), SOON).toBe(0)
  expect(await bytesRead(api)).toBeLessThan(size)
})

test('[GATEWAY-7.14] a reader that hangs up while the file is fetched gives its place back, and others go on', async ({
  world,
  alice,
  slowPort,
  received,
  fileOf,
}) => {
  const relay = await SlowRelay.before(world.relayUrl, slowPort)
  const { gateway, api } = await onlineGateway(world, { RELAY_URL: relay.url })
  await alice.openInvite((await api.me()).invite_url)
  const toBot = privateChatId(gateway.client.account)
  const bytes = Buffer.alloc(1_000_000, 1)
  const id = await received(api, toBot as never, bytes)
  relay.hold()
  const [one, other] = [new AbortController(), new AbortController()]
  const leaving = api.get(fileOf(id), { signal: one.signal })
  const staying = api.get(fileOf(id))
  await expect.poll(() => downloads(api), SOON).toBe(2)
  one.abort()
  await expect(leaving).rejects.toThrow()
  await expect.poll(() => downloads(api), SOON).toBe(1)
  relay.release()
  expect(Buffer.from(await (await staying).arrayBuffer()).equals(bytes)).toBe(true)
  expect(relay.fetches).toBe(1)

  const alone = await received(api, toBot as never, bytes)
  relay.hold()
  const last = api.get(fileOf(alone), { signal: other.signal })
  await expect.poll(() => relay.held.size, SOON).toBe(1)
  expect(filesOfGateway(world)).toHaveLength(2)
  other.abort()
  await expect(last).rejects.toThrow()
  // The fetch ends with its last waiter.
  await expect.poll(() => relay.held.size, SOON).toBe(0)
  await expect.poll(() => filesOfGateway(world).length, SOON).toBe(1)
  expect(await downloads(api)).toBe(0)
  relay.release()
  expect((await (await api.get(fileOf(alone))).arrayBuffer()).byteLength).toBe(bytes.length)
  await world.closeGateway(gateway)
})

test('[GATEWAY-7.14] a reader that stands still for a minute is cut off', async ({ clock, world, alice, fileOf }) => {
  const { gateway, api, path } = await talking(world, alice, { clock })
  const sent = await sentFile(api, path, new Uint8Array(size))
  const socket = connect(gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${fileOf(sent.id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`)
  await once(socket, 'readable')
  expect(await downloads(api)).toBe(1)
  const passTimeAndLook = async () => {
    clock.leap(gatewayLimits.fileIdleMs)
    return await downloads(api)
  }
  await expect.poll(passTimeAndLook, SOON).toBe(0)
  // It resumes only now, too late.
  socket.resume()
  await expect.poll(() => socket.closed, SOON).toBe(true)
  expect(socket.bytesRead).toBeLessThan(size)
})

test('[GATEWAY-7.14] a fault behind the first byte cuts the connection: half a file never looks whole', async ({
  world,
  fileOf,
  talking: { api, path },
}) => {
  const sent = await sentFile(api, path, Buffer.alloc(3_000_000, 7))
  const answer = await api.get(fileOf(sent.id))
  expect((await answer.arrayBuffer()).byteLength).toBe(3_000_000)
  const [kept = ''] = filesOfGateway(world)
  const bytes = readFileSync(kept)
  bytes.writeUInt8((bytes[2_900_000] ?? 0) ^ 1, 2_900_000)
  writeFileSync(kept, bytes)
  for (const blob of blobsAtRelay(world)) rmSync(blob)
  const cut = await api.get(fileOf(sent.id))
  expect(cut.status).toBe(200)
  await expect(cut.arrayBuffer()).rejects.toThrow()
})
