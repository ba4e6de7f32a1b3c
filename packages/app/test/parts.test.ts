// The promises of the screens' parts, tested without a browser: avatars, toasts, errors in words.
import { readFileSync } from 'node:fs'
import { isErrorCode } from '@postern/protocol'
import { blackPng, pngThatClaims } from '@postern/testkit/pictures'
import { beforeEach, describe, expect, test } from 'vitest'
import { CallError } from '../src/contract/calls.ts'
import { chooseLanguage, languages } from '../src/i18n/language.ts'
import { attempt } from '../src/parts/attempt.ts'
import { hueOf, initialsOf, pictureOf } from '../src/parts/avatar/face.ts'
import { faultWords } from '../src/parts/fault-table.ts'
import { faultText, faultWordsOf } from '../src/parts/fault-words.ts'
import { hideToast, showToast, toastLeftMs, toasts } from '../src/parts/toasts/toast-list.ts'

const pngUrl = (png: Buffer): string => `data:image/png;base64,${png.toString('base64')}`

describe('faces', () => {
  test('[APP-9.7] a picture is one in itself', () => {
    const picture = pngUrl(blackPng(1024, 1024))
    expect(pictureOf(picture)).toBe(picture)
    const others = [
      'https://evil.example/seen.png',
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html;base64,PHN2Zz4=',
      'data:image/png;base64,abc") url(https://evil.example',
      'data:image/png,abc',
      `data:image/png;base64,${'A'.repeat(500_000)}`,
      // With a wrong type, and unreadable.
      picture.replace('png', 'webp'),
      'data:image/webp;base64,UklGRg==',
      '',
      undefined,
    ]
    for (const other of others) expect(pictureOf(other)).toBeUndefined()
  })

  test('[APP-9.7] a picture that would take all memory is none', () => {
    const bomb = pngUrl(blackPng(20_000, 20_000))
    expect(bomb.length).toBeLessThan(80_000)
    for (const url of [bomb, pngUrl(blackPng(1025, 1)), pngUrl(pngThatClaims(0x7fff_ffff, 1))])
      expect(pictureOf(url)).toBeUndefined()
  })

  test('[APP-9.8] the letters are one or two signs', () => {
    expect(initialsOf('Mira Kovač')).toBe('MK')
    expect(initialsOf('deploy')).toBe('D')
    expect(initialsOf('Олег Иванович Петров')).toBe('ОП')
    expect(initialsOf('👨‍👩‍👧 family')).toBe('👨‍👩‍👧F')
    expect(initialsOf(`a${'\u0301'.repeat(10_000)} b`)).toBe('AB')
    expect(initialsOf('(the) "door"')).toBe('TD')
    expect(initialsOf('\u202e \u200b')).toBe('')
    expect(initialsOf('x'.repeat(4_096))).toBe('X')
  })

  test('[APP-9.8] a hue is an angle, and the same for an id every time', () => {
    const hues = Array.from({ length: 100 }, (_, at) => hueOf(`account-${at}`))
    expect(hues.every(hue => Number.isInteger(hue) && hue >= 0 && hue < 360)).toBe(true)
    expect(new Set(hues).size).toBeGreaterThan(60)
    expect(hueOf('alice')).toBe(hueOf('alice'))
  })
})

describe('errors', () => {
  beforeEach(async () => {
    await faultWordsOf({ code: 'internal', message: '' })
    for (const { id } of toasts.value) hideToast(id)
    chooseLanguage('en')
  })

  /** For authors of bots, for an operator, or between machines: no screen can cause one. */
  const notForPeople = [
    'person-not-found press-not-found press-too-late press-answered idempotency-conflict token-wrong route-not-found method-not-found',
    'updates-off webhook-set webhook-set-here webhook-in-settings webhook-missing reader-not-found readers-full start-link-not-found start-links-full hook-not-found hook-token-wrong hook-proof-wrong hook-chat-gone hooks-full frame-malformed group-exists',
    'bad-certificate database-locked database-key-missing database-key-wrong database-missing database-unusable descriptors-used-up',
    'database-unreachable database-too-old postgres-too-old unavailable database-in-use database-moving database-moved',
    'database-not-empty database-older database-replaced',
    // The settings of notifications say it in their own words.
    'push-off push-endpoint',
    'scope-missing outside-token host-unknown token-not-found tokens-full mcp-token-wrong',
    'library-unpatched not-running backup-running backup-overtaken backup-refused',
  ].flatMap(line => line.split(' '))

  test('[APP-9.9] every code that can reach a person has words in every language', () => {
    const codesIn = (url: string | URL, entry: RegExp) =>
      [...readFileSync(new URL(url), 'utf8').matchAll(entry)].map(match => match[1] ?? '')
    const protocolCodes = codesIn(
      new URL('errors.ts', import.meta.resolve('@postern/protocol')),
      /^ {2}'?([a-z-]+)'?: (?:\(|d =>)/gm,
    )
    const appCodes = codesIn(new URL('../src/worker/app-error.ts', import.meta.url), /^ {2}'([a-z-]+)': '/gm)
    const codes = [...protocolCodes, ...appCodes]
    expect(protocolCodes.length).toBeGreaterThan(60)
    expect(protocolCodes.every(isErrorCode)).toBe(true)
    expect(appCodes.length).toBeGreaterThan(5)
    for (const language of languages) {
      chooseLanguage(language)
      const worded = new Set(Object.keys(faultWords.value))
      expect(codes.filter(code => !worded.has(code) && !notForPeople.includes(code))).toEqual([])
      expect(notForPeople.filter(code => worded.has(code))).toEqual([])
      const details = { max: 5, retryAtMs: 0, home: 'x', field: 'name', rule: 'r' }
      for (const code of worded) expect(faultText({ code, message: '', details })).toMatch(/^\p{Lu}[^{}]*[.…]$/u)
    }
  })

  test('[APP-9.9] a code without words shows its message, and one that an object has by birth is no word', () => {
    expect(faultText({ code: 'made-tomorrow', message: 'Something new.' })).toBe('Something new.')
    expect(faultText({ code: 'constructor', message: 'Something new.' })).toBe('Something new.')
  })

  test('[APP-9.10] a failed call is one toast', async () => {
    const failing = () => attempt(Promise.reject(new CallError({ code: 'poll-closed', message: '' })))
    expect(await failing()).toBeUndefined()
    expect(await failing()).toBeUndefined()
    expect(toasts.value.map(({ kind, text }) => ({ kind, text }))).toEqual([
      { kind: 'error', text: 'The poll is closed.' },
    ])
    expect(await attempt(Promise.resolve(7))).toEqual({ value: 7 })
  })

  test('[APP-9.11] a toast stands for six seconds, and for two more when it is looked at for longer', () => {
    showToast({ kind: 'note', text: 'copied' })
    const [toast] = toasts.value
    if (!toast) throw new Error('no toast')
    expect(toastLeftMs(toast, toast.madeMs)).toBeCloseTo(6_000)
    expect(toastLeftMs(toast, toast.madeMs + 1_500)).toBeCloseTo(4_500)
    expect(toastLeftMs(toast, toast.madeMs + 60_000)).toBeCloseTo(2_000)
  })

  test('[APP-9.11] at most four toasts stand at once', () => {
    for (let at = 0; at < 9; at++) showToast({ kind: 'note', text: `note ${at}` })
    expect(toasts.value.map(({ text }) => text)).toEqual(['note 5', 'note 6', 'note 7', 'note 8'])
  })
})
