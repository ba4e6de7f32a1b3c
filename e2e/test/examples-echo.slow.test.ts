// The echo bots of examples/, in every language: alice's messages come back once, whatever happens in between.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateChatId } from '@postern/protocol'
import { freePort, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect, onTestFinished } from 'vitest'
import { ApiProxy, type Meddling, type SeenRequest } from './api-proxy.ts'
import { missingFor, startExample } from './example-bot.ts'

const test = base
  .extend('gateway', ({ world }) => world.gateway())
  .extend('proxy', async ({ gateway }, { onCleanup }) => {
    const proxy = new ApiProxy(gateway.url)
    onCleanup(() => proxy[Symbol.dispose]())
    return { proxy, env: { POSTERN_URL: await proxy.listen(), BOT_TOKEN: gateway.token } }
  })
  /** The chat that alice has with the bot. */
  .extend('chat', async ({ alice, gateway }) => {
    await gateway.client.whenOnline(WITHIN)
    await alice.openInvite(gateway.client.identity.me().inviteUrl)
    return privateChatId(gateway.client.account)
  })

const isSend = (line: string) => line.startsWith('POST ')

for (const example of ['typescript/echo.ts', 'python/echo.py', 'shell/echo.sh']) {
  const missing = missingFor(example)
  if (missing.length > 0) console.warn(`${missing.join(' and ')} not installed here: examples/${example} is not tried`)

  describe.skipIf(missing.length > 0)(example, () => {
    test('[EXAMPLES-1.2] says back each text as it is, whatever stands in it, in reply to it', async ({
      alice,
      chat,
      proxy: { env },
    }) => {
      const texts = [
        'Hello!',
        '@/etc/passwd',
        `-n "q" 'a' \`id\` $(id) $HOME \\n %s`,
        ' two\n\nlines \n',
        '👩‍👩‍👧 ё\u2028 "}]',
      ]
      const said = []
      for (const text of texts) said.push(await alice.say(chat, text))
      startExample(example, { env })
      for (const { id, text } of said)
        expect((await alice.next('message')).message).toMatchObject({ text, reply_to: id })
      expect(alice.texts(chat)).toEqual([...texts, ...texts])
    })

    test('[EXAMPLES-1.3] answers neither bots nor groups', async ({
      world,
      alice,
      bob,
      chat,
      gateway,
      proxy: { env },
    }) => {
      const robot = await world.person('robot', { bot: true })
      await robot.openInvite(gateway.client.identity.me().inviteUrl)
      await robot.say(chat, 'I am one')
      // The profile of a new person is fetched after their first message.
      await expect.poll(() => gateway.client.identity.profileOf(robot.id).bot).toBe(true)
      await robot.say(chat, 'beep')
      const members = [bob.id, gateway.client.account]
      const { id: group } = await alice.client.chats.createGroup({ name: 'all', members }, WITHIN)
      await alice.say(group, 'only for bob')
      await expect.poll(async () => JSON.stringify(await gateway.api('GET', '/v1/updates'))).toContain('only for bob')
      await alice.say(chat, 'end')
      startExample(example, { env })
      await alice.hears('end')
      const beeps = robot.texts(chat).filter(text => text === 'beep')
      expect([beeps, alice.texts(group), alice.texts(chat)]).toEqual([['beep'], ['only for bob'], ['end', 'end']])
    })

    const hasSent = (before: SeenRequest[]) => before.some(({ line }) => isSend(line))
    const moments: [string, ApiProxy['meddle']][] = [
      ['before it has answered', ({ line }) => (isSend(line) ? 'keep' : 'pass')],
      ['before it hears that it has answered', ({ line }) => (isSend(line) ? 'lose' : 'pass')],
      ['between the answer and the confirmation', (_, before) => (hasSent(before) ? 'keep' : 'pass')],
    ]
    test.for(moments)(
      '[EXAMPLES-1.4] killed %s it is started again, and has answered once',
      async ([, moment], { alice, chat, proxy: { proxy, env } }) => {
        await alice.say(chat, 'once')
        const first = startExample(example, { env })
        await proxy.meddled(moment)
        await first.kill()
        proxy.meddle = () => 'pass'
        const second = startExample(example, { env })
        await alice.say(chat, 'end')
        await alice.hears('end')
        expect(alice.texts(chat).toSorted()).toEqual(['end', 'end', 'once', 'once'])
        const keys = proxy.seen.filter(({ line }) => isSend(line)).map(({ key }) => key)
        expect([keys.length, keys[0], keys[1]]).toEqual([3, expect.stringMatching(/^echo-\d+$/), keys[0]])
        expect(second.stderr).toBe('')
      },
    )

    test('[EXAMPLES-1.5] waits as long as it is told to, says why, and sends the same again', async ({
      alice,
      chat,
      proxy: { proxy, env },
    }) => {
      await alice.say(chat, 'patience')
      const text = '{"error": "Later, please."}'
      const refusals: Meddling[] = [
        { status: 429, headers: { 'retry-after': '2' }, text },
        { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, text },
      ]
      proxy.meddle = ({ line }) => (isSend(line) ? (refusals.shift() ?? 'pass') : 'pass')
      const bot = startExample(example, { env })
      await alice.hears('patience')
      const sends = proxy.seen.filter(({ line }) => isSend(line))
      expect(new Set(sends.map(({ key }) => key)).size).toBe(1)
      const [first = 0, second = 0, third = 0] = sends.map(({ atMs }) => atMs)
      // A timer may be slightly early.
      expect(second - first).toBeGreaterThan(1950)
      expect(third - second).toBeGreaterThan(950)
      expect(bot.stderr.match(/Later, please/g)).toHaveLength(2)
    })

    test('[EXAMPLES-1.5] started before its gateway, it waits for it; an answer that is cut off is asked for again', async ({
      alice,
      chat,
      gateway,
    }) => {
      const port = await freePort()
      const env = { POSTERN_URL: `http://127.0.0.1:${port}`, BOT_TOKEN: gateway.token }
      const bot = startExample(example, { env })
      await bot.complains('updates')
      using proxy = new ApiProxy(gateway.url)
      const cut: Meddling[] = ['cut']
      proxy.meddle = () => cut.shift() ?? 'pass'
      await proxy.listen(port)
      await alice.say(chat, 'hello')
      await alice.hears('hello')
      expect(proxy.seen.length).toBeGreaterThan(2)
    })

    test('[EXAMPLES-1.6] says what it is refused, and goes on with the next; a wrong token ends it', async ({
      alice,
      chat,
      proxy: { proxy, env },
    }) => {
      for (const text of ['first', 'second']) await alice.say(chat, text)
      const refusals: Meddling[] = [{ status: 400, text: '{"error": "Not this one."}' }]
      proxy.meddle = ({ line }) => (isSend(line) ? (refusals.shift() ?? 'pass') : 'pass')
      const bot = startExample(example, { env })
      await alice.hears('second')
      expect([alice.texts(chat), bot.stderr]).toEqual([
        ['first', 'second', 'second'],
        expect.stringContaining('Not this one.'),
      ])
      await bot.kill()
      const stranger = startExample(example, { env: { ...env, BOT_TOKEN: 'guessed' } })
      expect([await stranger.exited, stranger.stderr]).toEqual([1, expect.stringContaining('unauthorized')])
    })
  })
}

