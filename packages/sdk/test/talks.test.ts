// Sessions, growing messages and conversations.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { passWhenAwaited } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { Bot, type Context, session } from '../src/index.ts'
import { fileStore } from '../src/node.ts'
import { chatWith, press, test, updateOf } from './fixtures.ts'

type Counting = Context & { session: { count: number } }

describe('sessions', () => {
  test.for(['chat', 'person', 'both'] as const)(
    '[SDK-2.5] by %s it survives a restart in a file store, and a handler that fails changes nothing',
    async (by, { world, alice, bob, chat, gateway, run }) => {
      const directory = join(world.directory, 'sessions')
      const make = (bot: Bot<Counting>) => {
        bot.use(session<Counting['session']>({ initial: () => ({ count: 0 }), by, store: fileStore(directory) }))
        bot.on('message:text', ctx => {
          ctx.session.count += 1
          if (ctx.text === 'bad') throw new Error('no')
          return ctx.reply(`${ctx.from?.name} ${ctx.session.count}`)
        })
      }
      const toBot = await chatWith(gateway, bob)
      const first = await run<Counting>(make, { attempts: 2, start: { concurrency: 'chats' } })
      await alice.say(chat, 'one')
      await alice.hears('alice 1')
      await alice.say(chat, 'bad')
      await bob.say(toBot, 'one')
      await bob.hears('bob 1')
      await alice.say(chat, 'two')
      await alice.hears('alice 2')
      await first.bot.stop()
      await run<Counting>(make)
      await alice.say(chat, 'three')
      await alice.hears('alice 3')
      expect(readdirSync(directory).filter(name => !name.endsWith('.json'))).toEqual([])
    },
  )

  test('[SDK-2.5] in memory, and removed when a handler removes it', async ({ alice, chat, run }) => {
    type Talk = Context & { session: string[] | undefined }
    await run<Talk>(bot => {
      bot.use(session<string[] | undefined>({ initial: () => [] }))
      bot.command('new', ctx => {
        ctx.session = undefined
        return ctx.reply('forgotten')
      })
      bot.on('message:text', ctx => {
        ctx.session?.push(ctx.text)
        return ctx.reply(ctx.session?.join() ?? '')
      })
    })
    for (const [text, answer] of [
      ['a', 'a'],
      ['b', 'a,b'],
      ['/new', 'forgotten'],
      ['c', 'c'],
    ] as const) {
      await alice.say(chat, text)
      const { message } = await alice.next('message')
      expect(message.text).toBe(answer)
    }
  })
})

