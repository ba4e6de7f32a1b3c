// `postern person` sends files of its machine and saves those of others.
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileInfo, Message } from '@postern/bot-api/objects'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { freePort } from '@postern/testkit/free-port'
import { expect } from 'vitest'
import { HoldingProxy } from './holding-proxy.ts'
import { png } from './png.ts'
import { ScriptedPerson } from './scripted-person.ts'

/** The chat of the one with the other. */
async function bothReady(alice: ScriptedPerson, bob: ScriptedPerson): Promise<string> {
  await alice.ready()
  return (await bob.ready()).id
}

async function heardFile(who: ScriptedPerson, name: string): Promise<Message & { file: FileInfo }> {
  const isIt = (line: Record<string, unknown>) => (line['message'] as Message | undefined)?.file?.name === name
  return (await who.line(line => line.event === 'message' && isIt(line)))['message'] as Message & { file: FileInfo }
}

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const badPath = { code: 'bad_request', error: expect.stringMatching(/^path: /) }

const test = base
  .extend('proxyPort', { scope: 'file' }, () => freePort())
  .extend('worldOptions', { scope: 'file' }, ({ proxyPort }) => ({ relayHosts: [`127.0.0.1:${proxyPort}`] }))
  .extend('desk', { scope: 'file' }, ({ world }) => join(world.directory, 'desk'))
  .extend(
    'person',
    ({ world }) =>
      (name: string, relayUrl = world.relayUrl) =>
        new ScriptedPerson(['--relay', relayUrl, '--data', join(world.directory, name), '--name', name]),
  )
  .extend('onDesk', ({ desk }) => (name: string, bytes: Uint8Array): string => {
    const path = join(desk, name)
    writeFileSync(path, bytes)
    return path
  })
  /** Leftovers of a transfer next to the files. */
  .extend(
    'leftBehind',
    ({ desk }) =>
      (folder = desk) =>
        readdirSync(folder).filter(name => name.endsWith('.part')),
  )

test.beforeAll(async ({ desk }) => {
  mkdirSync(desk)
})

test('[CLI-2.7] a file arrives with its name, size, type and caption, and is saved with the same bytes', async ({
  person,
  onDesk,
  desk,
  leftBehind,
}) => {
  await using alice = person('alice')
  await using bob = person('bob')
  const [aliceMe, bobMe] = [await alice.ready(), await bob.ready()]
  const path = onDesk('report 2030.csv', randomBytes(3_000_000))
  const sent = await alice.do('file', { chat: bobMe.id, path, caption: 'the figures' })
  const file = { name: 'report 2030.csv', size: 3_000_000, type: 'text/csv', kind: 'file' }
  expect(sent).toMatchObject({ text: 'the figures', file, from: { name: 'alice' } })
  const heard = await heardFile(bob, file.name)
  expect(heard).toMatchObject({ id: sent['id'], text: 'the figures', file })
  const copy = join(desk, 'copy.csv')
  expect(await bob.do('download', { chat: aliceMe.id, message: heard.id, path: copy })).toEqual(file)
  expect(sha256(copy)).toBe(sha256(path))
  // The sender has it, too; an existing file is replaced as a whole.
  expect(await alice.do('download', { chat: bobMe.id, message: heard.id, path: copy })).toEqual(file)
  expect(sha256(copy)).toBe(sha256(path))
  expect(leftBehind()).toEqual([])

  expect(await alice.do('edit', { chat: bobMe.id, message: heard.id, text: '' })).not.toHaveProperty('text')
  expect((await bob.line(line => line.event === 'edited'))['message']).not.toHaveProperty('text')
  expect(await alice.do('delete', { chat: bobMe.id, message: heard.id })).toEqual({})
  await bob.line(line => line.event === 'deleted')
  const gone = await bob.ask('download', { chat: aliceMe.id, message: heard.id, path: copy })
  expect(gone).toMatchObject({ code: 'not_found' })
})

