// Living alerts: one message for a group, which is edited as the group changes.
import type { Records } from '@postern/core'
import { CodedError, Deferred, hookLimits } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { passTime, WITHIN } from '@postern/testkit'
import { describe, expect, vi } from 'vitest'
import { LIVING_SHELF } from '../src/hooks/stored-names.ts'
import { SOON } from './api.ts'
import { backOnline, dry, post } from './hooks.ts'
import { groupBody, labelsOf, livingHook, type SentAlert, test } from './living.ts'

/** Whether the frame brings a message to the relay. */
function isAppend(frame: Uint8Array): boolean {
  const decoded = decodeClientFrame(frame)
  return decoded.kind === 'call' && decoded.name.startsWith('append')
}

const node = (number: number, more: Partial<SentAlert> = {}): SentAlert => ({ at: `node-${number}:9100`, ...more })

describe('one message for a group', () => {
  test('[GATEWAY-14.1] it is edited as the group changes, and ends without buttons and with a short reply', async ({
    fires,
    messages,
  }) => {
    expect(await fires([node(1), node(2, { severity: 'warning', began: 4 }), node(3)])).toMatchObject({ status: 200 })
    await fires([node(1), node(2, { severity: 'warning', began: 4 }), node(3, { ended: 5 })])
    const [burning] = await messages()
    expect(burning?.text).toBe(
      'InstanceDown: 2 of 3\nnode-1:9100 (critical), 12 min\nnode-2:9100 (warning), 4 min\n✅ node-3:9100 (critical), was down 7 min'.replace(
        /^/,
        '🔥 ',
      ),
    )
    expect(burning && labelsOf(burning)).toEqual(['Take it', 'Silence 1 h', 'Silence 24 h', 'Open'])
    await fires([node(1, { ended: 0 }), node(2, { ended: 0, began: 4 })])
    const all = await messages()
    expect(all.map(({ text }) => text?.split('\n', 1)[0])).toEqual([
      '✅ Resolved: InstanceDown, 12 min',
      '✅ Resolved: InstanceDown, 12 min',
    ])
    expect(all[0]).toMatchObject({ id: burning?.id })
    expect(all[0]).not.toHaveProperty('buttons')
    expect(all[1]).toMatchObject({ reply_to: burning?.id })
  })

  test('[GATEWAY-14.2] posts that come late, twice and in any order lead to one message in the same state', async ({
    fires,
    messages,
    clock,
  }) => {
    const nowMs = clock.nowMs()
    const bodies: SentAlert[][] = [
      [node(1)],
      [node(1), node(2, { began: 8 })],
      [node(1, { ended: 5 }), node(2, { began: 8 })],
      [node(1, { ended: 5 }), node(2, { began: 8, ended: 2 })],
    ]
    const orders = [
      [0, 0, 1, 1, 2, 2, 3, 3],
      [1, 0, 2, 1, 3, 2, 0, 3],
      [3, 2, 1, 0, 3],
      [2, 0, 3, 1, 0, 2],
    ]
    for (const [at, order] of orders.entries())
      for (const body of order) {
        const answer = await fires(bodies[body] ?? [], { name: `group-${at}`, nowMs })
        expect(answer).toMatchObject({ status: 200 })
      }
    const all = await messages()
    const own = all.filter(({ reply_to }) => reply_to === undefined).map(({ text = '' }) => text.split('\n'))
    expect(own.map(([title]) => title)).toEqual(orders.map((_, at) => `✅ Resolved: group-${at}, 10 min`))
    expect(own.map(lines => lines.slice(1).toSorted())).toEqual(
      orders.map(() => ['node-1:9100 (critical), was down 7 min', 'node-2:9100 (critical), was down 6 min']),
    )
  })

  test('[GATEWAY-14.4] what fires again after its end is a new message', async ({ fires, messages }) => {
    await fires([node(1)])
    await fires([node(1, { ended: 6 })])
    await fires([node(1, { began: 2 })])
    const [first, reply, again] = await messages()
    expect(first?.text).toMatch(/^✅/)
    expect(reply?.reply_to).toBe(first?.id)
    expect(again?.text).toBe('🔥 InstanceDown: 1\nnode-1:9100 (critical), 2 min')
    expect(again?.id).not.toBe(first?.id)
  })

  test('[GATEWAY-14.4] with its old start it fires again only when no late report can say so', async ({
    fires,
    messages,
    clock,
    later,
  }) => {
    const nowMs = clock.nowMs()
    await fires([node(1)], { nowMs })
    await fires([node(1, { ended: 1 })], { nowMs })
    await fires([node(1)], { nowMs })
    expect((await messages()).filter(({ text }) => text?.startsWith('🔥'))).toEqual([])
    await later(hookLimits.living.lateWithinMs)
    await fires([node(1)], { nowMs })
    expect((await messages()).at(-1)?.text).toMatch(/^🔥 InstanceDown: 1/)
  })
})

