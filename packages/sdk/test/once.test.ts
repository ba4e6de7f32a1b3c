// Nothing twice and nothing lost: keys, confirmation, attempts and stops.
import { type ManualClock, passWhenAwaited, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { ApiError, Bot, type Message, type Update } from '../src/index.ts'
import { fromPath } from '../src/node.ts'
import { chatWith, SOON, test, updateOf } from './fixtures.ts'

/** Requests with a key, in their order. */
function keysOf(seen: Request[]): string[] {
  return seen.flatMap(request => request.headers.get('idempotency-key') ?? [])
}

const watching = (seen: Request[]): typeof fetch =>
  async function watch(...[url, init]: Parameters<typeof fetch>) {
    seen.push(new Request(url, { ...init, body: null, signal: null }))
    return await fetch(url, init)
  }

describe('keys', () => {
  test('[SDK-3.1] a handler that runs again sends under the same keys, and nothing comes twice', async ({
    address,
    alice,
    chat,
    gateway,
  }) => {
    const seen: Request[] = []
    const bot = new Bot({ ...address, fetch: watching(seen), log: () => undefined, attempts: 1 })
    const runs = { count: 0 }
    bot.on('message:text', async ctx => {
      runs.count += 1
      await ctx.reply('one')
      // The text differs at each run: the step is done all the same.
      const { text } = await ctx.reply(`run ${runs.count}`)
      const named = await ctx.send(`named ${runs.count}`, { key: 'result' })
      await ctx.api.sendMessage({ chat: ctx.chatId, text: `${text}, ${named.text}` })
    })
    await alice.say(chat, 'go')
    const update = await updateOf(gateway, 'go')
    for (const _ of [1, 2, 3]) await bot.handle(update)
    await alice.hears('run 1, named 1')
    expect(alice.texts(chat)).toEqual(['go', 'one', 'run 1', 'named 1', 'run 1, named 1'])
    expect(keysOf(seen)).toEqual(
      [1, 2, 3].flatMap(() => ['1', '2', 'result', '3'].map(step => `u${update.id}.${step}`)),
    )
  })

  test('[SDK-2.11] an album is sent once under one key, also when a later run has other files', async ({
    address,
    alice,
    chat,
    gateway,
  }) => {
    const seen: Request[] = []
    const bot = new Bot({ ...address, fetch: watching(seen), log: () => undefined, attempts: 1 })
    const runs = { count: 0, answers: [] as Message[][] }
    bot.on('message:text', async ctx => {
      runs.count += 1
      const bytes = new TextEncoder().encode(runs.count < 3 ? 'same' : 'other')
      const files = ['a.txt', 'b.txt'].map(name => ({ file: bytes, name }))
      runs.answers.push(await ctx.replyAlbum(files, { caption: 'Both' }))
      await ctx.send('sent')
    })
    await alice.say(chat, 'go')
    const update = await updateOf(gateway, 'go')
    for (const _ of [1, 2, 3]) await bot.handle(update)
    await alice.hears('sent')
    const files = alice.client.messages.list(chat, { limit: 9 }).filter(({ file }) => file)
    expect(files.map(({ file, text }) => [file?.name, text])).toEqual([
      ['a.txt', 'Both'],
      ['b.txt', undefined],
    ])
    expect(new Set(files.map(({ album }) => album)).size).toBe(1)
    const ids = runs.answers.map(answer => answer.map(({ id }) => id))
    const all = files.map(({ id }) => id)
    expect(ids).toEqual([all, all, all.slice(0, 1)])
    expect(keysOf(seen)).toEqual([1, 2, 3].flatMap(() => ['1', '2'].map(step => `u${update.id}.${step}`)))
  })

  test('[SDK-3.1] outside of handlers a key is random unless it is given, and another request under it is an error', async ({
    address,
    alice,
    chat,
    gateway,
  }) => {
    const { api } = new Bot(address)
    await alice.say(chat, 'hello')
    await updateOf(gateway, 'hello')
    for (const _ of [1, 2]) await api.sendMessage({ chat: alice.id, text: 'random' })
    const [first, second] = [
      await api.sendMessage({ chat: alice.id, text: 'given' }, { key: 'k' }),
      await api.sendMessage({ chat: alice.id, text: 'given' }, { key: 'k' }),
    ]
    expect(second.id).toBe(first.id)
    const refused = await api
      .sendMessage({ chat: alice.id, text: 'other' }, { key: 'k' })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ status: 400, code: 'bad_request', messageId: first.id })
  })
})

