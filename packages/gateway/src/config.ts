// Reads the gateway's settings from the environment. An invalid setting is named in one sentence, and nothing starts.
import { accessSync, constants } from 'node:fs'
import { type BotLanguage, language, webhookSecretFault } from '@postern/bot-api'
import {
  type AccountId,
  type ChatId,
  CodedError,
  contentLimits,
  type Env,
  hookLimits,
  isAccountId,
  isChatId,
  type ListenAddress,
  nameFault,
  parseListenAddress,
  wireLimits,
} from '@postern/protocol'
import { withSecretFiles } from '@postern/protocol/node'

export type GatewaySettings = {
  botToken: string
  /** Valid for the metrics alone. */
  metricsToken?: string
  /** Required at the first start. Later the bot follows a new one if the relay there knows the bot. */
  relayUrl?: string
  /** Required at the first start. Later a different name renames the bot. */
  botName?: string
  botAvatar?: string
  /** Used until the bot is registered. */
  relayInvite?: string
  acceptRequests: 'all' | 'contacts'
  updates: 'on' | 'off'
  /** Updates are delivered there instead of being polled. */
  webhook?: { url: string; secret: string }
  hooksUrl?: string
  botOwners: readonly AccountId[]
  /** Where living alerts are silenced. */
  alertmanager?: { urls: readonly string[]; token?: string }
  /** The language of the gateway's own texts: messages and commands of hooks. */
  language: BotLanguage
  /** Whether the reference page of the API is served. */
  reference: 'on' | 'off'
  /** Whether the console is served, and under which names besides those of this machine and plain addresses. */
  console: 'on' | 'off'
  consoleHosts: readonly string[]
  /** Whether the Telegram Bot API is served, with the token in its addresses. */
  telegramApi: 'on' | 'off'
  /** Absent unless `MCP=on`. */
  mcp?: McpSettings
  listen: ListenAddress
  dataDir: string
  logLevel: LogLevel
}

/** The tools for agents: whom they may reach, and what they may do. */
export type McpSettings = { token: string; chats: readonly ChatId[]; write: 'ask' | 'send' | 'all' }

const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** Each of them can be in a file instead, which the variable NAME_FILE names. */
export const gatewaySecrets = [
  'ALERTMANAGER_TOKEN',
  'BOT_TOKEN',
  'METRICS_TOKEN',
  'RELAY_INVITE',
  'WEBHOOK_SECRET',
  'MCP_TOKEN',
] as const

