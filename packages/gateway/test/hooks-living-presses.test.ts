// Buttons of living alerts: who may press them, and what becomes of the group and of its silence.
import { hookLimits } from '@postern/protocol'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { LIVING_SHELF } from '../src/hooks/stored-names.ts'
import { AlertmanagerServer } from './alertmanager-server.ts'
import { SOON } from './api.ts'
import { backOnline } from './hooks.ts'
import { test as base, buttonsOf, labelsOf, livingHook, type SentAlert } from './living.ts'
import { TestReceiver } from './receiver.ts'
import { grouped } from './talking.ts'

const down: SentAlert[] = [{ at: 'node-1' }]
const HOUR_MS = 3_600_000
const { lookEveryMs } = hookLimits.alertmanager

const test = base
  /** The Alertmanager is asked for silenced alerts once more. */
  .extend('looks', ({ manager, clock }) => async (): Promise<void> => {
    const before = manager.requests.length
    clock.advance(lookEveryMs)
    await passTime(clock, expect.poll(() => manager.requests.length, SOON).toBeGreaterThan(before))
  })
  .extend('firing', ({ manager }) => (...names: string[]): void => {
    manager.alerts = names.map(name => ({ fingerprint: `of-${name}`, labels: { alertname: 'InstanceDown' } }))
  })

describe('take it', () => {
  test('[GATEWAY-14.5] a press shows who has it, and the same person gives it back', async ({
    alice,
    fires,
    shows,
    presses,
  }) => {
    await fires(down)
    expect(await presses(alice, 'Take it')).toBe('You have taken this')
    await shows(/\n👤 alice, \d\d:\d\d$/)
    expect(await presses(alice, 'Take it')).toBe('No longer yours')
    await shows(/\nnode-1 \(critical\), \d+ min$/)
  })

  test('[GATEWAY-14.25] of two people at the same moment one takes it, the other learns who, and may then take it over', async ({
    alice,
    bob,
    hooked,
    clock,
    presses,
    fires,
  }) => {
    await bob.openInvite((await hooked.api.me()).invite_url)
    await passTime(
      clock,
      hooked.api.next('chat', ({ chat_id }) => chat_id === bob.chatId),
    )
    const { chat } = await passTime(clock, grouped(hooked.api, [alice, bob]))
    await fires(down, { to: await livingHook(hooked, chat, { allow: 'members' }) })
    const arrived = (person: TestPerson) => person.next('message', event => event.chat_id === chat)
    const seen = (await passTime(clock, Promise.all([alice, bob].map(arrived)))).map(({ message }) => message)
    const take = async (person: TestPerson): Promise<string> => {
      const [message] = seen
      const [button] = message ? buttonsOf(message) : []
      if (!message || button?.data === undefined) throw new Error('the message has a button')
      const id = await person.client.messages.press(chat, { message: message.id, data: button.data }, WITHIN)
      return (await person.next('toast', event => event.toast.press_id === id)).toast.text
    }
    const people = [alice, bob]
    const toasts = await Promise.all(people.map(take))
    const first = toasts.indexOf('You have taken this')
    const [taker, other] = first === 0 ? [alice, bob] : [bob, alice]
    const taken = `${taker.name} has taken this`
    expect(toasts.toSorted()).toEqual(['You have taken this', taken].toSorted())
    const footer = () => other.client.messages.list(chat, { limit: 1 })[0]?.text?.split('\n').at(-1)
    await passTime(clock, expect.poll(footer, SOON).toContain(`👤 ${taker.name}`))
    expect(await presses(other, 'Take it', { chat })).toBe('You have taken this')
    await passTime(clock, expect.poll(footer, SOON).toContain(`👤 ${other.name}`))
  })

  test('[GATEWAY-14.6] a person without permission is told so, and nothing is silenced or taken', async ({
    alice,
    bob,
    hooked,
    manager,
    clock,
    presses,
    fires,
  }) => {
    await bob.openInvite((await hooked.api.me()).invite_url)
    await passTime(
      clock,
      hooked.api.next('chat', ({ chat_id }) => chat_id === bob.chatId),
    )
    const { chat } = await passTime(clock, grouped(hooked.api, [alice, bob]))
    const closed = await livingHook(hooked, chat)
    await fires(down, { to: closed })
    const refusal = 'Only the owners of the bot, and people whom they name, can do this'
    expect(await presses(bob, 'Silence 1 h', { chat })).toBe(refusal)
    expect(await presses(bob, 'Take it', { chat })).toBe(refusal)
    expect(manager.silences).toEqual([])
    const [message] = alice.client.messages.list(chat, { limit: 1 })
    expect(message?.text).not.toContain('👤')
    const open = await livingHook(hooked, chat, { allow: 'members' })
    await fires(down, { to: open })
    expect(await presses(bob, 'Take it', { chat })).toBe('You have taken this')
    const named = await livingHook(hooked, chat, { allow: [bob.id] })
    await fires(down, { to: named })
    expect(await presses(bob, 'Take it', { chat })).toBe('You have taken this')
  })

  test.for(['webhook', 'off'])(
    '[GATEWAY-14.7] presses work with updates by webhook, and with none (%s)',
    async (mode, { alice, clock, env, presses, hooked, fires }) => {
      await fires(down)
      await using receiver = await TestReceiver.start()
      const changed: Record<string, string> =
        mode === 'off' ? { UPDATES: 'off' } : { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: 's'.repeat(32) }
      await passTime(clock, hooked.restart({ env: { ...env, ...changed } }))
      await backOnline(clock, hooked.gateway)
      expect(await presses(alice, 'Take it')).toBe('You have taken this')
    },
  )
})