describe('confirmation', () => {
  test('[SDK-3.2] with lanes, a stuck chat delays no other, and the lowest unfinished update is the limit', async ({
    alice,
    bob,
    chat,
    gateway,
    run,
  }) => {
    const toBot = await chatWith(gateway, bob)
    const held = Promise.withResolvers<void>()
    const begun: string[] = []
    const offsets: number[] = []
    const ids: number[] = []
    const fetchSeen: typeof fetch = async (url, init) => {
      const { pathname, searchParams } = new URL(url as string)
      if (pathname === '/v1/updates') offsets.push(Number(searchParams.get('offset')))
      return await fetch(url, init)
    }
    const { bot } = await run(
      made =>
        made.on('message:text', async ctx => {
          begun.push(ctx.text)
          ids.push(ctx.update.id)
          if (ctx.text === 'stuck') await held.promise
          await ctx.reply(`done ${ctx.text}`)
        }),
      { fetch: fetchSeen, start: { concurrency: 'chats' } },
    )
    await alice.say(chat, 'stuck')
    await expect.poll(() => begun, SOON).toEqual(['stuck'])
    await alice.say(chat, 'behind it')
    for (const text of ['one', 'two', 'three']) {
      await bob.say(toBot, text)
      await bob.hears(`done ${text}`)
    }
    const stuck = ids[0] ?? expect.fail()
    // A poll that began after Bob's last answer confirms nothing from the stuck update on.
    const polls = offsets.length
    await expect.poll(() => offsets.length, SOON).toBeGreaterThan(polls + 1)
    expect(Math.max(...offsets)).toBeLessThanOrEqual(stuck)
    expect(begun).not.toContain('behind it')
    held.resolve()
    await alice.hears('done behind it')
    await expect.poll(() => Math.max(...offsets), SOON).toBeGreaterThan(Math.max(...ids))
    await bot.stop()
    expect(await gateway.api('GET', '/v1/updates')).toMatchObject({ body: [] })
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('[SDK-3.2] by default one update is handled after the other', async ({ alice, bob, chat, gateway, run }) => {
    const toBot = await chatWith(gateway, bob)
    const state = { running: 0, most: 0 }
    await run(bot =>
      bot.on('message:text', async ctx => {
        state.running += 1
        state.most = Math.max(state.most, state.running)
        await ctx.reply(ctx.text)
        state.running -= 1
      }),
    )
    await Promise.all([alice.say(chat, 'a'), bob.say(toBot, 'b'), alice.say(chat, 'c'), bob.say(toBot, 'd')])
    await Promise.all([alice.hears('c'), bob.hears('d')])
    expect(state.most).toBe(1)
  })

  test('[SDK-3.2] a named reader leaves the updates of the queue alone', async ({ alice, chat, gateway, run }) => {
    await run(bot => bot.on('message:text', ctx => ctx.reply(ctx.text)), { start: { reader: 'echo' } })
    await gateway.api('GET', '/v1/updates?reader=echo')
    await alice.say(chat, 'hello')
    await alice.hears('hello')
    const { body } = await gateway.api<Update[]>('GET', '/v1/updates')
    expect(body.map(({ type }) => type)).toContain('message')
  })
})

describe('attempts', () => {
  test('[SDK-3.3] a handler that fails runs again after 1 and 4 seconds, and then the update is skipped', async ({
    address,
    alice,
    chat,
    clock,
    gateway,
  }) => {
    const lines: string[] = []
    const bot = new Bot({ ...address, clock, log: line => lines.push(line) })
    const runs = { count: 0 }
    bot.on('message:text', async ctx => {
      runs.count += 1
      await ctx.reply('begun')
      throw new Error(`run ${runs.count}`)
    })
    await alice.say(chat, 'go')
    const update = await updateOf(gateway, 'go')
    const handled = bot.handle(update)
    for (const ms of [1000, 4000]) await passWhenAwaited(clock, ms, untilPassed(clock, ms))
    await handled
    expect(runs.count).toBe(3)
    expect(lines).toEqual([
      `update ${update.id} failed, attempt 1 of 3`,
      `update ${update.id} failed, attempt 2 of 3`,
      `update ${update.id} skipped`,
    ])
    await alice.hears('begun')
    expect(alice.texts(chat)).toEqual(['go', 'begun'])
  })

  test('[SDK-3.3] catch decides: with retry the handler runs again, and its own sends have their own keys', async ({
    address,
    alice,
    chat,
    clock,
    gateway,
  }) => {
    const bot = new Bot({ ...address, clock, log: () => undefined, attempts: 1 })
    const errors: string[] = []
    bot.on('message:text', () => {
      throw new Error('no')
    })
    bot.catch(async (error, ctx) => {
      errors.push(String(error))
      await ctx.reply('That went wrong.')
      return errors.length < 2 ? 'retry' : 'skip'
    })
    await alice.say(chat, 'go')
    const update = await updateOf(gateway, 'go')
    await passWhenAwaited(clock, 1000, bot.handle(update))
    await alice.hears('That went wrong.')
    expect(errors).toEqual(['Error: no', 'Error: no'])
    expect(alice.texts(chat)).toEqual(['go', 'That went wrong.'])
  })

  test('[SDK-3.3] an update waits as long as the gateway has no relay, and its answer is sent once', async ({
    address,
    alice,
    chat,
    clock,
    gateway,
  }) => {
    const state = { refusals: 5 }
    const seen: Request[] = []
    const watch = watching(seen)
    const refusing: typeof fetch = async (url, init) => {
      const isSend = init?.method === 'POST'
      if (!isSend || state.refusals === 0) return await watch(url, init)
      state.refusals -= 1
      return Response.json({ error: 'No relay.', code: 'unavailable' }, { status: 503 })
    }
    // More refusals than attempts, and no call is repeated.
    const bot = new Bot({ ...address, clock, fetch: refusing, log: () => undefined, attempts: 1, retryForMs: 0 })
    bot.on('message:text', ctx => ctx.reply('at last'))
    await alice.say(chat, 'go')
    const handled = bot.handle(await updateOf(gateway, 'go'))
    for (const ms of [1000, 4000, 16_000]) await passWhenAwaited(clock, ms, untilPassed(clock, ms))
    await passWhenAwaited(clock, 64_000, handled)
    await alice.hears('at last')
    expect(alice.texts(chat)).toEqual(['go', 'at last'])
  })

  test('[SDK-3.3] a file that cannot be read is a fault of the handler: its update does not wait for the gateway', async ({
    alice,
    chat,
    run,
  }) => {
    await run(
      bot =>
        bot.on('message:text', ctx => {
          if (ctx.text !== 'file') return ctx.reply(ctx.text)
          return ctx.replyFile(fromPath('/no/such/file'), { name: 'none.txt' })
        }),
      { attempts: 1 },
    )
    await alice.say(chat, 'file')
    await alice.say(chat, 'next')
    await alice.hears('next')
  })

  test('[SDK-3.3] a download that breaks off in the middle is repeated, and its file is sent once', async ({
    alice,
    chat,
    run,
  }) => {
    const state = { downloads: 0, log: [] as string[] }
    const breaking: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init)
      if (!(url as string).endsWith('/file')) return answer
      state.downloads += 1
      if (state.downloads > 1) return answer
      const [first = new Uint8Array()] = await Array.fromAsync(answer.body ?? [])
      const broken = new ReadableStream({
        pull: controller => {
          if (state.log.push('read') === 1) controller.enqueue(first.slice(0, 2))
          else controller.error(new TypeError('terminated'))
        },
      })
      return new Response(broken, { headers: answer.headers })
    }
    await run(
      bot =>
        bot.on('message:file', async ctx => {
          const { stream } = await ctx.file()
          await ctx.replyFile(stream, { name: 'copy.txt' })
        }),
      { attempts: 1, fetch: breaking },
    )
    const draft = await alice.client.files.draft(
      (async function* () {
        yield Buffer.from('some words')
      })(),
    )
    await alice.client.files.send(chat, { draft, name: 'a.txt', type: 'text/plain', kind: 'file' }, WITHIN)
    await draft.discard()
    const { message } = await alice.next('message')
    expect([message.file?.name, message.file?.size, state.downloads]).toEqual(['copy.txt', 10, 2])
  })

  test('[SDK-3.3] an update that always fails does not hold up the next one', async ({ alice, chat, run }) => {
    await run(
      bot =>
        bot.on('message:text', ctx => {
          if (ctx.text === 'poison') throw new Error('no')
          return ctx.reply(ctx.text)
        }),
      { attempts: 1 },
    )
    await alice.say(chat, 'poison')
    await alice.say(chat, 'food')
    await alice.hears('food')
  })
})

