// Messages to the owners of a bot about its problems: one when a problem begins, one when it is over.
import { type BotInvite, hookEndpoints } from '@postern/bot-api'
import { type AccountId, ownerNoticeLimits, privateChatId } from '@postern/protocol'
import type { TestGateway, TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { wordsIn } from '../src/hooks/words/words.ts'
import { type FollowedProblem, followProblem } from '../src/owner-notices/follow-problem.ts'
import { OWNER_SHELF, OwnerNotices } from '../src/owner-notices/owner-notices.ts'
import { type ProblemSources, problems } from '../src/owner-notices/problems.ts'
import { type Api, onlineGateway, SOON } from './api.ts'
import { sayAll, webhookTo } from './delivering.ts'
import { test as base } from './fixtures.ts'
import { HOOKS_URL, HookedGateway, hearsFrom, newHook, post, say, secretOf } from './hooks.ts'
import { Looks } from './looking.ts'
import { answerWith } from './receiver.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_LOOKS = 60_000 / ownerNoticeLimits.lookEveryMs
const looksIn = (minutes: number): number => Math.ceil(minutes * MINUTE_LOOKS)

/** Nothing is wrong. */
const fine: ProblemSources = {
  webhookFailures: () => 0,
  waitingUpdates: () => ({ count: 0, oldestMs: 0 }),
  disk: () => ({ freeBytes: 2 ** 40, sizeBytes: 2 ** 41 }),
  refusingHooks: () => [],
  expiringInvites: () => [],
  certificates: async () => [],
}

const test = base
  .extend('looks', ({ clock }) => new Looks(clock))
  /** The texts in a person's chat with the bot. */
  .extend('heard', () => (person: TestPerson, { client }: TestGateway): string[] => {
    const bot = privateChatId(client.account)
    return person.client.chats.list().some(({ id }) => id === bot) ? person.texts(bot) : []
  })
  .extend(
    'owned',
    ({ world, clock, alice }) =>
      async (env: Record<string, string> = {}) =>
        await HookedGateway.start(world, { env: { BOT_OWNERS: alice.id, LANGUAGE: 'en', ...env }, clock }),
  )
  /** A webhook that fails with the first update, which comes from alice. */
  .extend('failing', ({ owned, alice, receiver }) => async (env: Record<string, string> = {}) => {
    receiver.answer = answerWith(500)
    const hooked = await owned({ ...webhookTo(receiver.url), ...env })
    await alice.openInvite((await hooked.api.me()).invite_url)
    await sayAll(alice, hooked.gateway, ['hello'])
    await expect.poll(() => receiver.requests.length, SOON).toBeGreaterThan(0)
    return hooked
  })

const warnings = (heard: string[]): string[] => heard.filter(text => /^[⚠✅☑]/u.test(text))

describe('a webhook', () => {
  test('[GATEWAY-13.1] that fails for ten minutes: two owners get one message each, and one when it is over', async ({
    alice,
    bob,
    looks,
    heard,
    receiver,
    failing,
  }) => {
    const { gateway } = await failing({ BOT_OWNERS: `${alice.id},${bob.id},${alice.id}` })
    await looks.pass(looksIn(9))
    expect(warnings(heard(alice, gateway))).toEqual([])
    const begun = await looks.until(gateway, Promise.all([alice, bob].map(owner => hearsFrom(owner, '⚠️'))))
    for (const { text } of begun) {
      expect(text).toMatch(
        /^⚠️ The webhook has not accepted updates for more than 10 minutes\.\nFailed attempts in a row/,
      )
      expect(text).not.toContain('127.0.0.1')
      expect(text).not.toContain('hello')
    }
    receiver.answer = answerWith(200)
    await looks.until(gateway, Promise.all([alice, bob].map(owner => hearsFrom(owner, '✅'))))
    await looks.pass(looksIn(120))
    for (const owner of [alice, bob]) expect(warnings(heard(owner, gateway))).toHaveLength(2)
  })

  test('[GATEWAY-13.3] a restart repeats nothing, and the owners still learn that it is over', async ({
    alice,
    looks,
    heard,
    receiver,
    failing,
  }) => {
    const hooked = await failing()
    await looks.until(hooked.gateway, hearsFrom(alice, '⚠️'))
    await looks.pass(1)
    await hooked.restart()
    await looks.pass(looksIn(90))
    expect(warnings(heard(alice, hooked.gateway))).toHaveLength(1)
    receiver.answer = answerWith(200)
    await hooked.restart()
    await looks.until(hooked.gateway, hearsFrom(alice, '✅'))
    expect(warnings(heard(alice, hooked.gateway))).toHaveLength(2)
  })

  test('[GATEWAY-13.3] a kill before the message is sent: it is sent once after the start', async ({
    alice,
    looks,
    heard,
    failing,
  }) => {
    const hooked = await failing()
    hooked.gateway.wire.cut()
    await looks.pass(looksIn(12))
    expect(hooked.gateway.client.records(OWNER_SHELF).get('webhook')).toContain(`"to":["${alice.id}"]`)
    expect(warnings(heard(alice, hooked.gateway))).toEqual([])
    await hooked.restartFrom(hooked.diskNow())
    await looks.until(hooked.gateway, hearsFrom(alice, '⚠️'))
    await looks.pass(looksIn(90))
    expect(warnings(heard(alice, hooked.gateway))).toHaveLength(1)
  })

  test('[GATEWAY-13.3] a kill after the message is sent, before that is noted, sends it no second time', async ({
    alice,
    looks,
    heard,
    failing,
  }) => {
    const hooked = await failing()
    const { text } = await looks.until(hooked.gateway, hearsFrom(alice, '⚠️'))
    await looks.pass(1)
    const records = hooked.gateway.client.records(OWNER_SHELF)
    const told = JSON.parse(records.get('webhook') ?? '') as FollowedProblem
    expect(told.notice).toBeUndefined()
    const notice = { id: `webhook:begun:${told.begunMs}`, text: text ?? '', to: [alice.id] }
    await records.change({ key: 'webhook', put: JSON.stringify({ ...told, notice }) })
    await hooked.restart()
    await looks.pass(3)
    await expect.poll(() => hooked.gateway.client.records(OWNER_SHELF).get('webhook'), SOON).not.toContain('"notice"')
    expect(warnings(heard(alice, hooked.gateway))).toHaveLength(1)
  })
})

test('[GATEWAY-13.1] while the webhook is paused, its problem neither begins nor ends', async ({
  alice,
  looks,
  heard,
  receiver,
  owned,
}) => {
  receiver.answer = answerWith(500)
  const { gateway, api } = await owned()
  await api.ok('PUT', '/v1/webhook', { url: receiver.url, secret: 'a shared secret' })
  await alice.openInvite((await api.me()).invite_url)
  await looks.until(gateway, hearsFrom(alice, '⚠️'))
  await api.ok('POST', '/v1/webhook/pause')
  await looks.pass(looksIn(30))
  expect(heard(alice, gateway)).toHaveLength(1)
  await api.ok('DELETE', '/v1/webhook')
  await looks.until(gateway, hearsFrom(alice, '✅'))
})

test('[GATEWAY-13.1] of a paused webhook it is not known whether it fails', () => {
  const { check } = problems.webhook
  expect(check({ ...fine, webhookFailures: () => undefined }, wordsIn.en.owners)).toBeUndefined()
  expect(check(fine, wordsIn.en.owners)).toEqual([])
})

describe('updates', () => {
  test('[GATEWAY-13.5] that nobody fetches for 20 hours, and their end', async ({ clock, alice, looks, owned }) => {
    const { gateway, api } = await owned()
    await alice.openInvite((await api.me()).invite_url)
    await expect.poll(() => gateway.client.journal.newest(), SOON).toBeGreaterThan(0)
    await looks.pass(1)
    clock.leap(20 * HOUR_MS)
    const { text } = await looks.until(gateway, hearsFrom(alice, '⚠️'))
    expect(text).toMatch(/Waiting: 1 update, the oldest for 20 h\./)
    const [first] = await api.updates()
    await api.updates(`offset=${(first?.id ?? 0) + 1}`)
    await looks.until(gateway, hearsFrom(alice, '✅ Updates'))
  })

  test('[GATEWAY-13.5] more than 8,000 of them', () => {
    const words = wordsIn.ru.owners
    const waiting = (count: number) => ({ ...fine, waitingUpdates: () => ({ count, oldestMs: 0 }) })
    expect(problems.updates.check(waiting(8_000), words)).toEqual([])
    expect(problems.updates.check(waiting(8_001), words)).toEqual([
      { subject: '', fact: 'Ждёт 8001 обновление, самое старое — 0 ч.' },
    ])
  })
})

describe('a disk', () => {
  test('[GATEWAY-13.6] that is nearly full, in Russian, and has space again', async ({
    clock,
    world,
    alice,
    heard,
  }) => {
    const { gateway } = await onlineGateway(world, {}, { clock })
    const disk = { freeBytes: 2 ** 30, sizeBytes: 2 ** 40 }
    const quiet = () => undefined
    const notices = new OwnerNotices(gateway.client, {
      owners: [alice.id],
      sources: { ...fine, disk: () => disk },
      words: wordsIn.ru.owners,
      clock,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    })
    await notices.look()
    const { text } = await hearsFrom(alice, '⚠️')
    expect(text).toBe(
      '⚠️ Диск с данными бота почти заполнен.\nСвободно 1024 МиБ, это 0 %.\nБез места бот не сможет ни отправлять, ни получать. Освободите место.',
    )
    disk.freeBytes = 2 ** 39
    await notices.look()
    clock.leap(ownerNoticeLimits.overAfterMs)
    await notices.look()
    await hearsFrom(alice, '✅ На диске с данными бота снова есть место.')
    expect(heard(alice, gateway)).toHaveLength(2)
    await notices.stop()
  })

  test('[GATEWAY-13.6] a large disk has less than 2 GiB, a small one less than a twentieth', () => {
    const of = (freeBytes: number, sizeBytes: number) =>
      problems.disk.check({ ...fine, disk: () => ({ freeBytes, sizeBytes }) }, wordsIn.en.owners).length
    expect([of(2 ** 31, 2 ** 44), of(2 ** 31 - 1, 2 ** 44), of(51, 1000), of(49, 1000)]).toEqual([0, 1, 0, 1])
  })
})

describe('a hook', () => {
  const refuse = async ({ gateway }: { gateway: TestGateway }, hook: { url: string }) =>
    expect((await post(gateway, hook, { json: { text: ' ' } })).status).toBe(400)

  test('[GATEWAY-13.7] that refuses its sender for minutes is named, without its secret, until it accepts', async ({
    clock,
    alice,
    looks,
    heard,
    owned,
  }) => {
    const hooked = await owned()
    await alice.openInvite((await hooked.api.me()).invite_url)
    await expect.poll(() => hooked.gateway.client.chats.list().length, SOON).toBeGreaterThan(0)
    const hook = await newHook(hooked.api, alice.id, 'text')
    for (let count = 0; count < 3; count++) await refuse(hooked, hook)
    await looks.pass(looksIn(10))
    expect(warnings(heard(alice, hooked.gateway))).toEqual([])
    await hooked.restart()
    clock.leap(1)
    await refuse(hooked, hook)
    const { text } = await looks.until(hooked.gateway, hearsFrom(alice, '⚠️'))
    expect(text).toBe(
      `⚠️ A hook rejects its sender:\n${hook.id} (chat “alice”): 4 refusals in a row\nGET /v1/hooks shows the reason.`,
    )
    expect(text).not.toContain(secretOf(hook))
    expect((await say(hooked.gateway, hook, 'fixed')).status).toBe(200)
    const over = await looks.until(hooked.gateway, hearsFrom(alice, '✅'))
    expect(over.text).toContain(hook.id)
    const [shown] = await hooked.api.ok<object[]>('GET', '/v1/hooks')
    expect(hookEndpoints.listHooks.answer.parse([shown])).toEqual([shown])
    expect(shown).not.toHaveProperty('refusals')
  })
})

test('[GATEWAY-13.7] three refusals, five minutes between the first and the last: no less is a problem', () => {
  const hook = { id: 'hook', chat: 'ops', firstMs: 1000 }
  const found = (count: number, spanMs: number) => {
    const refusingHooks = () => [{ ...hook, count, lastMs: hook.firstMs + spanMs }]
    return problems.hooks.check({ ...fine, refusingHooks }, wordsIn.en.owners).length
  }
  const { hookRefusalsOverMs: overMs } = ownerNoticeLimits
  expect([found(3, overMs), found(2, overMs), found(3, overMs - 1), found(2, DAY_MS)]).toEqual([1, 0, 0, 0])
})

test('[GATEWAY-13.9] the name of a chat stays in its line, and is cut', () => {
  const chat = `a\n/unhook «b»\u202e${'c'.repeat(100)}`
  const refused = { id: 'abcdefgh', chat, count: 3, firstMs: 0, lastMs: ownerNoticeLimits.hookRefusalsOverMs }
  const [found] = problems.hooks.check({ ...fine, refusingHooks: () => [refused] }, wordsIn.ru.owners)
  expect(found?.fact).toMatch(/^abcdefgh \(чат «a \/unhook „b“c{40,60}…»\): 3 отказа подряд$/)
})

describe('a link', () => {
  const create = (api: Api, link: object) => api.ok<BotInvite>('POST', '/v1/invites', link)

  test('[GATEWAY-13.8] for several people is named a day before it expires, and when it is gone', async ({
    clock,
    alice,
    bob,
    looks,
    heard,
    owned,
  }) => {
    const { gateway, api } = await owned({ UPDATES: 'off' })
    const expires = clock.nowMs() + 3 * DAY_MS
    const link = await create(api, { payload: 'summer', expires })
    await create(api, { payload: 'one', uses: 1, expires })
    const used = await create(api, { payload: 'two', uses: 2, expires })
    for (const person of [alice, bob]) await person.openInvite(used.url)
    await expect.poll(async () => (await api.ok<BotInvite[]>('GET', '/v1/invites'))[2]?.used, SOON).toBe(2)
    await create(api, { payload: 'short', expires: clock.nowMs() + DAY_MS })
    await create(api, { payload: 'forever' })
    await looks.pass(3)
    expect(warnings(heard(alice, gateway))).toEqual([])
    clock.leap(2 * DAY_MS)
    const { text } = await looks.until(gateway, hearsFrom(alice, '⚠️'))
    expect(text?.split('\n')).toEqual([
      '⚠️ A link to the bot will soon expire:',
      `${link.id}: until ${new Date(expires).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      'If you still need it, create a new one with POST /v1/invites.',
    ])
    await api.ok('DELETE', `/v1/invites/${link.id}`)
    await looks.until(gateway, hearsFrom(alice, '☑️'))
    expect(warnings(heard(alice, gateway))).toHaveLength(2)
  })
})

describe('a problem that comes and goes', () => {
  const owners = ['alice' as AccountId]
  const messagesOf = (isThere: (minute: number, subject: number) => boolean): string[] => {
    const messages: string[] = []
    let followed: FollowedProblem = { subjects: {} }
    for (let minute = 0; minute < 24 * 60; minute++) {
      const findings = Array.from({ length: 30 }, (_, subject) => subject)
        .filter(subject => isThere(minute, subject))
        .map(subject => ({ subject: `hook${subject}`, fact: `hook${subject}` }))
      const look = { name: 'hooks' as const, findings, nowMs: minute * 60_000, owners, words: wordsIn.en.owners }
      const { notice, ...after } = followProblem(followed, look)
      if (notice) messages.push(notice.text)
      followed = after
    }
    return messages
  }

  test('[GATEWAY-13.2] every three minutes is one problem', () => {
    expect(messagesOf((minute, subject) => subject === 0 && minute % 6 < 3)).toHaveLength(1)
  })

  test('[GATEWAY-13.2] every twenty minutes causes at most two messages an hour', () => {
    const messages = messagesOf((minute, subject) => subject === 0 && minute % 40 < 20)
    expect(messages.length).toBeGreaterThan(20)
    expect(messages.length).toBeLessThanOrEqual(48)
  })

  test('[GATEWAY-13.2] thirty hooks that begin one after the other are one message an hour', () => {
    // In 290 minutes, and once more for the last of them.
    expect(messagesOf((minute, subject) => minute >= subject * 10)).toHaveLength(6)
  })

  test('[GATEWAY-13.2] thirty hooks that end one after the other are one message an hour, too', () => {
    const [begun, ...over] = messagesOf((minute, subject) => minute < 60 + subject * 10)
    expect(begun).toContain('…and 20 more')
    expect(over).toHaveLength(6)
  })

  test('[GATEWAY-13.3] the next message waits until the last one was sent, and has what came meanwhile', () => {
    const [first, second, third] = ['first', 'second', 'third'].map(name => ({ subject: name, fact: name }))
    const followed = (before: FollowedProblem, hour: number, findings: { subject: string; fact: string }[]) =>
      followProblem(before, { name: 'hooks', findings, nowMs: hour * HOUR_MS, owners, words: wordsIn.en.owners })
    if (!first || !second || !third) throw new TypeError('there are three')
    let problem = followed({ subjects: {} }, 0, [first])
    const { notice } = problem
    expect(notice?.text).toContain('first')
    for (const [hour, findings] of [
      [2, [first, second]],
      [4, [second, third]],
    ] as const)
      problem = followed(problem, hour, [...findings])
    expect(problem.notice).toEqual(notice)
    const { notice: _, ...sent } = problem
    expect(followed(sent, 6, [second, third]).notice?.text).toMatch(/second\nthird/)
  })

  test('[GATEWAY-13.2] thirty hooks at the same time are one message, which names ten', () => {
    const [message, ...more] = messagesOf(() => true)
    expect(more).toEqual([])
    expect(message?.split('\n').slice(10)).toEqual(['hook9', '…and 20 more', 'GET /v1/hooks shows the reason.'])
  })
})

describe('the owners', () => {
  test('[GATEWAY-13.4] an account that is not on the relay is skipped with one line, and the others are told', async ({
    world,
    clock,
    alice,
    looks,
    receiver,
  }) => {
    const nobody = `${alice.id.slice(0, -4)}${alice.id.endsWith('aaaa') ? 'bbbb' : 'aaaa'}`
    const lines: object[] = []
    const quiet = () => undefined
    const log = {
      debug: quiet,
      info: quiet,
      error: quiet,
      warn: (fields: object, text: string) => void (text.startsWith('owner') && lines.push(fields)),
    }
    receiver.answer = answerWith(500)
    const env = { BOT_OWNERS: `${nobody},${alice.id}`, LANGUAGE: 'en', ...webhookTo(receiver.url) }
    const { gateway, api } = await onlineGateway(world, env, { clock, log })
    await alice.openInvite((await api.me()).invite_url)
    await looks.until(gateway, hearsFrom(alice, '⚠️'))
    await looks.pass(looksIn(30))
    expect(lines).toEqual([expect.objectContaining({ owner: nobody })])
  })

  test('[GATEWAY-13.4] without BOT_OWNERS nothing is looked for and nothing is stored', async ({
    clock,
    alice,
    heard,
    failing,
  }) => {
    const { gateway } = await failing({ BOT_OWNERS: '', HOOKS_URL })
    for (let minute = 0; minute < 30; minute++) clock.leap(60_000)
    expect(clock.isAwaited(ownerNoticeLimits.lookEveryMs)).toBe(false)
    expect(gateway.client.records(OWNER_SHELF).all()).toEqual([])
    expect(heard(alice, gateway)).toEqual(['hello'])
  })
})
