// Arriving: links, names, the six words.
import { contentLimits, nameFault } from '@postern/protocol'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { arrival, arrivalOf, forgetArrival, putArrivalBack, readArrival } from '../src/onboarding/arrival.ts'
import { linkInText } from '../src/onboarding/link-in-text.ts'
import { nameProblem } from '../src/onboarding/name.ts'
import { wordsIn } from '../src/onboarding/recovery-words.ts'

/** Halves of pairs, controls and marks included. */
const anyText = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map(units => String.fromCharCode(...units))

const LINK = 'https://relay.example/#i/account/key/token'

afterEach(() => {
  forgetArrival()
  vi.unstubAllGlobals()
})

function stubAddress(href: string) {
  const seen: string[] = []
  const address = new URL(href)
  vi.stubGlobal('location', address)
  vi.stubGlobal('history', {
    replaceState(_state: unknown, _unused: string, to: string) {
      address.href = new URL(to, address.origin).href
      seen.push(address.href)
    },
  })
  return { address, seen }
}

test('[APP-8.1] An invite link is taken out of the address bar as it is read, and kept by the page alone', () => {
  const { address } = stubAddress(LINK)
  const stored = vi.fn()
  vi.stubGlobal('sessionStorage', { setItem: stored })
  vi.stubGlobal('localStorage', { setItem: stored })
  readArrival()
  expect(arrival.value).toEqual({ kind: 'invite', link: LINK })
  expect(address.href).toBe('https://relay.example/')
  expect(stored).not.toHaveBeenCalled()
  readArrival()
  expect(arrival.value).toEqual({ kind: 'invite', link: LINK })
})

test('[APP-8.1] A page that loads itself anew finds the link again', () => {
  const { address } = stubAddress(LINK)
  readArrival()
  putArrivalBack()
  expect(address.href).toBe(LINK)
})

test('[APP-8.1] Routes are no links', () => {
  for (const hash of ['', '#', '#c/chat', '#settings', '#info/x', '#invite', '#m'])
    expect(arrivalOf(`https://relay.example/${hash}`)).toBeUndefined()
})

test('[APP-8.2] A pasted link is found in the words around it', () => {
  for (const text of [LINK, `  ${LINK}\n`, `Come here: ${LINK}.`, `(${LINK})`, `<${LINK}>`, `“${LINK}”, see?`])
    expect(linkInText(text)).toEqual({ kind: 'invite', link: LINK })
  for (const text of ['', 'hello', 'https://relay.example/', 'javascript:alert(1)#i/a/b/c', 'ftp://x/#i/a/b/c'])
    expect(linkInText(text)).toBeUndefined()
})

test('[APP-8.2] No text, however long, makes the search for a link slow or throw', () => {
  fc.assert(fc.property(anyText(500), text => void linkInText(text)))
  expect(linkInText('https://'.repeat(200_000))).toBeUndefined()
})

test('[APP-8.3] A name is taken here exactly when the protocol takes it', () => {
  fc.assert(
    fc.property(anyText(80), text => {
      const isTaken = nameFault(text.trim(), contentLimits.nameCharsMax) === undefined
      expect(nameProblem(text) === undefined).toBe(isTaken)
    }),
  )
  expect(nameProblem(' \u200b ')).toBe('empty')
  expect(nameProblem('a'.repeat(contentLimits.nameCharsMax + 1))).toBe('long')
  expect(nameProblem('Al\u202eice')).toBe('signs')
})

test('[APP-8.4] The six words are read as people write them down', () => {
  const words = ['meadow', 'copper', 'lantern', 'thirsty', 'oblige', 'walnut']
  expect(wordsIn('meadow copper lantern thirsty oblige walnut')).toEqual(words)
  expect(wordsIn('1. Meadow\n2. COPPER, 3) lantern;thirsty\toblige - walnut.')).toEqual(words)
  expect(wordsIn(' ')).toEqual([])
})
