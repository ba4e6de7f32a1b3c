// The gateway or the relay is killed at every point of a handler, and started again: real processes on the same data.
import { join } from 'node:path'
import { privateChatId } from '@postern/protocol'
import { passTime } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess, type Killable, RelayProcess } from '@postern/testkit/processes'
import { describe, expect, onTestFinished } from 'vitest'
import { Bot } from '../src/index.ts'
import { test as base, SOON } from './fixtures.ts'

const test = base.extend('parts', async ({ world }, { onCleanup }) => {
  const relay = new RelayProcess({ directory: join(world.directory, 'own-relay'), port: await freePort() })
  const place = { directory: join(world.directory, 'own-gateway'), port: await freePort() }
  const gateway = new GatewayProcess(place, relay.url)
  onCleanup(async () => {
    await gateway.end()
    await relay.end()
  })
  relay.start()
  await relay.listening()
  gateway.start()
  await gateway.listening()
  const headers = { authorization: `Bearer ${gateway.token}` }
  const me = async () =>
    (await (await fetch(`${gateway.url}/v1/me`, { headers })).json()) as { id: string; invite_url: string }
  await expect.poll(async () => (await me()).invite_url, SOON).toContain('#i/')
  return { relay, gateway, me: await me() }
})

type Moment = 'before' | 'after'
/** The calls of the handler that change something. */
const STEPS = ['first', 'edit', 'file', 'poll', 'last']

/** Kills the part at one of its calls; after the call, its answer is lost. */
function killing(part: () => Killable, { step, moment }: { step: number; moment: Moment }): typeof fetch {
  const state = { calls: 0, isKilled: false }
  const restart = async () => {
    state.isKilled = true
    await part().kill()
    part().start()
  }
  return async (url, init) => {
    if (init?.method === 'GET' || state.isKilled) return await fetch(url, init)
    state.calls += 1
    const isHere = state.calls === step
    if (isHere && moment === 'before') await restart()
    const answer = await fetch(url, init)
    if (!isHere || moment === 'before') return answer
    await answer.arrayBuffer()
    await restart()
    throw new TypeError('the connection was reset')
  }
}

describe.for(['gateway', 'relay'] as const)('the %s is killed', killed => {
  test(`[SDK-3.5] the ${killed} killed before and after each call of a handler, every update is handled and nothing comes twice`, {
    timeout: 600_000,
  }, async ({ world, parts, clock }) => {
    const alice = await world.person('alice', { relayUrl: parts.relay.url })
    const chat = (await alice.openInvite(parts.me.invite_url)).id
    expect(chat).toBe(privateChatId(parts.me.id as never))
    const expected: string[] = []
    for (const moment of ['before', 'after'] as const)
      for (const [at, name] of STEPS.entries()) {
        const bot = new Bot({
          url: parts.gateway.url,
          token: parts.gateway.token,
          clock,
          log: () => undefined,
          fetch: killing(() => parts[killed], { step: at + 1, moment }),
        })
        bot.on('message:text', async ctx => {
          const first = await ctx.reply(`${ctx.text}: begun`)
          await ctx.api.editMessage({ chat: ctx.chatId, msg: first.id, text: `${ctx.text}: edited` })
          await ctx.replyFile(new TextEncoder().encode('log'), { name: 'log.txt', caption: `${ctx.text}: file` })
          await ctx.replyPoll('Again?', ['yes', 'no'])
          await ctx.send(`${ctx.text}: end`)
        })
        const ended = bot.start()
        onTestFinished(() => bot.stop({ graceMs: 0 }))
        const text = `${moment} ${name}`
        await alice.say(chat, text)
        await passTime(clock, alice.hears(`${text}: end`))
        await passTime(clock, bot.stop())
        await ended
        expected.push(text, `${text}: edited`, `${text}: file`, '', `${text}: end`)
        await expect.poll(() => alice.texts(chat), SOON).toEqual(expected)
      }
  })
})