describe('replies', () => {
  test('[GATEWAY-14.3] a new alert and a higher severity are told, the first time', async ({ fires, messages }) => {
    await fires([node(1, { severity: 'warning' })])
    await fires([node(1, { severity: 'warning' }), node(2)])
    await fires([node(1, { severity: 'warning' }), node(2)])
    await fires([node(1), node(2)])
    const texts = (await messages()).map(({ text }) => text)
    expect(texts.slice(1)).toEqual(['⬆️ +1: node-2:9100 (critical)', '⬆️ +1: node-1:9100 (critical)'])
  })

  test('[GATEWAY-14.3] a repeat reminds of a critical group that nobody took, and of no other', async ({
    fires,
    messages,
    presses,
    alice,
    clock,
    later,
  }) => {
    const nowMs = clock.nowMs()
    await fires([node(1)], { nowMs })
    await fires([node(1)], { nowMs })
    expect(await messages()).toHaveLength(1)
    await later(hookLimits.living.remindAfterMs)
    await fires([node(1)], { nowMs })
    expect((await messages()).at(-1)).toMatchObject({ text: '⏰ Still firing, 22 min' })
    await fires([node(1)], { nowMs })
    expect(await messages()).toHaveLength(2)
    await presses(alice, 'Take it')
    await later(hookLimits.living.remindAfterMs)
    await fires([node(1)], { nowMs })
    expect(await messages()).toHaveLength(2)
  })
})