test('[CLI-2.7] a photo has its size and a preview; what cannot be shown as one is said, or goes as a file', async ({
  person,
  onDesk,
}) => {
  await using alice = person('photographer')
  await using bob = person('visitor')
  const chat = await bothReady(alice, bob)
  const photo = { width: 640, height: 400, kind: 'photo', type: 'image/png', preview: expect.stringMatching(/^data:/) }
  const path = onDesk('lake.png', png(640, 400))
  expect(await alice.do('file', { chat, path })).toMatchObject({ file: photo })
  expect(await heardFile(bob, 'lake.png')).toMatchObject({ file: photo })
  const asFile = (await alice.do('file', { chat, path, kind: 'file' })) as unknown as Message
  expect(asFile.file).toEqual({ name: 'lake.png', size: statSync(path).size, type: 'image/png', kind: 'file' })

  const cut = onDesk('cut.png', png(640, 400).subarray(0, 60))
  expect(await alice.do('file', { chat, path: cut })).toMatchObject({ file: { kind: 'file' } })
  expect(await alice.ask('file', { chat, path: cut, kind: 'photo' })).toMatchObject({
    code: 'bad_request',
    error: expect.stringMatching(/^kind: /),
  })
  const empty = onDesk('empty', new Uint8Array())
  expect(await alice.do('file', { chat, path: empty })).toMatchObject({ file: { size: 0, name: 'empty' } })
})

test('[CLI-2.29] files are sent as one album, and none of them if one cannot be read', async ({
  person,
  onDesk,
  desk,
}) => {
  await using alice = person('collector')
  await using bob = person('looker')
  const chat = await bothReady(alice, bob)
  const paths = ['one.png', 'two.png'].map(name => onDesk(name, png(64, 40)))
  const broken = await alice.ask('album', { chat, paths: [...paths, join(desk, 'none.png')] })
  expect(broken).toMatchObject(badPath)
  expect(await alice.ask('album', { chat, paths: [] })).toMatchObject({ code: 'bad_request' })
  const sent = (await alice.do('album', { chat, paths, caption: 'both' })) as unknown as Message[]
  expect(sent.map(({ file, text }) => [file?.name, file?.kind, text])).toEqual([
    ['one.png', 'photo', 'both'],
    ['two.png', 'photo', undefined],
  ])
  const [first, second] = [await heardFile(bob, 'one.png'), await heardFile(bob, 'two.png')]
  expect([first.id, second.id]).toEqual(sent.map(({ id }) => id))
  expect(first.album).toEqual(expect.any(String))
  expect(second.album).toBe(first.album)
  expect(sent[1]?.album).toBe(first.album)
})

test('[CLI-2.8] a path that cannot be read, and a chat that is not there, are said, and nothing is sent', async ({
  person,
  desk,
  onDesk,
}) => {
  await using alice = person('clumsy')
  await using bob = person('patient')
  const chat = await bothReady(alice, bob)
  await alice.do('send', { chat, text: 'hello' })
  for (const path of [join(desk, 'missing'), desk, '/dev/null', 'a\0b', join(desk, 'a', 'b')])
    expect(await alice.ask('file', { chat, path }), `path ${path}`).toMatchObject(badPath)
  expect(await alice.ask('file', { chat })).toMatchObject(badPath)
  const path = onDesk('fine.txt', randomBytes(10))
  expect(await alice.ask('file', { chat: 'a'.repeat(32), path })).toMatchObject({ code: 'not_found' })
  expect(await alice.ask('file', { chat, path, caption: 'x'.repeat(4097) })).toMatchObject({
    error: expect.stringMatching(/^caption: /),
  })
  expect(await alice.ask('file', { chat, path, kind: 'song' })).toMatchObject({
    error: expect.stringMatching(/^kind: /),
  })
  expect(await alice.do('messages', { chat })).toHaveLength(1)
})

test('[CLI-2.9] a download makes no directories, replaces nothing but files, and leaves nothing when it fails', async ({
  person,
  onDesk,
  desk,
  leftBehind,
}) => {
  await using alice = person('saver')
  await using author = person('author')
  const { id: me } = await alice.ready()
  const { id: chat } = await author.ready()
  await author.do('send', { chat: me, text: 'no file' })
  await alice.line(line => line.event === 'message')
  const path = onDesk('mine.txt', randomBytes(10))
  const sent = (await alice.do('file', { chat, path })) as unknown as Message
  const save = (target: string) => alice.ask('download', { chat, message: sent.id, path: target })
  for (const target of [join(desk, 'no', 'such', 'folder'), desk, '/dev/null', join(path, 'below')])
    expect(await save(target), `path ${target}`).toMatchObject(badPath)
  expect(existsSync(join(desk, 'no'))).toBe(false)
  const text = alice.messages()[0]?.id
  const kept = onDesk('kept.txt', Buffer.from('kept'))
  expect(await alice.ask('download', { chat, message: text, path: kept })).toMatchObject({ code: 'not_found' })
  expect(readFileSync(kept, 'utf8')).toBe('kept')
  expect(leftBehind()).toEqual([])
})

