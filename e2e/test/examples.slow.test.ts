// The bots of examples/ as processes: alice presses, votes and sends files, and sees the answers.
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, privateChatId } from '@postern/protocol'
import { type TestGateway, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { ApiProxy } from './api-proxy.ts'
import { EXAMPLES, startExample } from './example-bot.ts'

async function chatWith(gateway: TestGateway, who: TestPerson): Promise<ChatId> {
  await gateway.client.whenOnline(WITHIN)
  await who.openInvite(gateway.client.identity.me().inviteUrl)
  return privateChatId(gateway.client.account)
}

const test = base
  .extend('gateway', ({ world }) => world.gateway())
  .extend('proxy', async ({ gateway }, { onCleanup }) => {
    const proxy = new ApiProxy(gateway.url)
    onCleanup(() => proxy[Symbol.dispose]())
    return { proxy, env: { POSTERN_URL: await proxy.listen(), BOT_TOKEN: gateway.token } }
  })
  .extend('chat', ({ alice, gateway }) => chatWith(gateway, alice))
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-examples-'))
    onCleanup(() => rmSync(directory, { recursive: true }))
    return directory
  })

/** The examples that import bot.ts. */
const USING_SDK = ['deploy-buttons', 'poll', 'alerts', 'file']

const press = (who: TestPerson, { chat_id, id }: Message, data: string) =>
  who.client.messages.press(chat_id, { message: id, data }, WITHIN)

test('[EXAMPLES-1.1] started in another directory they ask the gateway; echo stands alone', async ({
  directory,
  proxy: { proxy, env },
}) => {
  cpSync(join(EXAMPLES, 'typescript/echo.ts'), join(directory, 'echo.ts'))
  const place = join(EXAMPLES, 'typescript')
  for (const path of [join(directory, 'echo.ts'), ...USING_SDK.map(name => join(place, `${name}.ts`))]) {
    const before = proxy.seen.length
    const bot = startExample(path, {
      env: { ...env, ALERTS_FILE: join(directory, 'alerts.json') },
      words: ['http://127.0.0.1:1'],
    })
    await expect.poll(() => proxy.seen.length).toBeGreaterThan(before)
    await bot.kill()
    expect(bot.stderr).toBe('')
  }
})

