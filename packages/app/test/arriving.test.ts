// Arriving: links, names, the six words.
import { contentLimits, nameFault } from '@postern/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agree, arrival, arrivalOf, forgetArrival, readArrival, resumeArrival } from '../src/onboarding/arrival.ts'
import { linkInText } from '../src/onboarding/link-in-text.ts'
import { nameProblem } from '../src/onboarding/name.ts'
import { wordsIn } from '../src/onboarding/recovery-words.ts'

/** Half pairs, controls and marks included. */
const anyText = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map(units => String.fromCharCode(...units))

const LINK = 'https://relay.example/#i/account/key/token'
const GROUP_LINK = 'https://relay.example/#g/account/key/token/title'

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  })
})

afterEach(() => {
  forgetArrival()
  vi.unstubAllGlobals()
})

/** Like a starting page: it remembers only what the tab stores for it. */
async function loadAgain(type: 'reload' | 'back_forward' | 'navigate' = 'reload') {
  vi.resetModules()
  vi.stubGlobal('performance', { getEntriesByType: () => [{ type }] })
  const next = await import('../src/onboarding/arrival.ts')
  next.resumeArrival()
  return next
}

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

test.for([LINK, GROUP_LINK])('[APP-8.1] A link is taken out of the address bar as it is read: %s', link => {
  const { address } = stubAddress(link)
  readArrival()
  expect(arrival.value).toEqual({ link, agreed: false })
  expect(address.href).toBe('https://relay.example/')
  readArrival()
  expect(arrival.value).toEqual({ link, agreed: false })
})

test('[APP-8.1] A page that is loaded again finds the link again, until it was used or put aside', async () => {
  const { seen } = stubAddress(LINK)
  resumeArrival()
  const again = await loadAgain()
  expect(again.arrival.value).toEqual({ link: LINK, agreed: false })
  again.forgetArrival()
  expect((await loadAgain()).arrival.value).toBeUndefined()
  expect(seen).toEqual(['https://relay.example/'])
})

test('[APP-8.1] Whoever comes back to the app by its address has left the link', async () => {
  const { address } = stubAddress(LINK)
  resumeArrival()
  address.hash = ''
  expect((await loadAgain('back_forward')).arrival.value).toMatchObject({ link: LINK })
  expect((await loadAgain('navigate')).arrival.value).toBeUndefined()
  expect((await loadAgain('reload')).arrival.value).toBeUndefined()
})

test('[APP-8.1] A press counts for the page that is loaded next, too, and for no other link', async () => {
  const { address } = stubAddress(LINK)
  resumeArrival()
  agree()
  const again = await loadAgain()
  expect(again.arrival.value).toMatchObject({ link: LINK, agreed: true, press: expect.stringMatching(/^[\w-]{36}$/) })
  expect(again.arrival.value).toEqual(arrival.value)
  address.hash = '#i/another/key/token'
  again.readArrival()
  expect(again.arrival.value).toMatchObject({ link: 'https://relay.example/#i/another/key/token', agreed: false })
})

test.for(['', '+', 'null', '{"link":7}', '-https://relay.example/#c/x'])(
  '[APP-8.1] What another version has left in the tab is passed over: %s',
  async left => {
    stubAddress('https://relay.example/')
    sessionStorage.setItem('postern-arrival', left)
    expect((await loadAgain()).arrival.value).toBeUndefined()
  },
)

test('[APP-8.1] A link by which earlier versions moved an account does nothing, and its secret leaves the address', () => {
  const { address } = stubAddress('https://relay.example/#m/blob/key/digest/1000')
  readArrival()
  expect(arrival.value).toBeUndefined()
  expect(address.href).toBe('https://relay.example/')
})

test('[APP-8.1] Routes are no links', () => {
  for (const hash of ['', '#', '#c/chat', '#settings', '#info/x', '#invite', '#m', '#group', '#link/x'])
    expect(arrivalOf(`https://relay.example/${hash}`)).toBeUndefined()
})

test('[APP-8.2] A pasted link is found in the words around it', () => {
  for (const text of [LINK, `  ${LINK}\n`, `Come here: ${LINK}.`, `(${LINK})`, `<${LINK}>`, `“${LINK}”, see?`])
    expect(linkInText(text)).toMatchObject({ link: LINK })
  expect(linkInText(`The group: ${GROUP_LINK}!`)).toMatchObject({ link: GROUP_LINK })
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
