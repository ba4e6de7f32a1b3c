// Settings from the environment: the values that each variable accepts, and the one line for an invalid one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewaySecrets, readSettings } from '../src/config.ts'

const owner = 'a'.repeat(32)
const needed = { BOT_TOKEN: 'a-token' }
let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-config-'))
  writeFileSync(join(directory, 'face.png'), 'picture')
})
afterAll(() => rmSync(directory, { recursive: true }))

test('[GATEWAY-1.1] with a token alone everything else has its default', () => {
  expect(readSettings(needed)).toEqual({
    botToken: 'a-token',
    acceptRequests: 'all',
    updates: 'on',
    botOwners: [],
    language: 'ru',
    reference: 'off',
    console: 'off',
    consoleHosts: [],
    telegramApi: 'off',
    listen: { host: undefined, port: 8080 },
    dataDir: '/data',
    logLevel: 'info',
  })
})

describe('[MCP-1.2] MCP=on', () => {
  test.each([
    [{}, 'MCP_TOKEN: is required when MCP is on.'],
    [{ MCP_TOKEN: 'a-token' }, 'MCP_TOKEN: must differ from BOT_TOKEN.'],
    [{ MCP_TOKEN: 'm', METRICS_TOKEN: 'm' }, 'MCP_TOKEN: must differ from METRICS_TOKEN.'],
    [{ MCP_TOKEN: '1:a-token' }, 'MCP_TOKEN: must differ from BOT_TOKEN by more than digits and a colon at the start.'],
    [{ MCP_TOKEN: 'm', MCP_CHATS: 'everybody' }, 'MCP_CHATS: "everybody" is not a chat id.'],
    [{ MCP_TOKEN: 'm', MCP_CHATS: `${owner} ${owner}` }, `MCP_CHATS: "${owner} ${owner}" is not a chat id.`],
    [{ MCP_TOKEN: 'm', MCP_WRITE: 'none' }, 'MCP_WRITE: must be ask or send or all, not "none".'],
  ])('with %j does not start', (env, sentence) => {
    expect(() => readSettings({ ...needed, MCP: 'on', ...env })).toThrow(sentence)
  })

  test('without a list allows no chat, and without it nothing is read', () => {
    expect(readSettings({ ...needed, MCP: 'on', MCP_TOKEN: 'm' }).mcp).toEqual({ token: 'm', chats: [], write: 'ask' })
    expect(readSettings({ ...needed, MCP_TOKEN: 'm', MCP_CHATS: owner })).not.toHaveProperty('mcp')
  })
})

test('[GATEWAY-1.1] every setting is read', () => {
  const avatar = join(directory, 'face.png')
  expect(
    readSettings({
      BOT_TOKEN: 'a-token',
      METRICS_TOKEN: 'another-token',
      RELAY_URL: 'https://relay.example.org',
      BOT_NAME: 'Helper 🤖',
      BOT_AVATAR: avatar,
      ACCEPT_REQUESTS: 'contacts',
      UPDATES: 'off',
      HOOKS_URL: 'https://hooks.example.org/postern',
      BOT_OWNERS: ` ${owner}, ${owner} ,`,
      LANGUAGE: 'en',
      REFERENCE: 'on',
      CONSOLE: 'on',
      CONSOLE_HOSTS: 'Console.example.org, bots',
      TELEGRAM_API: 'on',
      MCP: 'on',
      MCP_TOKEN: 'third-token',
      MCP_CHATS: `${owner},`,
      MCP_WRITE: 'send',
      LISTEN: '127.0.0.1:9000',
      DATA_DIR: '/somewhere',
      LOG_LEVEL: 'debug',
    }),
  ).toEqual({
    botToken: 'a-token',
    metricsToken: 'another-token',
    relayUrl: 'https://relay.example.org',
    botName: 'Helper 🤖',
    botAvatar: avatar,
    acceptRequests: 'contacts',
    updates: 'off',
    hooksUrl: 'https://hooks.example.org/postern',
    botOwners: [owner, owner],
    language: 'en',
    reference: 'on',
    console: 'on',
    consoleHosts: ['console.example.org', 'bots'],
    telegramApi: 'on',
    mcp: { token: 'third-token', chats: [owner], write: 'send' },
    listen: { host: '127.0.0.1', port: 9000 },
    dataDir: '/somewhere',
    logLevel: 'debug',
  })
})

