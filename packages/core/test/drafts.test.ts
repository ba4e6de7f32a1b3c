// Streamed drafts: a text that is shown while it is made, by people who are honest and by people who are not.

import { sealEphemeral } from '@postern/mls'
import { type ChatId, CodedError, clientLimits, contentLimits } from '@postern/protocol'
import { decodeEphemeral, encodeEphemeral } from '@postern/protocol/content'
import { encodeRelayFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect, test as plain } from 'vitest'
import { draftPartOf, draftWords, joinDraft } from '../src/typing/draft-text.ts'
import { Typists } from '../src/typing/typists.ts'
import { coreOf, groupOf } from './hostile/modified-client.ts'

const { draftSentEveryMs, draftShownMs, draftsPerChatMax, typingReadEveryMs, typistsMax } = clientLimits

/** All clocks are one, and it stands still. */
const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('wire', () => new Wire())
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('bob', ({ world, clock, wire }) => world.person('bob', { clock, wire }))
  /** Both have written. */
  .extend('talk', async ({ alice, bob }) => {
    await alice.say(bob, 'hello')
    await bob.hears('hello')
    await bob.say(alice, 'hello, alice')
    await alice.hears('hello, alice')
    return { toBob: bob.chatId, toAlice: alice.chatId }
  })

const draftsOf = ({ client }: TestPerson, chat: ChatId) =>
  client.typing.drafts(chat).map(({ text, entities }) => (entities ? { text, entities } : text))

describe('a draft', () => {
  test('[CORE-4.15] grows, and is replaced by the message; it is in no journal and no history', async ({
    alice,
    bob,
    talk,
    clock,
  }) => {
    const before = bob.client.journal.newest()
    const changes: string[] = []
    bob.client.typing.onChange(change => changes.push(change.state === 'drafting' ? change.draft.text : change.state))
    await alice.client.typing.sendDraft(talk.toBob, { text: 'The answer' }, WITHIN)
    await expect.poll(() => draftsOf(bob, talk.toAlice)).toEqual(['The answer'])
    clock.advance(draftSentEveryMs)
    await alice.client.typing.sendDraft(talk.toBob, { text: 'The answer is **42', markdown: true }, WITHIN)
    await expect.poll(() => draftsOf(bob, talk.toAlice)).toEqual(['The answer is **42'])
    clock.advance(draftSentEveryMs)
    await alice.client.typing.sendDraft(talk.toBob, { text: 'The answer is **42**', markdown: true }, WITHIN)
    const entities = [{ type: 'bold', offset: 14, length: 2 }]
    await expect.poll(() => draftsOf(bob, talk.toAlice)).toEqual([{ text: 'The answer is 42', entities }])
    expect(bob.client.messages.history(talk.toAlice, { limit: 9 }).rows).toHaveLength(2)
    await alice.say(bob, 'The answer is 42.')
    await bob.hears('The answer is 42.')
    expect(draftsOf(bob, talk.toAlice)).toEqual([])
    expect(changes).toEqual(['typing', 'The answer', 'The answer is **42', 'The answer is 42', 'ended'])
    const events = bob.client.journal.read(before, 100).map(({ json }) => (JSON.parse(json) as { type: string }).type)
    expect(events.filter(type => type !== 'receipt')).toEqual(['message'])
  })

  test('[CORE-4.15] without a message it ends after half a minute', async ({ alice, bob, talk, clock }) => {
    await alice.client.typing.sendDraft(talk.toBob, { text: 'unfinished' }, WITHIN)
    await expect.poll(() => draftsOf(bob, talk.toAlice)).toEqual(['unfinished'])
    clock.advance(draftShownMs - 1)
    expect(draftsOf(bob, talk.toAlice)).toEqual(['unfinished'])
    clock.advance(1)
    expect([draftsOf(bob, talk.toAlice), bob.client.typing.now()]).toEqual([[], []])
  })

  test('[CORE-4.16] is sent at most twice a second, and at once after a message', async ({
    alice,
    bob,
    talk,
    clock,
  }) => {
    const seen: string[] = []
    bob.client.typing.onChange(change => void (change.state === 'drafting' && seen.push(change.draft.text)))
    for (let at = 0; at < 20; at++) await alice.client.typing.sendDraft(talk.toBob, { text: `text ${at}` }, WITHIN)
    await expect.poll(() => seen).toEqual(['text 0'])
    clock.advance(draftSentEveryMs)
    await alice.client.typing.sendDraft(talk.toBob, { text: 'later' }, WITHIN)
    await expect.poll(() => seen).toEqual(['text 0', 'later'])
    await alice.say(bob, 'done')
    clock.advance(typingReadEveryMs)
    await alice.client.typing.sendDraft(talk.toBob, { text: 'next' }, WITHIN)
    await expect.poll(() => seen).toEqual(['text 0', 'later', 'next'])
  })

  test('[CORE-4.16] that the relay has no space for is no error; an empty or too long one is', async ({
    alice,
    talk,
    clock,
  }) => {
    await alice.client.typing.sendDraft(talk.toBob, { text: '🙂'.repeat(contentLimits.textCharsMax) }, WITHIN)
    const { link } = coreOf(alice)
    Object.assign(link, { call: () => Promise.reject(new CodedError('rate-limited', { what: 'frames' })) })
    clock.advance(draftSentEveryMs)
    await alice.client.typing.sendDraft(talk.toBob, { text: 'one too many' }, WITHIN)
    for (const text of ['', 'x'.repeat(contentLimits.textCharsMax + 1)])
      await expect(alice.client.typing.sendDraft(talk.toBob, { text }, WITHIN)).rejects.toMatchObject({
        code: 'bad-field',
      })
  })
})

