// The world in which bot authors test: what it does with bots that are right, and what it finds in those that are not.
import { type BotAccess, BotWorld, type StartableBot } from '@postern/testkit/bots'
import { expect, test as plain } from 'vitest'
import { Bot, type Update } from '../src/index.ts'
import { SOON } from './fixtures.ts'

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', async ({}, { onCleanup }) => {
    const world = await BotWorld.start({ withinMs: 60_000 })
    onCleanup(() => world.stop())
    return world
  })

const echo = (connection: BotAccess): Bot => {
  const bot = new Bot({ ...connection, log: () => undefined })
  bot.on('message:text', ctx => ctx.reply(`echo ${ctx.text}`))
  return bot
}

type BareOptions = { keyOf: (update: Update) => string }

/** A bot without the SDK, with the mistakes that the SDK prevents. */
const bare =
  ({ keyOf }: BareOptions) =>
  ({ url, token, fetch: ask }: BotAccess): StartableBot => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const state = { isOver: false, offset: 0 }
    const answer = async (update: Update) => {
      if (update.type !== 'message') return
      const body = JSON.stringify({ text: `echo ${update.message.text}` })
      const keyed = { ...headers, 'idempotency-key': keyOf(update) }
      await ask(`${url}/v1/chats/${update.chat_id}/messages`, { method: 'POST', headers: keyed, body })
    }
    const poll = async (): Promise<Update[]> =>
      (await (await ask(`${url}/v1/updates?offset=${state.offset}&timeout=1`, { headers })).json()) as Update[]
    return {
      start: async () => {
        while (!state.isOver) {
          const updates = await poll()
          for (const update of updates) {
            await answer(update)
            state.offset = update.id + 1
          }
        }
      },
      stop: () => {
        state.isOver = true
        return Promise.resolve()
      },
    }
  }

test('[TESTKIT-1.2] a killed bot is silent, and a new life on the same gateway finds what came meanwhile', async ({
  world,
}) => {
  const held = Promise.withResolvers<void>()
  const steps: string[] = []
  const state = { lives: 0 }
  const bot = await world.bot(connection => {
    state.lives += 1
    const life = `life ${state.lives}`
    const made = new Bot({ ...connection, log: () => undefined })
    made.on('message:text', async ctx => {
      steps.push(`${life}: ${ctx.text}`)
      if (life === 'life 1') await held.promise
      steps.push(`${life} continues`)
      await ctx.reply(`${life}: ${ctx.text}`)
      steps.push(`${life} is done`)
    })
    return made
  })
  const alice = await world.person('alice')
  await alice.opens(bot)
  await alice.says('one')
  await expect.poll(() => steps, SOON).toEqual(['life 1: one'])
  await world.kill(bot)
  // The handler continues in this process, but its call does not get through.
  held.resolve()
  await expect.poll(() => steps, SOON).toContain('life 1 continues')
  await alice.says('two')
  await world.restart(bot)
  await alice.hears('life 2: one')
  await alice.hears('life 2: two')
  expect(alice.texts()).toEqual(['one', 'two', 'life 2: one', 'life 2: two'])
  expect(steps).not.toContain('life 1 is done')
})

test('[TESTKIT-1.3] a bot is killed before its call leaves, or after the gateway has executed it', async ({
  world,
}) => {
  const bot = await world.bot(echo)
  const alice = await world.person('alice')
  await alice.opens(bot)
  const { killed: before } = await world.killAt(bot, 1)
  await alice.says('one')
  expect(await before).toMatch(/^before POST \/v1\/chats\/.*\/messages$/)
  expect(alice.texts()).toEqual(['one'])
  await world.restart(bot)
  await alice.hears('echo one')
  const { killed: after } = await world.killAt(bot, 2)
  await alice.says('two')
  expect(await after).toMatch(/^after POST /)
  await alice.hears('echo two')
  await world.restart(bot)
  await alice.says('three')
  await alice.hears('echo three')
  expect(alice.texts()).toEqual(['one', 'echo one', 'two', 'echo two', 'three', 'echo three'])
})