test('[GATEWAY-1.1] a variable that is set to nothing counts as not set', () => {
  const empty = [
    'METRICS_TOKEN',
    'RELAY_URL',
    'BOT_NAME',
    'UPDATES',
    'LISTEN',
    'WEBHOOK_URL',
    'LOG_LEVEL',
    'BOT_AVATAR',
    'BOT_OWNERS',
  ]
  expect(readSettings({ ...needed, ...Object.fromEntries(empty.map(name => [name, ''])) })).toEqual(
    readSettings(needed),
  )
})

test('[GATEWAY-1.7] each secret can be in a file', () => {
  const variables = Object.fromEntries(
    gatewaySecrets.map(name => {
      const path = join(directory, name)
      writeFileSync(path, `${name.replaceAll('_', '').toLowerCase()}\n`)
      return [`${name}_FILE`, path]
    }),
  )
  const addresses = { WEBHOOK_URL: 'https://bot.example.org', ALERTMANAGER_URL: 'http://alertmanager:9093' }
  expect(readSettings({ ...variables, ...addresses })).toMatchObject({
    botToken: 'bottoken',
    alertmanager: { urls: ['http://alertmanager:9093'], token: 'alertmanagertoken' },
    metricsToken: 'metricstoken',
    relayInvite: 'relayinvite',
    webhook: { secret: 'webhooksecret' },
  })
})

test('[GATEWAY-1.7] a value from a file follows the same rules, and is not shown', () => {
  const path = join(directory, 'two-words')
  writeFileSync(path, 'two words\n')
  expect(() => readSettings({ BOT_TOKEN_FILE: path })).toThrow(/^BOT_TOKEN: must have only(?!.*two words)/)
  expect(() => readSettings({ ...needed, BOT_TOKEN_FILE: path })).toThrow(/^BOT_TOKEN_FILE: cannot be set together/)
  expect(() => readSettings({ BOT_TOKEN_FILE: `${path}.gone` })).toThrow(/^BOT_TOKEN_FILE: .*ENOENT/)
})

test.each([
  [':8080', { host: undefined, port: 8080 }],
  ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
])('[GATEWAY-1.2] LISTEN takes %s', (text, listen) => {
  expect(readSettings({ ...needed, LISTEN: text }).listen).toEqual(listen)
})

test.each(['http://127.0.0.1:8090', 'https://relay.example.org/', 'ws://relay:8090', 'wss://relay.example.org'])(
  '[GATEWAY-1.2] RELAY_URL takes %s',
  url => {
    expect(readSettings({ ...needed, RELAY_URL: url }).relayUrl).toBe(url)
  },
)