export function readSettings(environment: Env): GatewaySettings {
  const env = new Variables(withSecretFiles(environment, gatewaySecrets))
  const webhook = readWebhook(env)
  const relayUrl = env.url('RELAY_URL', ['http:', 'https:', 'ws:', 'wss:'])
  if (relayUrl !== undefined) checkIsOrigin('RELAY_URL', relayUrl)
  const relayInvite = env.invite('RELAY_INVITE')
  const botName = env.name('BOT_NAME')
  const botAvatar = env.readableFile('BOT_AVATAR')
  const mcp = readMcp(env)
  const hooksUrl = env.url('HOOKS_URL', ['http:', 'https:'])
  if (hooksUrl !== undefined && /[?#]/.test(hooksUrl))
    throw settingFault('HOOKS_URL', 'must not have a query or a fragment (? or #)')
  return {
    ...readTokens(env),
    ...(relayUrl !== undefined && { relayUrl }),
    ...(relayInvite !== undefined && { relayInvite }),
    ...(botName !== undefined && { botName }),
    ...(botAvatar !== undefined && { botAvatar }),
    acceptRequests: env.choice('ACCEPT_REQUESTS', ['all', 'contacts']) ?? 'all',
    updates: env.choice('UPDATES', ['on', 'off']) ?? 'on',
    ...(webhook && { webhook }),
    ...(hooksUrl !== undefined && { hooksUrl }),
    botOwners: env.accountIds('BOT_OWNERS'),
    ...readAlertmanager(env),
    language: env.language('LANGUAGE') ?? 'ru',
    reference: env.choice('REFERENCE', ['on', 'off']) ?? 'off',
    console: env.choice('CONSOLE', ['on', 'off']) ?? 'off',
    consoleHosts: env.hosts('CONSOLE_HOSTS'),
    telegramApi: readTelegramApi(env),
    ...(mcp && { mcp }),
    listen: env.listenAddress('LISTEN') ?? { host: undefined, port: 8080 },
    dataDir: env.text('DATA_DIR') ?? '/data',
    logLevel: env.choice('LOG_LEVEL', logLevels) ?? 'info',
  }
}

export const settingFault = (setting: string, rule: string, options: ErrorOptions = {}): CodedError =>
  new CodedError('bad-field', { field: setting, rule }, options)

function readTokens(env: Variables): Pick<GatewaySettings, 'botToken' | 'metricsToken'> {
  const botToken = env.token('BOT_TOKEN')
  if (botToken === undefined) throw settingFault('BOT_TOKEN', 'is required: every API request must send it')
  const metricsToken = env.token('METRICS_TOKEN')
  checkDiffers(env, 'METRICS_TOKEN', ['BOT_TOKEN'])
  return { botToken, ...(metricsToken !== undefined && { metricsToken }) }
}

function readTelegramApi(env: Variables): 'on' | 'off' {
  const choice = env.choice('TELEGRAM_API', ['on', 'off']) ?? 'off'
  // Libraries write the token into an address as it is.
  if (choice === 'on' && !/^[\w.:~-]+$/.test(env.text('BOT_TOKEN') ?? ''))
    throw settingFault('BOT_TOKEN', 'must have only letters, digits and signs of . : ~ - _ while TELEGRAM_API is on')
  return choice
}

function readMcp(env: Variables): McpSettings | undefined {
  if ((env.choice('MCP', ['on', 'off']) ?? 'off') === 'off') return undefined
  const token = env.token('MCP_TOKEN')
  if (token === undefined) throw settingFault('MCP_TOKEN', 'is required when MCP is on')
  checkDiffers(env, 'MCP_TOKEN', ['BOT_TOKEN', 'METRICS_TOKEN'])
  return { token, chats: env.chatIds('MCP_CHATS'), write: env.choice('MCP_WRITE', ['ask', 'send', 'all']) ?? 'ask' }
}

function readWebhook(env: Variables): GatewaySettings['webhook'] {
  const url = env.url('WEBHOOK_URL', ['http:', 'https:'])
  if (url === undefined) return undefined
  const secret = env.text('WEBHOOK_SECRET')
  if (secret === undefined) throw settingFault('WEBHOOK_SECRET', 'is required when WEBHOOK_URL is set')
  const rule = webhookSecretFault(secret)
  if (rule !== undefined) throw settingFault('WEBHOOK_SECRET', rule)
  if (env.choice('UPDATES', ['on', 'off']) === 'off')
    throw settingFault('WEBHOOK_URL', 'cannot be set together with UPDATES=off')
  return { url, secret }
}

function readAlertmanager(env: Variables): Pick<GatewaySettings, 'alertmanager'> {
  const urls = env.httpAddresses('ALERTMANAGER_URL')
  const token = env.token('ALERTMANAGER_TOKEN')
  checkDiffers(env, 'ALERTMANAGER_TOKEN', ['BOT_TOKEN'])
  return urls.length === 0 ? {} : { alertmanager: { urls, ...(token !== undefined && { token }) } }
}

/**
 * With the same token, a scraper of the metrics, an agent or an Alertmanager would control the bot. The Telegram Bot API
 * accepts digits and a colon before BOT_TOKEN, and digits are soon guessed.
 */
function checkDiffers(env: Variables, name: string, others: readonly string[]): void {
  const token = env.text(name)
  for (const other of others) {
    const otherToken = env.text(other)
    if (token === undefined || otherToken === undefined) continue
    if (token === otherToken) throw settingFault(name, `must differ from ${other}`)
    if (withoutDigits(token) === withoutDigits(otherToken))
      throw settingFault(name, `must differ from ${other} by more than digits and a colon at the start`)
  }
}

const withoutDigits = (token: string): string => token.replace(/^(?:\d+:)+/, '')

function checkIsOrigin(setting: string, text: string): void {
  const { pathname, search, hash, username } = new URL(text)
  if (pathname !== '/' || search + hash + username !== '')
    throw settingFault(setting, 'must have only a scheme, host and port, as in https://relay.example.org')
}

/** Variables by name. An empty one counts as not set, because compose files pass it like that. */
class Variables {
  readonly #environment: Env

  constructor(environment: Env) {
    this.#environment = environment
  }

  text(name: string): string | undefined {
    return this.#environment[name] || undefined
  }

  token(name: string): string | undefined {
    const token = this.text(name)
    if (token === undefined) return undefined
    // A header cannot carry other characters: such a token would lock everybody out.
    if (!/^[\x21-\x7e]+$/.test(token))
      throw settingFault(name, 'must have only ASCII letters, digits and punctuation, without spaces and line breaks')
    return token
  }

  invite(name: string): string | undefined {
    const code = this.text(name)
    if (code === undefined) return undefined
    if (!/^[A-Za-z0-9]+$/.test(code) || code.length > wireLimits.inviteBytesMax)
      throw settingFault(name, 'must have only the letters and digits of the code')
    return code
  }

  name(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const rule = nameFault(text, contentLimits.nameCharsMax)
    if (rule !== undefined) throw settingFault(name, rule)
    return text
  }

  choice<const Choices extends readonly string[]>(name: string, choices: Choices): Choices[number] | undefined {
    const text = this.text(name)
    if (text === undefined || choices.includes(text)) return text
    throw settingFault(name, `must be ${choices.join(' or ')}, not ${JSON.stringify(text)}`)
  }

  /** Desktops and images set `LANGUAGE` to a list of locales for their own programs: such a list is not meant for us. */
  language(name: string): BotLanguage | undefined {
    return /[_:]/.test(this.text(name) ?? '') ? undefined : this.choice(name, language.options)
  }

  url(name: string, schemes: readonly string[]): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!URL.canParse(text) || !schemes.includes(new URL(text).protocol))
      throw settingFault(
        name,
        `must be an address that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
      )
    return text
  }

  /** Separated by commas. */
  httpAddresses(name: string): string[] {
    const addresses = (this.text(name) ?? '').split(',').map(address => address.trim())
    const given = addresses.filter(address => address !== '')
    const { addressesMax } = hookLimits.alertmanager
    if (given.length > addressesMax) throw settingFault(name, `must have at most ${addressesMax} addresses`)
    for (const address of given) {
      const url = URL.canParse(address) ? new URL(address) : undefined
      const isUsable = url && ['http:', 'https:'].includes(url.protocol) && url.search + url.hash + url.username === ''
      // The address itself may hold a password: it is not repeated.
      if (!isUsable) throw settingFault(name, 'must be addresses like http://alertmanager:9093, separated by commas')
    }
    return given
  }

  readableFile(name: string): string | undefined {
    const path = this.text(name)
    if (path === undefined) return undefined
    try {
      accessSync(path, constants.R_OK)
      return path
    } catch {
      throw settingFault(name, `the file ${JSON.stringify(path)} cannot be read`)
    }
  }

  accountIds(name: string): AccountId[] {
    return this.#words(name).map(word => {
      if (!isAccountId(word)) throw settingFault(name, `${JSON.stringify(word)} is not an account id`)
      return word
    })
  }

  chatIds(name: string): ChatId[] {
    return this.#words(name).map(word => {
      if (!isChatId(word)) throw settingFault(name, `${JSON.stringify(word)} is not a chat id`)
      return word
    })
  }

  #words(name: string): string[] {
    const words = (this.text(name) ?? '').split(',').map(word => word.trim())
    return words.filter(word => word !== '')
  }

  /** Names as a browser sends them: without port, and in lower case. */
  hosts(name: string): string[] {
    const words = (this.text(name) ?? '').split(',').map(word => word.trim().toLowerCase())
    return words
      .filter(word => word !== '')
      .map(word => {
        if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(word)) return word
        throw settingFault(name, `${JSON.stringify(word)} is not the name of a host, as in console.example.org`)
      })
  }

  listenAddress(name: string): ListenAddress | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const address = parseListenAddress(text)
    if (address) return address
    throw settingFault(name, 'must be an address like :8080, 127.0.0.1:8080 or [::1]:8080')
  }
}
