// A gateway is killed in the middle of posts to a living alert, and around presses of its buttons: one message follows
// the group all the same, and one silence is made.
import { setTimeout as wait } from 'node:timers/promises'
import type { Bot, Chat, CreatedHook } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import type { RequestStep, TestSilence } from './alertmanager-server.ts'
import { AlertmanagerServer } from './alertmanager-server.ts'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { post } from './hooks.ts'
import { KillableGateway } from './killable-gateway.ts'
import { buttonsOf, groupBody, labelsOf, type SentAlert } from './living.ts'

/** From the moment of a post: before its first write, and at each later step. */
const KILLED_AFTER_MS = [0, 1, 2, 4, 6, 8, 12]

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('manager', async ({}, { onCleanup }) => {
    const manager = await AlertmanagerServer.start()
    onCleanup(() => manager.close())
    return manager
  })
  .extend('gateway', async ({ world, alice, manager }, { onCleanup }) => {
    const env = {
      BOT_OWNERS: alice.id,
      HOOKS_URL: 'https://hooks.example.org',
      ALERTMANAGER_URL: manager.url,
      LANGUAGE: 'en',
    }
    const gateway = new KillableGateway(world, env)
    onCleanup(() => gateway.kill())
    await gateway.start()
    return gateway
  })
  .extend('chat', async ({ gateway, alice }) => {
    const { id, invite_url } = await gateway.ask<Bot>('GET', '/v1/me')
    await alice.openInvite(invite_url)
    await expect.poll(async () => (await gateway.ask<Chat[]>('GET', '/v1/chats')).length, SOON).toBe(1)
    return privateChatId(id)
  })
  .extend('hook', ({ gateway, alice, chat: _open }) =>
    gateway.ask<CreatedHook>('POST', '/v1/hooks', {
      chat_id: alice.id,
      format: 'alerts',
      options: { living: true },
    }),
  )

test('[GATEWAY-14.13] killed at any moment of a post, the same message is edited on, and each reply is sent once', async ({
  alice,
  gateway,
  chat,
  hook,
}) => {
  const nowMs = Date.now()
  const alerts: SentAlert[] = []
  const postGroup = () =>
    post(gateway, hook, { json: groupBody({ alerts, nowMs }) }).then(
      ({ status }) => status,
      () => 0,
    )
  for (const [at, afterMs] of KILLED_AFTER_MS.entries()) {
    alerts.push({ at: `node-${at}` })
    const posted = postGroup()
    await wait(afterMs)
    await gateway.kill()
    const status = await posted
    await gateway.start()
    // A sender whose post was acknowledged does not retry.
    if (status !== 200) await expect.poll(postGroup, { interval: 20 }).toBe(200)
  }
  for (const alert of alerts) alert.ended = 1
  await expect.poll(postGroup, { interval: 20 }).toBe(200)
  const told = () => alice.client.messages.list(chat, { limit: 100 })
  await expect.poll(() => told().at(0)?.text, SOON).toMatch(/^✅ Resolved: InstanceDown/)
  await expect.poll(() => told().at(-1)?.text, SOON).toMatch(/^✅ Resolved: InstanceDown/)
  const [message, ...replies] = told()
  expect(replies.map(({ text }) => text)).toEqual([
    ...alerts.slice(1).map(({ at }) => `⬆️ +1: ${at} (critical)`),
    expect.stringMatching(/^✅/),
  ])
  for (const { reply_to } of replies) expect(reply_to).toBe(message?.id)
})

/** The message about a group, as a person has it. */
const shownTo = (person: TestPerson, { chat, name }: { chat: string; name: string }) =>
  person.client.messages
    .list(chat as Parameters<typeof person.client.messages.list>[0], { limit: 100 })
    .find(({ text }) => text?.startsWith(`🔥 ${name}:`))

async function pressed(person: TestPerson, where: { chat: string; name: string }, label: string): Promise<void> {
  await expect.poll(() => labelsOf(shownTo(person, where) ?? {}), SOON).toContain(label)
  const message = shownTo(person, where)
  const data = message && buttonsOf(message).find(({ text }) => text === label)?.data
  if (!message || data === undefined) throw new Error(`no button ${label}`)
  await person.client.messages.press(message.chat_id, { message: message.id, data }, WITHIN)
}

const isActive = ({ status }: TestSilence): boolean => status.state === 'active'

/** The first time that a request of this kind reaches this step; the caller is dead before the server continues. */
function killAt(manager: AlertmanagerServer, step: RequestStep, gateway: KillableGateway): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  manager.atStep = async now => {
    if (now !== step) return
    manager.atStep = () => undefined
    await gateway.kill()
    resolve()
  }
  return promise
}

const silenceSteps: RequestStep[] = ['GET came', 'GET done', 'GET answered', 'POST came', 'POST done', 'POST answered']
const endSteps: RequestStep[] = ['DELETE came', 'DELETE done', 'DELETE answered']

test('[GATEWAY-14.10] killed at any step of a press, the Alertmanager has one silence, and the message says so', async ({
  alice,
  gateway,
  manager,
  chat,
  hook,
}) => {
  for (const [at, step] of silenceSteps.entries()) {
    const name = `Down${at}`
    const json = groupBody({ name, alerts: [{ at: 'node-1' }], nowMs: Date.now() })
    expect((await post(gateway, hook, { json })).status).toBe(200)
    const killed = killAt(manager, step, gateway)
    await pressed(alice, { chat, name }, 'Silence 1 h')
    await killed
    await gateway.start()
    await expect
      .poll(() => [step, shownTo(alice, { chat, name })?.text], SOON)
      .toEqual([step, expect.stringMatching(/🔕 until/)])
    const made = manager.silences.filter(({ matchers }) => matchers[0]?.value === name)
    expect([step, made.length, made.filter(isActive).length]).toEqual([step, 1, 1])
  }
  for (const [at, step] of endSteps.entries()) {
    const name = `Down${at}`
    const killed = killAt(manager, step, gateway)
    await pressed(alice, { chat, name }, 'End silence')
    await killed
    await gateway.start()
    await expect
      .poll(() => [step, labelsOf(shownTo(alice, { chat, name }) ?? {})], SOON)
      .toEqual([step, expect.arrayContaining(['Silence 1 h'])])
    const left = manager.silences.filter(({ matchers }) => matchers[0]?.value === name).filter(isActive)
    expect([step, left.length, shownTo(alice, { chat, name })?.text]).toEqual([
      step,
      0,
      expect.not.stringContaining('🔕'),
    ])
  }
})