describe('[GATEWAY-1.3] a setting that is wrong is named in one line', () => {
  test.each<[string, Record<string, string>]>([
    ['BOT_TOKEN', { BOT_TOKEN: '' }],
    ['BOT_TOKEN', { BOT_TOKEN: 'two words' }],
    ['BOT_TOKEN', { BOT_TOKEN: 'line\nend' }],
    ['BOT_TOKEN', { BOT_TOKEN: 'schlüssel' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'two words' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'line\nend' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'schlüssel' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: needed.BOT_TOKEN }],
    ['BOT_TOKEN', { BOT_TOKEN: '', METRICS_TOKEN: 'figures' }],
    ['RELAY_URL', { RELAY_URL: 'relay.example.org' }],
    ['RELAY_URL', { RELAY_URL: 'ftp://relay.example.org' }],
    ['RELAY_URL', { RELAY_URL: 'https://relay.example.org/path' }],
    ['RELAY_URL', { RELAY_URL: 'https://user@relay.example.org' }],
    ['BOT_NAME', { BOT_NAME: '  ' }],
    ['BOT_NAME', { BOT_NAME: 'x'.repeat(65) }],
    ['BOT_NAME', { BOT_NAME: 'two\nlines' }],
    ['BOT_NAME', { BOT_NAME: 'turned \u202e round' }],
    ['BOT_NAME', { BOT_NAME: '\u200b' }],
    ['BOT_AVATAR', { BOT_AVATAR: '/nowhere/face.png' }],
    ['ACCEPT_REQUESTS', { ACCEPT_REQUESTS: 'some' }],
    ['ACCEPT_REQUESTS', { ACCEPT_REQUESTS: 'ask' }],
    ['UPDATES', { UPDATES: 'no' }],
    ['REFERENCE', { REFERENCE: 'yes' }],
    ['CONSOLE', { CONSOLE: 'yes' }],
    ['CONSOLE_HOSTS', { CONSOLE_HOSTS: 'https://console.example.org' }],
    ['HOOKS_URL', { HOOKS_URL: 'hooks' }],
    ['BOT_OWNERS', { BOT_OWNERS: `${owner},alice` }],
    ['BOT_OWNERS', { BOT_OWNERS: owner.toUpperCase() }],
    ['LISTEN', { LISTEN: '8080' }],
    ['LISTEN', { LISTEN: ':99999' }],
    ['LISTEN', { LISTEN: '::1:8080' }],
    ['LANGUAGE', { LANGUAGE: 'de' }],
    ['LANGUAGE', { LANGUAGE: 'English' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['WEBHOOK_URL', { WEBHOOK_URL: 'example.org', WEBHOOK_SECRET: 's' }],
    ['WEBHOOK_SECRET', { WEBHOOK_URL: 'https://example.org' }],
    ['WEBHOOK_URL', { WEBHOOK_URL: 'https://example.org', WEBHOOK_SECRET: 's', UPDATES: 'off' }],
    ['WEBHOOK_SECRET', { WEBHOOK_URL: 'https://example.org', WEBHOOK_SECRET: 'whsec_not base64' }],
  ])('%s in %j', (setting, env) => {
    expect(() => readSettings({ ...needed, ...env })).toThrow(new RegExp(`^${setting}: .*\\.$`))
  })
})

describe('[TELEGRAM-1.8] a setting that keeps the Telegram Bot API from starting is named with its rule', () => {
  const signs = 'BOT_TOKEN: must have only letters, digits and signs of . : ~ - _ while TELEGRAM_API is on.'
  const fault = (message: string) => expect.objectContaining({ message }) as Error
  test.each<[string, Record<string, string>]>([
    ['TELEGRAM_API: must be on or off, not "maybe".', { TELEGRAM_API: 'maybe' }],
    ['TELEGRAM_API: must be on or off, not "ON".', { TELEGRAM_API: 'ON' }],
    ['BOT_TOKEN: is required: every API request must send it.', { BOT_TOKEN: '' }],
    [
      'BOT_TOKEN: must have only ASCII letters, digits and punctuation, without spaces and line breaks.',
      { BOT_TOKEN: 'é' },
    ],
    [signs, { BOT_TOKEN: 'with/slash' }],
    [signs, { BOT_TOKEN: 'with?mark' }],
    [signs, { BOT_TOKEN: 'with%2Fescape' }],
    [signs, { BOT_TOKEN: 'with#fragment' }],
  ])('%s %j', (sentence, env) => {
    expect(() => readSettings({ ...needed, TELEGRAM_API: 'on', ...env })).toThrow(fault(sentence))
  })

  test('a token in a file follows the same rule', () => {
    const path = join(directory, 'with-slash')
    writeFileSync(path, 'with/slash\n')
    expect(() => readSettings({ BOT_TOKEN_FILE: path, TELEGRAM_API: 'on' })).toThrow(fault(signs))
  })

  test.each(['0123456789', 'A_z-9.~', '123456:AAbb_cc-DD'])('a token of %s starts it', token => {
    expect(readSettings({ BOT_TOKEN: token, TELEGRAM_API: 'on' }).telegramApi).toBe('on')
  })

  test('without TELEGRAM_API the token may have other signs', () => {
    expect(readSettings({ BOT_TOKEN: 'with/slash' }).botToken).toBe('with/slash')
  })
})

test.each(['en_US:en', 'de_DE:de', 'en_GB.UTF-8', 'de:en'])(
  '[GATEWAY-1.8] LANGUAGE=%s is a list of locales for other programs, and counts as not set',
  locales => {
    expect(readSettings({ ...needed, LANGUAGE: locales }).language).toBe('ru')
  },
)

test('[GATEWAY-1.1] a webhook needs its address and its secret', () => {
  const webhook = { WEBHOOK_URL: 'https://example.org/updates?x=1', WEBHOOK_SECRET: 'a secret' }
  expect(readSettings({ ...needed, ...webhook }).webhook).toEqual({
    url: 'https://example.org/updates?x=1',
    secret: 'a secret',
  })
})

test('[GATEWAY-1.3] an emoji is one character of a name', () => {
  const name = '🤖'.repeat(64)
  expect(readSettings({ ...needed, BOT_NAME: name }).botName).toBe(name)
})

test('[GATEWAY-1.4] a token is never part of what is said about it', () => {
  expect(() => readSettings({ BOT_TOKEN: 'very secret' })).toThrow(/^(?!.*very).*$/)
  expect(() => readSettings({ ...needed, METRICS_TOKEN: 'very secret' })).toThrow(/^(?!.*very).*$/)
})

test('[GATEWAY-1.6] a METRICS_TOKEN that is BOT_TOKEN is refused, and neither is shown', () => {
  const same = { BOT_TOKEN: 'one-for-both', METRICS_TOKEN: 'one-for-both' }
  expect(() => readSettings(same)).toThrow(/^METRICS_TOKEN: (?!.*one-for-both).*BOT_TOKEN\.$/)
  expect(readSettings({ ...same, METRICS_TOKEN: 'one-for-botH' }).metricsToken).toBe('one-for-botH')
  expect(readSettings(needed)).not.toHaveProperty('metricsToken')
})

describe('[GATEWAY-1.9] a token that opens the bot behind digits and a colon is refused', () => {
  const secret = 'a-secret-of-the-bot'
  const alertmanager = { ALERTMANAGER_URL: 'http://alertmanager:9093' }
  test.each([
    ['METRICS_TOKEN', secret, `123456:${secret}`],
    ['METRICS_TOKEN', `123456:${secret}`, secret],
    ['METRICS_TOKEN', `1:${secret}`, `2:3:${secret}`],
    ['MCP_TOKEN', secret, `123456:${secret}`],
    ['ALERTMANAGER_TOKEN', secret, secret],
    ['ALERTMANAGER_TOKEN', secret, `123456:${secret}`],
  ])('%s beside the BOT_TOKEN %s', (name, botToken, token) => {
    const env = { ...alertmanager, MCP: 'on', MCP_TOKEN: 'of-agents', BOT_TOKEN: botToken, [name]: token }
    const rule = token === botToken ? '' : ' by more than digits and a colon at the start'
    expect(() => readSettings(env)).toThrow(`${name}: must differ from BOT_TOKEN${rule}.`)
  })

  test('tokens that differ behind their digits are accepted', () => {
    const env = { BOT_TOKEN: `123456:${secret}`, METRICS_TOKEN: '123456:of-the-metrics' }
    expect(readSettings(env).metricsToken).toBe('123456:of-the-metrics')
  })
})