describe('silence', () => {
  test('[GATEWAY-14.8] a press silences the group at the Alertmanager of the settings, and another ends it', async ({
    alice,
    fires,
    shows,
    manager,
    messages,
    presses,
    clock,
  }) => {
    await fires(down)
    expect(await presses(alice, 'Silence 1 h')).toMatch(/^Silenced until \d\d:\d\d$/)
    expect(manager.silences).toHaveLength(1)
    const [silence] = manager.silences
    expect(silence).toMatchObject({
      matchers: [{ name: 'alertname', value: 'InstanceDown', isRegex: false, isEqual: true }],
      createdBy: `alice (${alice.id.slice(0, 4)}…)`,
      comment: expect.stringMatching(/^Postern, alice \([a-z2-7]+\)$/),
    })
    const lastsMs = Date.parse(silence?.endsAt ?? '') - Date.parse(silence?.startsAt ?? '')
    expect(Math.abs(lastsMs - HOUR_MS)).toBeLessThan(60_000)
    expect(Math.abs(Date.parse(silence?.startsAt ?? '') - clock.nowMs())).toBeLessThan(60_000)
    await shows(/\n🔕 until \d\d:\d\d$/)
    const [message] = await messages()
    expect(message && labelsOf(message)).toEqual(['Take it', 'End silence', 'Open'])
    expect(await presses(alice, 'End silence')).toBe('The silence is over')
    expect(silence?.status.state).toBe('expired')
    await shows(/\nnode-1 [^\n]*$/)
    const [after] = await messages()
    expect(after && labelsOf(after)).toEqual(['Take it', 'Silence 1 h', 'Silence 24 h', 'Open'])
  })

  test('[GATEWAY-14.9] an Alertmanager that cannot act is said so, and the message stays', async ({
    alice,
    fires,
    manager,
    messages,
    presses,
  }) => {
    await fires(down)
    const before = await messages()
    for (const mood of ['hangs', 'fails', 'floods', 'raves'] as const) {
      manager.mood = mood
      expect(await presses(alice, 'Silence 1 h', { isSlow: true })).toBe('Alertmanager does not answer')
    }
    for (const mood of ['refuses', 'redirects'] as const) {
      manager.mood = mood
      expect(await presses(alice, 'Silence 1 h')).toBe('Alertmanager refused the request')
    }
    expect(manager.silences).toEqual([])
    expect(manager.requests.filter(({ path }) => path === '/elsewhere')).toEqual([])
    const after = await messages()
    expect(after.map(({ id, buttons }) => [id, buttons])).toEqual(before.map(({ id, buttons }) => [id, buttons]))
  })

  test('[GATEWAY-14.10] a silence of which nothing was learned is found again, and is the only one', async ({
    alice,
    fires,
    shows,
    manager,
    presses,
    looks,
  }) => {
    await fires(down)
    manager.moodOfPosts = 'acts and hangs'
    expect(await presses(alice, 'Silence 1 h', { isSlow: true })).toBe('Alertmanager does not answer')
    expect(manager.silences).toHaveLength(1)
    manager.moodOfPosts = undefined
    await looks()
    await shows(/\n🔕 until/)
    expect(manager.silences).toHaveLength(1)
  })

  test('[GATEWAY-14.10] pressed by two people at the same moment, it is one silence, and both are told of it', async ({
    alice,
    bob,
    hooked,
    manager,
    clock,
    presses,
    fires,
  }) => {
    await bob.openInvite((await hooked.api.me()).invite_url)
    await passTime(
      clock,
      hooked.api.next('chat', ({ chat_id }) => chat_id === bob.chatId),
    )
    const { chat } = await passTime(clock, grouped(hooked.api, [alice, bob]))
    await fires(down, { to: await livingHook(hooked, chat, { allow: 'members' }) })
    await passTime(
      clock,
      bob.next('message', event => event.chat_id === chat),
    )
    const toasts = await Promise.all([alice, bob].map(person => presses(person, 'Silence 1 h', { chat })))
    expect(toasts[0]).toMatch(/^Silenced/)
    expect(toasts[1]).toBe(toasts[0])
    expect(manager.silences).toHaveLength(1)
  })

  test('[GATEWAY-14.10] pressed again after such a try, it is still one silence', async ({
    alice,
    fires,
    manager,
    presses,
  }) => {
    await fires(down)
    manager.moodOfPosts = 'acts and hangs'
    expect(await presses(alice, 'Silence 1 h', { isSlow: true })).toBe('Alertmanager does not answer')
    manager.moodOfPosts = undefined
    expect(await presses(alice, 'Silence 1 h')).toMatch(/^Silenced until/)
    expect(manager.silences).toHaveLength(1)
  })

  test('[GATEWAY-14.11] a silenced group that is over is finished by asking, also after a restart', async ({
    alice,
    fires,
    manager,
    messages,
    presses,
    looks,
    firing,
    hooked,
    clock,
    shows,
  }) => {
    await fires([{ at: 'node-1' }, { at: 'node-2' }])
    await presses(alice, 'Silence 1 h')
    firing('node-1', 'node-2')
    await looks()
    firing('node-2')
    for (let look = 0; look < hookLimits.alertmanager.absentLooks; look++) await looks()
    await shows(/^🔥 InstanceDown: 1 of 2/)
    await passTime(clock, hooked.restart())
    await backOnline(clock, hooked.gateway)
    firing()
    // A restarted Alertmanager knows no alerts for a while: one look proves nothing.
    await looks()
    firing('node-2')
    await looks()
    // The look before this one is over.
    const [stored] = hooked.gateway.client.records(LIVING_SHELF).all()
    expect(stored?.value.match(/"isOver":(true|false)/g)?.toSorted()).toEqual(['"isOver":false', '"isOver":true'])
    firing()
    for (let look = 0; look < hookLimits.alertmanager.absentLooks; look++) await looks()
    await shows(/^✅ Resolved: InstanceDown/)
    const [message, reply] = await messages()
    expect(message).not.toHaveProperty('buttons')
    expect(reply).toMatchObject({ reply_to: message?.id })
    expect(manager.count('POST')).toBe(1)
  })

  test('[GATEWAY-14.11] a silence that somebody ends elsewhere leaves the message within a minute', async ({
    alice,
    fires,
    shows,
    manager,
    presses,
    looks,
    firing,
  }) => {
    await fires(down)
    await presses(alice, 'Silence 1 h')
    firing('node-1')
    for (const silence of manager.silences) silence.status.state = 'expired'
    await looks()
    await shows(/\nnode-1 [^\n]*$/)
  })
})