async function untilPassed(clock: ManualClock, ms: number): Promise<void> {
  const fromMs = clock.nowMs()
  await expect.poll(() => clock.nowMs() - fromMs, SOON).toBeGreaterThanOrEqual(ms)
}

describe('stop', () => {
  test('[SDK-3.4] stop waits for the handler that runs, confirms it, and leaves the rest for the next start', async ({
    alice,
    chat,
    run,
  }) => {
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const first = await run(bot =>
      bot.on('message:text', async ctx => {
        begun.resolve()
        await held.promise
        await ctx.reply(`first ${ctx.text}`)
      }),
    )
    await alice.say(chat, 'one')
    await begun.promise
    await alice.say(chat, 'two')
    const stopped = first.bot.stop()
    held.resolve()
    await stopped
    await first.ended
    await alice.hears('first one')
    await run(bot => bot.on('message:text', ctx => ctx.reply(`second ${ctx.text}`)))
    await alice.hears('second two')
    expect(alice.texts(chat)).toEqual(['one', 'two', 'first one', 'second two'])
  })

  test('[SDK-3.4] after the grace the signal of the context is aborted, and the update comes again', async ({
    alice,
    chat,
    run,
  }) => {
    const begun = Promise.withResolvers<AbortSignal>()
    const first = await run(bot =>
      bot.on('message:text', async ctx => {
        begun.resolve(ctx.signal)
        await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped'))))
      }),
    )
    await alice.say(chat, 'one')
    const signal = await begun.promise
    await first.bot.stop({ graceMs: 0 })
    expect(signal.aborted).toBe(true)
    await first.ended
    await run(bot => bot.on('message:text', ctx => ctx.reply(`second ${ctx.text}`)))
    await alice.hears('second one')
  })

  test('[SDK-3.4] start rejects when the gateway refuses', async ({ address, gateway }) => {
    await gateway.client.whenOnline(WITHIN)
    await expect(new Bot({ ...address, token: 'wrong' }).start()).rejects.toMatchObject({ status: 401 })
  })
})
