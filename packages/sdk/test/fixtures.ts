// A gateway, a chat of Alice with its bot, and bots of the SDK that end with their test.
import { type ChatId, privateChatId } from '@postern/protocol'
import { type TestGateway, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { Bot, type BotOptions, type Context, type StartOptions, type Update } from '../src/index.ts'

/** How tests wait for asynchronous changes: short intervals, and patience on a busy machine. */
export const SOON = { interval: 5, timeout: 60_000 }

export async function chatWith(gateway: TestGateway, who: TestPerson): Promise<ChatId> {
  await gateway.client.whenOnline(WITHIN)
  await who.openInvite(gateway.client.identity.me().inviteUrl)
  return privateChatId(gateway.client.account)
}

/** The update of this text, once the gateway has it. It stays in the queue. */
export async function updateOf(gateway: TestGateway, text: string): Promise<Update> {
  const find = async () =>
    (await gateway.api<Update[]>('GET', '/v1/updates')).body.find(
      update => update.type === 'message' && update.message.text === text,
    )
  await expect.poll(find, SOON).toBeDefined()
  return (await find()) ?? expect.fail()
}

export const press = (
  who: TestPerson,
  { chat_id, id }: { chat_id: ChatId; id: Parameters<TestPerson['client']['messages']['press']>[1]['message'] },
  data: string,
) => who.client.messages.press(chat_id, { message: id, data }, WITHIN)

export type Running<C extends Context> = { bot: Bot<C>; ended: Promise<void> }

export const test = base
  .extend('gateway', ({ world }) => world.gateway())
  .extend('chat', ({ alice, gateway }) => chatWith(gateway, alice))
  .extend('address', ({ gateway }) => ({ url: gateway.url, token: gateway.token }))
  /** Starts a bot that `make` has given its handlers; it is stopped with the test. */
  .extend('run', ({ address }, { onCleanup }) => {
    const running: Running<Context>[] = []
    onCleanup(async () => {
      for (const { bot, ended } of running) {
        await bot.stop({ graceMs: 0 })
        await ended
      }
    })
    return async <C extends Context = Context>(
      make: (bot: Bot<C>) => unknown,
      { start, ...options }: BotOptions & { start?: StartOptions } = {},
    ): Promise<Running<C>> => {
      const bot = new Bot<C>({ ...address, log: () => undefined, ...options })
      make(bot)
      const ready = Promise.withResolvers<void>()
      const ended = bot.start({ ...start, onReady: () => ready.resolve() })
      running.push({ bot, ended } as unknown as Running<Context>)
      await Promise.race([ready.promise, ended])
      return { bot, ended }
    }
  })