describe('stream', () => {
  test('[SDK-2.6] the text is shown at most once in its time, and its message is sent once, at the end', async ({
    address,
    alice,
    chat,
    clock,
    gateway,
  }) => {
    const shown: string[] = []
    const fetchSeen: typeof fetch = async (url, init) => {
      if ((url as string).endsWith('/draft')) shown.push((JSON.parse(init?.body as string) as { text: string }).text)
      return await fetch(url, init)
    }
    const bot = new Bot({ ...address, clock, fetch: fetchSeen })
    bot.on('message:text', async ctx => {
      const parts = async function* () {
        yield 'One'
        clock.advance(700)
        yield ' **two**'
        yield ' three'
        yield ' four.'
      }
      const sent = await ctx.stream(parts(), { extra: { format: 'markdown' } })
      expect(sent).toMatchObject({ text: 'One two three four.', entities: [{ type: 'bold' }] })
    })
    await alice.say(chat, 'go')
    const update = await updateOf(gateway, 'go')
    await bot.handle(update)
    // After a crash the same update comes again.
    await bot.handle(update)
    await alice.hears('One two three four.')
    expect(alice.texts(chat)).toEqual(['go', 'One two three four.'])
    expect(shown).toEqual(['One **two**', 'One **two**'])
  })

  test('[SDK-2.6] a draft that cannot be shown is no error, and is not repeated', async ({
    address,
    alice,
    chat,
    clock,
    gateway,
  }) => {
    const lost: string[] = []
    const losing: typeof fetch = async (url, init) => {
      const isShown = /\/(draft|typing)$/.exec(url as string)
      if (!isShown) return await fetch(url, init)
      lost.push(isShown[1] ?? '')
      return Response.json({ error: 'No relay.', code: 'unavailable' }, { status: 503 })
    }
    const bot = new Bot({ ...address, clock, fetch: losing })
    const parts = async function* () {
      clock.advance(700)
      yield 'the'
      clock.advance(700)
      yield ' answer'
    }
    bot.on('message:text', ctx => ctx.stream(parts()))
    await alice.say(chat, 'go')
    await bot.handle(await updateOf(gateway, 'go'))
    await alice.hears('the answer')
    expect(lost).toEqual(['typing', 'draft', 'draft'])
  })

  test('[SDK-2.6] a text that stays empty is an ellipsis, and without drafts the message comes alone', async ({
    address,
    alice,
    chat,
    gateway,
  }) => {
    const asked: string[] = []
    const watching: typeof fetch = async (url, init) => {
      asked.push(url as string)
      return await fetch(url, init)
    }
    const bot = new Bot({ ...address, fetch: watching })
    const parts = async function* () {
      yield ''
    }
    bot.on('message:text', ctx => ctx.stream(parts(), { drafts: false, everyMs: 0 }))
    await alice.say(chat, 'go')
    await bot.handle(await updateOf(gateway, 'go'))
    await alice.hears('…')
    expect(asked.filter(url => /\/(draft|typing)$/.test(url))).toEqual([])
  })

  test('[SDK-2.6] a long text continues in a further message, divided at the end of a line', async ({
    address,
    alice,
    chat,
    gateway,
  }) => {
    const bot = new Bot(address)
    const line = `${'🤖'.repeat(99)}\n`
    const parts = async function* () {
      for (let at = 0; at < 50; at += 1) yield line
    }
    bot.on('message:text', ctx => ctx.stream(parts()))
    await alice.say(chat, 'go')
    await bot.handle(await updateOf(gateway, 'go'))
    await expect
      .poll(
        () =>
          alice
            .texts(chat)
            .slice(1)
            .map(text => `${text.trimEnd()}\n`)
            .join(''),
        { timeout: 60_000 },
      )
      .toBe(line.repeat(50))
    expect(alice.texts(chat)).toHaveLength(3)
  })
})

describe('wait', () => {
  test('[SDK-2.7] a handler talks on with one person, and the others are heard meanwhile', async ({
    alice,
    chat,
    bob,
    gateway,
    run,
  }) => {
    const toBot = await chatWith(gateway, bob)
    await run(bot => {
      bot.command('order', async ctx => {
        await ctx.reply('What?', { buttons: [[{ text: 'Ask', data: 'ask' }]] })
        const what = await ctx.wait('message:text')
        await what?.reply(`${what.text}: how many?`)
        const many = await what?.wait('message:text')
        const pressed = await many?.wait('button')
        await pressed?.send(`${many?.text} × ${what?.text}`)
      })
      bot.on('message:text', ctx => ctx.reply(`heard ${ctx.text}`))
      bot.on('reaction', ctx => ctx.send('seen'))
    })
    const said = await alice.say(chat, '/order')
    const { message: asked } = await alice.next('message')
    await bob.say(toBot, 'hello')
    await bob.hears('heard hello')
    await alice.client.messages.react(chat, { message: said.id, emoji: '👍' }, { timeoutMs: 60_000 })
    await alice.hears('seen')
    await alice.say(chat, 'soup')
    await alice.hears('soup: how many?')
    await alice.say(chat, '2')
    await press(alice, asked, 'ask')
    await alice.hears('2 × soup')
    await alice.say(chat, 'bye')
    await alice.hears('heard bye')
  })

  test('[SDK-2.7] after its time it returns undefined; an error after it goes to catch', async ({
    address,
    alice,
    chat,
    clock,
    gateway,
  }) => {
    const bot = new Bot({ ...address, clock, log: () => undefined })
    const caught = Promise.withResolvers<unknown>()
    bot.on('message:text', async ctx => {
      const next = await ctx.wait('message', { timeoutMs: 5000 })
      throw new Error(`got ${typeof next}`)
    })
    bot.catch(error => {
      caught.resolve(error)
      return 'skip'
    })
    await alice.say(chat, 'go')
    await bot.handle(await updateOf(gateway, 'go'))
    expect(await passWhenAwaited(clock, 5000, caught.promise)).toEqual(new Error('got undefined'))
  })
})