test('[EXAMPLES-1.1] an example is one file beside bot.ts, which only names the SDK', () => {
  const sources = ['bot', ...USING_SDK].map(name => readFileSync(join(EXAMPLES, 'typescript', `${name}.ts`), 'utf8'))
  const [bot = '', ...examples] = sources
  expect(bot.trim().split('\n')).toHaveLength(5)
  for (const example of examples)
    expect([...example.matchAll(/^import .* from '([^']+)'$/gm)].map(([, from]) => from)).toContain('./bot.ts')
})

test.for(USING_SDK.filter(name => name !== 'alerts'))(
  '[EXAMPLES-1.6] with a wrong token %s ends, and says why',
  async (name, { proxy: { env } }) => {
    const stranger = startExample(`typescript/${name}.ts`, { env: { ...env, BOT_TOKEN: 'guessed' } })
    expect([await stranger.exited, stranger.stderr]).toEqual([1, expect.stringContaining('unauthorized')])
  },
)

test('[EXAMPLES-2.1] a press is heard, runs the command once, and the message says what came of it', async ({
  alice,
  bob,
  chat,
  gateway,
  directory,
  proxy: { env },
}) => {
  const ran = join(directory, 'ran')
  const mayDeploy = { ...env, DEPLOYERS: `${alice.id}, ${bob.id}` }
  startExample('typescript/deploy-buttons.ts', { env: mayDeploy, words: ['sh', '-c', `echo run >>${ran}`] })
  await alice.say(chat, '/deploy')
  const { message: asked } = await alice.next('message')
  expect(asked).toMatchObject({ text: 'Deploy?', buttons: [[{ text: 'Deploy' }, { text: 'Not now' }]] })
  const id = await press(alice, asked, 'deploy')
  const again = await press(alice, asked, 'deploy')
  expect((await alice.next('toast')).toast).toEqual({ press_id: id, text: 'I heard you.' })
  expect((await alice.next('edited')).message.text).toBe('Deploying …')
  const { message: settled } = await alice.next('edited')
  expect([settled.text, settled.buttons ?? []]).toEqual(['Deployed, by alice.', []])
  expect((await alice.next('toast')).toast.press_id).toBe(again)

  const other = await chatWith(gateway, bob)
  await bob.say(other, '/start')
  await press(bob, (await bob.next('message')).message, 'drop')
  expect((await bob.next('edited')).message.text).toBe('Not deployed, by bob.')
  expect(readFileSync(ran, 'utf8')).toBe('run\n')
  expect(gateway.client.identity.me().commands).toMatchObject([{ name: 'deploy' }])
})

test('[EXAMPLES-2.1] a command that fails, or is not there, is said so', async ({ alice, chat, proxy: { env } }) => {
  const commands = [['sh', '-c', 'exit 3'], ['no-such-program']]
  for (const words of commands) {
    const bot = startExample('typescript/deploy-buttons.ts', { env: { ...env, DEPLOYERS: alice.id }, words })
    await alice.say(chat, '/deploy')
    await press(alice, (await alice.next('message')).message, 'deploy')
    const { message } = await alice.next('edited', event => event.message.text?.startsWith('Failed') ?? false)
    expect(message.text).toMatch(words.length > 1 ? /^Failed with 3,/ : /^Failed with Error: spawn no-such-program/)
    await bot.kill()
  }
})

test('[EXAMPLES-2.2] killed while its command runs it runs it again; the press is settled once', async ({
  alice,
  chat,
  directory,
  proxy: { env: address },
}) => {
  const ran = join(directory, 'ran')
  const env = { ...address, DEPLOYERS: alice.id }
  const example = 'typescript/deploy-buttons.ts'
  const first = startExample(example, { env, words: ['sh', '-c', `echo run >>${ran}; exec sleep 600`] })
  await alice.say(chat, '/deploy')
  const { message: asked } = await alice.next('message')
  await press(alice, asked, 'deploy')
  await expect.poll(() => existsSync(ran)).toBe(true)
  await first.kill()
  const second = startExample(example, { env, words: ['sh', '-c', `echo run >>${ran}`] })
  await alice.next('edited', ({ message }) => message.text === 'Deployed, by alice.')
  await second.kill()
  const third = startExample(example, { env })
  await alice.say(chat, '/deploy')
  await alice.next('message')
  expect([readFileSync(ran, 'utf8'), third.stderr]).toEqual(['run\nrun\n', ''])
})

test('[EXAMPLES-2.2] a press that nobody answered within its minute runs nothing', async ({
  world,
  alice,
  clock,
  directory,
}) => {
  const gateway = await world.gateway({}, { clock })
  const chat = await chatWith(gateway, alice)
  const env = { POSTERN_URL: gateway.url, BOT_TOKEN: gateway.token, DEPLOYERS: alice.id }
  const words = ['sh', '-c', `echo run >>${join(directory, 'ran')}`]
  const first = startExample('typescript/deploy-buttons.ts', { env, words })
  await alice.say(chat, '/deploy')
  const { message: asked } = await alice.next('message')
  await first.kill()
  await press(alice, asked, 'deploy')
  await expect.poll(async () => JSON.stringify(await gateway.api('GET', '/v1/updates'))).toContain('"button"')
  clock.leap(61_000)
  const second = startExample('typescript/deploy-buttons.ts', { env, words })
  await second.complains('The press of alice came too late.')
  expect(existsSync(join(directory, 'ran'))).toBe(false)
  expect(alice.client.messages.get(chat, asked.id).buttons?.flat()).toHaveLength(2)
})

test.for([
  { title: 'a press of somebody who is not on the list', deployers: (other: string) => ({ DEPLOYERS: other }) },
  { title: 'without a list, any press', deployers: () => ({}) },
])(
  '[EXAMPLES-2.6] $title runs nothing, and is answered with the id of whoever pressed',
  async ({ deployers }, { alice, bob, chat, directory, proxy: { env } }) => {
    const ran = join(directory, 'ran')
    const words = ['sh', '-c', `echo run >>${ran}`]
    const bot = startExample('typescript/deploy-buttons.ts', { env: { ...env, ...deployers(bob.id) }, words })
    await alice.say(chat, '/deploy')
    const { message: asked } = await alice.next('message')
    for (const data of ['deploy', 'drop']) {
      await press(alice, asked, data)
      expect((await alice.next('toast')).toast.text).toBe(`You may not deploy: DEPLOYERS lacks ${alice.id}.`)
    }
    await bot.complains(alice.id)
    // Presses are handled in order: the bot has finished with the first one when it answers the second.
    expect(existsSync(ran)).toBe(false)
    expect(alice.client.messages.get(chat, asked.id)).toMatchObject({ text: 'Deploy?', buttons: [[{}, {}]] })
  },
)

test('[EXAMPLES-2.3] asks, ends the poll when it is told to, and tells the result once', async ({
  alice,
  chat,
  proxy: { proxy, env },
}) => {
  const example = 'typescript/poll.ts'
  const said = await alice.say(chat, '/poll Lunch? Pizza,  Soup , Nothing')
  const first = startExample(example, { env })
  await proxy.meddled(({ line }) => (line.endsWith('/polls') ? 'lose' : 'pass'))
  await first.kill()
  proxy.meddle = () => 'pass'
  const second = startExample(example, { env })
  const { message: asked } = await alice.next('message')
  expect(asked.poll).toMatchObject({
    question: 'Lunch?',
    options: [{ text: 'Pizza' }, { text: 'Soup' }, { text: 'Nothing' }],
    close_ts: said.ts + 3_600_000,
  })
  await alice.client.messages.vote(chat, { message: asked.id, options: [1] }, WITHIN)
  const results = proxy.meddled(({ key }) => (key?.startsWith('result') ? 'lose' : 'pass'))
  await alice.client.messages.sendText(chat, { text: '/close', replyTo: asked.id }, WITHIN)
  await results
  await second.kill()
  proxy.meddle = () => 'pass'
  const third = startExample(example, { env })
  await alice.say(chat, '/poll what')
  await alice.hears('Ask like this: /poll Lunch? Pizza, Soup')
  expect(alice.texts(chat).filter(text => text.startsWith('Soup'))).toEqual(['Soup, votes: 1.'])
  expect([proxy.requests('POST').filter(({ line }) => line.endsWith('/polls')).length, third.stderr]).toEqual([2, ''])
})

test('[EXAMPLES-2.3] of a draw it tells all; polls of people and chatter are left alone', async ({
  alice,
  bob,
  chat,
  gateway,
  proxy: { env },
}) => {
  startExample('typescript/poll.ts', { env })
  const members = [bob.id, gateway.client.account]
  const { id: group } = await alice.client.chats.createGroup({ name: 'all', members }, WITHIN)
  const mine = { question: 'Mine?', options: ['a', 'b'], multiple: false }
  const own = await alice.client.messages.sendPoll(group, mine, WITHIN)
  await alice.client.messages.closePoll(group, own.id, WITHIN)
  for (const text of ['chatter', '/deploy']) await alice.say(group, text)
  for (const expected of ['Nobody has voted.', 'Red and Blue, votes: 1.']) {
    await alice.say(group, '/poll@bot Which?\nRed\nBlue')
    const [{ message: asked }] = await Promise.all([
      alice.next('message'),
      bob.next('message', ({ message }) => message.from.id === gateway.client.account),
    ])
    if (expected.startsWith('Red'))
      for (const [option, voter] of [alice, bob].entries())
        await voter.client.messages.vote(group, { message: asked.id, options: [option] }, WITHIN)
    await alice.client.messages.sendText(group, { text: '/close', replyTo: asked.id }, WITHIN)
    expect((await alice.next('message')).message).toMatchObject({ text: expected, reply_to: asked.id })
    await bob.hears(expected)
  }
  expect(alice.texts(chat)).toEqual([])
})

test('[EXAMPLES-2.4] who has a chat is told once that an address fails, and once that it is well again', async ({
  alice,
  bob,
  carol,
  chat,
  gateway,
  directory,
  proxy: { proxy, env },
}) => {
  const watched = { status: 500, looks: 0 }
  await using server = createServer((_, answer) => {
    watched.looks += 1
    answer.writeHead(watched.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await chatWith(gateway, bob)
  for (const one of [alice, bob]) await one.say(chat, 'here I am')
  await expect.poll(async () => (await gateway.api<unknown[]>('GET', '/v1/chats')).body.length).toBe(2)
  const started = {
    env: { ...env, ALERTS_FILE: join(directory, 'alerts.json'), EVERY_SECONDS: '0.05' },
    words: [address],
  }

  // Killed after one of them got the message, and the other did not.
  const first = startExample('typescript/alerts.ts', started)
  await proxy.meddled(({ line }, before) => (before.length > 1 && line.startsWith('POST') ? 'keep' : 'pass'))
  await first.kill()
  proxy.meddle = () => 'pass'
  startExample('typescript/alerts.ts', started)
  const bad = `🔴 ${address} answers 500.`
  const good = `🟢 ${address} is well again.`
  for (const one of [alice, bob]) await one.hears(bad)
  await chatWith(gateway, carol)
  await carol.say(chat, 'what did I miss?')
  await carol.hears(bad)
  watched.status = 200
  for (const one of [alice, bob, carol]) await one.hears(good)
  const { looks } = watched
  await expect.poll(() => watched.looks).toBeGreaterThan(looks + 2)
  for (const one of [alice, bob]) expect(one.texts(chat)).toEqual(['here I am', bad, good])

  watched.status = 503
  await alice.hears(`🔴 ${address} answers 503.`)
  server.closeAllConnections()
})

async function sendFile(
  who: TestPerson,
  chat: ChatId,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<Message> {
  const source = async function* () {
    yield bytes
  }
  const draft = await who.client.files.draft(source())
  const type = 'application/octet-stream'
  const sent = await who.client.files.send(chat, { draft, name, type, kind: 'file' }, WITHIN)
  await draft.discard()
  return sent
}

async function bytesOf(who: TestPerson, chat: ChatId, { id }: Message): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync((await who.client.files.open(chat, id, WITHIN)).read()))
}

test('[EXAMPLES-2.5] a file comes back compressed, under its name', async ({ alice, chat, proxy: { env } }) => {
  const bot = startExample('typescript/file.ts', { env })
  for (const name of ['notes.txt', `"; name="caption"; ö'*%22.txt`, 'Пётр (1).txt']) {
    const bytes = Buffer.from(`the same words, ${'again and '.repeat(10_000)}`)
    const sent = await sendFile(alice, chat, { name, bytes })
    const { message: back } = await alice.next('message')
    expect(back).toMatchObject({ reply_to: sent.id, file: { name: `${sent.file?.name}.gz`, type: 'application/gzip' } })
    expect(back.file?.size).toBeLessThan(1000)
    expect(gunzipSync(await bytesOf(alice, chat, back)).equals(bytes)).toBe(true)
  }
  expect(bot.stderr).toBe('')
})

test('[EXAMPLES-2.5] it streams, begins a broken transfer anew, and sends one file', async ({
  alice,
  chat,
  proxy: { proxy, env },
}) => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at.toString(36)).join())
  const example = 'typescript/file.ts'
  // The rest of the file arrives once its upload has begun; the answer to that is lost, and the bot is killed.
  const first = startExample(example, { env })
  const lost = proxy.meddled(({ line }) =>
    line.endsWith('/files') ? 'lose' : line.endsWith('/file') ? 'halt' : 'pass',
  )
  const sent = await sendFile(alice, chat, { name: 'long.txt', bytes })
  await lost
  await first.kill()
  const spoilt = ['cut' as const]
  proxy.meddle = ({ line }) => (line.endsWith('/file') ? (spoilt.shift() ?? 'pass') : 'pass')
  const second = startExample(example, { env })
  await second.complains('\n')
  await alice.say(chat, 'no file')
  const { message: back } = await alice.next('message')
  expect(back).toMatchObject({ reply_to: sent.id, file: { name: 'long.txt.gz' } })
  expect(gunzipSync(await bytesOf(alice, chat, back)).equals(bytes)).toBe(true)
  await alice.hears('Send me a file.')
  const uploads = proxy.requests('POST').filter(({ line }) => line.endsWith('/files'))
  expect(uploads.length).toBeGreaterThan(1)
  expect(new Set(uploads.map(({ key }) => key)).size).toBe(1)
  expect(alice.client.messages.list(chat, { beforeTs: Number.MAX_SAFE_INTEGER, limit: 100 })).toHaveLength(4)
})
