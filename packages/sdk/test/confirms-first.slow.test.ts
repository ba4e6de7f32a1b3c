// A bot that confirms an update before it has answered it loses the update when it is killed in between. Here the kill
// is ahead of its call in each run: the person waits in vain, which takes a while of real time.
import { type BotAccess, BotWorld, type StartableBot } from '@postern/testkit/bots'
import { describe, expect, test as plain } from 'vitest'
import { Bot, type Update } from '../src/index.ts'

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', async ({}, { onCleanup }) => {
    const world = await BotWorld.start({ withinMs: 15_000 })
    onCleanup(() => world.stop())
    return world
  })

type Order = { confirms: 'first' | 'beside' }

/** `beside`: the answer is not awaited, and the next poll confirms the update meanwhile. */
const confirming =
  ({ confirms }: Order) =>
  ({ url, token, fetch: ask }: BotAccess): StartableBot => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const state = { isOver: false, offset: 0 }
    const poll = async (timeout: number): Promise<Update[]> =>
      (await (await ask(`${url}/v1/updates?offset=${state.offset}&timeout=${timeout}`, { headers })).json()) as Update[]
    const send = async (update: Update, text: string) =>
      await ask(`${url}/v1/chats/${update.chat_id}/messages`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': `u${update.id} ${text}` },
        body: JSON.stringify({ text }),
      })
    const answer = async (update: Update) => {
      if (update.type !== 'message') return
      await send(update, `echo ${update.message.text}`)
      await send(update, 'that is all')
    }
    return {
      start: async () => {
        while (!state.isOver)
          for (const update of await poll(1)) {
            state.offset = update.id + 1
            if (confirms === 'first') await poll(0)
            const answered = answer(update)
            if (confirms === 'first') await answered
          }
      },
      stop: () => {
        state.isOver = true
        return Promise.resolve()
      },
    }
  }

const talk = async (world: BotWorld, make: (connection: BotAccess) => StartableBot) => {
  const bot = await world.bot(make)
  const alice = await world.person('alice')
  await alice.opens(bot)
  return await world.killEverywhere(bot, async () => {
    await alice.says('hello')
    await alice.hears('echo hello')
  })
}

describe.for([{ confirms: 'first' }, { confirms: 'beside' }] as const)('a bot that confirms $confirms', order => {
  test('[TESTKIT-1.7] is killed ahead of its call each time, and found', { timeout: 120_000 }, async ({ world }) => {
    await expect(talk(world, confirming(order))).rejects.toThrow(
      /^killed before POST .*\/messages \(point 1 of 4\): alice hears echo hello: not within 15 s/,
    )
  })
})

test('[TESTKIT-1.8] a bot of the SDK passes, and the calls behind the end of the story count', {
  timeout: 120_000,
}, async ({ world }) => {
  const points = await talk(world, connection => {
    const bot = new Bot({ ...connection, log: () => undefined })
    bot.on('message:text', async ctx => {
      await ctx.reply(`echo ${ctx.text}`)
      await ctx.send('that is all')
    })
    return bot
  })
  const moments = ['before POST', 'after POST', 'before POST', 'after POST']
  expect(points).toEqual(moments.map(moment => expect.stringContaining(moment)))
})
