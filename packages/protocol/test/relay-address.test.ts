// Which relays cause a warning: those to which bytes travel unencrypted over a network.
import { describe, expect, test } from 'vitest'
import { plainRelayWarning } from '../src/index.ts'

describe('the way to a relay', () => {
  test.each([
    'https://relay.example',
    'wss://relay.example:8443',
    'http://localhost:8090',
    'ws://bot.localhost',
    'http://127.0.0.1:8090',
    'ws://127.1.2.3',
    'http://[::1]:8090',
  ])('[PROTOCOL-3.3] %s is fine', relayUrl => {
    expect(plainRelayWarning(relayUrl)).toBeUndefined()
  })

  test.each([
    'http://relay.example',
    'ws://relay.example:8090',
    'http://10.0.0.7:8090',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://[fd00::1]',
    'http://user:secret@relay.example',
  ])('[PROTOCOL-3.3] %s is warned of, and the sentence says what to do', relayUrl => {
    const warning = plainRelayWarning(relayUrl)
    expect(warning).toMatch(/is not encrypted: .*https:\/\//)
    expect(warning).not.toMatch(/\n|secret/)
  })
})
