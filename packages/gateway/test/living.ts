// A gateway with an Alertmanager and living messages, and senders that post groups of alerts to them.
import type { CreatedHook, HookOptions } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { AlertmanagerServer } from './alertmanager-server.ts'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { backOnline, type HookedGateway, hookedGateway, type Posted, post } from './hooks.ts'

const MINUTE_MS = 60_000

/** Minutes before now; without `ended` it fires. */
export type SentAlert = { at: string; severity?: string; began?: number; ended?: number }
type SentGroup = { name?: string; alerts: SentAlert[]; nowMs: number; fields?: object }
type SentTo = Partial<SentGroup> & { to?: CreatedHook }

/** A body of Alertmanager's. */
export function groupBody({ name = 'InstanceDown', alerts, nowMs, fields }: SentGroup) {
  const timeOf = (minutes: number) => new Date(nowMs - minutes * MINUTE_MS).toISOString()
  const isOver = alerts.every(({ ended }) => ended !== undefined)
  return {
    version: '4',
    status: isOver ? 'resolved' : 'firing',
    groupKey: `{}:{alertname="${name}"}`,
    groupLabels: { alertname: name },
    commonLabels: { alertname: name },
    externalURL: 'https://alertmanager.example.test',
    alerts: alerts.map(({ at, severity = 'critical', began = 12, ended }) => ({
      status: ended === undefined ? 'firing' : 'resolved',
      fingerprint: `of-${at}`,
      labels: { alertname: name, instance: at, severity },
      annotations: { summary: `${name} on ${at}` },
      startsAt: timeOf(began),
      endsAt: ended === undefined ? '0001-01-01T00:00:00Z' : timeOf(ended),
    })),
    ...fields,
  }
}

export const buttonsOf = ({ buttons = [] }: Pick<Message, 'buttons'>) => buttons.flat()
export const labelsOf = (message: Pick<Message, 'buttons'>): string[] => buttonsOf(message).map(({ text }) => text)

export const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('manager', async ({}, { onCleanup }) => {
    const manager = await AlertmanagerServer.start()
    onCleanup(() => manager.close())
    return manager
  })
  .extend(
    'env',
    ({ alice, manager }): Record<string, string> => ({
      BOT_OWNERS: alice.id,
      ALERTMANAGER_URL: manager.url,
      LANGUAGE: 'en',
    }),
  )
  .extend('hooked', ({ world, alice, clock, env }) => hookedGateway(world, alice, { clock, env }))
  .extend('hook', ({ hooked, alice }) => livingHook(hooked, alice.id))
  /** Posts a group of alerts; time passes until it is answered. */
  .extend('fires', ({ hooked, hook, clock }) => {
    return async (alerts: SentAlert[], { to = hook, ...more }: SentTo = {}): Promise<Posted> => {
      const json = groupBody({ alerts, nowMs: clock.nowMs(), ...more })
      return await passTime(clock, post(hooked.gateway, to, { json }))
    }
  })
  /** As after a sleep of the machine: everybody is connected again. */
  .extend('later', ({ hooked, clock }) => async (forMs: number): Promise<void> => {
    clock.leap(forMs)
    await backOnline(clock, hooked.gateway)
  })
  /** All messages of the bot as alice has them, oldest first, once she has what the relay has. */
  .extend('messages', ({ hooked, alice, clock }) => async (): Promise<Message[]> => {
    await passTime(clock, hooked.api.send(alice.id, { text: 'now' }))
    await passTime(clock, alice.hears('now'))
    const all = alice.client.messages.list(hooked.chatId, { limit: 100 })
    return all.filter(({ text, from }) => text !== 'now' && from.id !== alice.id)
  })
  /** Waits until the first message of the bot is like this. */
  .extend('shows', ({ hooked, alice, clock }) => async (text: RegExp): Promise<void> => {
    const first = () => {
      const all = alice.client.messages.list(hooked.chatId, { limit: 100 })
      return all.find(({ from }) => from.id !== alice.id)?.text ?? ''
    }
    await passTime(clock, expect.poll(first, SOON).toMatch(text))
  })
  /**
   * Presses the button with this label of the newest message that has it, while the clock stands still unless the
   * Alertmanager hangs. Returns the answer.
   */
  .extend('presses', ({ hooked, clock }) => {
    return async (
      person: TestPerson,
      label: string,
      { chat = hooked.chatId, isSlow = false } = {},
    ): Promise<string> => {
      const has = (message: Message) => buttonsOf(message).some(({ text }) => text === label)
      const find = () => person.client.messages.list(chat, { limit: 100 }).findLast(has)
      await passTime(clock, expect.poll(find, SOON).toBeDefined())
      const message = find()
      const button = message && buttonsOf(message).find(({ text }) => text === label)
      if (!message || !button || button.data === undefined) throw new Error(`no button ${label}`)
      const pressed = { message: message.id, data: button.data }
      const id = await person.client.messages.press(chat, pressed, WITHIN)
      const told = person.next('toast', event => event.toast.press_id === id)
      return (await (isSlow ? passTime(clock, told) : told)).toast.text
    }
  })

export const livingHook = (
  { api }: HookedGateway,
  chat: string,
  { format = 'alerts', ...options }: Partial<HookOptions> & { format?: string } = {},
): Promise<CreatedHook> =>
  api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: chat, format, options: { living: true, ...options } })