test.runIf(process.getuid?.() !== 0)(
  '[CLI-2.9] a folder that may not be written is said',
  async ({ person, onDesk, desk }) => {
    await using alice = person('outsider')
    await using bob = person('insider')
    const chat = await bothReady(alice, bob)
    const { id: message } = await alice.do('file', { chat, path: onDesk('a.txt', randomBytes(10)) })
    const closed = join(desk, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    expect(await alice.ask('download', { chat, message, path: join(closed, 'a.txt') })).toMatchObject(badPath)
  },
)

test('[CLI-2.9] [CLI-2.10] transfers hold nobody up; one that is killed leaves nothing after the next start', async ({
  world,
  proxyPort,
  person,
  onDesk,
  desk,
  leftBehind,
}) => {
  await using proxy = await HoldingProxy.before(world.relayUrl, proxyPort)
  await using alice = person('hasty', proxy.url)
  await using bob = person('slow', proxy.url)
  const chat = await bothReady(alice, bob)
  const path = onDesk('large.bin', randomBytes(2_000_000))
  const uploadHeld = proxy.hold()
  const sending = alice.do('file', { chat, path })
  await uploadHeld
  expect(await alice.do('send', { chat, text: 'meanwhile' })).toMatchObject({ text: 'meanwhile' })
  const group = await alice.do('group', { name: 'others', members: [] })
  expect(await alice.do('rename', { chat: group['id'], name: 'elsewhere' })).toMatchObject({ name: 'elsewhere' })
  expect(await alice.do('messages', { chat })).toHaveLength(1)
  proxy.release()
  const { id: message } = await sending

  await heardFile(bob, 'large.bin')
  const shelf = join(desk, 'shelf')
  mkdirSync(shelf)
  const from = (await alice.do('me'))['id']
  const downloadHeld = proxy.hold()
  bob.write(JSON.stringify({ do: 'download', chat: from, message, path: join(shelf, 'large.bin') }))
  await downloadHeld
  expect(await bob.do('send', { chat: from, text: 'patience' })).toMatchObject({ text: 'patience' })
  expect(leftBehind(shelf)).toHaveLength(1)
  await bob.end('SIGKILL')
  proxy.release()
  await using again = person('slow', proxy.url)
  await again.ready()
  expect(readdirSync(shelf)).toEqual([])
  await again.do('download', { chat: from, message, path: join(shelf, 'large.bin') })
  expect(sha256(join(shelf, 'large.bin'))).toBe(sha256(path))
})

test('[CLI-2.10] SIGTERM ends transfers: each is answered, nothing half is left, and the exit code is 0', async ({
  world,
  proxyPort,
  person,
  onDesk,
  desk,
  leftBehind,
}) => {
  await using proxy = await HoldingProxy.before(world.relayUrl, proxyPort)
  await using alice = person('leaving', proxy.url)
  await using bob = person('staying')
  const chat = await bothReady(alice, bob)
  const { id: message } = await alice.do('file', { chat, path: onDesk('small.bin', randomBytes(1000)) })
  const held = proxy.hold()
  alice.write(JSON.stringify({ id: 'up', do: 'file', chat, path: onDesk('big.bin', randomBytes(2_000_000)) }))
  await held
  expect(await alice.do('download', { chat, message, path: join(desk, 'small copy') })).toHaveProperty('size', 1000)
  expect(await alice.end('SIGTERM')).toBe(0)
  expect(alice.lines.find(({ id }) => id === 'up')).toMatchObject({ code: 'unavailable' })
  expect(leftBehind(join(world.directory, 'leaving', 'files'))).toEqual([])
})