test('[EXAMPLES-1.5] while the relay is gone all of them try on, and alice has each answer once', async ({
  world,
  alice,
}) => {
  const examples = ['typescript/echo.ts', 'python/echo.py', 'shell/echo.sh'].filter(one => missingFor(one).length === 0)
  const chats = []
  for (const example of examples) {
    const gateway = await world.gateway({ DATA_DIR: join(world.directory, example.replace('/', '-')) })
    await gateway.client.whenOnline(WITHIN)
    const chat = privateChatId(gateway.client.account)
    await alice.openInvite(gateway.client.identity.me().inviteUrl)
    await alice.say(chat, 'hello')
    await expect.poll(async () => JSON.stringify(await gateway.api('GET', '/v1/updates'))).toContain('hello')
    chats.push({ example, chat, gateway })
  }
  await world.stopRelay()
  const bots = chats.map(({ example, gateway: { url, token } }) =>
    startExample(example, { env: { POSTERN_URL: url, BOT_TOKEN: token } }),
  )
  await Promise.all(bots.map(bot => bot.complains('unavailable')))
  await world.startRelay()
  for (const { chat } of chats) await expect.poll(() => alice.texts(chat)).toEqual(['hello', 'hello'])
})

const noShell = missingFor('shell/echo.sh').length > 0
test.skipIf(noShell)(
  '[EXAMPLES-1.7] the shell shows neither the token nor a text among the arguments of a command',
  async ({ alice, chat, proxy: { env } }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-examples-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const noted = join(directory, 'arguments')
    for (const program of ['curl', 'jq']) {
      const path = join(directory, program)
      writeFileSync(path, `#!/bin/sh\nPATH=\${PATH#*:}\nprintf '%s\\n' "$@" >>${noted}\nexec ${program} "$@"\n`)
      chmodSync(path, 0o755)
    }
    await alice.say(chat, 'a secret text')
    startExample('shell/echo.sh', { env: { ...env, PATH: `${directory}:${process.env['PATH']}` } })
    await alice.hears('a secret text')
    const shown = readFileSync(noted, 'utf8')
    expect(shown).toContain('/messages')
    for (const secret of [env.BOT_TOKEN, 'a secret text']) expect(shown).not.toContain(secret)
  },
)
