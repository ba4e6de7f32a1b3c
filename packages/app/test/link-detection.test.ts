// Links in strangers' words: they must not mislead about their target.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressOf, partsOf, type TextPart } from '../src/parts/text/link-detection.ts'

const linksOf = (text: string) => partsOf(text).filter(part => part.kind === 'link')
const shownLinks = (text: string) => linksOf(text).map(part => part.text)
const textOf = (parts: TextPart[]) => parts.map(part => part.text).join('')
const hostShown = (text: string) => /^https?:\/\/([^/?#]*)/i.exec(text)?.[1]?.toLowerCase()

describe('where a link goes', () => {
  test.each([
    ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
    ['HTTPS://Example.ORG/Path', 'HTTPS://Example.ORG/Path'],
    ['https://аррӏе.com/id', 'https://xn--80ak6aa92e.com/id'],
    ['https://ＧＯＯＧＬＥ.com', 'https://google.com'],
    ['https://example.org。evil.example/x', 'https://example.org.evil.example/x'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['https://%65vil.example/', 'https://evil.example/'],
    ['https://example.org:443/', 'https://example.org/'],
  ])('[APP-9.1] %s is shown as %s', (written, shown) => {
    expect(shownLinks(written)).toEqual([shown])
  })

  test.each([
    ['see www.example.org.', 'www.example.org', 'https://www.example.org/'],
    ['(WWW.Example.org/A?b#c)', 'WWW.Example.org/A?b#c', 'https://www.example.org/A?b#c'],
    ['www.аррӏе.com/id', 'www.xn--80ak6aa92e.com/id', 'https://www.xn--80ak6aa92e.com/id'],
    [
      'https://example.org/www.example.net',
      'https://example.org/www.example.net',
      'https://example.org/www.example.net',
    ],
  ])('[APP-9.2] %s has the link %s', (text, shown, url) => {
    expect(linksOf(text)).toEqual([{ kind: 'link', text: shown, url }])
  })

  test.each([
    'www.',
    'www.example',
    'www..org',
    'www.1.2',
    'awww.example.org',
    'alice@www.example.org',
    'x.www.example.org',
    'www.bank.example@evil.example',
    'javascript://www.example.org',
  ])('[APP-9.2] %s is text', text => {
    expect(linksOf(text)).toEqual([])
  })

  test('[APP-9.1] whatever the address, the host that is shown is the one that is opened', () => {
    const host = fc.oneof(fc.webAuthority({ withPort: true, withIPv4: true }), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(host, fc.webPath(), (authority, path) => {
        for (const part of linksOf(`see https://${authority}${path} there`)) {
          expect(hostShown(part.text)).toBe(new URL(part.url).host)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    'https://bank.example@evil.example/',
    'https://bank.example:secret@evil.example',
    'https://@evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:alice@example.org',
    'ftp://example.org',
    'xhttps://example.org',
    'https://',
    'https://exa mple',
    `https://example.org/${'a'.repeat(3_000)}`,
  ])('[APP-9.2] %s is text, or a link to nothing but what is shown', written => {
    for (const part of linksOf(written)) expect(hostShown(part.text)).toBe(new URL(part.url).host)
    expect(linksOf(written).filter(part => part.url.includes('evil'))).toEqual([])
    expect(linksOf(written).every(part => /^https?:/i.test(part.url))).toBe(true)
    if (written !== 'https://exa mple') expect(linksOf(written)).toEqual([])
  })

  test('[APP-9.2] a backslash, which browsers read as a slash, ends the address', () => {
    expect(shownLinks('https://bank.example\\@evil.example')).toEqual(['https://bank.example'])
    expect(addressOf('https://bank.example\\@evil.example')).toBeUndefined()
  })
})

describe('where a link ends', () => {
  test.each([
    ['See https://example.org/a.', 'https://example.org/a'],
    ['(https://example.org/a)', 'https://example.org/a'],
    ['https://example.org/Door_(gate)', 'https://example.org/Door_(gate)'],
    ['(see https://example.org/Door_(gate)).', 'https://example.org/Door_(gate)'],
    ['https://example.org/a, then', 'https://example.org/a'],
    ['«https://example.org/a»', 'https://example.org/a'],
    ['https://example.org/a!?…', 'https://example.org/a'],
    ['https://example.org/\u202emoc.live', 'https://example.org/'],
    ['https://example.org/a\u200bb', 'https://example.org/a'],
    ['https://example.org/a\u0000b', 'https://example.org/a'],
    ['https://example.org/a\u2066b', 'https://example.org/a'],
    ['<https://example.org/a>', 'https://example.org/a'],
  ])('[APP-9.3] %j has the link %s', (text, shown) => {
    expect(shownLinks(text)).toEqual([shown])
  })

  test('[APP-9.4] the parts of any text are the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('https://example.org', '/start', ' ', '.', ')', '@', '\u202e', 'http://', '://'),
    )
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('')
        const parts = partsOf(text, { commands: true })
        const plain = parts.map(part => (part.kind === 'link' ? '' : part.text)).join('')
        if (parts.every(part => part.kind !== 'link')) expect(plain).toBe(text)
        else expect(textOf(parts).length).toBeGreaterThanOrEqual(plain.length)
      }),
      { numRuns: 1_000 },
    )
    expect(textOf(partsOf('a https://example.org/b, c', {}))).toBe('a https://example.org/b, c')
  })

  test('[APP-9.4] a text of the greatest length is read in no time that shows', () => {
    const texts = ['https://'.repeat(512), `https://a.example/${')'.repeat(4_000)}`, `https://${'a.'.repeat(2_000)}`]
    for (const text of texts) expect(textOf(partsOf(text)).length).toBeGreaterThan(0)
  })

  test('[APP-9.4] a text of a megabyte is read in time with its length: by squares it would take hours', () => {
    for (const piece of ['/a ', 'https://a.b ', 'www.a.bc ']) {
      const text = piece.repeat(1_000_000 / piece.length)
      const found = partsOf(text, { commands: true }).filter(part => part.kind !== 'text')
      expect(found.length).toBe(Math.floor(1_000_000 / piece.length))
    }
  })
})

describe('mentions and commands', () => {
  const user = 'alice'

  test('[APP-9.5] only a mention that lies in the text, alone, can be tapped', () => {
    const mentions = [
      { user, offset: 3, length: 4 },
      { user, offset: 5, length: 4 },
      { user, offset: 90, length: 4 },
      { user, offset: -2, length: 4 },
      { user, offset: 0, length: 0 },
    ]
    expect(partsOf('Hi @bob and others', { mentions })).toEqual([
      { kind: 'text', text: 'Hi ' },
      { kind: 'mention', text: '@bob', user },
      { kind: 'text', text: ' and others' },
    ])
  })

  test('[APP-9.5] a mention does not cut an address short', () => {
    const text = 'https://bank.example'
    expect(partsOf(text, { mentions: [{ user, offset: 12, length: 8 }] })).toEqual([
      { kind: 'link', text, url: 'https://bank.example/' },
    ])
  })

  test('[APP-9.5] a mention of which nothing is seen is text', () => {
    const text = 'Hi \u200b\u00a0 there'
    expect(partsOf(text, { mentions: [{ user, offset: 3, length: 2 }] })).toEqual([{ kind: 'text', text }])
  })

  test('[APP-9.6] a command stands as a word, and only with a bot', () => {
    const commandsIn = (text: string) =>
      partsOf(text, { commands: true })
        .filter(part => part.kind === 'command')
        .map(part => part.text)
    expect(commandsIn('/start or /help. (/quiet) and/or a/b /Übung /usr/bin https://example.org/start')).toEqual([
      '/start',
      '/help',
      '/quiet',
    ])
    expect(partsOf('/start')).toEqual([{ kind: 'text', text: '/start' }])
  })
})
