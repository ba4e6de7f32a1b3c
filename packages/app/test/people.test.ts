// Comparing keys, the own picture, and the end of an account.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { chooseLanguage } from '../src/i18n/language.ts'
import { shortNameOf } from '../src/parts/avatar/face.ts'
import { cropOf } from '../src/parts/fields/square-picture.ts'
import { compareCodes, digitGroups } from '../src/people/compare.ts'
import { isRemovalMeant } from '../src/settings/removal.ts'

afterEach(() => chooseLanguage('en'))

describe('comparing keys', () => {
  const qr = 'postern-safety:1:alice:bob:AbCd'
  const number = { account: 'bob', number: '', qr }

  test('[APP-13.1] only the whole code is the same', () => {
    expect(compareCodes(number, qr)).toBe('same')
    const others = ['', ' ', qr.slice(0, -1), `${qr} `, `${qr}\n`, qr.toLowerCase(), 'https://relay.example/#i/x']
    for (const other of others) expect(compareCodes(number, other)).toBe('different')
    expect(compareCodes({ ...number, qr: '' }, '')).toBe('different')
    fc.assert(fc.property(fc.string(), text => compareCodes(number, text) === (text === qr ? 'same' : 'different')))
  })

  test('[APP-13.2] the number is shown in groups of five', () => {
    const digits = '482139057233160728451093766208594712884684105377299165004382'
    const groups = digitGroups(digits.replaceAll(/(.{5})/g, '$1 '))
    expect(groups).toHaveLength(12)
    expect(groups.every(group => group.length === 5)).toBe(true)
    expect(groups.join('')).toBe(digits)
    expect(digitGroups(digits)).toEqual(groups)
  })
})

describe('oneself', () => {
  test('[APP-13.3] a picture is cut to the square in its middle', () => {
    expect(cropOf({ width: 400, height: 100 })).toEqual({ x: 150, y: 0, edge: 100 })
    expect(cropOf({ width: 100, height: 400 })).toEqual({ x: 0, y: 150, edge: 100 })
    expect(cropOf({ width: 7, height: 7 })).toEqual({ x: 0, y: 0, edge: 7 })
  })

  test('[APP-13.4] an account is removed by the word that is asked for', () => {
    chooseLanguage('en')
    expect(isRemovalMeant(' Delete ')).toBe(true)
    for (const typed of ['', 'd', 'deleted', 'удалить', 'yes']) expect(isRemovalMeant(typed)).toBe(false)
    chooseLanguage('ru')
    expect(isRemovalMeant('Удалить')).toBe(true)
    expect(isRemovalMeant('delete')).toBe(false)
  })
})

describe('words that fit', () => {
  test('[APP-9.15] a name in a sentence is its first word, and short', () => {
    expect(shortNameOf('Mira Kovač')).toBe('Mira')
    expect(shortNameOf('  Олег  Петров ')).toBe('Олег')
    expect(shortNameOf('W'.repeat(4_096))).toBe(`${'W'.repeat(20)}…`)
    expect(shortNameOf(`Z${'\u0301'.repeat(10_000)}`)).toBe('Z…')
    expect(shortNameOf('👨‍👩‍👧 family')).toBe('👨‍👩‍👧')
    expect(shortNameOf('')).toBe('')
  })
})