describe('a modified client', () => {
  /** Any content under alice's keys, as the relay delivers it. */
  const sealed = async (person: TestPerson, chat: ChatId, plaintext: Uint8Array) =>
    await coreOf(person).groups.run(groupOf(person, chat), live => sealEphemeral(live.session, plaintext))

  test('[CORE-4.17] that floods drafts is read four times a second, and delays no message', async ({
    alice,
    bob,
    talk,
    clock,
    wire,
  }) => {
    const seen: string[] = []
    bob.client.typing.onChange(change => void (change.state === 'drafting' && seen.push(change.draft.text)))
    for (let at = 0; at < 50; at++) {
      const body = { kind: 'draft', at: 0, text: `flood ${at}` } as const
      const payload = await sealed(alice, talk.toBob, encodeEphemeral({ ts: clock.nowMs() + at, body }))
      wire.inject(encodeRelayFrame({ kind: 'ephemeral', sender: alice.id, payload }))
    }
    await alice.say(bob, 'on time')
    await bob.hears('on time')
    expect(seen).toEqual(['flood 0'])
    expect(draftsOf(bob, talk.toAlice)).toEqual([])
  })

  test('[CORE-4.17] that sends a draft again after its message shows nothing', async ({
    alice,
    bob,
    talk,
    clock,
    wire,
  }) => {
    const body = { kind: 'draft', at: 0, text: 'old' } as const
    const payload = await sealed(alice, talk.toBob, encodeEphemeral({ ts: clock.nowMs(), body }))
    const frame = encodeRelayFrame({ kind: 'ephemeral', sender: alice.id, payload })
    wire.inject(frame)
    await expect.poll(() => draftsOf(bob, talk.toAlice)).toEqual(['old'])
    await alice.say(bob, 'done')
    await bob.hears('done')
    clock.advance(typingReadEveryMs)
    wire.inject(frame)
    await coreOf(bob).groups.run(groupOf(bob, talk.toAlice), async () => undefined)
    expect(draftsOf(bob, talk.toAlice)).toEqual([])
  })

  plain.for([
    ['no text', { at: 0 }],
    ['an empty text', { at: 0, text: '' }],
    ['a text that is too long', { at: 0, text: 'x'.repeat(2 * contentLimits.textCharsMax + 1) }],
    ['a negative place', { at: -1, text: 'x' }],
    ['a place far behind any text', { at: 1e9, text: 'x' }],
    ['a place that is no number', { at: 'x', text: 'x' }],
    ['another type of text', { at: 0, text: { x: 1 } }],
  ] as const)('[CORE-4.17] that sends %s shows nothing', ([, body]) => {
    const json = JSON.stringify({ v: 1, ts: 1, body: { kind: 'draft', ...body } })
    expect(decodeEphemeral(new TextEncoder().encode(json))).toBeUndefined()
  })

  plain('[CORE-4.17] that adds parts without end keeps a text of the largest message', () => {
    let draft = joinDraft(undefined, { at: 0, text: 'x'.repeat(4000) })
    for (let turn = 0; turn < 10; turn++) draft = joinDraft(draft, { at: draft.text.length, text: 'y'.repeat(4000) })
    expect(draft.text).toHaveLength(contentLimits.textCharsMax)
  })

  base('[CORE-4.17] many people with drafts have a bounded memory, and a chat shows four', ({ clock }) => {
    const typists = new Typists(clock)
    for (let at = 0; at < 2 * typistsMax; at++)
      typists.typed({ chat: 'c' as never, account: `${at}` as never, ts: 1, ageMs: 0, draft: { at: 0, text: `${at}` } })
    expect(typists.now()).toHaveLength(typistsMax)
    expect(typists.drafts('c' as never).map(({ draft }) => draft.text)).toHaveLength(draftsPerChatMax)
    clock.advance(draftShownMs)
    expect(typists.drafts('c' as never)).toEqual([])
  })
})

describe('a long text', () => {
  const { textCharsMax } = contentLimits
  const texts = [
    ['letters', 'abcdefghij'],
    ['line breaks', 'a\n"\\\t'],
    ['emoji', '🙂👍🏽'],
    ['Cyrillic', 'Привет, '],
  ] as const
  test.for(texts)(
    '[CORE-4.18] of %s fits into a frame, and grows whole at a receiver that misses none',
    async ([, unit], { alice, talk }) => {
      const whole = [...unit.repeat(textCharsMax)].slice(0, textCharsMax).join('')
      const step = 200
      let shown: ReturnType<typeof joinDraft> | undefined
      for (let end = step; end <= whole.length; end += step) {
        const part = draftPartOf(whole.slice(0, end), false)
        shown = joinDraft(shown, part)
        expect(shown.from).toBe(0)
        expect(shown.text).toBe(whole.slice(0, end).toWellFormed())
      }
      await expect(alice.client.typing.sendDraft(talk.toBob, { text: whole }, WITHIN)).resolves.toBeUndefined()
    },
  )

  plain('[CORE-4.18] whose beginning was lost is shown from where it is known', () => {
    const part = draftPartOf('a'.repeat(4000), false)
    expect(part.at).toBeGreaterThan(0)
    const draft = joinDraft(undefined, part)
    expect(draftWords(draft).text).toBe(`…${part.text}`)
    // A gap, and a text that begins again.
    expect(joinDraft({ from: 0, text: 'abc', markdown: false }, { at: 9, text: 'x' })).toMatchObject({
      from: 9,
      text: 'x',
    })
    expect(joinDraft(draft, { at: 0, text: 'new' })).toMatchObject({ from: 0, text: 'new' })
  })
})