describe('faults', () => {
  test('[GATEWAY-14.14] a message that was deleted is replaced with the next post', async ({
    fires,
    messages,
    hooked,
    alice,
    clock,
  }) => {
    await fires([node(1)])
    const [first] = await messages()
    const { messages: own } = hooked.gateway.client
    await passTime(clock, own.delete(alice.id as never, { message: first?.id as never, for: 'all' }, WITHIN))
    await fires([node(1)])
    const left = await messages()
    expect(left.map(({ text }) => text)).toEqual(['🔥 InstanceDown: 1\nnode-1:9100 (critical), 12 min'])
    expect(left[0]?.id).not.toBe(first?.id)
  })

  test('[GATEWAY-14.15] a relay that is away is 502; what was posted is shown once it is back', async ({
    fires,
    messages,
    hooked,
    clock,
    shows,
  }) => {
    await fires([node(1)])
    hooked.gateway.wire.cut()
    expect(await fires([node(1), node(2)])).toMatchObject({ status: 502 })
    expect(await fires([node(1), node(2)])).toMatchObject({ status: 502 })
    hooked.gateway.wire.mend()
    await backOnline(clock, hooked.gateway)
    await shows(/^🔥 InstanceDown: 2\n/)
    expect(await fires([node(1), node(2)])).toMatchObject({ status: 200 })
    expect((await messages()).map(({ text }) => text?.split(' ', 1)[0])).toEqual(['🔥', '⬆️'])
  })

  test('[GATEWAY-14.23] 410 when the bot is no longer in the group, and the hook stays', async ({
    alice,
    hooked,
    fires,
    clock,
  }) => {
    const { client } = hooked.gateway
    const created = alice.client.chats.createGroup({ name: 'g', members: [client.account] }, WITHIN)
    const group = await passTime(clock, created)
    await passTime(clock, expect.poll(() => client.chats.list().length, SOON).toBe(2))
    const to = await livingHook(hooked, group.id)
    expect(await fires([node(1)], { to })).toMatchObject({ status: 200 })
    await passTime(clock, alice.client.chats.removeMembers(group.id, [client.account], WITHIN))
    await passTime(clock, expect.poll(() => client.chats.get(group.id).state, SOON).toBe('left'))
    const gone = { status: 410, body: { code: 'gone' } }
    expect(await fires([node(1), node(2)], { to })).toMatchObject(gone)
    expect(await fires([node(1), node(2)], { to })).toMatchObject(gone)
    expect(await fires([node(1)], { to, name: 'Another' })).toMatchObject(gone)
    expect(await fires([{ ...node(1), ended: 1 }], { to })).toMatchObject(gone)
    expect(await hooked.api.ok('GET', `/v1/hooks?chat=${group.id}`)).toMatchObject([
      { id: to.id, last_result: 'refused', last_status: 410 },
    ])
    expect(await fires([node(1)])).toMatchObject({ status: 200 })
  })

  test('[GATEWAY-14.16] a flood of changes of one group is few edits, and each sender is answered', async ({
    messages,
    hooked,
    hook,
    alice,
    clock,
  }) => {
    const posts = Array.from({ length: 60 }, (_, count) => {
      const alerts = Array.from({ length: count + 1 }, (__, at) => node(at, { severity: 'warning' }))
      return post(hooked.gateway, hook, { json: groupBody({ alerts, nowMs: clock.nowMs() }) })
    })
    // The clock stands still: one edit is made, and the others wait for their time.
    const json = groupBody({ alerts: [], nowMs: clock.nowMs(), fields: { alerts: [{ status: 'firing', labels: {} }] } })
    const seen = async () => (await dry(hooked.gateway, hook, { json })).body['text']
    await expect.poll(seen, SOON).toMatch(/^🔥 InstanceDown: 61/)
    const answers = await passTime(clock, Promise.all(posts))
    expect(answers.map(({ status }) => status)).toEqual(posts.map(() => 200))
    const all = await messages()
    expect(all[0]?.text).toMatch(/^🔥 InstanceDown: 60/)
    const edits = alice.client.journal.read(0, 1000).filter(({ json }) => json.includes('"type":"edited"'))
    expect(edits.length).toBeLessThanOrEqual(3)
  })

  test('[GATEWAY-14.24] a group does not wait for the messages of others, and no more than 16 are under way', async ({
    messages,
    hooked,
    hook,
    alice,
    clock,
  }) => {
    const { wire, client } = hooked.gateway
    const mark = 'after all groups that could begin '.repeat(100)
    let sent = 0
    let sentBeforeMark: number | undefined
    wire.outgoing = frame => {
      if (!isAppend(frame)) return [frame]
      if (frame.length > mark.length) sentBeforeMark = sent
      else sent++
      return [frame]
    }
    wire.hold()
    const names = Array.from({ length: 20 }, (_, at) => `Group${at}`)
    const posts = names.map(name => {
      const json = groupBody({ name, alerts: [node(1)], nowMs: clock.nowMs() })
      return post(hooked.gateway, hook, { json })
    })
    const stored = client.records(LIVING_SHELF)
    await expect.poll(() => stored.all().length === names.length && sent >= 16, SOON).toBe(true)
    // The bot's messages leave in their order, so a group that did not wait for its turn is before this one.
    const marked = client.messages.sendText(alice.id as never, { text: mark }, WITHIN)
    await expect.poll(() => sentBeforeMark, SOON).toBeDefined()
    wire.release()
    await marked
    const answers = await Promise.all(posts)
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    expect([sentBeforeMark, sent]).toEqual([16, names.length])
    const told = (await messages()).flatMap(({ text }) => /^🔥 (\w+):/.exec(text ?? '')?.[1] ?? [])
    expect([told.length, new Set(told)]).toEqual([names.length, new Set(names)])
  })

  test.for(['refuses', 'holds'] as const)(
    '[GATEWAY-14.26] while the disk %s a new group nothing is sent, and then it is one message',
    async (mood, { hooked, hook, fires, messages, onTestFinished }) => {
      const writes = Object.getPrototypeOf(hooked.gateway.client.records(LIVING_SHELF)) as Records
      const { change } = writes
      const asked = new Deferred()
      const isHeld = new Deferred()
      const spy = vi.spyOn(writes, 'change').mockImplementation(async function (this: Records, ...changes) {
        if (changes[0]?.key.startsWith(`${hook.id}/`) === true) {
          asked.resolve()
          if (mood === 'refuses') throw new CodedError('storage-full')
          await isHeld.promise
        }
        await change.apply(this, changes)
      })
      onTestFinished(() => spy.mockRestore())
      const posted = fires([node(1)])
      await asked.promise
      if (mood === 'refuses')
        expect(await posted).toMatchObject({ status: 502, body: { error: expect.stringContaining('disk') } })
      // Everything that was to be sent before this has been sent then.
      expect(await messages()).toEqual([])
      spy.mockRestore()
      isHeld.resolve()
      if (mood === 'holds') expect(await posted).toMatchObject({ status: 200 })
      else expect(await fires([node(1)])).toMatchObject({ status: 200 })
      expect(await messages()).toHaveLength(1)
    },
  )

  test('[GATEWAY-14.13] after a restart the message is the same, and is edited on', async ({
    fires,
    messages,
    hooked,
    clock,
  }) => {
    await fires([node(1)])
    const [first] = await messages()
    await passTime(clock, hooked.restart())
    await backOnline(clock, hooked.gateway)
    await fires([node(1, { ended: 0 })])
    const [same, reply] = await messages()
    expect([same?.id, same?.text]).toEqual([first?.id, expect.stringMatching(/^✅/)])
    expect(reply?.reply_to).toBe(first?.id)
  })
})
