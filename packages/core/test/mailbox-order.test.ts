// A relay and a platform that reorder, repeat and drop pages of a mailbox: every acknowledged message is shown, once
// and in order.
import type { ChatId } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame, encodeRelayFrame, type MailboxEntry } from '@postern/protocol/relay'
import { type Pass, SeededRandom, type TestPerson } from '@postern/testkit'
import fc from 'fast-check'
import { describe, expect, test as plain } from 'vitest'
import { newEntries } from '../src/inbox/new-entries.ts'
import { testInHurry } from './hostile/fixtures.ts'

let casts = 0

const test = testInHurry.extend(
  'talking',
  ({ world, clock }) =>
    async (): Promise<{ alice: TestPerson; bob: TestPerson }> => {
      const number = ++casts
      const alice = await world.person(`alice ${number}`, { clock })
      const bob = await world.person(`bob ${number}`, { clock })
      await alice.say(bob, 'hello bob')
      await bob.hears('hello bob')
      await bob.say(alice, 'hello alice')
      await alice.hears('hello alice')
      return { alice, bob }
    },
)

const isPage = (frame: Uint8Array): boolean => decodeRelayFrame(frame.slice()).kind === 'deliver'

type Fault = (frame: Uint8Array, random: SeededRandom) => Uint8Array[]

/** Holds one page back and lets it through after the next one. */
function swapped(): Fault {
  let held: Uint8Array | undefined
  return frame => {
    if (!held) {
      held = frame
      return []
    }
    const pages = [frame, held]
    held = undefined
    return pages
  }
}

const faults: [string, () => Fault][] = [
  ['drops pages', () => () => []],
  ['repeats pages', () => frame => [frame, frame]],
  ['brings pages in another order', swapped],
  [
    'brings the entries of a page in another order',
    () => bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      if (frame.kind !== 'deliver') return [bytes]
      return [encodeRelayFrame({ ...frame, entries: frame.entries.toReversed() })]
    },
  ],
  [
    'sends everything again much later',
    () => {
      const pages: Uint8Array[] = []
      return frame => {
        pages.push(frame.slice())
        return [frame, ...pages.slice(0, 3)]
      }
    },
  ],
]

/** In three of ten pages. */
function faulty(fault: Fault, random: SeededRandom): Pass {
  return frame => (isPage(frame) && random.below(10) < 3 ? fault(frame.slice(), random) : [frame])
}

const noticesOf = ({ client }: TestPerson): unknown[] =>
  client.journal.read(0, 1000).filter(({ json }) => (JSON.parse(json) as { type: string }).type === 'notice')

async function sayAll(speaker: TestPerson, to: TestPerson | ChatId, count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, at) => `text ${at}`)
  for (const text of texts) await speaker.say(to, text)
  return texts
}

/** A message after everything else, over an honest wire, has been read. */
async function expectAllShown({ alice, bob }: { alice: TestPerson; bob: TestPerson }, said: string[]): Promise<void> {
  bob.wire.incoming = frame => [frame]
  await alice.say(bob, 'the end')
  await expect.poll(() => bob.texts(alice), { timeout: 30_000 }).toContain('the end')
  const told = bob.client.journal.read(0, 1000).map(({ json }) => JSON.parse(json) as { message?: { text?: string } })
  const expected = [...said, 'the end']
  expect(bob.texts(alice).slice(-expected.length)).toEqual(expected)
  expect(told.flatMap(({ message }) => message?.text ?? []).slice(-expected.length)).toEqual(expected)
  expect(noticesOf(bob)).toEqual([])
}

describe('[CORE-22.11] a gap in the mailbox is never skipped', () => {
  test.for(faults)('a relay that %s', { timeout: 60_000 }, async ([, fault], { talking }) => {
    const { alice, bob } = await talking()
    bob.wire.incoming = faulty(fault(), new SeededRandom(7))
    const said = await sayAll(alice, bob, 40)
    await expectAllShown({ alice, bob }, said)
  })

  test('a platform that loses a page behind the socket', async ({ talking }) => {
    const { alice, bob } = await talking()
    let lost = 0
    bob.wire.incoming = frame => (isPage(frame) && lost++ === 0 ? [] : [frame])
    const said = await sayAll(alice, bob, 5)
    expect(lost).toBeGreaterThan(1)
    await expectAllShown({ alice, bob }, said)
  })

  test('a relay that does not know chained pages is read as before', async ({ talking }) => {
    const { alice, bob } = await talking()
    const followed: string[] = []
    bob.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind === 'call' && frame.name.startsWith('follow')) followed.push(frame.name)
      if (frame.kind !== 'call' || frame.name !== 'followChained') return [bytes]
      const words = {
        code: 'frame-malformed',
        message: 'its kind is not known',
        retryAtMs: undefined,
        serial: undefined,
      }
      setImmediate(() => bob.wire.inject(encodeRelayFrame({ kind: 'failure', id: frame.id, ...words })))
      return []
    }
    bob.wire.drop()
    await bob.online()
    const said = await sayAll(alice, bob, 3)
    await expectAllShown({ alice, bob }, said)
    expect(followed.slice(0, 2)).toEqual(['followChained', 'follow'])
  })
})

const entryAt = (cursor: number) => ({ cursor }) as MailboxEntry
const cursorsOf = (entries: MailboxEntry[] | undefined) => entries?.map(({ cursor }) => cursor)

plain.each([
  ['what continues', { after: 5, entries: [7, 9] }, [7, 9]],
  ['what came already', { after: 2, entries: [3, 5] }, []],
  ['what came in part', { after: 3, entries: [5, 8] }, [8]],
  ['an entry twice', { after: 5, entries: [7, 7, 9, 7] }, [7, 9]],
  ['a page behind a gap', { after: 6, entries: [7] }, undefined],
  ['an empty page behind a gap', { after: 6, entries: [] }, undefined],
  ['a later entry before an earlier one', { after: 5, entries: [9, 7] }, undefined],
  ['what an old relay sends', { after: undefined, entries: [4, 7] }, [7]],
])('[CORE-22.11] of a page behind position 5: %s', (_, { after, entries }, expected) => {
  expect(cursorsOf(newEntries({ after, entries: entries.map(entryAt) }, 5))).toEqual(expected)
})

plain('[CORE-22.11] whatever is done to the pages of a mailbox, what was read of it is a beginning of it', () => {
  const mailbox = fc
    .uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 20 })
    .map(all => all.sort((a, b) => a - b))
  const cuts = fc.array(fc.tuple(fc.nat(20), fc.nat(4)), { maxLength: 30 })
  fc.assert(
    fc.property(mailbox, cuts, (cursors, pages) => {
      const read: number[] = []
      for (const [from, count] of pages) {
        const page = { after: cursors[from - 1] ?? 0, entries: cursors.slice(from, from + count).map(entryAt) }
        read.push(...(cursorsOf(newEntries(page, read.at(-1) ?? 0)) ?? []))
      }
      expect(read).toEqual(cursors.slice(0, read.length))
    }),
  )
})
