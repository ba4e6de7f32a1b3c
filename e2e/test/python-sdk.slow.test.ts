// The SDK for Python: bots as processes, which are killed, refused and cut off, and people who see each answer once.
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { makeOpenapi } from '@postern/bot-api'
import { contentLimits, privateChatId } from '@postern/protocol'
import { freePort, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect, onTestFinished } from 'vitest'
import { ApiProxy, type Meddling, type SeenRequest } from './api-proxy.ts'
import { missingFor, startExample } from './example-bot.ts'

const SDK = join(import.meta.dirname, '../../sdk/python')
const bots = { echo: join(SDK, 'test/echo_bot.py'), every: join(SDK, 'test/every_bot.py') }
const PYTHONPATH = SDK
const { textCharsMax } = contentLimits

const missing = missingFor(bots.echo)
if (missing.length > 0) console.warn(`${missing.join(' and ')} not installed here: the SDK for Python is not tried`)

const test = base
  .extend('gateway', ({ world }) => world.gateway())
  .extend('proxy', async ({ gateway }, { onCleanup }) => {
    const proxy = new ApiProxy(gateway.url)
    onCleanup(() => proxy[Symbol.dispose]())
    return { proxy, env: { POSTERN_URL: await proxy.listen(), BOT_TOKEN: gateway.token, PYTHONPATH } }
  })
  /** The chat that alice has with the bot. */
  .extend('chat', async ({ alice, gateway }) => {
    await gateway.client.whenOnline(WITHIN)
    await alice.openInvite(gateway.client.identity.me().inviteUrl)
    return privateChatId(gateway.client.account)
  })

const isSend = (line: string) => line.startsWith('POST ')
const keysOf = (proxy: ApiProxy) => proxy.seen.filter(({ line }) => isSend(line)).map(({ key }) => key)

