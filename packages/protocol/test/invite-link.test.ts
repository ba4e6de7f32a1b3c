// Invite links: complete or refused.
import { describe, expect, test } from 'vitest'
import { formatInvite, parseInvite } from '../src/content/index.ts'
import { toBase32 } from '../src/index.ts'

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
})
