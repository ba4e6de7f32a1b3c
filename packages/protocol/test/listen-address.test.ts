import { describe, expect, test } from 'vitest'
import { listenUrl, parseListenAddress } from '../src/index.ts'

describe('where a server listens', () => {
  test.each([
    [':8080', { host: undefined, port: 8080 }],
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::]:65535', { host: '::', port: 65535 }],
  ])('[PROTOCOL-3.2] %s is understood', (text, address) => {
    expect(parseListenAddress(text)).toEqual(address)
  })

  test.each([
    '',
    '8080',
    ':',
    ':65536',
    ':123456',
    '::1:8080',
    '[::1]',
    'http://localhost:8080',
    'a b:1',
    ':-1',
    '[]:1',
  ])('[PROTOCOL-3.2] %j is refused', text => {
    expect(parseListenAddress(text)).toBeUndefined()
  })

  test('[PROTOCOL-3.2] the address to reach it by', () => {
    expect(listenUrl({ host: undefined, port: 1 })).toBe('http://127.0.0.1:1')
    expect(listenUrl({ host: '::', port: 1 })).toBe('http://127.0.0.1:1')
    expect(listenUrl({ host: '::1', port: 1 })).toBe('http://[::1]:1')
    expect(listenUrl({ host: 'relay.example', port: 80 })).toBe('http://relay.example:80')
  })
})