describe.skipIf(missing.length > 0)('a bot with the SDK for Python', () => {
  const hasSent = (before: SeenRequest[]) => before.some(({ line }) => isSend(line))
  const moments: [string, ApiProxy['meddle']][] = [
    ['before it has answered', ({ line }) => (isSend(line) ? 'keep' : 'pass')],
    ['before it hears that it has answered', ({ line }) => (isSend(line) ? 'lose' : 'pass')],
    ['between the answer and the confirmation', (_, before) => (hasSent(before) ? 'keep' : 'pass')],
  ]
  test.for(moments)(
    '[PYTHON-1.1] killed %s it is started again, and has answered once',
    async ([, moment], { alice, chat, proxy: { proxy, env } }) => {
      await alice.say(chat, 'once')
      const first = startExample(bots.echo, { env })
      await proxy.meddled(moment)
      await first.kill()
      proxy.meddle = () => 'pass'
      startExample(bots.echo, { env })
      await alice.say(chat, 'end')
      await alice.hears('end')
      expect(alice.texts(chat).toSorted()).toEqual(['end', 'end', 'once', 'once'])
      const keys = keysOf(proxy)
      expect([keys[0], keys[1]]).toEqual([expect.stringMatching(/^u\d+\.1$/), keys[0]])
    },
  )

  test('[PYTHON-1.2] a call that is refused for the moment is repeated under its key; another refusal is not', async ({
    alice,
    chat,
    proxy: { proxy, env },
  }) => {
    for (const text of ['refused', 'patience']) await alice.say(chat, text)
    const refusals: Meddling[] = [
      { status: 400, text: '{"error": "Not this one.", "code": "bad_request"}' },
      { status: 503, headers: { 'retry-after': '0' }, text: '{"error": "Later.", "code": "unavailable"}' },
      'cut',
    ]
    proxy.meddle = ({ line }) => (isSend(line) ? (refusals.shift() ?? 'pass') : 'pass')
    const bot = startExample(bots.echo, { env })
    await alice.hears('patience')
    expect(new Set(keysOf(proxy).slice(1)).size).toBe(1)
    expect(alice.texts(chat)).toEqual(['refused', 'patience', 'patience'])
    await bot.kill()
    const stranger = startExample(bots.echo, { env: { ...env, BOT_TOKEN: 'guessed' } })
    expect([await stranger.exited, stranger.stderr]).toEqual([1, expect.stringContaining('token')])
  })

  test('[PYTHON-1.3] a handler that fails is run again, sends nothing twice, and is passed over at last', async ({
    alice,
    chat,
    proxy: { env },
  }) => {
    startExample(bots.every, { env })
    for (const text of ['/broken', '/two', '/two words', 'nobody answers this', '/poll']) await alice.say(chat, text)
    await alice.hears('failed after 3: a fault of the handler')
    await expect.poll(() => alice.texts(chat).filter(text => text === 'two')).toHaveLength(2)
  })

  test('[PYTHON-1.3] a step that would send another text at its second run has sent the first one', async ({
    alice,
    chat,
    proxy: { env },
  }) => {
    startExample(bots.every, { env })
    await alice.say(chat, '/once')
    await alice.hears('after it')
    expect(alice.texts(chat)).toEqual(['/once', 'try 1', 'after it'])
  })

  test('[PYTHON-1.4] buttons, polls and files; a press without an answer gets one', async ({
    alice,
    chat,
    proxy: { proxy, env },
  }) => {
    startExample(bots.every, { env })
    await alice.say(chat, '/menu of the day')
    const { message } = await alice.next('message', event => event.message.text === 'menu of the day')
    await alice.client.messages.press(chat, { message: message.id, data: 'no' }, WITHIN)
    await expect.poll(() => alice.texts(chat)).toContain('not gone')
    await expect.poll(() => proxy.seen.some(({ line }) => line.includes('/presses/'))).toBe(true)
    await alice.say(chat, '/menu again')
    const again = await alice.next('message', event => event.message.text === 'menu again')
    await alice.client.messages.press(chat, { message: again.message.id, data: 'go:1' }, WITHIN)
    await alice.hears('done')
    expect(keysOf(proxy)).toContainEqual(expect.stringMatching(/^u\d+\.result$/))
    await alice.say(chat, '/poll')
    await alice.next('message', event => event.message.poll?.question === 'Lunch?')
    const draft = await alice.client.files.draft(Readable.from([new Uint8Array(300_000).fill(7)]))
    const file = { draft, name: 'numbers.bin', type: 'application/octet-stream', kind: 'file' } as const
    await alice.client.files.send(chat, file, WITHIN)
    const copy = await alice.next('message', event => event.message.text === '300000 bytes')
    expect(copy.message.file).toMatchObject({ name: 'copy of "numbers.bin"', size: 300_000 })
    await alice.say(chat, '/draft')
    await alice.hears('all of it')
    expect(proxy.seen.some(({ line }) => line.includes('/draft'))).toBe(true)
    await alice.say(chat, '/album')
    const first = await alice.next('message', event => event.message.file?.name === 'a.txt')
    const second = await alice.next('message', event => event.message.file?.name === 'b.txt')
    expect(first.message).toMatchObject({ text: 'Both', album: expect.any(String), file: { size: 5 } })
    expect(second.message).toMatchObject({ album: first.message.album, file: { size: 6 } })
  })

  test('[PYTHON-1.8] a streamed text is shown while it grows, and is one message, also if no draft can be shown', async ({
    alice,
    chat,
    proxy: { proxy, env },
  }) => {
    startExample(bots.every, { env: { ...env, RETRY_FOR_S: '60' } })
    await alice.say(chat, '/stream')
    const said = await alice.hears('Half of it, and all')
    expect(said).toMatchObject({ entities: [{ type: 'bold', offset: 0, length: 7 }], reply_to: expect.any(String) })
    const drafts = () => proxy.seen.filter(({ line }) => line.includes('/draft')).length
    // One for each part that shows something.
    expect(drafts()).toBe(3)
    proxy.meddle = ({ line }) =>
      line.includes('/draft')
        ? { status: 503, headers: { 'retry-after': '0' }, text: '{"error": "No.", "code": "unavailable"}' }
        : 'pass'
    await alice.say(chat, '/stream')
    await alice.hears('Half of it, and all')
    expect(drafts()).toBe(6)
    expect(alice.texts(chat).filter(text => text.startsWith('Half'))).toHaveLength(2)
  })

  test('[PYTHON-1.8] a long one is divided between words, and fewer messages at the second run swallow no later step', async ({
    alice,
    chat,
    proxy: { proxy, env },
  }) => {
    startExample(bots.every, { env })
    await alice.say(chat, '/long')
    await alice.hears('behind it')
    const [, first = '', second = '', ...rest] = alice.texts(chat)
    expect(rest).toEqual(['behind it'])
    expect([first.length <= textCharsMax, first.endsWith('word')]).toEqual([true, true])
    expect(`${first} ${second}`.split(' ').filter(word => word === 'word')).toHaveLength(1000)
    expect(keysOf(proxy).map(key => key?.replace(/^u\d+/, ''))).toEqual(['.1', '.1.2', '.1', '.2'])
    const source = readFileSync(join(SDK, 'postern_sdk/stream_text.py'), 'utf8')
    expect(source).toContain(`TEXT_CHARS_MAX = ${textCharsMax}`)
  })

  test('[PYTHON-1.9] a message is forwarded and copied once, and typing is shown', async ({
    alice,
    chat,
    proxy: { proxy, env },
  }) => {
    await alice.say(chat, '/again and again')
    const first = startExample(bots.every, { env })
    await proxy.meddled(({ line }) => (line.includes('/forward') ? 'lose' : 'pass'))
    await first.kill()
    proxy.meddle = () => 'pass'
    startExample(bots.every, { env })
    await expect.poll(() => alice.texts(chat)).toEqual(Array.from({ length: 3 }, () => '/again and again'))
    const [, forwarded, copy] = alice.client.messages.list(chat, { limit: 3 })
    expect([forwarded?.forwarded, forwarded?.silent, copy?.forwarded, copy?.silent]).toEqual([
      true,
      undefined,
      undefined,
      true,
    ])
    expect(proxy.seen.some(({ line }) => line.includes('/typing'))).toBe(true)
  })

  test('[PYTHON-1.9] tokens are created, listed and revoked, and a webhook is set, paused and removed', async ({
    alice,
    chat,
    gateway,
  }) => {
    await expect.poll(() => gateway.client.chats.list().length).toBe(1)
    const words = [join(SDK, 'test/operator_calls.py'), alice.id, 'http://127.0.0.1:9/']
    const env = { ...process.env, POSTERN_URL: gateway.url, BOT_TOKEN: gateway.token, PYTHONPATH }
    const run = spawn('python3', words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void run.kill('SIGKILL'))
    expect(chat).toBeTruthy()
    expect(JSON.parse(await text(run.stdout))).toEqual({
      seen: [alice.id],
      listed: ['reads one chat'],
      refusal: 'forbidden',
      left: [],
      webhook: [true, false, true, false],
    })
  })

  test('[PYTHON-1.2] an update waits as long as the gateway has no relay, and its answers are sent once', async ({
    alice,
    chat,
    proxy: { proxy, env },
  }) => {
    await alice.say(chat, '/two')
    const away = { status: 503, headers: { 'retry-after': '1' }, text: '{"error": "No relay.", "code": "unavailable"}' }
    let refusals = 10
    // Longer than a call is repeated, and more often than a handler that fails is run.
    proxy.meddle = ({ line }) => (isSend(line) && refusals-- > 0 ? away : 'pass')
    startExample(bots.every, { env })
    await alice.hears('two')
    expect(alice.texts(chat)).toEqual(['/two', 'one', 'two'])
    expect(new Set(keysOf(proxy)).size).toBe(2)
  })

  test('[PYTHON-1.6] every Python from 3.9 on that is installed loads it, without a warning', () => {
    const versions = ['', '3.9', '3.10', '3.11', '3.12', '3.13', '3.14'].map(version => `python${version || '3'}`)
    const installed = versions.filter(command => spawnSync(command, ['--version']).status === 0)
    const loaded = installed.map(command => {
      const { status, stderr } = spawnSync(command, ['-W', 'error', '-c', 'import postern_sdk'], {
        env: { ...process.env, PYTHONPATH },
        encoding: 'utf8',
      })
      return { command, status, stderr }
    })
    expect(loaded).toEqual(installed.map(command => ({ command, status: 0, stderr: '' })))
  })

  test('[PYTHON-1.10] the objects have the fields of the API, and every type in them exists', () => {
    const program = [
      'import json, typing, postern_sdk.objects as objects',
      'print(json.dumps({name: [sorted(typing.get_type_hints(kind)), sorted(kind.__required_keys__)]',
      '  for name, kind in vars(objects).items() if hasattr(kind, "__required_keys__")}))',
    ].join('\n')
    const { stdout } = spawnSync('python3', ['-c', program], { env: { ...process.env, PYTHONPATH }, encoding: 'utf8' })
    const made = JSON.parse(stdout) as Record<string, [fields: string[], required: string[]]>
    const { schemas } = makeOpenapi({ version: '1' }).components
    for (const name of ['Message', 'Chat', 'Poll', 'FileInfo', 'Hook', 'Press', 'Reader']) {
      const { properties = {}, required = [] } = schemas[name] as { properties?: object; required?: string[] }
      expect([name, made[name]]).toEqual([name, [Object.keys(properties).toSorted(), required.toSorted()]])
    }
    const { oneOf } = schemas['Update'] as { oneOf: { $ref: string }[] }
    const kinds = oneOf.map(({ $ref }) => schemas[$ref.replace(/^.*\//, '')] as { properties: object })
    const fields = new Set(kinds.flatMap(({ properties }) => Object.keys(properties)))
    expect(made['Update']).toEqual([[...fields].toSorted(), ['chat_id', 'id', 'type']])
  })

  test('[PYTHON-1.5] a webhook answers to the gateway’s signature alone', async ({ world, alice }) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const secret = 'a long secret'
    const gateway = await world.gateway({
      ...{ DATA_DIR: join(world.directory, 'python-webhook'), WEBHOOK_URL: url, WEBHOOK_SECRET: secret },
    })
    const env = { POSTERN_URL: gateway.url, BOT_TOKEN: gateway.token, PYTHONPATH }
    const bot = startExample(join(SDK, 'test/webhook_bot.py'), { env, words: [String(port), secret] })
    await bot.complains('listening')
    await gateway.client.whenOnline(WITHIN)
    await alice.openInvite(gateway.client.identity.me().inviteUrl)
    const chat = privateChatId(gateway.client.account)
    const { id } = await alice.say(chat, 'over the webhook')
    expect((await alice.next('message')).message).toMatchObject({ text: 'over the webhook', reply_to: id })
    const body = JSON.stringify({ id: 1, type: 'notice', chat_id: chat })
    const signed = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const post = async (signature: string) =>
      (await fetch(url, { method: 'POST', body, headers: { 'x-service-signature': signature } })).status
    expect([await post(signed), await post(signed.replace(/.$/, '_')), await post('')]).toEqual([200, 401, 401])
    expect((await fetch(url)).status).toBe(405)
  })
})