describe('addresses', () => {
  test('[GATEWAY-14.12] no address of a payload is asked, and the token goes to those of the settings', async ({
    alice,
    clock,
    env,
    hooked,
    fires,
    manager,
    presses,
  }) => {
    const forged = await AlertmanagerServer.start()
    try {
      await passTime(clock, hooked.restart({ env: { ...env, ALERTMANAGER_TOKEN: 'secret' } }))
      await backOnline(clock, hooked.gateway)
      await fires(down, { fields: { externalURL: forged.url } })
      await presses(alice, 'Silence 1 h')
      expect(forged.requests).toEqual([])
      expect(manager.requests.map(({ token }) => token)).toEqual(manager.requests.map(() => 'Bearer secret'))
      expect(manager.silences).toHaveLength(1)
    } finally {
      await forged.close()
    }
  })

  test('[GATEWAY-14.9] an address that does not answer is followed by the next one', async ({
    alice,
    clock,
    env,
    hooked,
    fires,
    manager,
    presses,
  }) => {
    const hanging = await AlertmanagerServer.start()
    hanging.mood = 'hangs'
    try {
      const urls = { ALERTMANAGER_URL: `http://127.0.0.1:1, ${hanging.url},${manager.url}/` }
      await passTime(clock, hooked.restart({ env: { ...env, ...urls } }))
      await backOnline(clock, hooked.gateway)
      await fires(down)
      const told = presses(alice, 'Silence 1 h')
      await expect.poll(() => hanging.requests.length, SOON).toBe(1)
      clock.advance(hookLimits.alertmanager.answerWithinMs)
      expect(await told).toMatch(/^Silenced until/)
      expect(manager.silences).toHaveLength(1)
    } finally {
      await hanging.close()
    }
  })
})