const talk = async (world: BotWorld, make: (connection: BotAccess) => StartableBot) => {
  const bot = await world.bot(make)
  const alice = await world.person('alice')
  await alice.opens(bot)
  return await world.killEverywhere(bot, async () => {
    await alice.says('hello')
    await alice.hears('echo hello')
  })
}

test('[TESTKIT-1.4] a bot that is right passes, with the SDK and without', async ({ world }) => {
  const points = ['before POST', 'after POST'].map(name => expect.stringContaining(name))
  expect(await talk(world, echo)).toEqual(points)
})

test('[TESTKIT-1.4] a loop that derives its keys and confirms afterwards passes', async ({ world }) => {
  expect(await talk(world, bare({ keyOf: ({ id }) => `u${id}` }))).toHaveLength(2)
})

test('[TESTKIT-1.4] a bot that sends under a new key each time is found: the person has it twice', async ({
  world,
}) => {
  const random = bare({ keyOf: () => crypto.randomUUID() })
  await expect(talk(world, random)).rejects.toThrow(
    /^killed after POST .* \(point 2 of 2\): received .*"echo hello","echo hello".* instead of .*\["echo hello"\]/,
  )
})

test('[TESTKIT-1.1] a bot that is refused does not start', async ({ world }) => {
  await expect(world.bot(connection => echo({ ...connection, token: 'wrong' }))).rejects.toMatchObject({ status: 401 })
})

test('[TESTKIT-1.1, TESTKIT-1.2] the gateway and the relay can be away for a while', async ({ world }) => {
  const bot = await world.bot(echo)
  const alice = await world.person('alice')
  await alice.opens(bot)
  await world.stopGateway(bot)
  await alice.says('one')
  await world.startGateway(bot)
  await alice.hears('echo one')
  expect(alice.texts()).toEqual(['one', 'echo one'])
})

test('[TESTKIT-1.6] people vote, react, reply, press and send files', async ({ world }) => {
  const bot = await world.bot(
    connection => {
      const made = new Bot({ ...connection, log: () => undefined })
      made.command('lunch', ctx =>
        ctx.replyPoll('Lunch?', ['Pizza', 'Soup'], { buttons: [[{ text: 'Menu', data: 'm' }]] }),
      )
      made.press('m', ctx => ctx.answer('Pizza and soup'))
      made.on('poll:closed', ctx =>
        ctx.send(ctx.message.poll.options.map(one => `${one.text} ${one.votes}`).join(', ')),
      )
      made.on('reaction', ctx => ctx.send(`${ctx.reaction.from.name} reacts ${ctx.reaction.emoji}`))
      made.on('message:reply', ctx => ctx.send(`reply to ${ctx.message.reply_to}`))
      made.on('message:file', ctx => ctx.send(`${ctx.message.file.name}, ${ctx.message.file.size} bytes`))
      return made
    },
    { name: 'Lunch', start: { concurrency: 'chats' } },
  )
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  for (const person of [alice, bob]) await person.opens(bot)
  await alice.says('/lunch')
  await alice.votes('Pizza')
  const poll = await alice.hearsMessage(message => message.poll !== undefined)
  expect(poll).toMatchObject({ from: { name: 'Lunch' }, buttons: [['Menu']], poll: { question: 'Lunch?' } })
  await alice.presses('Menu')
  expect(await alice.seesToast(/soup$/)).toBe('Pizza and soup')
  await alice.reacts('👍', poll)
  await alice.hears('alice reacts 👍')
  await alice.says('this one', { replyTo: poll })
  await alice.hears(`reply to ${poll.id}`)
  await bob.sendsFile('menu.txt', new TextEncoder().encode('Pizza'))
  await bob.hears('menu.txt, 5 bytes')
  const { api } = new Bot({ url: bot.url, token: bot.token })
  await api.closePoll({ chat: alice.id, msg: poll.id })
  await alice.hears('Pizza 1, Soup 0')
})
