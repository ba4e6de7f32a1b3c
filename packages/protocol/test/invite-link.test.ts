// Invite links: complete or refused.
import { describe, expect, test } from 'vitest'
import {
  decodeContent,
  encodeContent,
  formatGroupLink,
  formatInvite,
  isGroupLink,
  parseGroupLink,
  parseInvite,
  startTokenOf,
} from '../src/content/index.ts'
import {
  isStartLink,
  SEND_ID_BYTES,
  sendIdFromBytes,
  startPayloadFault,
  toBase32,
  toBase64Url,
  utf8,
} from '../src/index.ts'

const invite = {
  account: toBase32(new Uint8Array(20).fill(5)) as never,
  profileKey: new Uint8Array(32).fill(6),
  token: 'abcdefghijklmnopqrstuv',
}

describe('invite links', () => {
  test.each([
    ['http://127.0.0.1:8090', 'http://127.0.0.1:8090'],
    ['wss://relay.example/with/path', 'https://relay.example'],
    ['https://relay.example/', 'https://relay.example'],
  ])('[PROTOCOL-3.1] a link of %s opens on %s', (relayUrl, origin) => {
    const link = formatInvite(relayUrl, invite)
    expect(link.startsWith(`${origin}/#i/`)).toBe(true)
    expect(parseInvite(link)).toEqual({ ...invite, relayUrl: origin })
  })

  test('[PROTOCOL-3.1] everything of use stands behind the #', () => {
    const [page] = formatInvite('https://relay.example', invite).split('#')
    expect(page).toBe('https://relay.example/')
  })

  test.each([
    '',
    'https://relay.example/',
    'not a link',
    formatInvite('https://relay.example', invite).slice(0, -1),
    formatInvite('https://relay.example', invite).replace('#i/', '#x/'),
    `${formatInvite('https://relay.example', invite)}/more`,
    formatInvite('https://relay.example', invite).replace(invite.account, 'nobody'),
  ])('[PROTOCOL-3.1] what is not complete is refused: %s', link => {
    expect(() => parseInvite(link)).toThrow(expect.objectContaining({ code: 'invite-malformed' }))
  })

  test('[PROTOCOL-3.5] a start link is an invite link that no random token makes', () => {
    for (let last = 0; last < 256; last++) {
      const random = new Uint8Array(16).fill(7)
      random[15] = last
      const link = formatInvite('https://relay.example', { ...invite, token: startTokenOf(random) })
      expect(parseInvite(link).token).toHaveLength(22)
      expect(isStartLink(link)).toBe(true)
      expect(isStartLink(toBase64Url(random))).toBe(false)
    }
  })

  test.each(['a', '_-', 'A'.repeat(64), '4711'])('[PROTOCOL-3.5] %s is a payload', payload => {
    expect(startPayloadFault(payload)).toBeUndefined()
  })
  test.each(['', ' ', 'a b', 'a\n', 'é', 'a+b', 'A'.repeat(65)])('[PROTOCOL-3.5] %j is no payload', payload => {
    expect(startPayloadFault(payload)).toMatch(/^must have 1 to 64 characters/)
  })
})

const groupLink = { ...invite, title: 'Гавань 🚢' }
const made = formatGroupLink('wss://relay.example', groupLink)
const withTitle = (title: Uint8Array): string => made.replace(/[^/]*$/, toBase64Url(title))

describe('[PROTOCOL-3.6] a link to a group', () => {
  test('keeps its title, and is told apart from an invite', () => {
    expect(made.startsWith('https://relay.example/#g/')).toBe(true)
    expect(parseGroupLink(made)).toEqual({ ...groupLink, relayUrl: 'https://relay.example' })
    expect([isGroupLink(made), isGroupLink(formatInvite('https://relay.example', invite))]).toEqual([true, false])
    expect(() => parseInvite(made)).toThrow(expect.objectContaining({ code: 'invite-malformed' }))
  })

  test.each([
    ['without a title', withTitle(new Uint8Array(0))],
    ['with an invisible title', withTitle(utf8('\u200b'))],
    ['with a title of two lines', withTitle(utf8('team\nPress Ask to join'))],
    ['with a title that turns the text around it', withTitle(utf8('team\u202e'))],
    ['with a title that is too long', withTitle(utf8('x'.repeat(129)))],
    ['with a title that is no text', withTitle(new Uint8Array([0xff, 0xfe]))],
    ['cut off in the token', made.slice(0, made.lastIndexOf('/') - 1)],
    ['with something behind it', `${made}/more`],
    ['of another kind', formatInvite('https://relay.example', invite)],
  ])('%s is refused', (_, link) => {
    expect(() => parseGroupLink(link)).toThrow(expect.objectContaining({ code: 'invite-malformed' }))
  })

  const send = sendIdFromBytes(new Uint8Array(SEND_ID_BYTES).fill(1))
  const { token } = invite
  test.each([{ kind: 'join-ask', token } as const, { kind: 'join-answer', token, outcome: 'declined' } as const])(
    'leads to a content: $kind',
    body => {
      expect(decodeContent(encodeContent({ send, profileVersion: 1, body }))?.body).toEqual(body)
      const bad = JSON.stringify({ v: 1, send, profileVersion: 1, body: { ...body, token: 'short' } })
      expect(decodeContent(utf8(bad))).toBeUndefined()
    },
  )
})
